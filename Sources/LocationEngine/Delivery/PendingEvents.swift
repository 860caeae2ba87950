import LocationCoding
import LocationModel

/// The events of regions and visits that an app has not acknowledged, in the order in which they
/// happened (LIFE-5).
///
/// They are stored together with the state that they follow from, so a crash of the app, the
/// engine, or both neither loses nor repeats one.
struct PendingEvents: Sendable {
  private struct Record: JSONStructure {
    /// The greatest number that was ever used.
    var last = EventNumber.none
    var waiting: [Entry] = []

    static let fields = JSONFields(Self(), .get("last", \.last), .get("waiting", \.waiting))
  }

  private struct Entry: JSONStructure {
    var number: EventNumber
    var event: PendingEvent
    /// When a stay ended, or a lasting one began, in steady time if that differs; at the latest
    /// when the event was added.
    var steady: UnixTime?

    static let fields = JSONFields(
      Self(number: .none, event: .blank),
      .get("number", \.number), .get("event", \.event), .find("steady", \.steady))

    /// When a stay ended, or a lasting one began; `nil` for a region.
    var visitDate: UnixTime? {
      guard case .visit(let visit) = event else { return nil }
      return visit.departure ?? visit.arrival
    }

    /// The same in steady time.
    var steadyVisitDate: UnixTime? { visitDate.map { steady ?? $0 } }
  }

  private var record = Record()

  var isEmpty: Bool { record.waiting.isEmpty }

  /// Whether no event was ever pending; otherwise the last number must be kept.
  var isBlank: Bool { record.last == .none }

  init() {}

  /// Restores the stored events of an app.
  init(restoring entries: [StateEntry], of app: AppIdentity) {
    guard let entry = entries.first(where: { $0.key == Self.key(of: app) }) else { return }
    record = Record(stored: entry.value) ?? Record()
  }

  /// Adds an event. Its number is near the uptime, so that numbers grow even if the store is lost:
  /// a client that remembers a number started after the computer did.
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

  /// Returns the events after a number.
  func after(_ number: EventNumber) -> [(number: EventNumber, event: PendingEvent)] {
    record.waiting.filter { $0.number > number }.map { ($0.number, $0.event) }
  }

  /// Removes the acknowledged events; returns whether any of them was pending.
  mutating func settle(upTo number: EventNumber) -> Bool {
    let before = record.waiting.count
    record.waiting.removeAll { $0.number <= number }
    return record.waiting.count < before
  }

  /// Removes all events; returns whether there were any.
  mutating func drop() -> Bool { settle(upTo: record.last) }

  /// Drops events that reveal more than a coarse place; returns whether there were any.
  mutating func dropExact() -> Bool {
    let before = record.waiting.count
    record.waiting.removeAll { entry in
      guard case .visit(let visit) = entry.event else { return true }
      return visit.horizontalAccuracy < CoarseLocator.accuracy
    }
    return record.waiting.count < before
  }

  /// When the oldest stay ended, or began if it lasts, in steady time.
  var oldestVisit: UnixTime? { record.waiting.compactMap(\.steadyVisitDate).min() }

  /// Changes dates after `today` to it, so that no event is kept forever; returns whether any was.
  mutating func settleDates(_ today: UnixTime) -> Bool {
    let late = record.waiting.indices.filter {
      record.waiting[$0].steadyVisitDate.map { $0 > today } ?? false
    }
    for index in late { record.waiting[index].steady = today }
    return !late.isEmpty
  }

  /// Drops stays that ended, or began and last, before a steady time; returns whether any was.
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

  /// The change that makes this durable; the last number outlives the events.
  func change(for app: AppIdentity) -> StateChange {
    .set(Self.key(of: app), record.stored)
  }
}
