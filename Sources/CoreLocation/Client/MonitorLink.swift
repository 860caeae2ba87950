import LocationModel
import Synchronization

/// Connects a monitor to its app's client: its last known records, and its one loop.
final class MonitorLink: Sendable {
  private struct State {
    /// The records that the app reads; a condition that was just added or removed is (MON-9).
    var records: [NamedRecord] = []
    /// The records as delivered.
    var delivered: [NamedRecord] = []
    /// The number of requests sent; deliveries with a lower count do not know the latest ones.
    var requests = 0
    /// The number of requests carried out, according to the last delivery.
    var answered = 0
    /// The number of requests sent until the last loop ended.
    var left = 0
    var isIterated = false
    /// The last event that the loop received; it is handled when the loop asks again (MON-23).
    var lastEvent = EventNumber.none

    mutating func take(_ delivery: MonitorDelivery, after requests: Int) {
      answered = requests
      delivered.apply(delivery)
      if requests >= self.requests { records = delivered }
    }
  }

  /// Whether the name could be opened.
  enum Opening: Sendable {
    case free
    /// The monitor is open already, in this process or another one of the app.
    case taken(by: Int32?)
  }

  /// An event, with the number of requests that had been carried out when it arrived.
  private typealias Delivered = (number: EventNumber, event: ConditionEvent, after: Int)

  fileprivate let client: LocationClient
  private let subscriber: SubscriberID
  private let mailbox = Mailbox<Delivered>()
  private let box = Box()

  /// Shared with the listener, so that the listener does not keep the link alive.
  private final class Box: Sendable {
    let state = Mutex(State())
    /// Ends the wait of ``MonitorLink/opened()``.
    let opened = Mailbox<Opening>()
  }

  /// Opens the monitor with a name.
  init(_ name: String) {
    let (box, mailbox) = (box, mailbox)
    client = .current
    subscriber = client.subscribe { delivery in
      guard case .monitor(_, let delivery) = delivery else { return }
      switch delivery {
      case .event(let number, let event):
        mailbox.add((number, event, box.state.withLock { $0.answered }))
      case .refused(let process): box.opened.add(.taken(by: process))
      case .records(let requests, _):
        box.state.withLock { $0.take(delivery, after: requests) }
        if requests == 1 { box.opened.add(.free) }
      case .changed(let requests, _, _):
        box.state.withLock { $0.take(delivery, after: requests) }
      }
    }
    send(.open(name: name))
  }

  deinit {
    client.end(subscriber)
  }

  /// Returns whether the name was free (MON-2).
  func opened() async -> Opening { await box.opened.next() ?? .free }

  private func send(_ request: MonitorRequest) {
    box.state.withLock { $0.requests += 1 }
    client.send(.monitor(subscriber, request))
  }

  // MARK: Conditions

  var identifiers: [String] { box.state.withLock { $0.records.map(\.identifier) } }

  func record(for identifier: String) -> ConditionRecord? {
    box.state.withLock { $0.records.first { $0.identifier == identifier }?.record }
  }

  /// Adds a condition. Its record exists at once (MON-9); adding the same condition again changes
  /// nothing (MON-11).
  func add(_ target: ConditionTarget, identifier: String, assuming state: ConditionState) {
    let now = client.link.now.unixTime
    box.state.withLock {
      guard $0.records.first(where: { $0.identifier == identifier })?.record.target != target
      else { return }
      let event = ConditionEvent(identifier: identifier, state: MonitoredState(state), date: now)
      $0.records.removeAll { $0.identifier == identifier }
      $0.records.append(
        NamedRecord(
          identifier: identifier, record: ConditionRecord(target: target, lastEvent: event)))
    }
    send(.add(identifier: identifier, target, assuming: state))
  }

  func remove(_ identifier: String) {
    box.state.withLock { $0.records.removeAll { $0.identifier == identifier } }
    send(.remove(identifier: identifier))
  }

  // MARK: Events

  /// Begins the loop; only one is allowed at a time (MON-28).
  func iterate() -> MonitorIteration {
    let isSecond = box.state.withLock { state in
      defer { state.isIterated = true }
      return state.isIterated
    }
    if isSecond { fatalError("CLMonitor: events can be iterated by one loop at a time (MON-28)") }
    return MonitorIteration(self)
  }

  fileprivate func endIteration() {
    send(.leave)
    box.state.withLock { ($0.isIterated, $0.left, $0.lastEvent) = (false, $0.requests, .none) }
  }

  /// Returns the next event; the request acknowledges the previous one (MON-23).
  fileprivate func next() async -> ConditionEvent? {
    askForNext()
    while let delivered = await mailbox.next() {
      // Events sent to an earlier loop that has ended are delivered again (MON-24).
      if delivered.after < box.state.withLock({ $0.left }) { continue }
      box.state.withLock { $0.lastEvent = delivered.number }
      if record(for: delivered.event.identifier) != nil { return delivered.event }
      askForNext()
    }
    return nil
  }

  private func askForNext() {
    send(.next(after: box.state.withLock { $0.lastEvent }))
  }
}

/// One loop over the events of a monitor; an event in progress when it ends is not handled
/// (MON-24).
final class MonitorIteration: Sendable {
  private let link: MonitorLink
  private let loop: ReadingLoop

  fileprivate init(_ link: MonitorLink) {
    self.link = link
    loop = ReadingLoop("the events of a monitor", of: link.client)
  }

  deinit {
    link.endIteration()
  }

  func next() async -> ConditionEvent? { await loop.read { await link.next() } }
}
