import LocationCoding
import LocationModel

extension Visit {
  /// Whether it is at a place on earth with a radius: what is read from the state may be anything.
  var isPlace: Bool {
    coordinate.isValid && horizontalAccuracy > 0 && horizontalAccuracy.isFinite
  }
}

extension PendingQueue {
  /// The stored form of the events.
  private struct Record: JSONStructure {
    var last = EventNumber.none
    var waiting: [StoredEvent] = []

    static let fields = JSONFields(Self(), .get("last", \.last), .get("waiting", \.waiting))
  }

  private struct StoredEvent: JSONStructure {
    var number: EventNumber
    var event: PendingEvent
    var steady: UnixTime?

    static let fields = JSONFields(
      Self(number: .none, event: .blank),
      .get("number", \.number), .get("event", \.event), .find("steady", \.steady))
  }

  static let domain = "owed"

  private static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: domain, owner: app.name)
  }

  /// Restores the stored events of an app.
  init(restoring entries: [StateEntry], of app: AppIdentity) {
    self.init()
    guard let entry = entries.first(where: { $0.key == Self.key(of: app) }),
      let record = Record(stored: entry.value)
    else { return }
    self.init(
      events: record.waiting.filter { Self.isPossible($0.event) }.map {
        Entry(number: $0.number, content: .event($0.event), steady: $0.steady)
      }, last: record.last)
  }

  /// Whether an event can be one that was stored, and not changed since: its visit has a place.
  private static func isPossible(_ event: PendingEvent) -> Bool {
    if case .visit(let visit) = event { visit.isPlace } else { true }
  }

  /// The change that makes the events durable; the last number outlives the events.
  func change(for app: AppIdentity) -> StateChange {
    var record = Record(last: last)
    for entry in entries {
      guard case .event(let event) = entry.content else { continue }
      record.waiting.append(
        StoredEvent(number: entry.number, event: event, steady: entry.steady))
    }
    return .set(Self.key(of: app), record.stored)
  }
}
