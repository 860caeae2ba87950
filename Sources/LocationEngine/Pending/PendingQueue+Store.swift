import LocationModel

extension PendingQueue {
  /// The stored form of the events.
  private struct Record: Codable {
    var last = EventNumber.none
    var waiting: [StoredEvent] = []
  }

  private struct StoredEvent: Codable {
    var number: EventNumber
    var event: PendingEvent
    var steady: UnixTime?
  }

  static let domain = "owed"

  private static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: domain, owner: app.name)
  }

  /// Restores the stored events of an app.
  init(restoring entries: [StateEntry], of app: AppIdentity) {
    self.init()
    guard let entry = entries.first(where: { $0.key == Self.key(of: app) }),
      let record = StoredJSON.read(Record.self, from: entry.value, .any)
    else { return }
    self.init(
      events: record.waiting.map {
        Entry(number: $0.number, content: .event($0.event), steady: $0.steady)
      }, last: record.last)
  }

  /// The change that makes the events durable; the last number outlives the events.
  func change(for app: AppIdentity) -> StateChange {
    var record = Record(last: last)
    for case let entry in entries {
      guard case .event(let event) = entry.content else { continue }
      record.waiting.append(
        StoredEvent(number: entry.number, event: event, steady: entry.steady))
    }
    return .set(Self.key(of: app), StoredJSON.bytes(record, .any))
  }
}
