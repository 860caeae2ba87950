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
    var transport: DeviceTransport
    var account: DeviceAccount?
    /// The account is what a certificate says.
    var isCertified = false
    /// Its handshake is to go on.
    var isQueued = false
    /// It has not even asked to come in.
    var isStranger = true
    /// It counts for its tenant.
    var isCounted = false
    /// What it has sent beyond its rate.
    var held: Held?
    /// What the device has not taken yet.
    var outgoing: [UInt8] = []
    var watched: UInt32 = 0
  }

  /// A message that goes on later, and what its device wants behind it.
  struct Held {
    var name: Name
    var message: Int
    var outcome: Ingress.Outcome
    var wishes: [Wish] = []
  }

  /// A connection that has ended.
  struct End {
    var reason: MQTTEnd
    /// Whose it was, if it is known; and whether it counted for that tenant.
    var tenant: String?
    var isCounted = false
    var held: Held?
  }

  /// What a device wants.
  enum Wish {
    case authenticate(Name, user: String, password: [UInt8])
    /// The same for one that has a certificate.
    case greet(Name, DeviceAccount)
    case publish(Name, Int, topic: String, payload: [UInt8], DeviceAccount)
  }

  private let watch: Int32
  private let most: Int
  private let longestMessage: Int
  /// What connections from now on begin with; `nil` without TLS.
  private var security: TransportSecurity?
  private var connections: [Connection?] = []
  private var numbers: UInt64 = 0
  private(set) var count = 0
  private(set) var arrivals = 0
  /// When some connection may be due; never later than the first one is.
  private(set) var nextDeadline: Instant?
  /// Why connections have ended since this was last taken.
  private var ends: [End] = []
  /// Connections that may have something to send, or are to be read again.
  private var unsent: [Int] = []
  private var isDraining = false
  /// Connections whose handshake can go on, in the order in which they could.
  private var handshakes: [Name] = []
  private var strangers = Strangers()
  private var room = [UInt8](repeating: 0, count: 16_384)

  init(watch: Int32, most: Int, longestMessage: Int, _ security: TransportSecurity?) {
    (self.watch, self.most, self.security) = (watch, most, security)
    self.longestMessage = longestMessage
  }

  /// Has connections begin with other files from now on. Where other certificates are believed than before, those
  /// who have come by one end, as do those whose handshake is not done: they come again.
  mutating func replace(_ security: TransportSecurity) {
    let isSame = security.authorities == self.security?.authorities
    self.security = security
    guard !isSame else { return }
    for index in connections.indices {
      guard let connection = connections[index] else { continue }
      if connection.isCertified || !connection.transport.isReady { end(index, .security) }
    }
  }

  /// Ends those who have come in by an account that is gone, or is another one now; returns how many.
  ///
  /// - Chosen (FLEET-103): who has a certificate has no account.
  mutating func keep(_ accounts: DeviceAccounts) -> Int {
    let before = count
    for index in connections.indices {
      guard let connection = connections[index], !connection.isCertified,
        let account = connection.account
      else { continue }
      let isKept = accounts.byUser[account.user]?.isExactly(account) == true
      if !isKept { end(index, .password) }
    }
    return before - count
  }

  /// Handshakes that can go on.
  var handshakesWaiting: Int { handshakes.count }

  mutating func takeEnds() -> [End] {
    defer { ends = [] }
    return ends
  }

  mutating func add(_ descriptor: Int32, at now: Moment) {
    makeRoom()
    guard count < most, let transport = DeviceTransport(descriptor, security) else {
      ends.append(End(reason: .surplus))
      Glibc.close(descriptor)
      return
    }
    let index = Int(descriptor)
    if index >= connections.count {
      connections += Array(repeating: nil, count: index - connections.count + 64)
    }
    numbers += 1
    (count, arrivals) = (count + 1, arrivals + 1)
    connections[index] = Connection(
      number: numbers,
      machine: MQTTConnection(at: now.uptime, longestMessage: longestMessage),
      transport: transport)
    while let first = strangers.first, !isStranger(first) { strangers.dropFirst() }
    strangers.add(Name(descriptor: descriptor, number: numbers))
    noteDeadline(index)
    look(index)
  }

  /// - Chosen (FLEET-72): a quarter of the connections at most are of devices that have not asked to come in
  ///   yet; a new one then ends the one that has been so longest. So half handshakes keep nobody out.
  private mutating func makeRoom() {
    guard strangers.count >= max(most / 4, 1) || count >= most,
      let oldest = strangers.oldest(where: { isStranger($0) })
    else { return }
    end(Int(oldest.descriptor), .surplus)
  }

  private func isStranger(_ name: Name) -> Bool {
    isOpen(name) && connections[Int(name.descriptor)]?.isStranger == true
  }

  func isOpen(_ name: Name) -> Bool { connection(at: Int(name.descriptor)) == name.number }

  private func connection(at index: Int) -> UInt64? {
    connections.indices.contains(index) ? connections[index]?.number : nil
  }

  /// Takes what has happened to a descriptor.
  mutating func take(_ event: cin_event, at now: Moment) -> [Wish] {
    let index = Int(event.descriptor)
    guard connections.indices.contains(index), connections[index] != nil else { return [] }
    guard connections[index]?.transport.isReady == true else {
      queueHandshake(index)
      return []
    }
    let wantsWriting = connections[index]?.transport.wantsWriting == true
    if event.what & UInt32(CIN_WRITABLE) != 0 { flush(index) }
    guard wantsWriting || event.what & UInt32(CIN_READABLE | CIN_OVER) != 0 else { return [] }
    guard let count = connections[index]?.transport.receive(&room) else {
      end(index, .gone)
      return []
    }
    if count > 0 { return handle(index, .bytes(Array(room[..<count])), at: now) }
    look(index)
    return []
  }

  private mutating func queueHandshake(_ index: Int) {
    guard let connection = connections[index], !connection.isQueued else { return }
    connections[index]?.isQueued = true
    handshakes.append(Name(descriptor: Int32(index), number: connection.number))
    see(index, 0)
  }

  /// Goes on with handshakes, which cost much, for a part of a turn: those who come do not hold up those
  /// who are here.
  mutating func shakeHands(at now: Moment, clock: () -> Instant) -> [Wish] {
    var (position, wishes): (Int, [Wish]) = (0, [])
    let end = clock() + Self.longestHandshakes
    while position < handshakes.count, position == 0 || clock() < end {
      let name = handshakes[position]
      position += 1
      if isOpen(name) { wishes += shakeHands(Int(name.descriptor), at: now) }
    }
    handshakes.removeFirst(position)
    return wishes
  }

  private mutating func shakeHands(_ index: Int, at now: Moment) -> [Wish] {
    connections[index]?.isQueued = false
    switch connections[index]?.transport.shakeHands() {
    case .done(let account):
      look(index)
      guard let account else { return [] }
      connections[index]?.account = account
      connections[index]?.isCertified = true
      return handle(index, .certified, at: now)
    case .waits(let what):
      see(index, what)
      return []
    case .failed, nil:
      end(index, .security)
      return []
    }
  }

  /// Hands an input to a connection that may have gone meanwhile.
  mutating func handle(_ name: Name, _ input: MQTTConnection.Input, at now: Moment) -> [Wish] {
    isOpen(name) ? handle(Int(name.descriptor), input, at: now) : []
  }

  mutating func authenticated(_ name: Name, _ account: DeviceAccount?, at now: Moment) -> [Wish] {
    guard isOpen(name) else { return [] }
    connections[Int(name.descriptor)]?.account = account
    connections[Int(name.descriptor)]?.isCounted = account != nil
    return handle(Int(name.descriptor), .authenticated(account != nil), at: now)
  }

  /// Holds a message of a connection back, and reads nothing more from it.
  mutating func hold(_ name: Name, _ message: Int, _ outcome: Ingress.Outcome, at now: Moment) {
    guard isOpen(name) else { return }
    connections[Int(name.descriptor)]?.held = Held(
      name: name, message: message, outcome: outcome)
    _ = handle(Int(name.descriptor), .slowed(true), at: now)
  }

  /// Puts what a connection wants behind the message that is held back, if there is one.
  mutating func putBehind(_ wish: Wish, of name: Name) -> Bool {
    guard isOpen(name), connections[Int(name.descriptor)]?.held != nil else { return false }
    connections[Int(name.descriptor)]?.held?.wishes.append(wish)
    return true
  }

  /// Whether nothing of a connection is held back.
  func isFlowing(_ name: Name) -> Bool {
    isOpen(name) && connections[Int(name.descriptor)]?.held == nil
  }

  /// The message that was held back, which goes on.
  mutating func release(_ name: Name) -> Held? {
    guard isOpen(name), let held = connections[Int(name.descriptor)]?.held else { return nil }
    connections[Int(name.descriptor)]?.held = nil
    return held
  }

  mutating func close(_ name: Name, _ reason: MQTTEnd) {
    if isOpen(name) { end(Int(name.descriptor), reason) }
  }

  /// Ends those that are silent.
  mutating func wake(at now: Moment) {
    nextDeadline = nil
    for index in connections.indices where connections[index] != nil {
      if isDue(connections[index]?.machine.nextDeadline, now) { _ = handle(index, .wake, at: now) }
      noteDeadline(index)
    }
  }

  private mutating func noteDeadline(_ index: Int) {
    guard let date = connections[index]?.machine.nextDeadline else { return }
    nextDeadline = min(nextDeadline ?? date, date)
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
    let outputs = connections[index]?.machine.handle(input, at: now) ?? []
    noteDeadline(index)
    if connections[index]?.isStranger == true, connections[index]?.machine.hasAsked == true {
      connections[index]?.isStranger = false
      strangers.count -= 1
    }
    for output in outputs {
      switch output {
      case .send(let bytes): connections[index]?.outgoing += bytes
      case .authenticate(let user, let password):
        wishes.append(.authenticate(name, user: user, password: password))
      case .greet:
        guard let account = connections[index]?.account else { continue }
        wishes.append(.greet(name, account))
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
      guard let count = connections[index]?.transport.send(bytes), bytes.count < Self.mostOutgoing
      else { return end(index, .gone) }
      connections[index]?.outgoing = count == bytes.count ? [] : Array(bytes[count...])
    }
    look(index)
  }

  private mutating func look(_ index: Int) {
    guard let connection = connections[index], !connection.isQueued else { return }
    let reading = connection.machine.wantsBytes && !isDraining ? CIN_READABLE : 0
    let isWriting = !connection.outgoing.isEmpty || connection.transport.wantsWriting
    see(index, UInt32(reading | (isWriting ? CIN_WRITABLE : 0)))
  }

  private mutating func see(_ index: Int, _ what: UInt32) {
    // A descriptor that was never watched is not known to the kernel.
    guard connections[index]?.watched != what || what == 0 else { return }
    connections[index]?.watched = what
    if cin_watch(watch, Int32(index), what) != 0 { end(index, .gone) }
  }

  private mutating func end(_ index: Int, _ reason: MQTTEnd) {
    guard let connection = connections[index] else { return }
    connections[index] = nil
    count -= 1
    if connection.isStranger { strangers.count -= 1 }
    ends.append(
      End(
        reason: reason, tenant: connection.account?.tenant, isCounted: connection.isCounted,
        held: connection.held))
    connection.transport.close()
  }

  /// Bytes of acknowledgements that a device does not take.
  private static let mostOutgoing = 65_536
  private static let longestHandshakes = Duration.milliseconds(2)
}

/// The connections that have not asked to come in, in the order in which they came.
private struct Strangers {
  var count = 0
  /// With others that have asked or ended since.
  private var names: [DeviceConnections.Name] = []
  private var start = 0

  var first: DeviceConnections.Name? { start < names.count ? names[start] : nil }

  mutating func dropFirst() {
    start += 1
    guard start > 1024, start > names.count / 2 else { return }
    names.removeFirst(start)
    start = 0
  }

  mutating func add(_ name: DeviceConnections.Name) {
    names.append(name)
    count += 1
  }

  func oldest(where isStranger: (DeviceConnections.Name) -> Bool) -> DeviceConnections.Name? {
    names[start...].first(where: isStranger)
  }
}
