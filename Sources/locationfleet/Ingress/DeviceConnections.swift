import CIngress
import Glibc
import LocationFleet
import LocationModel

/// The connections of MQTT, by their descriptors.
struct DeviceConnections {
  /// One connection: a descriptor is used again, its number is not.
  struct Name: Hashable {
    var descriptor: Int32
    var number: UInt64
  }

  private struct Connection {
    var number: UInt64
    var machine: MQTTConnection
    var account: DeviceAccount?
    /// What the device has not taken yet.
    var outgoing: [UInt8] = []
    var watched: UInt32 = 0
  }

  /// What a device wants.
  enum Wish {
    case authenticate(Name, user: String, password: [UInt8])
    case publish(Name, Int, topic: String, payload: [UInt8], DeviceAccount)
  }

  private let watch: Int32
  private let most: Int
  private var connections: [Connection?] = []
  private var numbers: UInt64 = 0
  private(set) var count = 0
  private(set) var arrivals = 0
  /// Why connections have ended since this was last taken.
  private var ends: [MQTTEnd] = []
  /// Connections that may have something to send, or are to be read again.
  private var unsent: [Int] = []
  private var isDraining = false
  private var room = [UInt8](repeating: 0, count: 16_384)

  init(watch: Int32, most: Int) { (self.watch, self.most) = (watch, most) }

  mutating func takeEnds() -> [MQTTEnd] {
    defer { ends = [] }
    return ends
  }

  mutating func add(_ descriptor: Int32, at now: Moment) {
    guard count < most else {
      ends.append(.surplus)
      Glibc.close(descriptor)
      return
    }
    let index = Int(descriptor)
    if index >= connections.count {
      connections += Array(repeating: nil, count: index - connections.count + 64)
    }
    numbers += 1
    (count, arrivals) = (count + 1, arrivals + 1)
    connections[index] = Connection(number: numbers, machine: MQTTConnection(at: now.uptime))
    look(index)
  }

  func isOpen(_ name: Name) -> Bool { connection(at: Int(name.descriptor)) == name.number }

  private func connection(at index: Int) -> UInt64? {
    connections.indices.contains(index) ? connections[index]?.number : nil
  }

  /// Takes what has happened to a descriptor.
  mutating func take(_ event: cin_event, at now: Moment) -> [Wish] {
    let index = Int(event.descriptor)
    guard connections.indices.contains(index), connections[index] != nil else { return [] }
    if event.what & UInt32(CIN_WRITABLE) != 0 { flush(index) }
    guard event.what & UInt32(CIN_READABLE | CIN_OVER) != 0 else { return [] }
    let count = recv(event.descriptor, &room, room.count, 0)
    if count > 0 { return handle(index, .bytes(Array(room[..<count])), at: now) }
    if count == 0 || (errno != EAGAIN && errno != EINTR) { end(index, .gone) }
    return []
  }

  /// Hands an input to a connection that may have gone meanwhile.
  mutating func handle(_ name: Name, _ input: MQTTConnection.Input, at now: Moment) -> [Wish] {
    isOpen(name) ? handle(Int(name.descriptor), input, at: now) : []
  }

  mutating func authenticated(_ name: Name, _ account: DeviceAccount?, at now: Moment) -> [Wish] {
    guard isOpen(name) else { return [] }
    connections[Int(name.descriptor)]?.account = account
    return handle(Int(name.descriptor), .authenticated(account != nil), at: now)
  }

  mutating func close(_ name: Name, _ reason: MQTTEnd) {
    if isOpen(name) { end(Int(name.descriptor), reason) }
  }

  /// Ends those that are silent.
  mutating func wake(at now: Moment) {
    for index in connections.indices where isDue(connections[index]?.machine.nextDeadline, now) {
      _ = handle(index, .wake, at: now)
    }
  }

  /// Reads nothing more; what waits is acknowledged.
  mutating func stopReading() {
    isDraining = true
    for index in connections.indices where connections[index] != nil { look(index) }
  }

  mutating func closeAll() {
    for index in connections.indices where connections[index] != nil { end(index, .disconnected) }
  }

  // MARK: One connection

  private mutating func handle(
    _ index: Int, _ input: MQTTConnection.Input, at now: Moment
  ) -> [Wish] {
    var wishes: [Wish] = []
    guard let number = connections[index]?.number else { return [] }
    let name = Name(descriptor: Int32(index), number: number)
    for output in connections[index]?.machine.handle(input, at: now) ?? [] {
      switch output {
      case .send(let bytes): connections[index]?.outgoing += bytes
      case .authenticate(let user, let password):
        wishes.append(.authenticate(name, user: user, password: password))
      case .publish(let message, let topic, let payload):
        guard let account = connections[index]?.account else { continue }
        wishes.append(.publish(name, message, topic: topic, payload: payload, account))
      case .close(let reason):
        flush(index)
        end(index, reason)
        return wishes
      }
    }
    unsent.append(index)
    return wishes
  }

  /// Sends what there is for devices: the acknowledgements of a turn go together.
  mutating func flush() {
    for index in unsent { flush(index) }
    unsent.removeAll(keepingCapacity: true)
  }

  private mutating func flush(_ index: Int) {
    guard let bytes = connections[index]?.outgoing else { return }
    if !bytes.isEmpty {
      let count = send(Int32(index), bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard count >= 0 || errno == EAGAIN, bytes.count < Self.mostOutgoing else {
        return end(index, .gone)
      }
      connections[index]?.outgoing = count == bytes.count ? [] : Array(bytes[max(count, 0)...])
    }
    look(index)
  }

  private mutating func look(_ index: Int) {
    guard let connection = connections[index] else { return }
    let reading = connection.machine.wantsBytes && !isDraining ? CIN_READABLE : 0
    see(index, UInt32(reading | (connection.outgoing.isEmpty ? 0 : CIN_WRITABLE)))
  }

  private mutating func see(_ index: Int, _ what: UInt32) {
    // A descriptor that was never watched is not known to the kernel.
    guard connections[index]?.watched != what || what == 0 else { return }
    connections[index]?.watched = what
    if cin_watch(watch, Int32(index), what) != 0 { end(index, .gone) }
  }

  private mutating func end(_ index: Int, _ reason: MQTTEnd) {
    guard connections[index] != nil else { return }
    connections[index] = nil
    count -= 1
    ends.append(reason)
    Glibc.close(Int32(index))
  }

  /// Bytes of acknowledgements that a device does not take.
  private static let mostOutgoing = 65_536
}
