public import CoreLocation
import Synchronization

/// Delivers the device's location, once or repeatedly, and handles permission, accuracy, age,
/// timeouts, and errors by itself.
///
/// May be used from any thread, task, or actor. Blocks run on the main queue, after the call that
/// made the request, and never after a cancellation made on the main queue.
public final class INTULocationManager: Sendable {
  private let book = RecipientBook()
  private let preferred = Mutex(INTUAuthorizationType.auto)
  private let lazyHost: LazyRequestHost
  private let filter = Mutex<INTUHeadingFilterAccuracy>(1)

  /// The manager of the process (INTU-1).
  public static var shared: INTULocationManager { bound ?? ofProcess }

  private static let ofProcess = INTULocationManager(
    positioning: { SystemPositioning() }, clock: { SystemClock() })

  /// Replaces the manager of the process in a test.
  @TaskLocal static var bound: INTULocationManager?

  /// Returns the manager of the process (INTU-1).
  ///
  /// - Returns: The same object each time.
  public class func sharedInstance() -> INTULocationManager { shared }

  /// Makes a manager; its host and location manager are made on the main queue on first use.
  init(
    positioning: @escaping @MainActor @Sendable () -> any Positioning,
    clock: @escaping @MainActor @Sendable () -> any RequestClock
  ) {
    let book = book
    lazyHost = LazyRequestHost { RequestHost(positioning(), clock: clock(), book: book) }
  }

  // MARK: Services

  /// Checks whether the app may use location services (INTU-4).
  ///
  /// - Returns: The state, with the reason if it may not.
  public class func locationServicesState() -> INTULocationServicesState { .current }

  /// Checks whether the device can determine headings (INTU-5).
  ///
  /// - Returns: `available` if it has a compass.
  public class func headingServicesState() -> INTUHeadingServicesState {
    CLLocationManager.headingAvailable() ? .available : .unavailable
  }

  /// The authorization that the app requests; applies to requests made later, while the person has
  /// not answered (INTU-7).
  public var preferredAuthorizationType: INTUAuthorizationType {
    get { preferred.withLock { $0 } }
    set { preferred.withLock { $0 = newValue } }
  }

  /// Sets whether updates continue while the app is in the background (INTU-8).
  ///
  /// - Parameter enabled: Whether they continue; initially true if the app declares the background
  ///   mode `location`.
  public func setBackgroundLocationUpdate(_ enabled: Bool) { change(.allowsUpdates(enabled)) }

  /// Sets whether an indicator shows the person that updates continue in the background.
  ///
  /// - Parameter shows: Whether the indicator is shown.
  public func setShowsBackgroundLocationIndicator(_ shows: Bool) { change(.showsIndicator(shows)) }

  /// Sets whether updates may pause while nothing is likely to change.
  ///
  /// - Parameter pauses: Whether they may.
  public func setPausesLocationUpdatesAutomatically(_ pauses: Bool) {
    change(.pausesAutomatically(pauses))
  }

  private func change(_ setting: ManagerSetting) {
    post { $0.change(setting) }
  }

  // MARK: One location

  /// Requests one location of an accuracy, within a time (INTU-17, INTU-18).
  ///
  /// - Parameters:
  ///   - desiredAccuracy: How accurate, and how recent, a location has to be.
  ///   - desiredActivityType: What the person does meanwhile.
  ///   - timeout: Seconds; 0 for no limit.
  ///   - delayUntilAuthorized: Whether the timeout starts when the person grants permission, if
  ///     they have not yet answered (INTU-19).
  ///   - block: Called once, on the main queue: with a location of that accuracy, else after the
  ///     timeout with the best there is, or with the reason why there can be none.
  /// - Returns: The identifier with which to cancel the request.
  @discardableResult
  public func requestLocation(
    withDesiredAccuracy desiredAccuracy: INTULocationAccuracy,
    desiredActivityType: CLActivityType = .other, timeout: TimeInterval,
    delayUntilAuthorized: Bool = false, block: @escaping INTULocationRequestBlock
  ) -> INTULocationRequestID {
    let timeout = LocationRequest.Timeout(
      timeout: timeout, delayUntilAuthorized: delayUntilAuthorized)
    return request(.once(checked(desiredAccuracy), timeout), desiredActivityType, .block(block))
  }

  // MARK: Subscriptions

  /// Subscribes to every location, as accurate as the hardware can determine (INTU-29).
  ///
  /// - Parameter block: Called on the main queue: for each location, until the subscription ends.
  /// - Returns: The identifier with which to cancel the subscription.
  @discardableResult
  public func subscribeToLocationUpdates(
    _ block: @escaping INTULocationRequestBlock
  ) -> INTULocationRequestID {
    subscribeToLocationUpdates(withDesiredAccuracy: .room, block: block)
  }

