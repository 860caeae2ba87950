package import LocationModel
import Synchronization

/// This app as the engine knows it: the link, what can be read at once, and who is waiting.
///
/// One for each app; an ordinary process has one, a test may bind several.
package final class LocationClient: Sendable {
  /// What a subscriber hears, on the link's own thread: hand on, and return.
  package typealias Listener = @Sendable (Delivery) -> Void

  private struct State {
    var readable: ClientState
    var listeners: [SubscriberID: Listener] = [:]
    var lastSubscriber: UInt64 = 0
    /// What the app is owed and no delegate has heard, the latest hundred, in order.
    var untaken: [OwedNews] = []
  }

  /// An event that the app is owed, and its number.
  typealias OwedNews = (number: EventNumber, event: OwedEvent)

  package let link: any EngineLink
  /// Runs a callback at its place.
  package typealias CallbackRunner = @Sendable (@escaping @Sendable () -> Void) -> Void

  /// What the app declares.
  let manifest: Manifest
  /// Where callbacks run when the app's own threads must not decide it, as in virtual time: asked
  /// where a manager is made.
  package let callbacks: (@Sendable () -> CallbackRunner)?
  /// Who must know which tasks wait for deliveries, in virtual time.
  let watch: (any ReadingWatch)?
  /// The app's geocoding, with one budget for all its geocoders (GEO-5).
  let geocoding: AppGeocoding
  private let id: ClientID
  private let state: Mutex<State>

  /// Connects an app.
  package init(
    _ description: ClientDescription, over link: any EngineLink,
    callbacks: (@Sendable () -> CallbackRunner)? = nil, watch: (any ReadingWatch)? = nil
  ) {
    let inbox = Inbox()
    let (id, readable) = link.connect(description) { inbox.take($0) }
    self.link = link
    manifest = description.manifest
    self.callbacks = callbacks
    self.watch = watch
    self.id = id
    geocoding = AppGeocoding { link.now }
    state = Mutex(State(readable: readable))
    inbox.open(for: self)
  }

  deinit {
    link.disconnect(id)
  }

  /// The app that asks: the one bound to this task, else the process itself.
  package static var current: LocationClient { bound ?? ofProcess }

  /// An app bound by a test.
  @TaskLocal package static var bound: LocationClient?

  // MARK: Asking

  /// Adds someone who waits for deliveries; the listener is called until `end(_:)`.
  package func subscribe(_ listener: @escaping Listener) -> SubscriberID {
    state.withLock {
      $0.lastSubscriber += 1
      let subscriber = SubscriberID($0.lastSubscriber)
      $0.listeners[subscriber] = listener
      return subscriber
    }
  }

  package func send(_ request: Request) {
    if case .took(let number) = request {
      state.withLock { $0.untaken.removeAll { $0.number <= number } }
    }
    link.send(request, from: id)
  }

  /// The subscriber is gone, with everything it asked for.
  package func end(_ subscriber: SubscriberID) {
    _ = state.withLock { $0.listeners.removeValue(forKey: subscriber) }
    send(.end(subscriber))
  }

  /// What can be read at once (AVAIL-2).
  var readable: ClientState { state.withLock { $0.readable } }

  /// What the app is owed and no delegate has heard yet, in order: for one that comes later.
  var untaken: [OwedNews] { state.withLock { $0.untaken } }

  // MARK: Hearing

  fileprivate func take(_ delivery: Delivery) {
    switch delivery {
    case .state(let readable):
      state.withLock {
        let regions = $0.readable.regions
        $0.readable = readable
        $0.readable.regions = regions
        // What was told before must not be told by us now (AUTH-8).
        if !readable.tellsPlaces { $0.untaken = [] }
      }
    case .regions(let regions):
      state.withLock { $0.readable.regions = regions }
    case .owed(let number, let event):
      if number != .none { keep((number, event)) }
      for listener in listeners { listener(delivery) }
    case .authorizationChanged(nil), .region(nil, _, _):
      for listener in listeners { listener(delivery) }
    case .updates(let subscriber, let updates):
      if case .fixes(let fixes) = updates, let last = fixes.last { remember(last) }
      listener(of: subscriber)?(delivery)
    case .live(let subscriber, let update):
      if let fix = update.fix { remember(fix) }
      listener(of: subscriber)?(delivery)
    case .authorizationChanged(let subscriber?), .temporaryFullAccuracy(let subscriber, _),
      .region(let subscriber?, _, _), .monitor(let subscriber, _),
      .heading(let subscriber, _), .ranging(let subscriber, _),
      .advertising(let subscriber, _), .diagnostics(let subscriber, _):
      listener(of: subscriber)?(delivery)
    }
  }

  private func remember(_ fix: Fix) {
    state.withLock { $0.readable.lastFix = fix }
  }

  private func keep(_ news: OwedNews) {
    state.withLock { $0.untaken = ($0.untaken + [news]).suffix(Self.mostUntaken) }
  }

  /// As many as an engine keeps.
  private static let mostUntaken = 100

  private func listener(of subscriber: SubscriberID) -> Listener? {
    state.withLock { $0.listeners[subscriber] }
  }

  /// In the order in which they subscribed.
  private var listeners: [Listener] {
    state.withLock { state in state.listeners.sorted { $0.key < $1.key }.map(\.value) }
  }
}

extension ClientState {
  /// Whether the app may hear exactly where the device was.
  fileprivate var tellsPlaces: Bool {
    servicesEnabled && authorization.status.isGranted && authorization.accuracy == .full
  }
}

/// Holds what comes before the client is ready, and lets go of the client when it ends.
private final class Inbox: Sendable {
  private enum State {
    case closed([Delivery])
    case open(Weak)
  }

  private struct Weak {
    weak var client: LocationClient?
  }

  private let state = Mutex(State.closed([]))

  func take(_ delivery: Delivery) {
    let client: LocationClient? = state.withLock {
      switch $0 {
      case .closed(let waiting):
        $0 = .closed(waiting + [delivery])
        return nil
      case .open(let weak):
        return weak.client
      }
    }
    client?.take(delivery)
  }

  func open(for client: LocationClient) {
    let waiting: [Delivery] = state.withLock {
      guard case .closed(let waiting) = $0 else { return [] }
      $0 = .open(Weak(client: client))
      return waiting
    }
    for delivery in waiting { client.take(delivery) }
  }
}
