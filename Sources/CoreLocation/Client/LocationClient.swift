package import LocationModel
import Synchronization

/// This app as the engine knows it: the link, what can be read at once, and who is waiting.
///
/// One for each app; an ordinary process has one, a test may bind several.
package final class LocationClient: Sendable {
  /// What a subscriber hears, on the link's own thread: hand on, and return.
  package typealias Listener = @Sendable (Delivery) -> Void

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
  private let inbox = Inbox()

  /// Connects an app.
  package init(
    _ description: ClientDescription, over link: any EngineLink,
    callbacks: (@Sendable () -> CallbackRunner)? = nil, watch: (any ReadingWatch)? = nil
  ) {
    let (id, readable) = link.connect(description) { [inbox] in inbox.take($0) }
    self.link = link
    manifest = description.manifest
    self.callbacks = callbacks
    self.watch = watch
    self.id = id
    geocoding = AppGeocoding { link.now }
    inbox.open(with: readable)
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
  package func subscribe(_ listener: @escaping Listener) -> SubscriberID { inbox.add(listener) }

  package func send(_ request: Request) {
    link.send(request, from: id)
  }

  /// The subscriber is gone, with everything it asked for.
  package func end(_ subscriber: SubscriberID) {
    inbox.remove(subscriber)
    send(.end(subscriber))
  }

  /// What can be read at once (AVAIL-2).
  var readable: ClientState { inbox.readable }
}

/// What the app was told, and who waits for more.
///
/// The link holds it, and not the client, which is let go when the app has no use for it.
private final class Inbox: Sendable {
  typealias Listener = LocationClient.Listener

  private struct State {
    /// What came before there was anything to read; `nil` from then on.
    var early: [Delivery]? = []
    var readable = ClientState()
    var listeners: [SubscriberID: Listener] = [:]
    var lastSubscriber: UInt64 = 0
  }

  private let state = Mutex(State())

  var readable: ClientState { state.withLock { $0.readable } }

  func add(_ listener: @escaping Listener) -> SubscriberID {
    state.withLock {
      $0.lastSubscriber += 1
      let subscriber = SubscriberID($0.lastSubscriber)
      $0.listeners[subscriber] = listener
      return subscriber
    }
  }

  func remove(_ subscriber: SubscriberID) {
    _ = state.withLock { $0.listeners.removeValue(forKey: subscriber) }
  }

  /// The app can be read from now on; what came before follows.
  func open(with readable: ClientState) {
    let early = state.withLock { state in
      defer { state.early = nil }
      state.readable = readable
      return state.early ?? []
    }
    for delivery in early { take(delivery) }
  }

  func take(_ delivery: Delivery) {
    let isEarly = state.withLock { $0.early?.append(delivery) != nil }
    guard !isEarly else { return }
    switch delivery {
    case .state(let readable):
      state.withLock {
        let regions = $0.readable.regions
        $0.readable = readable
        $0.readable.regions = regions
      }
    case .regions(let regions):
      state.withLock { $0.readable.regions = regions }
    case .authorizationChanged(nil), .owed, .region(nil, _, _):
      for listener in listeners { listener(delivery) }
    case .updates(let subscriber, .fixes(let fixes)):
      tell(delivery, to: subscriber, at: fixes.last)
    case .live(let subscriber, let update):
      tell(delivery, to: subscriber, at: update.fix)
    case .updates(let subscriber, _), .authorizationChanged(let subscriber?),
      .temporaryFullAccuracy(let subscriber, _), .region(let subscriber?, _, _),
      .monitor(let subscriber, _), .heading(let subscriber, _), .ranging(let subscriber, _),
      .advertising(let subscriber, _), .diagnostics(let subscriber, _):
      tell(delivery, to: subscriber)
    }
  }

  /// Hands it to one listener; a new place of the device can be read then, too.
  private func tell(_ delivery: Delivery, to subscriber: SubscriberID, at fix: Fix? = nil) {
    let listener = state.withLock { state in
      if let fix { state.readable.lastFix = fix }
      return state.listeners[subscriber]
    }
    listener?(delivery)
  }

  /// In the order in which they subscribed.
  private var listeners: [Listener] {
    state.withLock { state in state.listeners.sorted { $0.key < $1.key }.map(\.value) }
  }
}
