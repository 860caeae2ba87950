import LocationModel

/// The monitors of a client that speaks a version before ``LinkInterface/versionWithNumbers``: it
/// receives all records each time, and acknowledges an event by asking for the next one.
struct OlderMonitors: Sendable {
  private struct Monitor: Sendable {
    var records: [NamedRecord] = []
    /// The number of the last event.
    var last = EventNumber.none
  }

  private var monitors: [SubscriberID: Monitor] = [:]

  /// Returns the request as a client of today would send it.
  mutating func translate(_ request: Request) -> Request {
    switch request {
    case .monitor(let subscriber, .next):
      return .monitor(subscriber, .next(after: monitors[subscriber]?.last ?? .none))
    case .monitor(let subscriber, .leave), .monitor(let subscriber, .open):
      monitors[subscriber]?.last = .none
    case .end(let subscriber): monitors[subscriber] = nil
    default: break
    }
    return request
  }

  /// Returns the delivery as JSON that the client understands; `nil` if it is none of a monitor.
  mutating func translate(_ delivery: Delivery) -> JSON? {
    guard case .monitor(let subscriber, let delivery) = delivery else { return nil }
    monitors[subscriber, default: Monitor()].records.apply(delivery)
    let news: JSON
    switch delivery {
    case .refused, .records: news = delivery.json
    case .changed(let requests, _, _):
      let records = monitors[subscriber]?.records ?? []
      news = MonitorDelivery.records(after: requests, records).json
    case .event(let number, let event):
      monitors[subscriber]?.last = number
      news = .word("event", event.json)
    }
    return .word("monitor", .fields(["subscriber": subscriber.json, "news": news]))
  }
}
