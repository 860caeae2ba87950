package import LocationModel
import Synchronization

/// This app as the engine knows it: the link, what can be read at once, and who is waiting.
///
/// One for each app; an ordinary process has one, a test may bind several.
package final class LocationClient: Sendable {
  /// What a subscriber hears, on the link's own thread: hand on, and return.
  package typealias Listener = @Sendable (Delivery) -> Void

  /// An event that the app is owed, and its number.
  typealias PendingNews = (number: EventNumber, event: PendingEvent)

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
    if case .acknowledge(let number) = request { inbox.forget(upTo: number) }
    link.send(request, from: id)
  }

  /// The subscriber is gone, with everything it asked for.
  package func end(_ subscriber: SubscriberID) {
    inbox.remove(subscriber)
    send(.end(subscriber))
  }

  /// What can be read at once (AVAIL-2).
  var readable: ClientState { inbox.readable }

  /// What the app is owed and no delegate has heard yet, in order: for one that comes later.
  var untaken: [PendingNews] { inbox.untaken }
}

/// What the app was told, and who waits for more.
///
/// The link holds it, and not the client, which is let go when the app has no use for it.
private final class Inbox: Sendable {
  typealias Listener = LocationClient.Listener
  typealias PendingNews = LocationClient.PendingNews

  private struct State {
    /// What came before there was anything to read; `nil` from then on.
    var early: [Delivery]? = []
    var readable = ClientState()
    var listeners: [SubscriberID: Listener] = [:]
    var lastSubscriber: UInt32 = 0
    /// What the app is owed and no delegate has heard, the latest hundred, in order.
    var untaken: [PendingNews] = []
  }

  private let state = Mutex(State())

  var readable: ClientState { state.withLock { $0.readable } }

  func add(_ listener: @escaping Listener) -> SubscriberID {
    state.withLock {
      // After four billion, the numbers of those who are gone come again.
      repeat { $0.lastSubscriber &+= 1 } while $0.listeners[SubscriberID($0.lastSubscriber)] != nil
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
        // What was told before must not be told by us now (AUTH-8).
        if !readable.tellsPlaces { $0.untaken = [] }
      }
    case .regions(let regions):
      state.withLock { $0.readable.regions = regions }
    case .pending(let number, let event):
      if number != .none { keep((number, event)) }
      for listener in listeners { listener(delivery) }
    case .authorizationChanged(nil), .region(nil, _, _):
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

  /// What the app is owed and no delegate has heard yet, in order: for one that comes later.
  var untaken: [PendingNews] { state.withLock { $0.untaken } }

  /// A delegate has heard everything up to this number.
  func forget(upTo number: EventNumber) {
    state.withLock { $0.untaken.removeAll { $0.number <= number } }
  }

  private func keep(_ news: PendingNews) {
    state.withLock { $0.untaken = ($0.untaken + [news]).suffix(Self.mostUntaken) }
  }

  /// As many as an engine keeps.
  private static let mostUntaken = 100

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
