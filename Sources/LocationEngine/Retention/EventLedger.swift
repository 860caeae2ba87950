package import LocationModel

/// Writes down the events that apps were told, each with its evidence, so that they can be
/// explained later.
///
/// No place is written down. What several processes of an app are told is one record, and so is
/// what is told again. An app has a bounded number of records, and old ones go.
package struct EventLedger: Machine {
  package enum Input: MachineInput {
    case stored([StateEntry])
    /// An app was told an event; of one that it is owed, also the number.
    case told(AppIdentity, ToldEvent, owed: EventNumber? = nil)
    case wake
  }

  package typealias Output = Ledger.Output

  private struct Stored: Codable {
    var event: ToldEvent
    var told: UnixTime
    /// `nil` for an event that was not owed, and for one of an older engine.
    var owed: EventNumber?
  }

  private struct Page {
    var record: EventRecord
    var owed: EventNumber?
  }

  private let keep: Duration
  /// In the order of their numbers.
  private var pages: [Page] = []
  /// The number given last; 0 before the first.
  private var last = 0
  package private(set) var nextDeadline: Instant?

  /// Keeps records until they are as old as this.
  package init(keeping keep: Duration) {
    self.keep = keep
  }

  /// In the order in which apps were told.
  package var records: [EventRecord] { pages.map(\.record) }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .stored(let entries):
      restore(entries)
      return expire(at: now)
    case .told(let app, let event, let owed): return note(event, owed, for: app, at: now)
    case .wake: return isDue(nextDeadline, now) ? expire(at: now) : []
    }
  }

  private mutating func note(
    _ event: ToldEvent, _ owed: EventNumber?, for app: AppIdentity, at now: Moment
  ) -> [Output] {
    let isKnown = pages.contains {
      $0.record.app == app && ($0.record.event == event || owed != nil && $0.owed == owed)
    }
    guard !isKnown else { return [] }
    last += 1
    let record = EventRecord(number: last, app: app, event: event, told: now.unixTime)
    pages.append(Page(record: record, owed: owed))
    if nextDeadline == nil { nextDeadline = now.uptime + keep }
    let number = StateChange.set(Self.lastNumber, [UInt8]("\(last)".utf8))
    return [Self.set(record, owed), .persist(number)] + trim(app)
  }

  private mutating func trim(_ app: AppIdentity) -> [Output] {
    guard pages.count(where: { $0.record.app == app }) > Self.most,
      let oldest = pages.firstIndex(where: { $0.record.app == app })
    else { return [] }
    return [.persist(.remove(Self.key(of: pages.remove(at: oldest).record)))]
  }

  private mutating func expire(at now: Moment) -> [Output] {
    let old = records.filter { now.unixTime - $0.told >= keep }
    pages.removeAll { now.unixTime - $0.record.told >= keep }
    nextDeadline = records.map(\.told).min().map { now.uptime + (keep - (now.unixTime - $0)) }
    return old.map { .persist(.remove(Self.key(of: $0))) }
  }

  // MARK: Storing

  private mutating func restore(_ entries: [StateEntry]) {
    pages = entries.compactMap { Self.page($0) }.sorted { $0.record.number < $1.record.number }
    let stored = entries.first { $0.key == Self.lastNumber }
      .flatMap { Int(String(decoding: $0.value, as: UTF8.self)) }
    last = max(stored ?? 0, pages.last?.record.number ?? 0)
  }

  private static func key(of record: EventRecord) -> StateKey {
    StateKey(domain: domain, owner: record.app.name, name: "\(record.number)")
  }

  private static func set(_ record: EventRecord, _ owed: EventNumber?) -> Output {
    let stored = Stored(event: record.event, told: record.told, owed: owed)
    return .persist(.set(key(of: record), StoredJSON.bytes(stored, .any)))
  }

  private static func page(_ entry: StateEntry) -> Page? {
    guard entry.key.domain == domain, let number = Int(entry.key.name),
      let stored = StoredJSON.read(Stored.self, from: entry.value, .any)
    else { return nil }
    let record = EventRecord(
      number: number, app: AppIdentity(entry.key.owner), event: stored.event, told: stored.told)
    return Page(record: record, owed: stored.owed)
  }

  private static let domain = "event"
  /// Where the number given last is kept, which outlives the records.
  private static let lastNumber = StateKey(domain: "event-number", owner: "")
  /// Records of one app. Chosen: weeks of ordinary use.
  package static let most = 100
}
