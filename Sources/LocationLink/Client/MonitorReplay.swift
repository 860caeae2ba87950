import LocationModel

/// The requests of one monitor to the daemon, and which of them the daemon has carried out.
///
/// The daemon counts the requests of each connection; the app counts those of the monitor's whole
/// life. This type converts the counts, sends again the requests that were not carried out, and
/// drops an event that the app has already handled.
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
  /// The last event that the loop received.
  private var lastEvent: ConditionEvent?
  /// Whether the loop may already have received the first event of this connection.
  private var mayRepeat = false

  init(subscriber: SubscriberID, name: String) {
    self.subscriber = subscriber
    self.name = name
  }

  mutating func note(_ request: MonitorRequest) {
    open.append(request)
    counted.append(true)
    switch request {
    case .next: isWaiting = true
    case .leave: (isWaiting, lastEvent) = (false, nil)
    case .open, .add, .remove: break
    }
  }

  mutating func hear(_ news: MonitorDelivery) -> (
    delivered: MonitorDelivery?, asked: [MonitorRequest]
  ) {
    switch news {
    case .refused: return (news, [])
    case .records(let requests, let records):
      carryOut(upTo: requests)
      return (.records(after: done, records), [])
    case .event(let event):
      defer { mayRepeat = false }
      if mayRepeat, event.isSame(as: lastEvent) {
        counted.append(false)
        return (nil, [.next])
      }
      (isWaiting, lastEvent) = (false, event)
      return (news, [])
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
    mayRepeat = lastEvent != nil
    if requests.first != .open(name: name) {
      requests.insert(.open(name: name), at: 0)
      counted.insert(false, at: 0)
    }
    if isWaiting, !open.contains(.next) {
      requests.append(.next)
      counted.append(false)
    }
    return requests
  }
}

extension ConditionEvent {
  /// Whether both events report the same observation.
  fileprivate func isSame(as other: ConditionEvent?) -> Bool {
    identifier == other?.identifier && state == other?.state && date == other?.date
  }
}
