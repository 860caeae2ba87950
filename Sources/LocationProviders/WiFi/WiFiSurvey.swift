package import LocationModel

/// Follows the Wi-Fi adapters of this computer over netlink, and reads what they heard.
///
/// | state | input | next |
/// |---|---|---|
/// | closed | `open` | looking, or joining where the family is known |
/// | looking | the family | joining: the channel is opened again, for its groups |
/// | joining | the channel is open | listing |
/// | listing | the end of the list | ruling, or following without an adapter |
/// | ruling | the end of the list, or a refusal | following; all adapters are read |
/// | following | a scan is finished, or `read` | reading |
/// | reading | the end of the list | following, or reading the next adapter |
/// | any | the channel is closed, or no answer | closed |
package struct WiFiSurvey: Sendable {
  /// A request, or what was found out.
  package enum Output: Hashable, Sendable {
    case open(groups: [UInt32])
    case close
    case send([UInt8])
    /// The adapters that use networks, one for each radio.
    case adapters([WiFiAdapter])
    /// What radios may send and receive; empty where the kernel does not say.
    case rules([WiFiRules])
    /// An adapter has finished a scan; its results follow.
    case scanned(WiFiAdapter)
    /// What an adapter heard, and when the kernel answered.
    case heard(WiFiAdapter, [WiFiStation])
    /// Nothing can be found out, and why; the survey is closed.
    case failed(ProviderStatus.Reason)
  }

  private enum State: Sendable {
    case closed
    /// The family is asked for; `nil` until the channel is open.
    case looking(sequence: UInt32?)
    case joining
    case listing(sequence: UInt32, [WiFiAdapter])
    case ruling(sequence: UInt32, [WiFiRules])
    case following
    case reading(Reading)
  }

  /// The list of what one adapter heard.
  private struct Reading: Sendable {
    var adapter: WiFiAdapter
    var sequence: UInt32
    var attempt = 1
    var stations: [WiFiStation] = []
    var isInterrupted = false
  }

  private var state = State.closed
  /// `nil` until it was found, and after a failure.
  private var family: WiFiFamily?
  package private(set) var adapters: [WiFiAdapter] = []
  /// Whether an adapter came, changed, or went since they were listed.
  private var isOutdated = false
  /// Indices of adapters to be read, in order.
  private var due: [Int] = []
  private var lastSequence: UInt32 = 0
  /// When the answer that is awaited counts as lost.
  package private(set) var nextDeadline: Instant?
  /// The only adapter to use; `nil` for all.
  private let name: String?
  package private(set) var faults: [NL80211.Fault: Int] = [:]
  /// Number of access points that were not read because there were too many.
  package private(set) var surplus = 0

  /// Whether the adapters are known.
  package var isFollowing: Bool {
    switch state {
    case .following, .reading: true
    case .closed, .looking, .joining, .listing, .ruling: false
    }
  }

  package init(adapter name: String? = nil) {
    self.name = name
  }

  package mutating func open(at now: Instant) -> [Output] {
    guard case .closed = state else { return [] }
    nextDeadline = now + Self.timeout
    guard let family else {
      state = .looking(sequence: nil)
      return [.open(groups: [])]
    }
    state = .joining
    return [.open(groups: family.groups)]
  }

  package mutating func close() -> [Output] {
    if case .closed = state { return [] }
    end()
    return [.close]
  }

  /// Reads again what all adapters heard.
  package mutating func read(at now: Instant) -> [Output] {
    enqueue(adapters.map(\.index))
    return next(at: now)
  }

  package mutating func wake(at now: Instant) -> [Output] {
    guard let deadline = nextDeadline, now >= deadline else { return [] }
    // Only `doctor` needs the rules (RADIO-91).
    if case .ruling = state { return follow([], at: now) }
    return fail(.unreachable("the kernel does not answer about Wi-Fi"), closing: true)
  }

  package mutating func receive(_ event: ChannelEvent, at now: Instant) -> [Output] {
    switch (event, state) {
    case (.opened, .looking):
      let sequence = number(at: now)
      state = .looking(sequence: sequence)
      return [.send(NL80211.familyRequest(sequence: sequence))]
    case (.opened, .joining): return list(at: now)
    case (.bytes(let bytes), _):
      if case .closed = state { return [] }
      return receive(bytes, at: now)
    case (.closed(let end), .looking), (.closed(let end), .joining), (.closed(let end), .listing),
      (.closed(let end), .ruling), (.closed(let end), .following), (.closed(let end), .reading):
      return fail(end.reason, closing: false)
    default: return []
    }
  }

  // MARK: Messages

  private mutating func receive(_ bytes: [UInt8], at now: Instant) -> [Output] {
    let (messages, isTorn) = NetlinkMessage.split(bytes)
    var outputs: [Output] = []
    for message in messages where !passOver(message) {
      switch message.type {
      case NetlinkMessage.done: outputs += finish(message, at: now)
      case NetlinkMessage.error: outputs += refuse(message, at: now)
      case family?.id, NL80211.controller:
        do throws(NL80211.Fault) {
          outputs += take(try NL80211.message(message), in: message, at: now)
        } catch { faults[error, default: 0] += 1 }
      default: continue
      }
    }
    guard isTorn else { return outputs }
    faults[.torn, default: 0] += 1
    // The rest of a list may be lost; its end would be awaited in vain.
    guard nextDeadline != nil else { return outputs }
    return outputs + fail(.unreachable("the kernel's messages are torn"), closing: true)
  }

  /// Counts an access point of a list that is full, without reading it.
  private mutating func passOver(_ message: NetlinkMessage) -> Bool {
    guard case .reading(let reading) = state, reading.stations.count >= Self.mostStations,
      message.sequence == reading.sequence, message.type == family?.id
    else { return false }
    surplus += 1
    return true
  }

  private mutating func take(
    _ content: NL80211.Message, in message: NetlinkMessage, at now: Instant
  ) -> [Output] {
    switch (content, state) {
    case (.family(let found), .looking(message.sequence?)):
      family = found
      state = .joining
      nextDeadline = now + Self.timeout
      return [.close, .open(groups: found.groups)]
    case (.adapter(let adapter), .listing(message.sequence, let others)):
      guard others.count < Self.mostInterfaces else { return [] }
      state = .listing(sequence: message.sequence, others + [adapter])
      return []
    case (.rules(let rules), .ruling(message.sequence, let others)):
      guard others.count < Self.mostInterfaces else { return [] }
      state = .ruling(sequence: message.sequence, others + [rules])
      return []
    case (.station(let station), .reading(var reading)) where reading.sequence == message.sequence:
      if message.flags & NetlinkMessage.interrupted != 0 { reading.isInterrupted = true }
      reading.stations.append(station)
      state = .reading(reading)
      return []
    case (.scanned(let index), _):
      guard let adapter = adapters.first(where: { $0.index == index }) else { return [] }
      enqueue([index])
      return [.scanned(adapter)] + next(at: now)
    case (.adapter, _) where message.sequence == 0, (.removed, _):
      // An adapter came, changed, or went: all are listed again.
      isOutdated = true
      return next(at: now)
    case (.family, _), (.adapter, _), (.rules, _), (.station, _), (.other, _): return []
    }
  }

  /// Handles the end of a list.
  private mutating func finish(_ message: NetlinkMessage, at now: Instant) -> [Output] {
    switch state {
    case .listing(message.sequence, let all):
      adapters = chosen(of: all)
      due = []
      return [.adapters(adapters)] + rule(at: now)
    case .ruling(message.sequence, let rules): return follow(rules, at: now)
    case .reading(let reading) where reading.sequence == message.sequence:
      let isInterrupted =
        reading.isInterrupted || message.flags & NetlinkMessage.interrupted != 0
      if isInterrupted, reading.attempt < Self.mostAttempts {
        return read(reading.adapter, attempt: reading.attempt + 1, at: now)
      }
      state = .following
      nextDeadline = nil
      return [.heard(reading.adapter, reading.stations)] + next(at: now)
    case .closed, .looking, .joining, .listing, .ruling, .following, .reading: return []
    }
  }

  /// Handles an error: there is no Wi-Fi, or the adapter is gone.
  private mutating func refuse(_ message: NetlinkMessage, at now: Instant) -> [Output] {
    guard let code = message.errorCode, code != 0 else { return [] }
    switch state {
    case .looking(message.sequence?):
      let reason = ProviderStatus.Reason.missing("the kernel has no Wi-Fi (nl80211)")
      return fail(code == Self.noEntry ? reason : Self.refusal(code), closing: true)
    case .listing(message.sequence, _): return fail(Self.refusal(code), closing: true)
    // A kernel that is too old to list them.
    case .ruling(message.sequence, _): return follow([], at: now)
    case .reading(let reading) where reading.sequence == message.sequence:
      // It is gone, which an event will say, or it is off.
      state = .following
      nextDeadline = nil
      return [.heard(reading.adapter, [])] + next(at: now)
    case .closed, .looking, .joining, .listing, .ruling, .following, .reading: return []
    }
  }

  // MARK: Requests

  private mutating func list(at now: Instant) -> [Output] {
    guard let family else { return [] }
    let sequence = number(at: now)
    isOutdated = false
    state = .listing(sequence: sequence, [])
    return [.send(NL80211.adaptersRequest(family, sequence: sequence))]
  }

  /// Asks what the radios may send and receive.
  private mutating func rule(at now: Instant) -> [Output] {
    guard let family, !adapters.isEmpty else { return follow([], at: now) }
    let sequence = number(at: now)
    state = .ruling(sequence: sequence, [])
    return [.send(NL80211.rulesRequest(family, sequence: sequence))]
  }

  private mutating func follow(_ rules: [WiFiRules], at now: Instant) -> [Output] {
    state = .following
    nextDeadline = nil
    return [.rules(rules)] + read(at: now)
  }

  private mutating func enqueue(_ indices: [Int]) {
    for index in indices where !due.contains(index) { due.append(index) }
  }

  /// Reads the next adapter, unless an answer is awaited.
  private mutating func next(at now: Instant) -> [Output] {
    guard case .following = state else { return [] }
    if isOutdated { return list(at: now) }
    while let index = due.first {
      due.removeFirst()
      guard let adapter = adapters.first(where: { $0.index == index }) else { continue }
      return read(adapter, attempt: 1, at: now)
    }
    return []
  }

  private mutating func read(
    _ adapter: WiFiAdapter, attempt: Int, at now: Instant
  ) -> [Output] {
    guard let family else { return [] }
    let sequence = number(at: now)
    state = .reading(Reading(adapter: adapter, sequence: sequence, attempt: attempt))
    return [.send(NL80211.scanRequest(family, adapter: adapter.index, sequence: sequence))]
  }

  /// The number of the next request, whose answer is awaited from now on.
  private mutating func number(at now: Instant) -> UInt32 {
    lastSequence = lastSequence % .max + 1
    nextDeadline = now + Self.timeout
    return lastSequence
  }

  /// The adapters to use: those that use networks, the first of each radio.
  private func chosen(of all: [WiFiAdapter]) -> [WiFiAdapter] {
    var chosen: [WiFiAdapter] = []
    for adapter in all.sorted(by: { $0.index < $1.index })
    where adapter.isClient && (name == nil || adapter.name == name) {
      guard !chosen.contains(where: { $0.radio == adapter.radio }) else { continue }
      chosen.append(adapter)
    }
    return Array(chosen.prefix(Self.mostAdapters))
  }

  // MARK: The end

  private mutating func end() {
    state = .closed
    nextDeadline = nil
    adapters = []
    due = []
  }

  private mutating func fail(_ reason: ProviderStatus.Reason, closing: Bool) -> [Output] {
    end()
    // Its numbers may have changed.
    family = nil
    return (closing ? [.close] : []) + [.failed(reason)]
  }

  private static func refusal(_ code: Int32) -> ProviderStatus.Reason {
    .noPermission("the kernel refuses to list Wi-Fi adapters (error \(code))")
  }

  /// `ENOENT`: there is no such family.
  private static let noEntry: Int32 = 2
  /// Chosen: the kernel answers within milliseconds.
  private static let timeout = Duration.seconds(5)
  /// Stations of one list: as many as the kernel keeps (`bss_entries_limit`).
  package static let mostStations = 1000
  /// Chosen: more radios than a computer has.
  package static let mostAdapters = 16
  /// Interfaces of one list. Chosen: several for each radio.
  private static let mostInterfaces = 128
  /// How often a list that changed meanwhile is read; then it is used as it is.
  private static let mostAttempts = 3
}
