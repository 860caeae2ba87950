internal import LocationCoding
internal import LocationModel

/// Fixes that wait to be sent, the oldest first, in batches of which each is a row of the state.
///
/// A batch is one request, and so the same bytes when it is sent again. What was tried once grows no more.
struct UplinkQueue: Sendable {
  struct Batch: Sendable {
    var number: UInt64
    /// Whether the places are exact, not those of reduced accuracy.
    var isPrecise: Bool
    /// When the first fix was taken, by the clock or its own time, whichever is later.
    var taken: UnixTime
    /// When it is too old.
    var expires: Instant
    var lines: [String]
    /// Whether further fixes may join.
    var isOpen = true
    /// Whether an earlier run has taken it, so that the clock alone says how old it is.
    var isRestored = false

    var bytes: Int { lines.reduce(0) { $0 + $1.utf8.count } }
  }

  private struct Stored: JSONStructure {
    var taken: UnixTime
    var precise: Bool
    var lines: [String]

    static let fields = JSONFields(
      Self(taken: .blank, precise: true, lines: []),
      .get("taken", \.taken), .get("precise", \.precise), .get("lines", \.lines))
  }

  /// Chosen: little of 72 hours.
  private static let longestBatch = Duration.seconds(3600)

  private let owner: String
  private(set) var batches: [Batch] = []
  private(set) var count = 0
  private var bytes = 0
  private var next: UInt64 = 1

  init(of owner: String) { self.owner = owner }

  /// When the next one is too old, but for one that is on its way.
  func nextDeadline(except number: UInt64?) -> Instant? {
    batches.reduce(nil) { $1.number == number ? $0 : earliest($0, $1.expires) }
  }

  mutating func restore(_ entries: [StateEntry], at now: Moment) {
    batches = entries.compactMap { entry in
      guard entry.key.domain == Uplink.domain, entry.key.owner == owner,
        let number = UInt64(entry.key.name), let stored = Stored(stored: entry.value),
        !stored.lines.isEmpty
      else { return nil }
      return Batch(
        number: number, isPrecise: stored.precise, taken: stored.taken,
        expires: Self.end(of: stored.taken, at: now), lines: stored.lines, isOpen: false,
        isRestored: true)
    }.sorted { $0.number < $1.number }
    next = (batches.last?.number ?? 0) &+ 1
    count = batches.reduce(0) { $0 + $1.lines.count }
    bytes = batches.reduce(0) { $0 + $1.bytes }
  }

  /// What an earlier run has left is kept no longer than until now, where the clock was set meanwhile.
  mutating func age(at now: Moment) {
    for index in batches.indices where batches[index].isRestored {
      let end = Self.end(of: batches[index].taken, at: now)
      batches[index].expires = min(batches[index].expires, end)
    }
  }

  /// By uptime, so that a clock that is set keeps nothing for longer.
  private static func end(of taken: UnixTime, at now: Moment) -> Instant {
    now.uptime + min(max(Uplink.longest - (now.unixTime - taken), .zero), Uplink.longest)
  }

  /// Adds a line behind all others.
  mutating func add(
    _ line: String, isPrecise: Bool, taken: UnixTime, at now: Instant
  ) -> [StateChange] {
    // All of a batch is dropped together, by its first fix.
    if let last = batches.last, last.isOpen, last.isPrecise == isPrecise,
      last.lines.count < Uplink.mostInRequest,
      max(taken - last.taken, last.taken - taken) < Self.longestBatch
    {
      batches[batches.count - 1].lines.append(line)
    } else {
      batches.append(
        Batch(
          number: next, isPrecise: isPrecise, taken: taken, expires: now + Uplink.longest,
          lines: [line]))
      next &+= 1
    }
    count += 1
    bytes += line.utf8.count
    return [set(batches[batches.count - 1])]
  }

  /// Closes the oldest batch, to send it.
  mutating func closeFirst() -> Batch? {
    guard !batches.isEmpty else { return nil }
    batches[0].isOpen = false
    return batches[0]
  }

  /// Removes the first lines of a batch, which are acknowledged.
  mutating func confirm(_ lines: Int, of number: UInt64) -> [StateChange] {
    guard let index = batches.firstIndex(where: { $0.number == number }) else { return [] }
    guard lines < batches[index].lines.count else { return [remove(at: index)] }
    bytes -= batches[index].lines.prefix(lines).reduce(0) { $0 + $1.utf8.count }
    count -= lines
    batches[index].lines.removeFirst(lines)
    return [set(batches[index])]
  }

  /// Removes batches, and returns how many fixes were in them.
  mutating func remove(
    where isGone: (Batch) -> Bool
  ) -> (fixes: Int, changes: [StateChange]) {
    let before = count
    var changes: [StateChange] = []
    for index in batches.indices.reversed() where isGone(batches[index]) {
      changes.append(remove(at: index))
    }
    return (before - count, changes)
  }

  /// Removes the oldest batches beyond the bounds, except the one that is on its way.
  mutating func trim(except number: UInt64?) -> (fixes: Int, changes: [StateChange]) {
    let before = count
    var changes: [StateChange] = []
    while count > Uplink.mostFixes || bytes > Uplink.mostBytes,
      let index = batches.firstIndex(where: { $0.number != number })
    {
      changes.append(remove(at: index))
    }
    return (before - count, changes)
  }

  private mutating func remove(at index: Int) -> StateChange {
    let gone = batches.remove(at: index)
    count -= gone.lines.count
    bytes -= gone.bytes
    return .remove(key(of: gone))
  }

  private func set(_ batch: Batch) -> StateChange {
    let stored = Stored(taken: batch.taken, precise: batch.isPrecise, lines: batch.lines)
    return .set(key(of: batch), stored.stored)
  }

  private func key(of batch: Batch) -> StateKey {
    StateKey(domain: Uplink.domain, owner: owner, name: "\(batch.number)")
  }
}

extension Uplink {
  /// Fixes of a request. Chosen: a backlog of a day at ten seconds each is 173 requests.
  package static let mostInRequest = 50
  /// Fixes that wait. Chosen: more than a day at ten seconds each.
  package static let mostFixes = 10_000
  /// Bytes of their lines. Chosen: 400 of each, twice what a line usually has.
  package static let mostBytes = 4 << 20
  /// How long a fix waits. Chosen: as long as a fleet keeps fixes where its configuration says nothing else.
  package static let longest = Duration.seconds(72 * 3600)
}
