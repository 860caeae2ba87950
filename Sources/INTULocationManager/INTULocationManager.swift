public import CoreLocation
import Synchronization

/// Tells where the device is, once or again and again, and minds permission, accuracy, age, time
/// limits, and errors by itself.
///
/// May be used from any thread, task, or actor. Blocks run on the main queue, after the call that
/// made the request, and never after a cancellation made there.
public final class INTULocationManager: Sendable {
  private let book = RecipientBook()
  private let preferred = Mutex(INTUAuthorizationType.auto)
  private let door: OfficeDoor

  /// The manager of the process (INTU-1).
  public static var shared: INTULocationManager { bound ?? ofProcess }

  private static let ofProcess = INTULocationManager(
    positioning: { SystemPositioning() }, clock: { SystemClock() })

  /// What stands in for the manager of the process, in a test.
  @TaskLocal static var bound: INTULocationManager?

  /// Returns the manager of the process (INTU-1).
  public class func sharedInstance() -> INTULocationManager { shared }

  /// Opens an office over a location manager, which is made on the main queue on first use.
  init(
    positioning: @escaping @MainActor @Sendable () -> any Positioning,
    clock: @escaping @MainActor @Sendable () -> any OfficeClock
  ) {
    let book = book
    door = OfficeDoor { RequestOffice(positioning(), clock: clock(), book: book) }
  }

  // MARK: Services

  /// Returns whether the app may use location services (INTU-4).
  public class func locationServicesState() -> INTULocationServicesState { .current }

  /// Returns whether the device can tell headings (INTU-5).
  public class func headingServicesState() -> INTUHeadingServicesState {
    CLLocationManager.headingAvailable() ? .available : .unavailable
  }

  /// What the app asks the person for; counts for requests made later, while the person has not
  /// answered (INTU-7).
  public var preferredAuthorizationType: INTUAuthorizationType {
    get { preferred.withLock { $0 } }
    set { preferred.withLock { $0 = newValue } }
  }

  /// Sets whether updates go on while the app is in the background (INTU-8).
  ///
  /// - Parameter enabled: Whether they do; from the start, true if the app declares the background
  ///   mode `location`.
  public func setBackgroundLocationUpdate(_ enabled: Bool) { change(.allowsUpdates(enabled)) }

  /// Sets whether the person is shown that updates go on in the background.
  ///
  /// - Parameter shows: Whether they are shown.
  public func setShowsBackgroundLocationIndicator(_ shows: Bool) { change(.showsIndicator(shows)) }

  /// Sets whether updates may pause while nothing is likely to change.
  ///
  /// - Parameter pauses: Whether they may.
  public func setPausesLocationUpdatesAutomatically(_ pauses: Bool) {
    change(.pausesAutomatically(pauses))
  }

  private func change(_ setting: BackgroundSetting) {
    post { $0.change(setting) }
  }

  // MARK: One location

  /// Requests one location of an accuracy, within a time (INTU-17, INTU-18).
  ///
  /// - Parameters:
  ///   - desiredAccuracy: How exact, and how recent, a location has to be.
  ///   - desiredActivityType: What the person does meanwhile.
  ///   - timeout: Seconds; 0 for no limit.
  ///   - delayUntilAuthorized: Whether time is counted from the person's yes on, if they have not
  ///     yet answered (INTU-19).
  ///   - block: Called on the main queue: once, with a location of that accuracy, else after the
  ///     time with the best there is, or with the reason why there can be none.
  /// - Returns: The identifier, to cancel it by.
  @discardableResult
  public func requestLocation(
    withDesiredAccuracy desiredAccuracy: INTULocationAccuracy,
    desiredActivityType: CLActivityType = .other, timeout: TimeInterval,
    delayUntilAuthorized: Bool = false, block: @escaping INTULocationRequestBlock
  ) -> INTULocationRequestID {
    let timeout = LocationRequest.Patience(
      timeout: timeout, delayUntilAuthorized: delayUntilAuthorized)
    return request(.once(checked(desiredAccuracy), timeout), desiredActivityType, .block(block))
  }

  // MARK: Subscriptions

  /// Subscribes to every location, as exact as the hardware can tell (INTU-29).
  ///
  /// - Parameter block: Called on the main queue: for each location, until the subscription ends.
  /// - Returns: The identifier, to cancel it by.
  @discardableResult
  public func subscribeToLocationUpdates(
    _ block: @escaping INTULocationRequestBlock
  ) -> INTULocationRequestID {
    subscribeToLocationUpdates(withDesiredAccuracy: .room, block: block)
  }

