package import LocationModel

/// Writes down the events that apps were told, each with its evidence, so that they can be
/// explained later.
///
/// No place is written down. What several processes of an app are told is one record, and so is
/// what is told again. An app has a bounded number of records, and old ones go.
package struct EventLedger: Machine {
  package enum Input: MachineInput {
    case stored([StateEntry])
    case told(AppIdentity, ToldEvent)
    case wake
  }

  package typealias Output = Ledger.Output

  private struct Stored: Codable {
    var event: ToldEvent
    var told: UnixTime
  }

  private let keep: Duration
  /// In the order of their numbers.
  package private(set) var records: [EventRecord] = []
  package private(set) var nextDeadline: Instant?

  /// Keeps records until they are as old as this.
  package init(keeping keep: Duration) {
    self.keep = keep
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .stored(let entries):
      records = entries.compactMap { Self.record($0) }.sorted { $0.number < $1.number }
      return expire(at: now)
    case .told(let app, let event): return note(event, for: app, at: now)
    case .wake: return isDue(nextDeadline, now) ? expire(at: now) : []
    }
  }

  private mutating func note(
    _ event: ToldEvent, for app: AppIdentity, at now: Moment
  ) -> [Output] {
    guard !records.contains(where: { $0.app == app && $0.event == event }) else { return [] }
    let record = EventRecord(
      number: (records.last?.number ?? 0) + 1, app: app, event: event, told: now.unixTime)
    records.append(record)
    if nextDeadline == nil { nextDeadline = now.uptime + keep }
    return [Self.set(record)] + trim(app)
  }

  private mutating func trim(_ app: AppIdentity) -> [Output] {
    guard records.count(where: { $0.app == app }) > Self.most,
      let oldest = records.firstIndex(where: { $0.app == app })
    else { return [] }
    return [.persist(.remove(Self.key(of: records.remove(at: oldest))))]
  }

  private mutating func expire(at now: Moment) -> [Output] {
    let old = records.filter { now.unixTime - $0.told >= keep }
    records.removeAll { now.unixTime - $0.told >= keep }
    nextDeadline = records.map(\.told).min().map { now.uptime + (keep - (now.unixTime - $0)) }
    return old.map { .persist(.remove(Self.key(of: $0))) }
  }

  // MARK: Storing

  private static func key(of record: EventRecord) -> StateKey {
    StateKey(domain: domain, owner: record.app.name, name: "\(record.number)")
  }

  private static func set(_ record: EventRecord) -> Output {
    let stored = Stored(event: record.event, told: record.told)
    return .persist(.set(key(of: record), StoredJSON.bytes(stored, .any)))
  }

  private static func record(_ entry: StateEntry) -> EventRecord? {
    guard entry.key.domain == domain, let number = Int(entry.key.name),
      let stored = StoredJSON.read(Stored.self, from: entry.value, .any)
    else { return nil }
    return EventRecord(
      number: number, app: AppIdentity(entry.key.owner), event: stored.event, told: stored.told)
  }

  private static let domain = "event"
  /// Records of one app. Chosen: weeks of ordinary use.
  package static let most = 100
}
