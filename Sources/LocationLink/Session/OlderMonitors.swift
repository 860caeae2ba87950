import LocationCoding
import LocationModel

/// The monitors of a client that speaks a version before ``LinkInterface/versionWithNumbers``: it
/// receives all records each time, and events without a number.
struct OlderMonitors: Sendable {
  private var records: [SubscriberID: [NamedRecord]] = [:]

  mutating func end(_ subscriber: SubscriberID) { records[subscriber] = nil }

  /// Returns the delivery as JSON that the client understands; `nil` if it is none of a monitor.
  mutating func translate(_ delivery: Delivery) -> JSON? {
    guard case .monitor(let subscriber, let delivery) = delivery else { return nil }
    records[subscriber, default: []].apply(delivery)
    let content: JSON
    switch delivery {
    case .refused, .records: content = delivery.json
    case .changed(let requests, _, _):
      content = MonitorDelivery.records(after: requests, records[subscriber] ?? []).json
    case .event(_, let event): content = .word("event", event.json)
    }
    return .word("monitor", .fields(["subscriber": subscriber.json, "news": content]))
  }
}