  /// Subscribes to every location, whatever its accuracy (INTU-29).
  ///
  /// - Parameters:
  ///   - desiredAccuracy: How exact locations shall be, which decides how much power the hardware
  ///     takes.
  ///   - desiredActivityType: What the person does meanwhile.
  ///   - block: Called on the main queue: until the subscription is canceled, or the app may no
  ///     longer know the location, which it then hears as the last word. After an error it goes on
  ///     (INTU-30).
  /// - Returns: The identifier, to cancel it by.
  @discardableResult
  public func subscribeToLocationUpdates(
    withDesiredAccuracy desiredAccuracy: INTULocationAccuracy,
    desiredActivityType: CLActivityType = .other, block: @escaping INTULocationRequestBlock
  ) -> INTULocationRequestID {
    request(.updates(checked(desiredAccuracy)), desiredActivityType, .block(block))
  }

  /// Subscribes to moves of about 500 meters, at little cost of power; while other requests are
  /// live, the block hears every location (INTU-32).
  ///
  /// Subscriptions do not outlive the process: an app launched again for a move subscribes again
  /// (INTU-34).
  ///
  /// - Parameter block: Called on the main queue: for each move, until the subscription ends.
  /// - Returns: The identifier, to cancel it by.
  @discardableResult
  public func subscribeToSignificantLocationChanges(
    _ block: @escaping INTULocationRequestBlock
  ) -> INTULocationRequestID {
    request(.significantChanges, .other, .block(block))
  }

  // MARK: Live requests

  /// Ends the time of a request: its block runs with what there is (INTU-25). A subscription is
  /// canceled (INTU-31).
  ///
  /// - Parameter requestID: What the request or subscription returned; one that has ended, or never
  ///   was, is left alone.
  public func forceCompleteLocationRequest(_ requestID: INTULocationRequestID) {
    post { $0.take(.forceComplete(requestID)) }
  }

  /// Cancels a request or subscription: its block does not run any more (INTU-26).
  ///
  /// From another thread than the main one, a block that is about to run may still do so.
  ///
  /// - Parameter requestID: What the request or subscription returned; one that has ended, or never
  ///   was, is left alone.
  public func cancelLocationRequest(_ requestID: INTULocationRequestID) {
    guard book.recipient(requestID)?.isForHeadings == false else { return }
    book.strike(requestID)?.end()
    post { $0.take(.cancel(requestID)) }
  }

  // MARK: Headings

  /// Subscribes to headings (INTU-35).
  ///
  /// - Parameter block: Called on the main queue: for each heading; on a device without compass
  ///   once, with `unavailable`.
  /// - Returns: The identifier, to cancel it by.
  @discardableResult
  public func subscribeToHeadingUpdates(
    _ block: @escaping INTUHeadingRequestBlock
  ) -> INTUHeadingRequestID {
    requestHeadings(.headingBlock(block))
  }

  /// Cancels a heading subscription: its block does not run any more (INTU-37).
  ///
  /// - Parameter requestID: What the request or subscription returned; one that has ended, or never
  ///   was, is left alone.
  public func cancelHeadingRequest(_ requestID: INTUHeadingRequestID) {
    guard book.recipient(requestID)?.isForHeadings == true else { return }
    book.strike(requestID)?.end()
    post { $0.take(.cancelHeading(requestID)) }
  }

  // MARK: The way to the office

  /// Whether nobody waits for an answer.
  var isIdle: Bool { book.isEmpty }

  /// Enters a recipient and sends its request on its way.
  @discardableResult
  func request(
    _ wish: LocationRequest.Wish, _ activityType: CLActivityType, _ recipient: Recipient
  ) -> INTULocationRequestID {
    let goal = preferredAuthorizationType
    return book.enter(recipient) { id in
      let request = LocationRequest(id, wish, activityType: activityType, asking: goal)
      post { $0.take(.request(request)) }
    }
  }

  /// Enters a recipient of headings and sends its request on its way.
  func requestHeadings(_ recipient: Recipient) -> INTUHeadingRequestID {
    book.enter(recipient) { id in
      post { $0.take(.requestHeading(id)) }
    }
  }

  /// Refuses a grade that cannot be asked for, in debug builds; others take it for `city`
  /// (INTU-10).
  func checked(_ accuracy: INTULocationAccuracy) -> INTULocationAccuracy {
    assert(accuracy != .none, "INTULocationAccuracy.none is a grade, not an accuracy to ask for.")
    return accuracy
  }

  /// Runs on the main queue, later, in the order of the calls.
  private func post(_ body: @escaping @MainActor @Sendable (RequestOffice) -> Void) {
    DispatchQueue.main.async { [door] in
      MainActor.assumeIsolated { body(door.office) }
    }
  }
}

/// Leads to the office, which is opened on the main queue when someone first comes.
@MainActor
private final class OfficeDoor {
  private let open: @MainActor @Sendable () -> RequestOffice
  private(set) lazy var office = open()

  nonisolated init(opening open: @escaping @MainActor @Sendable () -> RequestOffice) {
    self.open = open
  }
}
