import LocationModel

/// The events of regions and visits that an app has not taken yet, in the order in which they
/// happened (LIFE-5).
///
/// Stored with the state that they follow from, so a crash of the app, of the engine, or of both
/// neither loses one nor tells one twice.
struct PendingEvents: Sendable {
  private struct Record: Codable {
    /// The greatest number that was ever given.
    var last = EventNumber.none
    var waiting: [Entry] = []
  }

  private struct Entry: Codable {
    var number: EventNumber
    var event: PendingEvent
    /// When a stay ended, or began that lasts, in steady time where that is another one; at the latest
    /// when the event was added.
    var steady: UnixTime?

    /// When a stay ended, or began that lasts; `nil` for a region.
    var visitDate: UnixTime? {
      guard case .visit(let visit) = event else { return nil }
      return visit.departure ?? visit.arrival
    }

    /// The same in steady time.
    var steadyVisitDate: UnixTime? { visitDate.map { steady ?? $0 } }
  }

  private var record = Record()

  var isEmpty: Bool { record.waiting.isEmpty }

  /// Whether no event was ever owed: the number of the last one must not be lost.
  var isBlank: Bool { record.last == .none }

  init() {}

  /// Takes back what was stored.
  init(restoring entries: [StateEntry], of app: AppIdentity) {
    guard let entry = entries.first(where: { $0.key == Self.key(of: app) }) else { return }
    record = StoredJSON.read(Record.self, from: entry.value, .any) ?? Record()
  }

  /// Adds an event. Its number is near the uptime, so that numbers grow even when everything that
  /// was stored is gone: whoever remembers one has begun since the computer has.
  mutating func add(_ event: PendingEvent, _ steady: SteadyTime, at now: Moment) {
    let next = max(record.last.rawValue + 1, now.uptime.nanoseconds)
    record.last = EventNumber(rawValue: next)
    var entry = Entry(number: record.last, event: event)
    entry.steady = entry.visitDate.flatMap {
      SteadyTime.stored(steady.date(of: $0, at: now), beside: $0)
    }
    record.waiting.append(entry)
    record.waiting.removeFirst(max(0, record.waiting.count - Bounds.pendingEvents))
  }

  /// What comes after a number.
  func after(_ number: EventNumber) -> [(number: EventNumber, event: PendingEvent)] {
    record.waiting.filter { $0.number > number }.map { ($0.number, $0.event) }
  }

  /// The app has taken these; whether any of them was still owed.
  mutating func settle(upTo number: EventNumber) -> Bool {
    let before = record.waiting.count
    record.waiting.removeAll { $0.number <= number }
    return record.waiting.count < before
  }

  /// Nothing is owed any more; whether anything was.
  mutating func drop() -> Bool { settle(upTo: record.last) }

  /// Drops what tells more than a coarse place; whether there was any.
  mutating func dropExact() -> Bool {
    let before = record.waiting.count
    record.waiting.removeAll { entry in
      guard case .visit(let visit) = entry.event else { return true }
      return visit.horizontalAccuracy < CoarseLocator.accuracy
    }
    return record.waiting.count < before
  }

  /// When the oldest stay ended, or began that lasts, in steady time.
  var oldestVisit: UnixTime? { record.waiting.compactMap(\.steadyVisitDate).min() }

  /// Dates what is of a later date than now anew, so that it is not kept for ever; whether anything was.
  mutating func settleDates(_ today: UnixTime) -> Bool {
    let late = record.waiting.indices.filter {
      record.waiting[$0].steadyVisitDate.map { $0 > today } ?? false
    }
    for index in late { record.waiting[index].steady = today }
    return !late.isEmpty
  }

  /// Drops stays that ended, or began and last, before a date of steady time; whether there were any.
  mutating func forgetVisits(before date: UnixTime) -> Bool {
    let before = record.waiting.count
    record.waiting.removeAll { $0.steadyVisitDate.map { $0 < date } ?? false }
    return record.waiting.count < before
  }

  // MARK: Storage

  static let domain = "owed"

  private static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: domain, owner: app.name)
  }

  /// The change that makes this durable; the number given last outlives the events.
  func change(for app: AppIdentity) -> StateChange {
    .set(Self.key(of: app), StoredJSON.bytes(record, .any))
  }
}
