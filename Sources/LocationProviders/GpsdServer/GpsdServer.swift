package import LocationModel

/// Serves gpsd's JSON protocol from the bytes of receivers that this process holds, so that programs
/// which know gpsd alone keep working (SERVE-1 to SERVE-8).
///
/// Knows connections and receivers by numbers. Nobody can say who is at the other end of a connection:
/// whether anybody may know is one decision for all, `Input/allowed(_:)`.
package struct GpsdServer: Machine {
  package enum Input: MachineInput {
    case opened(Int)
    case bytes(Int, [UInt8])
    case closed(Int)
    /// A receiver's channel has opened, brought bytes, or closed.
    case receiver(Int, ChannelEvent)
    /// Whether the programs may know where the device is.
    case allowed(Bool)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case send(Int, [UInt8])
    /// Close a connection after what was sent to it, and why; it is forgotten already.
    case close(Int, reason: String)
    /// Whether any program watches, and receivers are needed.
    case watched(Bool)
  }

  /// What a connection has asked for, by `?WATCH`.
  struct Policy: Hashable, Sendable {
    var isOn = false
    var json = false
    /// Sentences as they come.
    var nmea = false
    var raw = 0
    /// The path of the only receiver that is wanted.
    var device: String?
  }

  struct Client: Sendable {
    var policy = Policy()
    /// A request that has not ended.
    var request: [UInt8] = []
    /// How many braces of it are open.
    var depth = 0
    /// Requests since a moment.
    var count = 0
    var since = Instant.start
  }

  var clients: [Int: Client] = [:]
  var receivers: [GpsdServedReceiver]
  var isAllowed = false
  private var wasWatched = false

  /// - Parameter paths: the receivers' names, in their order.
  package init(receivers paths: [String]) {
    receivers = paths.map { GpsdServedReceiver(path: $0) }
  }

  package var nextDeadline: Instant? {
    receivers.reduce(nil) { earliest($0, $1.nextDeadline) }
  }

  /// The number of connections.
  package var clientCount: Int { clients.count }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    var outputs: [Output] = []
    switch input {
    case .opened(let number): open(number, &outputs)
    case .bytes(let number, let bytes): take(bytes, of: number, at: now, &outputs)
    case .closed(let number): clients[number] = nil
    case .receiver(let index, let event): take(event, of: index, at: now, &outputs)
    case .allowed(let isAllowed):
      self.isAllowed = isAllowed
      if !isAllowed { for index in receivers.indices { receivers[index].forget() } }
    case .wake:
      for index in receivers.indices where isDue(receivers[index].nextDeadline, now) {
        pass(receivers[index].wake(at: now), of: index, &outputs)
      }
    }
    let isWatched = clients.values.contains { $0.policy.isOn }
    if isWatched != wasWatched { outputs.append(.watched(isWatched)) }
    wasWatched = isWatched
    return outputs
  }

  // MARK: Connections

  private mutating func open(_ number: Int, _ outputs: inout [Output]) {
    guard clients.count < Self.mostClients else {
      let text = "\(Self.mostClients) programs are served already"
      outputs += [.send(number, GpsdWord.error(text)), .close(number, reason: text)]
      return
    }
    clients[number] = Client()
    outputs.append(.send(number, GpsdWord.version))
  }

  private mutating func take(
    _ bytes: [UInt8], of number: Int, at now: Moment, _ outputs: inout [Output]
  ) {
    for byte in bytes {
      guard var client = clients[number] else { return }
      let isEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: ";") && client.depth == 0
      guard isEnd else {
        if byte == UInt8(ascii: "{") { client.depth += 1 }
        if byte == UInt8(ascii: "}") { client.depth -= 1 }
        client.request.append(byte)
        clients[number] = client
        if client.request.count > Self.longestRequest {
          cut(number, "a request is longer than \(Self.longestRequest) bytes", &outputs)
        }
        continue
      }
      let request = client.request.filter { $0 > 0x20 }
      client.request.removeAll(keepingCapacity: true)
      client.depth = 0
      clients[number] = client
      guard !request.isEmpty else { continue }
      guard hasBudget(number, at: now) else {
        return cut(number, "more than \(Self.mostRequests) requests in a second", &outputs)
      }
      answer(request, of: number, at: now, &outputs)
    }
  }

  private mutating func hasBudget(_ number: Int, at now: Moment) -> Bool {
    guard var client = clients[number] else { return false }
    if now.uptime - client.since >= .seconds(1) { (client.count, client.since) = (0, now.uptime) }
    client.count += 1
    clients[number] = client
    return client.count <= Self.mostRequests
  }

  private mutating func cut(_ number: Int, _ reason: String, _ outputs: inout [Output]) {
    clients[number] = nil
    outputs += [.send(number, GpsdWord.error(reason)), .close(number, reason: reason)]
  }

  // MARK: Receivers

  private mutating func take(
    _ event: ChannelEvent, of index: Int, at now: Moment, _ outputs: inout [Output]
  ) {
    guard receivers.indices.contains(index) else { return }
    switch event {
    case .opened, .closed:
      receivers[index].settle(isOpen: event == .opened, at: now)
      let word = GpsdWord.device(receivers[index])
      for number in watchers(of: index, where: \.json) { outputs.append(.send(number, word)) }
    case .bytes(let bytes), .datagram(let bytes):
      guard isAllowed else { return }
      let isDatagram = if case .datagram = event { true } else { false }
      pass(receivers[index].receive(bytes, isDatagram: isDatagram, at: now), of: index, &outputs)
    case .unknownSenders, .bus, .readings, .answer, .places, .contents: break
    }
  }

  private func pass(
    _ seen: GpsdServedReceiver.Seen, of index: Int, _ outputs: inout [Output]
  ) {
    guard isAllowed else { return }
    let sentences = Array(seen.sentences.map { $0 + [13, 10] }.joined())
    if !sentences.isEmpty {
      for number in watchers(of: index, where: { $0.nmea || $0.raw > 0 }) {
        outputs.append(.send(number, sentences))
      }
    }
    let reports = Array(seen.reports.joined())
    guard !reports.isEmpty else { return }
    for number in watchers(of: index, where: \.json) { outputs.append(.send(number, reports)) }
  }

  /// The connections that want something of a receiver, in their order.
  private func watchers(of index: Int, where wants: (Policy) -> Bool) -> [Int] {
    let path = receivers[index].path
    return clients.filter { _, client in
      client.policy.isOn && wants(client.policy)
        && (client.policy.device ?? path) == path
    }.keys.sorted()
  }

  /// Chosen: more than the programs of a boat, and few enough that one line for each costs little.
  package static let mostClients = 32
  /// Bytes. Chosen: the longest of gpsd's own clients has 120.
  package static let longestRequest = 1024
  /// In a second, of one connection. Chosen: gpsd's clients ask a few times when they start.
  package static let mostRequests = 50
  /// Bytes. Chosen: a minute of a receiver with ten epochs a second, and more than a program needs
  /// that reads at all.
  package static let mostUnread = 262_144
}
