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
  /// Whether the loop waits for its next event.
  private var isWaiting = false
  /// The number that the loop acknowledged last.
  private var acknowledged = EventNumber.none

  init(subscriber: SubscriberID, name: String) {
    self.subscriber = subscriber
    self.name = name
  }

  mutating func note(_ request: MonitorRequest) {
    open.append(request)
    counted.append(true)
    switch request {
    case .next(let number): (isWaiting, acknowledged) = (true, number)
    case .leave: (isWaiting, acknowledged) = (false, .none)
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
      isWaiting = false
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

  /// The open requests. A request for an event acknowledges what the later ones of its loop do, as
  /// a daemon that has just come back would deliver that event again.
  private var acknowledgingAtOnce: [MonitorRequest] {
    var last: EventNumber?
    return open.reversed().map { request -> MonitorRequest in
      switch request {
      case .next(let number):
        last = last ?? number
        return .next(after: last ?? number)
      case .leave: last = nil
      case .open, .add, .remove: break
      }
      return request
    }.reversed()
  }

  /// Returns the requests that open the monitor again on a new connection and continue the old one.
  mutating func again() -> [MonitorRequest] {
    var requests = acknowledgingAtOnce
    counted = open.map { _ in true }
    answered = 0
    if requests.first != .open(name: name) {
      requests.insert(.open(name: name), at: 0)
      counted.insert(false, at: 0)
    }
    let next = MonitorRequest.next(after: acknowledged)
    if isWaiting, !requests.contains(next) {
      requests.append(next)
      counted.append(false)
    }
    return requests
  }
}
