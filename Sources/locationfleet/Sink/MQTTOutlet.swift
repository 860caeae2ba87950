import CCurl
import Glibc
import LocationFleet
import LocationModel

/// Publishes entries and exits at a broker of MQTT.
struct MQTTOutlet: Outlet {
  private let settings: SinkConfiguration.MQTT
  private let address: BrokerAddress
  private var machine: MQTTPublisher
  private var line: MQTTLine?
  /// Published, and not confirmed.
  private var open: Set<UInt64> = []
  private var results: [SettledDelivery] = []
  /// Why it cannot be reached in this turn.
  private var fault: String?

  init(_ settings: SinkConfiguration.MQTT) throws(FleetFault) {
    guard let address = settings.broker else { throw FleetFault(reason: "no broker") }
    (self.settings, self.address) = (settings, address)
    // Its own: a broker ends a connection when another one comes with the same.
    let number = String(UInt32.random(in: 0 ... .max), radix: 16)
    var login = MQTTPublisher.Login(client: "meridian-\(number)", user: settings.user)
    if let path = settings.password { login.password = try Self.password(path) }
    machine = MQTTPublisher(login)
  }

  /// The first line of a file that nobody but its owner may read or write.
  static func password(_ path: String) throws(FleetFault) -> [UInt8] {
    let bytes = try Input.secret(path, of: "mqtt-out-password")
    let line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    guard (1...255).contains(line.count) else {
      throw FleetFault(reason: "\(path) must have a password of 1 to 255 bytes in its first line")
    }
    return line
  }

  mutating func send(_ delivery: EventDelivery, at now: Moment) {
    guard let event = delivery.events.first else { return }
    if let fault {
      results.append((delivery.number, .unreachable(fault, after: nil)))
      return
    }
    if line == nil {
      switch MQTTLine.open(address, authorities: settings.authorities) {
      case .success(let line):
        self.line = line
        carry(machine.handle(.open, at: now.uptime))
      case .failure(let failure):
        let reason = "\(address.host):\(address.port): \(failure.reason)"
        fault = reason
        results.append((delivery.number, .unreachable(reason, after: nil)))
        return
      }
    }
    open.insert(delivery.number)
    carry(
      machine.handle(
        .publish(
          delivery.number, topic: OwnTracksTransition.topic(of: event),
          payload: OwnTracksTransition.payload(of: event)), at: now.uptime))
  }

  mutating func turn(_ milliseconds: Int32, at now: Moment) -> [SettledDelivery] {
    if line != nil {
      let time = results.isEmpty ? milliseconds : 0
      switch line?.turn(time) {
      case .bytes(let bytes)?: carry(machine.handle(.bytes(bytes), at: now.uptime))
      case .over?: end("the broker has closed the connection")
      case .nothing?, nil: break
      }
      if let limit = machine.nextDeadline, limit <= now.uptime {
        carry(machine.handle(.wake, at: now.uptime))
      }
    }
    defer { (results, fault) = ([], nil) }
    return results
  }

  private mutating func carry(_ outputs: [MQTTPublisher.Output]) {
    for output in outputs {
      switch output {
      case .send(let bytes): line?.write(bytes)
      case .confirmed(let number):
        open.remove(number)
        results.append((number, .confirmed))
      case .over(let reason): end(reason)
      }
    }
  }

  private mutating func end(_ reason: String) {
    line?.close()
    line = nil
    _ = machine.handle(.close, at: .start)
    results += open.sorted().map { ($0, .unreachable(reason, after: nil)) }
    open = []
  }

  mutating func close() {
    carry(machine.handle(.close, at: .start))
    line?.flush()
    end("it ends")
  }
}

/// A connection to a broker, over TLS or not.
struct MQTTLine {
  struct Fault: Error { var reason: String }

  enum Event {
    case nothing
    case bytes([UInt8])
    case over
  }

  private let descriptor: Int32
  private let stream: OpaquePointer?
  private var outgoing: [UInt8] = []

  static func open(_ address: BrokerAddress, authorities: String?) -> Swift.Result<Self, Fault> {
    guard address.isEncrypted else { return plain(address) }
    var error = [CChar](repeating: 0, count: Int(CCURL_ERROR_SIZE))
    var code: Int32 = 0
    let stream =
      if let authorities {
        ccurl_connect(address.host, Int32(address.port), authorities, limit, &error, &code)
      } else { ccurl_connect(address.host, Int32(address.port), nil, limit, &error, &code) }
    guard let stream else {
      let bytes = error.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let cause = code == -1 ? "libcurl is not installed" : String(decoding: bytes, as: UTF8.self)
      return .failure(Fault(reason: cause))
    }
    return .success(Self(descriptor: ccurl_socket(stream), stream: stream))
  }

  /// Within this machine, where a connection is there at once or not at all.
  private static func plain(_ address: BrokerAddress) -> Swift.Result<Self, Fault> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address.host, "\(address.port)", &hints, &found) == 0 else {
      return .failure(Fault(reason: "no such host"))
    }
    defer { freeaddrinfo(found) }
    var place = found
    while let one = place?.pointee {
      let descriptor = socket(
        one.ai_family, one.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), one.ai_protocol)
      if connect(descriptor, one.ai_addr, one.ai_addrlen) == 0 {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return .success(Self(descriptor: descriptor, stream: nil))
      }
      Glibc.close(descriptor)
      place = one.ai_next
    }
    return .failure(Fault(reason: "nobody listens"))
  }

  private init(descriptor: Int32, stream: OpaquePointer?) {
    (self.descriptor, self.stream) = (descriptor, stream)
  }

  mutating func write(_ bytes: [UInt8]) { outgoing += bytes }

  /// Sends what is there, and reads what has come or comes within so many milliseconds.
  mutating func turn(_ milliseconds: Int32) -> Event {
    guard flush() else { return .over }
    // What was decrypted already shows on no socket.
    let first = read()
    guard case .nothing = first, milliseconds > 0 else { return first }
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if !outgoing.isEmpty { watched.events |= Int16(POLLOUT) }
    _ = poll(&watched, 1, milliseconds)
    return flush() ? read() : .over
  }

  @discardableResult
  mutating func flush() -> Bool {
    while !outgoing.isEmpty {
      let count =
        if let stream { ccurl_transmit(stream, outgoing, outgoing.count) } else {
          send(descriptor, outgoing, outgoing.count, Int32(MSG_NOSIGNAL))
        }
      guard count > 0 else {
        return stream == nil ? errno == EAGAIN || errno == EINTR : count == 0
      }
      outgoing.removeFirst(count)
    }
    return true
  }

  private func read() -> Event {
    var room = [UInt8](repeating: 0, count: 4096)
    if let stream {
      let count = ccurl_receive(stream, &room, room.count)
      return count > 0 ? .bytes(Array(room[..<count])) : count == -1 ? .nothing : .over
    }
    let count = recv(descriptor, &room, room.count, 0)
    if count > 0 { return .bytes(Array(room[..<count])) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .over
  }

  func close() {
    if let stream { ccurl_disconnect(stream) } else { Glibc.close(descriptor) }
  }

  /// Milliseconds.
  private static let limit = 5000
}
