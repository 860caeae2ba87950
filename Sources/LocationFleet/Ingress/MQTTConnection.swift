package import LocationModel

/// The server's side of one connection of MQTT 3.1.1 by which a device publishes, and does nothing else.
///
/// - Chosen (FLEET-32): what a device publishes with QoS 1 is acknowledged when it is kept, in the order
///   in which it came. What cannot be kept ends the connection, so that the device sends it again.
package struct MQTTConnection: Machine {
  package enum Input: MachineInput, Hashable {
    case bytes([UInt8])
    /// It has a certificate that says who it is: a user and a password do not count.
    case certified
    /// What was asked by `authenticate`: whether the device is who it says.
    case authenticated(Bool)
    /// The same for a device whose tenant has as many connections as it may.
    case surplus
    /// Nothing more is read for now, since it has sent more than it may; or it is read again.
    case slowed(Bool)
    /// A message was kept, or is one that nothing is to be kept of.
    case kept(Int)
    /// A message was not kept.
    case failed(Int, MQTTEnd)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case send([UInt8])
    case authenticate(user: String, password: [UInt8])
    /// The same for a device that is known by its certificate.
    case greet
    case publish(Int, topic: String, payload: [UInt8])
    case close(MQTTEnd)
  }

  private enum State: Hashable {
    /// Nothing has come yet.
    case new(until: Instant)
    /// The password is being looked at; `keepAlive` in seconds.
    case authenticating(keepAlive: Int)
    case open(keepAlive: Int, heard: Instant)
    case closed
  }

  /// A message that has not been kept yet.
  private struct Waiting: Hashable {
    var message: Int
    /// The number to acknowledge; `nil` for QoS 0.
    var number: UInt16?
    var isKept = false
  }

  /// Messages of one connection that may wait to be kept; nothing more is read meanwhile.
  package static let mostWaiting = 64
  private static let longestStart = Duration.seconds(10)

  private var state: State
  private var reader = MQTTReader()
  private var waiting: [Waiting] = []
  private var count = 0
  private var isCertified = false
  private var isSlowed = false
  /// Why it ends as soon as nothing waits any more.
  private var ending: MQTTEnd?
  /// Bytes of a message.
  private let longestMessage: Int

  package init(at now: Instant, longestMessage: Int = DeviceReport.longest) {
    state = .new(until: now + Self.longestStart)
    self.longestMessage = longestMessage
  }

  package var nextDeadline: Instant? {
    switch state {
    case .new(let until): until
    case .authenticating, .closed: nil
    // A device whose packets are not read is not silent.
    case .open(let keepAlive, let heard):
      keepAlive == 0 || !wantsBytes ? nil : heard + .seconds(1.5 * Double(keepAlive))
    }
  }

  /// Whether it has said who it is.
  package var hasAsked: Bool { if case .new = state { false } else { true } }

  /// Whether more bytes may be read for it.
  package var wantsBytes: Bool {
    switch state {
    case .new: true
    case .open: waiting.count < Self.mostWaiting && !isSlowed && ending == nil
    case .authenticating, .closed: false
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    var outputs: [Output] = []
    do throws(MQTTEnd) {
      switch input {
      case .bytes(let bytes):
        guard state != .closed else { return [] }
        reader.take(bytes)
      case .certified: isCertified = true
      case .authenticated(let isKnown): try authenticated(isKnown, &outputs, now)
      case .surplus:
        outputs.append(.send([0x20, 2, 0, 3]))
        throw .surplus
      case .slowed(let isSlowed):
        self.isSlowed = isSlowed
        if case .open(let keepAlive, _) = state {
          state = .open(keepAlive: keepAlive, heard: now.uptime)
        }
      case .kept(let message):
        kept(message, &outputs, now)
        try endIfAllIsKept()
      case .failed(let message, let end):
        guard let place = waiting.firstIndex(where: { $0.message == message }) else { return [] }
        // What came before it may still be kept, and is acknowledged first.
        waiting.removeSubrange(place...)
        ending = end
        try endIfAllIsKept()
      case .wake: if isDue(nextDeadline, now) { throw .silent }
      }
      while wantsBytes, let packet = try reader.next(limit: limit) {
        try take(packet, &outputs, now)
      }
    } catch {
      guard state != .closed else { return outputs }
      if case .new = state, error == .version { outputs.append(.send([0x20, 2, 0, 1])) }
      state = .closed
      (waiting, reader) = ([], MQTTReader())
      outputs.append(.close(error))
    }
    return outputs
  }

  private func endIfAllIsKept() throws(MQTTEnd) {
    if let ending, waiting.isEmpty { throw ending }
  }

  private var limit: Int {
    if case .new = state { MQTTReader.longestConnect } else { longestMessage + 1024 }
  }

  private mutating func take(
    _ packet: MQTTPacket, _ outputs: inout [Output], _ now: Moment
  ) throws(MQTTEnd) {
    if case .new = state {
      guard case .connect(let connect) = packet else { throw .unexpected }
      return try self.connect(connect, &outputs)
    }
    if case .open(let keepAlive, _) = state {
      state = .open(keepAlive: keepAlive, heard: now.uptime)
    }
    switch packet {
    case .connect: throw .unexpected
    case .publish(let publish):
      count += 1
      waiting.append(Waiting(message: count, number: publish.number))
      outputs.append(.publish(count, topic: publish.topic, payload: publish.payload))
    // Nothing is ever published to a device.
    case .subscribe(let number, let filters):
      let bytes = Self.bytes(number) + [UInt8](repeating: 0x80, count: filters)
      outputs.append(.send(Self.packet(0x90, bytes)))
    case .unsubscribe(let number): outputs.append(.send(Self.packet(0xb0, Self.bytes(number))))
    case .ping: outputs.append(.send([0xd0, 0]))
    case .disconnect: throw .disconnected
    }
  }

  private mutating func connect(
    _ connect: MQTTPacket.Connect, _ outputs: inout [Output]
  ) throws(MQTTEnd) {
    guard !connect.client.isEmpty || connect.isClean else {
      outputs.append(.send([0x20, 2, 0, 2]))
      throw .malformed
    }
    guard !isCertified else {
      state = .authenticating(keepAlive: connect.keepAlive)
      outputs.append(.greet)
      return
    }
    guard let user = connect.user, let password = connect.password else {
      outputs.append(.send([0x20, 2, 0, 5]))
      throw .password
    }
    state = .authenticating(keepAlive: connect.keepAlive)
    outputs.append(.authenticate(user: user, password: password))
  }

  private mutating func authenticated(
    _ isKnown: Bool, _ outputs: inout [Output], _ now: Moment
  ) throws(MQTTEnd) {
    guard case .authenticating(let keepAlive) = state else { return }
    guard isKnown else {
      outputs.append(.send([0x20, 2, 0, 5]))
      throw .password
    }
    state = .open(keepAlive: keepAlive, heard: now.uptime)
    // No session is kept, so none is present.
    outputs.append(.send([0x20, 2, 0, 0]))
  }

  private mutating func kept(_ message: Int, _ outputs: inout [Output], _ now: Moment) {
    guard case .open(let keepAlive, _) = state,
      let index = waiting.firstIndex(where: { $0.message == message })
    else { return }
    if !wantsBytes { state = .open(keepAlive: keepAlive, heard: now.uptime) }
    waiting[index].isKept = true
    let done = waiting.prefix { $0.isKept }
    guard !done.isEmpty else { return }
    waiting.removeFirst(done.count)
    // A connection at rest keeps no room.
    if waiting.isEmpty { waiting = [] }
    let bytes = done.compactMap(\.number).flatMap { Self.packet(0x40, Self.bytes($0)) }
    if !bytes.isEmpty { outputs.append(.send(bytes)) }
  }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 255)]
  }

  /// A packet whose length may have more than one byte.
  private static func packet(_ first: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    var (head, length) = ([first], bytes.count)
    repeat {
      head.append(UInt8(length & 0x7f) | (length > 0x7f ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return head + bytes
  }
}
