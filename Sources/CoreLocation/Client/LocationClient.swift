package import LocationModel
import Synchronization

/// An app's connection to the engine: the link, the state that can be read at once, and
/// subscribers.
///
/// There is one for each app; an ordinary process has one, a test may bind several.
package final class LocationClient: Sendable {
  /// Receives a subscriber's deliveries on the link's thread; passes them on and returns at once.
  package typealias Listener = @Sendable (Delivery) -> Void

  package let link: any EngineLink
  /// Runs a callback at its place.
  package typealias CallbackRunner = @Sendable (@escaping @Sendable () -> Void) -> Void

  /// What the app declares.
  let manifest: Manifest
  /// Decides where callbacks run when the app's threads must not, as in virtual time; called where
  /// a manager is made.
  package let callbacks: (@Sendable () -> CallbackRunner)?
  /// Observes which tasks wait for deliveries, in virtual time.
  let watch: (any ReadingWatch)?
  /// The app's geocoding, with one budget for all its geocoders (GEO-5).
  let geocoding: AppGeocoding
  private let id: ClientID
  private let inbox: Inbox

  /// Connects an app, whose geocoders ask `places`, or else this machine.
  package init(
    _ description: ClientDescription, over link: any EngineLink,
    callbacks: (@Sendable () -> CallbackRunner)? = nil, watch: (any ReadingWatch)? = nil,
    places: (any PlaceSearch)? = nil, advising: (@Sendable (String) -> Void)? = nil
  ) {
    inbox = Inbox(advising: advising)
    let (id, readable) = link.connect(description) { [inbox] in inbox.take($0) }
    self.link = link
    manifest = description.manifest
    self.callbacks = callbacks
    self.watch = watch
    self.id = id
    geocoding =
      places.map { AppGeocoding(now: { link.now }, search: $0) } ?? AppGeocoding { link.now }
    inbox.open(with: readable)
  }

  deinit {
    link.disconnect(id)
  }

  /// The client of the calling app: that of a test, else the process's own.
  package static var current: LocationClient { ofTest ?? ofProcess }

  /// The client of the app of a test whose code is calling: the one bound to this task, else the one that `finder`
  /// knows; `nil` for code of the process itself.
  package static var ofTest: LocationClient? { bound ?? finder.withLock { $0 }?() }

  /// Sets what finds the app of a task that has no values of the one that made it, as a detached one, in virtual time.
  package static func findApps(by find: @escaping @Sendable () -> LocationClient?) {
    finder.withLock { $0 = find }
  }

  private static let finder = Mutex<(@Sendable () -> LocationClient?)?>(nil)

  /// The client of an app bound by a test.
  @TaskLocal package static var bound: LocationClient?

  // MARK: Requests

  /// Adds a subscriber; the listener is called until `end(_:)`.
  package func subscribe(_ listener: @escaping Listener) -> SubscriberID { inbox.add(listener) }

  package func send(_ request: Request) {
    if case .acknowledge(let number) = request { inbox.acknowledge(number) }
    link.send(request, from: id)
  }

  /// Removes a subscriber, with everything it requested.
  package func end(_ subscriber: SubscriberID) {
    inbox.remove(subscriber)
    send(.end(subscriber))
  }

  /// Whether the app declares why it wants the location at any time, under any of the keys.
  package var declaresAlways: Bool { manifest.alwaysUsage != nil }

  /// Whether the app declares the background mode of locations.
  package var declaresBackgroundMode: Bool { manifest.hasLocationBackgroundMode }

  /// The state that can be read at once (AVAIL-2).
  var readable: ClientState { inbox.readable }

  /// Pending events that no delegate has received yet, in order, for a delegate that is set later.
  var pending: [PendingEvents.Entry] { inbox.pending }
}

/// The client's end of the app's queue: events that no delegate has acknowledged.
struct PendingEvents: Sendable {
  typealias Entry = (number: EventNumber, event: PendingEvent)

  /// In order.
  private(set) var entries: [Entry] = []

