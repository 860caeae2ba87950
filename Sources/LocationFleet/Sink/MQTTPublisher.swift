package import LocationModel

/// A client of a broker of MQTT 3.1.1 that only publishes, with QoS 1: bytes in and bytes out.
package struct MQTTPublisher: Sendable {
  package enum Input: Sendable {
    /// The connection is there; nothing was sent yet.
    case open
    case bytes([UInt8])
    /// A message, by a number of whoever publishes.
    case publish(UInt64, topic: String, payload: [UInt8])
    case wake
    case close
  }

  package enum Output: Hashable, Sendable {
    case send([UInt8])
    case confirmed(UInt64)
    /// The connection is over, and what was not confirmed may or may not be there.
    case over(String)
  }

  package struct Login: Hashable, Sendable {
    package var client: String
    package var user: String?
    package var password: [UInt8]?

    package init(client: String, user: String? = nil, password: [UInt8]? = nil) {
      self.client = client
      self.user = user
      self.password = password
    }
  }

  private enum State { case closed, greeting, ready }

  private let login: Login
  private var state = State.closed
  private var bytes: [UInt8] = []
  /// Published and not confirmed, by the number of the packet.
  private var waiting: [UInt16: UInt64] = [:]
  private var newest: UInt16 = 0
  /// Published before the broker has greeted.
  private var held: [(UInt64, String, [UInt8])] = []
  private var sent: Instant = .start
  /// By when the broker must have said something.
  private var limit: Instant?

  package init(_ login: Login) { self.login = login }

  package var nextDeadline: Instant? {
    switch state {
    case .closed: nil
    case .greeting: limit
    case .ready: min(limit ?? sent + Self.keepAlive, sent + Self.keepAlive)
    }
  }

  package mutating func handle(_ input: Input, at now: Instant) -> [Output] {
    switch input {
    case .open:
      self = Self(login)
      (state, sent, limit) = (.greeting, now, now + Self.longestSilence)
      return [.send(connect)]
    case .close:
      defer { self = Self(login) }
      return state == .ready ? [.send([0xe0, 0])] : []
    case .publish(let number, let topic, let payload):
      guard state == .ready else {
        if state == .greeting { held.append((number, topic, payload)) }
        return state == .greeting ? [] : [.over("not connected")]
      }
      return [publish(number, topic, payload, at: now)]
    case .bytes(let more):
      guard state != .closed else { return [] }
      bytes += more
      return read(at: now)
    case .wake: return wake(at: now)
    }
  }

  private mutating func wake(at now: Instant) -> [Output] {
    guard state != .closed else { return [] }
    if let limit, now >= limit { return over("the broker is silent") }
    guard state == .ready, now >= sent + Self.keepAlive else { return [] }
    (sent, limit) = (now, limit ?? now + Self.longestSilence)
    return [.send([0xc0, 0])]
  }

  private mutating func over(_ reason: String) -> [Output] {
    self = Self(login)
    return [.over(reason)]
  }

  // MARK: Reading

  private mutating func read(at now: Instant) -> [Output] {
    var outputs: [Output] = []
    while bytes.count >= 2 {
      // What a broker sends to one who only publishes has two bytes behind its length, or none.
      let length = Int(bytes[1])
      guard length <= 2 else { return outputs + over("the broker sends what was not asked for") }
      guard bytes.count >= 2 + length else { break }
      let packet = Array(bytes[..<(2 + length)])
      bytes.removeFirst(packet.count)
      outputs += take(packet, at: now)
      guard state != .closed else { break }
    }
    return outputs
  }

  private mutating func take(_ packet: [UInt8], at now: Instant) -> [Output] {
    switch (state, packet[0], packet.count) {
    case (.greeting, 0x20, 4):
      guard packet[3] == 0 else { return over(Self.refusal(packet[3])) }
      (state, limit) = (.ready, nil)
      let ready = held
      held = []
      return ready.map { publish($0.0, $0.1, $0.2, at: now) }
    case (.ready, 0x40, 4):
      let number = UInt16(packet[2]) << 8 | UInt16(packet[3])
      guard let done = waiting.removeValue(forKey: number) else {
        return over("the broker confirms what was not published")
      }
      limit = waiting.isEmpty ? nil : now + Self.longestSilence
      return [.confirmed(done)]
    case (.ready, 0xd0, 2):
      if waiting.isEmpty { limit = nil }
      return []
    default: return over("the broker breaks the protocol")
    }
  }

  private static func refusal(_ code: UInt8) -> String {
    switch code {
    case 1: "the broker does not speak MQTT 3.1.1"
    case 2: "the broker does not take the client's name"
    case 3: "the broker is not available"
    case 4: "the broker does not accept user and password"
    case 5: "the broker does not let this user in"
    default: "the broker refuses, code \(code)"
    }
  }

  // MARK: Writing

  private var connect: [UInt8] {
    var flags: UInt8 = 2
    var body = Self.text(Array(login.client.utf8))
    if let user = login.user {
      flags |= 0x80
      body += Self.text(Array(user.utf8))
    }
    if let password = login.password {
      flags |= 0x40
      body += Self.text(password)
    }
    // Twice the time between two pings.
    return Self.packet(0x10, Self.text(Array("MQTT".utf8)) + [4, flags, 0, 60] + body)
  }

  private mutating func publish(
    _ number: UInt64, _ topic: String, _ payload: [UInt8], at now: Instant
  ) -> Output {
    repeat { newest = newest == .max ? 1 : newest + 1 } while waiting[newest] != nil
    waiting[newest] = number
    (sent, limit) = (now, limit ?? now + Self.longestSilence)
    let head = Self.text(Array(topic.utf8)) + [UInt8(newest >> 8), UInt8(newest & 255)]
    return .send(Self.packet(0x32, head + payload))
  }

  private static func text(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt16(clamping: bytes.count)
    return [UInt8(count >> 8), UInt8(count & 255)] + bytes.prefix(Int(count))
  }

  private static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
    var head = [first]
    var length = body.count
    repeat {
      head.append(UInt8(length & 0x7f) | (length > 0x7f ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return head + body
  }

  private static let keepAlive = Duration.seconds(30)
  private static let longestSilence = Duration.seconds(10)
}