  /// Subscribes to every location, whatever its accuracy (INTU-29).
  ///
  /// - Parameters:
  ///   - desiredAccuracy: How accurate locations should be, which decides how much power the
  ///     hardware takes.
  ///   - desiredActivityType: What the person does meanwhile.
  ///   - block: Called on the main queue: until the subscription is canceled, or the app may no
  ///     longer know the location, which is the last status delivered. After an error the
  ///     subscription continues (INTU-30).
  /// - Returns: The identifier with which to cancel the subscription.
  @discardableResult
  public func subscribeToLocationUpdates(
    withDesiredAccuracy desiredAccuracy: INTULocationAccuracy,
    desiredActivityType: CLActivityType = .other, block: @escaping INTULocationRequestBlock
  ) -> INTULocationRequestID {
    request(.updates(checked(desiredAccuracy)), desiredActivityType, .block(block))
  }

  /// Subscribes to moves of about 500 meters, at little cost of power; while other requests are
  /// live, the block receives every location (INTU-32).
  ///
  /// Subscriptions do not outlive the process: an app launched again for a move subscribes again
  /// (INTU-34).
  ///
  /// - Parameter block: Called on the main queue: for each move, until the subscription ends.
  /// - Returns: The identifier with which to cancel the subscription.
  @discardableResult
  public func subscribeToSignificantLocationChanges(
    _ block: @escaping INTULocationRequestBlock
  ) -> INTULocationRequestID {
    request(.significantChanges, .other, .block(block))
  }

  // MARK: Live requests

  /// Completes a request at once: its block runs with what there is now (INTU-25). A subscription
  /// is canceled (INTU-31).
  ///
  /// - Parameter requestID: What the request or subscription returned; one that has ended, or never
  ///   existed, is ignored.
  public func forceCompleteLocationRequest(_ requestID: INTULocationRequestID) {
    post { $0.take(.forceComplete(requestID)) }
  }

  /// Cancels a request or subscription: its block does not run any more (INTU-26).
  ///
  /// From another thread than the main one, a block that is about to run may still do so.
  ///
  /// - Parameter requestID: What the request or subscription returned; one that has ended, or never
  ///   existed, is ignored.
  public func cancelLocationRequest(_ requestID: INTULocationRequestID) {
    guard book.recipient(requestID)?.isForHeadings == false else { return }
    book.strike(requestID)?.end()
    post { $0.take(.cancel(requestID)) }
  }

  // MARK: Headings

  /// The change of heading in degrees before the next heading is delivered (INTU-37); initially 1,
  /// as of a location manager; `kCLHeadingFilterNone` for every heading.
  ///
  /// Applies to all subscriptions, also to those that run.
  public var headingFilter: INTUHeadingFilterAccuracy {
    get { filter.withLock { $0 } }
    set {
      filter.withLock { $0 = newValue }
      change(.headingFilter(newValue))
    }
  }

  /// Subscribes to headings (INTU-35).
  ///
  /// - Parameter block: Called on the main queue: for each heading; on a device without compass
  ///   once, with `unavailable`.
  /// - Returns: The identifier with which to cancel the subscription.
  @discardableResult
  public func subscribeToHeadingUpdates(
    _ block: @escaping INTUHeadingRequestBlock
  ) -> INTUHeadingRequestID {
    requestHeadings(.headingBlock(block))
  }

  /// Cancels a heading subscription: its block does not run any more (INTU-37).
  ///
  /// - Parameter requestID: What the request or subscription returned; one that has ended, or never
  ///   existed, is ignored.
  public func cancelHeadingRequest(_ requestID: INTUHeadingRequestID) {
    guard book.recipient(requestID)?.isForHeadings == true else { return }
    book.strike(requestID)?.end()
    post { $0.take(.cancelHeading(requestID)) }
  }

  // MARK: Calls to the main queue

  /// Whether no recipient waits for an answer.
  var isIdle: Bool { book.isEmpty }

  /// Registers a recipient and posts its request to the host.
  @discardableResult
  func request(
    _ mode: LocationRequest.Mode, _ activityType: CLActivityType, _ recipient: Recipient
  ) -> INTULocationRequestID {
    let goal = preferredAuthorizationType
    return book.enter(recipient) { id in
      let request = LocationRequest(id, mode, activityType: activityType, asking: goal)
      post { $0.take(.request(request)) }
    }
  }

  /// Registers a recipient of headings and posts its request to the host.
  func requestHeadings(_ recipient: Recipient) -> INTUHeadingRequestID {
    book.enter(recipient) { id in
      post { $0.take(.requestHeading(id)) }
    }
  }

  /// Fails in debug builds for a level that cannot be requested; release builds treat it as `city`
  /// (INTU-10).
  func checked(_ accuracy: INTULocationAccuracy) -> INTULocationAccuracy {
    assert(accuracy != .none, "INTULocationAccuracy.none is a grade, not an accuracy to ask for.")
    return accuracy
  }

  /// Runs a body on the main queue, later, in the order of the calls.
  private func post(_ body: @escaping @MainActor @Sendable (RequestHost) -> Void) {
    DispatchQueue.main.async { [lazyHost] in
      MainActor.assumeIsolated { body(lazyHost.host) }
    }
  }
}

/// Holds the host, which is made on the main queue on first use.
@MainActor
private final class LazyRequestHost {
  private let open: @MainActor @Sendable () -> RequestHost
  private(set) lazy var host = open()

  nonisolated init(opening open: @escaping @MainActor @Sendable () -> RequestHost) {
    self.open = open
  }
}