  /// Adds an event, unless it has no number: a daemon without numbers needs no acknowledgment.
  mutating func add(_ entry: Entry) {
    if entry.number != .none { entries = (entries + [entry]).suffix(Self.capacity) }
  }

  /// Removes the events up to this number, which a delegate has received.
  mutating func acknowledge(_ number: EventNumber) { entries.removeAll { $0.number <= number } }

  /// Drops events that the app may no longer know (AUTH-8).
  mutating func drop() { entries = [] }

  /// The most events kept: as many as an engine keeps.
  private static let capacity = 100
}

/// The state and events delivered to the app, and its subscribers.
///
/// The link retains it instead of the client, so that the client is released when the app drops it.
private final class Inbox: Sendable {
  typealias Listener = LocationClient.Listener

  private struct State {
    /// Deliveries that came before the first state; `nil` once it is there.
    var early: [Delivery]? = []
    var readable = ClientState()
    var listeners: [SubscriberID: Listener] = [:]
    var lastSubscriber: UInt32 = 0
    var pending = PendingEvents()
    /// Whether the developer was informed that there is no source of positions (AVAIL-4).
    var hasAdvised = false
  }

  private let state = Mutex(State())
  /// Receives what a developer should know, once; `nil` where nobody reads it.
  private let advise: (@Sendable (String) -> Void)?

  init(advising advise: (@Sendable (String) -> Void)?) {
    self.advise = advise
  }

  var readable: ClientState { state.withLock { $0.readable } }

  func add(_ listener: @escaping Listener) -> SubscriberID {
    state.withLock {
      // After four billion, the numbers of ended subscribers are used again.
      repeat { $0.lastSubscriber &+= 1 } while $0.listeners[SubscriberID($0.lastSubscriber)] != nil
      let subscriber = SubscriberID($0.lastSubscriber)
      $0.listeners[subscriber] = listener
      return subscriber
    }
  }

  func remove(_ subscriber: SubscriberID) {
    _ = state.withLock { $0.listeners.removeValue(forKey: subscriber) }
  }

  /// Sets the first state, then handles the deliveries that came before it.
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
        if !readable.tellsPlaces { $0.pending.drop() }
      }
    case .regions(let regions):
      state.withLock { $0.readable.regions = regions }
    case .pending(let number, let event):
      state.withLock { $0.pending.add((number, event)) }
      for listener in listeners { listener(delivery) }
    default:
      guard let subscriber = delivery.subscriber else {
        for listener in listeners { listener(delivery) }
        return
      }
      // A fix is the last one that can be read before its listener receives it.
      let (listener, isNew) = state.withLock { state in
        if let fix = delivery.lastFix { state.readable.lastFix = fix }
        let isNew =
          !state.hasAdvised && !state.readable.equipment.hasPositions && delivery.lacksPositions
        if isNew { state.hasAdvised = true }
        return (state.listeners[subscriber], isNew)
      }
      if isNew { advise?(Self.noSource) }
      listener?(delivery)
    }
  }

  private static let noSource =
    "no source of positions is configured, so this app gets none; next: locationctl doctor"

  var pending: [PendingEvents.Entry] { state.withLock { $0.pending.entries } }

  func acknowledge(_ number: EventNumber) { state.withLock { $0.pending.acknowledge(number) } }

  /// The listeners in the order in which they subscribed.
  private var listeners: [Listener] {
    state.withLock { state in state.listeners.sorted { $0.key < $1.key }.map(\.value) }
  }
}

extension ClientState {
  /// Whether the app may know exactly where the device was.
  fileprivate var tellsPlaces: Bool {
    servicesEnabled && authorization.status.isGranted && authorization.accuracy == .full
  }
}

extension Delivery {
  /// Whether a service has failed for want of positions.
  fileprivate var lacksPositions: Bool {
    switch self {
    case .updates(_, .failed(.positionUnknown)), .region(_, _, .failed(.unavailable)): true
    case .live(_, let update): update.diagnostics.contains(.locationUnavailable)
    case .monitor(_, .event(_, let event)): event.diagnostics.contains(.conditionUnsupported)
    default: false
    }
  }
}
