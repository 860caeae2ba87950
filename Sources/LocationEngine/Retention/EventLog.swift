internal import LocationCoding
package import LocationModel

/// The event log: the events that were delivered to apps, each with its evidence, so that they can
/// be explained later.
///
/// It contains no positions. Deliveries of one event to several processes of an app, and repeated
/// ones, are one record. The records of an app are bounded; the oldest are dropped.
package struct EventLog: Machine {
  package enum Input: MachineInput {
    case stored([StateEntry])
    /// An event was delivered to an app; with the number of a pending event.
    case delivered(AppIdentity, DeliveredEvent, pending: EventNumber? = nil)
    case wake
  }

  package typealias Output = BoundedLog.Output

  private struct Stored: JSONStructure {
    var event: DeliveredEvent
    var delivered: UnixTime
    /// `nil` for an event that was not pending, and for one of an older engine.
    var pending: EventNumber?
    /// When it was delivered, in steady time, if that differs.
    var steady: UnixTime?

    static let fields = JSONFields(
      Self(event: .blank, delivered: .blank),
      .get("event", \.event), .get("delivered", \.delivered), .find("pending", \.pending),
      .find("steady", \.steady))
  }

  private struct Page {
    var record: EventRecord
    /// When it was delivered, in steady time.
    var delivered: UnixTime
    var pending: EventNumber?
  }

  private let keep: Duration
  private var steady = SteadyTime()
  /// In the order of their numbers.
  private var pages: [Page] = []
  /// The last number that was used; 0 before the first.
  private var last = 0
  package private(set) var nextDeadline: Instant?

  /// Creates a log; records are kept up to this age.
  package init(keeping keep: Duration) {
    self.keep = keep
  }

  /// In the order of delivery.
  package var records: [EventRecord] { pages.map(\.record) }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .stored(let entries):
      steady = SteadyTime(restoring: entries, at: now)
      return restore(entries, at: now) + expire(at: now)
    case .delivered(let app, let event, let pending): return note(event, pending, for: app, at: now)
    case .wake: return isDue(nextDeadline, now) ? expire(at: now) : []
    }
  }

  private mutating func note(
    _ event: DeliveredEvent, _ pending: EventNumber?, for app: AppIdentity, at now: Moment
  ) -> [Output] {
    let isKnown = pages.contains {
      $0.record.app == app && ($0.record.event == event || pending != nil && $0.pending == pending)
    }
    guard !isKnown else { return [] }
    last &+= 1
    let record = EventRecord(number: last, app: app, event: event, delivered: now.unixTime)
    let page = Page(record: record, delivered: steady.date(at: now), pending: pending)
    pages.append(page)
    if nextDeadline == nil { nextDeadline = now.uptime + keep }
    let number = StateChange.set(Self.lastNumber, [UInt8]("\(last)".utf8))
    return [Self.set(page), .persist(number)] + trim(app)
  }

  private mutating func trim(_ app: AppIdentity) -> [Output] {
    guard pages.count(where: { $0.record.app == app }) > Self.most,
      let oldest = pages.firstIndex(where: { $0.record.app == app })
    else { return [] }
    return [.persist(.remove(Self.key(of: pages.remove(at: oldest).record)))]
  }

  private mutating func expire(at now: Moment) -> [Output] {
    let today = steady.date(at: now)
    let old = pages.filter { today - $0.delivered >= keep }
    pages.removeAll { today - $0.delivered >= keep }
    nextDeadline = pages.map(\.delivered).min().map { now.uptime + (keep - (today - $0)) }
    return old.map { .persist(.remove(Self.key(of: $0.record))) }
  }

  // MARK: Storing

  /// Restores records. Dates after now count as now, so that no record is kept forever.
  private mutating func restore(_ entries: [StateEntry], at now: Moment) -> [Output] {
    pages = entries.compactMap { Self.page($0) }.sorted { $0.record.number < $1.record.number }
    let today = steady.date(at: now)
    var outputs: [Output] = []
    for index in pages.indices where pages[index].delivered > today {
      pages[index].delivered = today
      outputs.append(Self.set(pages[index]))
    }
    let stored = entries.first { $0.key == Self.lastNumber }
      .flatMap { Int(String(decoding: $0.value, as: UTF8.self)) }
    last = max(stored ?? 0, pages.last?.record.number ?? 0)
    return outputs
  }

  private static func key(of record: EventRecord) -> StateKey {
    StateKey(domain: domain, owner: record.app.name, name: "\(record.number)")
  }

  private static func set(_ page: Page) -> Output {
    let stored = Stored(
      event: page.record.event, delivered: page.record.delivered, pending: page.pending,
      steady: SteadyTime.stored(page.delivered, beside: page.record.delivered))
    return .persist(.set(key(of: page.record), stored.stored))
  }

  private static func page(_ entry: StateEntry) -> Page? {
    guard entry.key.domain == domain, let number = Int(entry.key.name),
      let stored = Stored(stored: entry.value)
    else { return nil }
    let record = EventRecord(
      number: number, app: AppIdentity(entry.key.owner), event: stored.event,
      delivered: stored.delivered)
    return Page(
      record: record, delivered: stored.steady ?? stored.delivered, pending: stored.pending)
  }

  private static let domain = "event"
  /// The entry with the last number, which outlives the records.
  private static let lastNumber = StateKey(domain: "event-number", owner: "")
  /// Records of one app. Chosen: weeks of ordinary use.
  package static let most = 100
}
