import LocationModel

/// The requests of one monitor to the daemon, and which of them the daemon has carried out.
///
/// The daemon counts the requests of each connection; the app counts those of the monitor's whole
/// life. This type converts the counts, and sends again the requests that were not carried out. The
/// daemon keeps the number of an event that it has delivered, so a loop that asks again
/// acknowledges its last event, and receives none twice.
struct MonitorReplay: Sendable {
  let subscriber: SubscriberID
  private let name: String
  /// Requests of the app that were carried out, over all connections.
  private var done = 0
  /// Requests of the app that were not, oldest first.
  private var open: [MonitorRequest] = []
  /// For each request of this connection that was not carried out, whether the app counts it.
  private var counted: [Bool] = []
  /// Requests of this connection that were carried out.
  private var answered = 0
  /// The request for an event that the loop waits for; `nil` while it does not wait.
  private var waiting: MonitorRequest?

  init(subscriber: SubscriberID, name: String) {
    self.subscriber = subscriber
    self.name = name
  }

  mutating func note(_ request: MonitorRequest) {
    open.append(request)
    counted.append(true)
    switch request {
    case .next: waiting = request
    case .leave: waiting = nil
    case .open, .add, .remove: break
    }
  }

  /// Returns the delivery with the count of the app.
  mutating func receive(_ delivery: MonitorDelivery) -> MonitorDelivery {
    switch delivery {
    case .refused: return delivery
    case .records(let requests, let records):
      carryOut(upTo: requests)
      return .records(after: done, records)
    case .changed(let requests, let records, let removed):
      carryOut(upTo: requests)
      return .changed(after: done, records, removed: removed)
    case .event:
      waiting = nil
      return delivery
    }
  }

  private mutating func carryOut(upTo requests: Int) {
    let count = min(max(0, requests - answered), counted.count)
    answered += count
    let own = counted.prefix(count).count { $0 }
    counted.removeFirst(count)
    done += own
    open.removeFirst(min(own, open.count))
  }

  /// Returns the requests that open the monitor again on a new connection and continue the old one.
  mutating func again() -> [MonitorRequest] {
    var requests = open
    counted = open.map { _ in true }
    answered = 0
    if requests.first != .open(name: name) {
      requests.insert(.open(name: name), at: 0)
      counted.insert(false, at: 0)
    }
    if let waiting, !open.contains(waiting) {
      requests.append(waiting)
      counted.append(false)
    }
    return requests
  }
}
