import LocationModel
import Synchronization

/// Starts and stops the location services, and delivers their results to a delegate.
///
/// A manager is not sendable: use it only where it was made.
open class CLLocationManager: NSObject {
  private let state = Mutex(ManagerState())
  private(set) lazy var link = ManagerLink(self)
  /// The completions of requests for full accuracy that were not answered yet.
  private var accuracyRequests: [SubscriberID: ((any Error)?) -> Void] = [:]

  /// Receives locations and errors; a weak reference, `nil` unless set.
  open weak var delegate: (any CLLocationManagerDelegate)? {
    didSet { if delegate != nil { link.deliverPending() } }
  }

  /// Makes a manager.
  public override init() {
    super.init()
    _ = link
  }

  // MARK: Capabilities

  /// Checks whether location services are switched on, regardless of this app's authorization
  /// (AVAIL-1).
  ///
  /// Never waits for a daemon that does not answer (AVAIL-2).
  ///
  /// - Returns: Whether the person has them switched on.
  open class func locationServicesEnabled() -> Bool {
    LocationClient.servicesAreOn
  }

  /// Checks whether the host can determine headings (AVAIL-3).
  ///
  /// - Returns: Whether it has a compass.
  open class func headingAvailable() -> Bool {
    LocationClient.current.readable.equipment.hasCompass
  }

  /// Checks whether the host can detect significant changes (AVAIL-3).
  ///
  /// - Returns: Whether it has a source of positions.
  open class func significantLocationChangeMonitoringAvailable() -> Bool {
    LocationClient.current.readable.equipment.hasPositions
  }

  /// Checks whether the host can monitor regions of a class (AVAIL-3).
  ///
  /// - Parameter regionClass: `CLCircularRegion`, `CLBeaconRegion`, or a subclass of one.
  /// - Returns: Whether it has a source of positions, or for beacons a radio; false for other classes.
  open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    if regionClass is CLCircularRegion.Type {
      return significantLocationChangeMonitoringAvailable()
    }
    return regionClass is CLBeaconRegion.Type && isRangingAvailable()
  }

  /// Checks whether the host can range beacons (AVAIL-3).
  ///
  /// - Returns: Whether it has a Bluetooth radio.
  open class func isRangingAvailable() -> Bool {
    LocationClient.current.readable.equipment.hasBeaconRadio
  }

  /// Checks whether updates can be deferred: never, the feature is retired (AVAIL-5).
  ///
  /// - Returns: `false`.
  @available(*, deprecated, message: "Updates are no longer deferred")
  open class func deferredLocationUpdatesAvailable() -> Bool { false }

  /// Whether location services are switched on.
  @available(*, deprecated, message: "Use the class method")
  open var locationServicesEnabled: Bool { Self.locationServicesEnabled() }

  /// Whether the host can determine headings.
  @available(*, deprecated, message: "Use the class method")
  open var headingAvailable: Bool { Self.headingAvailable() }

  // MARK: Authorization

  /// The app's authorization to use locations (AUTH-1).
  open var authorizationStatus: CLAuthorizationStatus {
    CLAuthorizationStatus(link.client.readable.authorization.status)
  }

  /// Reads the app's authorization to use locations.
  ///
  /// - Returns: The same as `authorizationStatus` of every manager.
  @available(*, deprecated, message: "Use the property of a manager")
  open class func authorizationStatus() -> CLAuthorizationStatus {
    CLAuthorizationStatus(LocationClient.current.readable.authorization.status)
  }

  /// The accuracy that the app is authorized for.
  open var accuracyAuthorization: CLAccuracyAuthorization {
    link.client.readable.authorization.accuracy == .full ? .fullAccuracy : .reducedAccuracy
  }

  /// Whether widgets of the app may use locations: there are none on this platform.
  open var isAuthorizedForWidgetUpdates: Bool { false }

  /// Asks the person for permission to use locations while the app is in use.
  open func requestWhenInUseAuthorization() { request(.whenInUse) }

  /// Asks the person for permission to use locations at any time.
  open func requestAlwaysAuthorization() { request(.always) }

  private func request(_ goal: AuthorizationGoal) {
    link.client.send(.authorization(.request(goal, by: link.subscriber)))
  }

  /// Asks the person for full accuracy until the app is no longer used (AUTH-47).
  ///
  /// - Parameter purposeKey: The key of the text for the person in
  ///   `NSLocationTemporaryUsageDescriptionDictionary` of the app's property list.
  open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) {
    requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey, completion: nil)
  }

  /// Asks the person for full accuracy until the app is no longer used (AUTH-47).
  ///
  /// - Parameters:
  ///   - purposeKey: The key of the text for the person in
  ///     `NSLocationTemporaryUsageDescriptionDictionary` of the app's property list.
  ///   - completion: Called where the delegate is, with `nil` when the person has answered,
  ///     whatever the answer (AUTH-49); with `CLError.promptDeclined` when the person was not asked
  ///     (AUTH-48), and `CLError.denied` when the app may not know its location at all (AUTH-51).
  open func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)?
  ) {
    let (client, place, handle) = (link.client, link.place, ManagerHandle(self))
    let ticket = client.subscribe { delivery in
      // This manager's own subscription already receives what all of the app's managers receive.
      guard case .temporaryFullAccuracy = delivery else { return }
      place.run { handle.manager?.take(delivery) }
    }
    accuracyRequests[ticket] = completion
    client.send(.authorization(.temporaryFullAccuracy(purposeKey: purposeKey, ticket: ticket)))
  }

  // MARK: Options

  /// What the person does; `.other` unless set.
  open var activityType: CLActivityType {
    get { options.activityType }
    set { change { $0.activityType = newValue } }
  }

  /// The distance in meters before the next location is delivered; `kCLDistanceFilterNone` unless
  /// set.
  open var distanceFilter: CLLocationDistance {
    get { options.distanceFilter }
    set { change { $0.distanceFilter = newValue } }
  }

  /// The desired accuracy in meters; `kCLLocationAccuracyBest` unless set.
  open var desiredAccuracy: CLLocationAccuracy {
    get { options.desiredAccuracy }
    set { change { $0.desiredAccuracy = newValue } }
  }

  /// Whether updates may pause while nothing is likely to change; true unless set.
  open var pausesLocationUpdatesAutomatically: Bool {
    get { options.pausesLocationUpdatesAutomatically }
    set { change { $0.pausesLocationUpdatesAutomatically = newValue } }
  }

  /// Whether updates continue while the app is in the background; false unless set.
  ///
  /// Setting it in an app that does not declare the background mode ends the process (STD-46).
  open var allowsBackgroundLocationUpdates: Bool {
    get { options.allowsBackgroundLocationUpdates }
    set {
      let manifest = link.client.manifest
      guard !newValue || manifest.hasLocationBackgroundMode else {
        fatalError(
          "allowsBackgroundLocationUpdates needs `location` among the UIBackgroundModes of "
            + manifest.file)
      }
      change { $0.allowsBackgroundLocationUpdates = newValue }
    }
  }

  /// Whether an indicator shows the person that updates continue in the background; false unless
  /// set.
  open var showsBackgroundLocationIndicator: Bool {
    get { options.showsBackgroundLocationIndicator }
    set { change { $0.showsBackgroundLocationIndicator = newValue } }
  }

  /// The turn in degrees before the next heading is delivered; 1 unless set.
  open var headingFilter: CLLocationDegrees {
    get { options.headingFilter }
    set { changeHeading { $0.headingFilter = newValue } }
  }

  /// How the device is held; `.portrait` unless set (HEAD-8).
  open var headingOrientation: CLDeviceOrientation {
    get { options.headingOrientation }
    set { changeHeading { $0.headingOrientation = newValue } }
  }

  // MARK: Locations

  /// The last location; `nil` before the first.
  open var location: CLLocation? { link.client.readable.lastFix.map { CLLocation($0) } }

  /// Starts to deliver locations.
  open func startUpdatingLocation() {
    remember { $0.wanted = .updates }
    link.send(.start(UpdateOptions(options)))
  }

  /// Stops the delivery of locations.
  open func stopUpdatingLocation() {
    remember { $0.wanted = .nothing }
    link.send(UpdatesRequest.stop)
  }

  /// Delivers one location; the delegate must have the methods for a location and for an error
  /// (STD-30).
  open func requestLocation() {
    remember { if $0.wanted == .nothing { $0.wanted = .oneLocation } }
    link.send(.once(UpdateOptions(options)))
  }

  /// Starts to deliver moves of about five hundred meters.
  open func startMonitoringSignificantLocationChanges() {
    remember { $0.hearsChanges = true }
    link.watchChanges(true)
  }

  /// Stops the delivery of moves of about five hundred meters.
  open func stopMonitoringSignificantLocationChanges() {
    remember { $0.hearsChanges = false }
    link.watchChanges(false)
  }

  /// Starts to deliver visits (VISIT-1).
  open func startMonitoringVisits() {
    remember { $0.watchesVisits = true }
    link.watchVisits(true)
  }

  /// Stops the delivery of visits (VISIT-12).
  open func stopMonitoringVisits() {
    remember { $0.watchesVisits = false }
    link.watchVisits(false)
  }

  /// Allows updates to be deferred.
  ///
  /// Has no effect on updates; the delegate is called once for each call when the deferral has
  /// ended (STD-54 to STD-57).
  ///
  /// - Parameters:
  ///   - distance: The traveled meters after which the deferral ends.
  ///   - timeout: The seconds after which it ends.
  @available(*, deprecated, message: "Updates are no longer deferred")
  open func allowDeferredLocationUpdates(
    untilTraveled distance: CLLocationDistance, timeout: TimeInterval
  ) {
    link.send(.deferUpdates(until: DeferralEnd(untilTraveled: distance, timeout: timeout)))
  }

  /// Ends the deferral of updates.
  @available(*, deprecated, message: "Updates are no longer deferred")
  open func disallowDeferredLocationUpdates() { link.send(.endDeferral) }

  // MARK: Headings

  /// The last heading; `nil` before the first (HEAD-13).
  open var heading: CLHeading? { state.withLock { $0.heading }.map(CLHeading.init) }

  /// Starts to deliver headings; does nothing without a compass (AVAIL-4).
  open func startUpdatingHeading() {
    remember { $0.wantsHeadings = true }
    link.send(HeadingRequest.start(HeadingOptions(options)))
  }

  /// Stops the delivery of headings.
  open func stopUpdatingHeading() {
    remember { $0.wantsHeadings = false }
    link.send(HeadingRequest.stop)
  }

  /// Dismisses the calibration display.
  open func dismissHeadingCalibrationDisplay() { link.send(.dismissCalibration) }

  // MARK: Regions

  /// The largest radius of a region in meters; -1 when regions cannot be monitored (REG-6).
  open var maximumRegionMonitoringDistance: CLLocationDistance {
    Self.maximumRadius
  }

  /// The regions that the app monitors (REG-10).
  ///
  /// - Complexity: Linear in the monitored regions.
  open var monitoredRegions: Set<CLRegion> {
    Set(link.client.readable.regions.map { CLRegion.make($0) })
  }

  /// Starts to monitor entries into and exits from a region (REG-1).
  ///
  /// - Parameter region: The region.
  open func startMonitoring(for region: CLRegion) {
    link.send(.start(RegionDescription(region)))
  }

  /// Stops monitoring a region (REG-9).
  ///
  /// - Parameter region: The region.
  open func stopMonitoring(for region: CLRegion) {
    link.send(.stop(identifier: region.identifier))
  }

  /// Delivers once whether the device is in a region.
  ///
  /// - Parameter region: The region.
  open func requestState(for region: CLRegion) {
    guard region is CLCircularRegion || region is CLBeaconRegion else { return }
    link.send(.state(RegionDescription(region)))
  }

  // MARK: Beacons

  /// The constraints whose beacons are ranged.
  open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
    Set(ranged.constraints.map { CLBeaconIdentityConstraint($0) })
  }

  /// The regions whose beacons are ranged.
  @available(*, deprecated, message: "Use rangedBeaconConstraints")
  open var rangedRegions: Set<CLRegion> { Set(ranged.regions.map(CLRegion.make)) }

  /// Starts to range beacons.
  ///
  /// - Parameter constraint: The identity of the beacons.
  open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    startRanging(BeaconConstraint(constraint))
  }

  /// Stops ranging beacons.
  ///
  /// - Parameter constraint: The identity of the beacons.
  open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    stopRanging(BeaconConstraint(constraint))
  }

  /// Starts to range the beacons of a region, with the older callbacks (BEACON-19).
  ///
  /// - Parameter region: The region.
  @available(*, deprecated, message: "Use startRangingBeacons(satisfying:)")
  open func startRangingBeacons(in region: CLBeaconRegion) { startRanging(region) }

  /// Stops ranging the beacons of a region.
  ///
  /// - Parameter region: The region.
  @available(*, deprecated, message: "Use stopRangingBeacons(satisfying:)")
  open func stopRangingBeacons(in region: CLBeaconRegion) { stopRanging(region) }

  // MARK: Location pushes

  /// Fails: this platform has no location pushes.
  ///
  /// - Parameter completion: Called where the delegate is, with
  ///   `CLLocationPushServiceError.unsupportedPlatform`.
  open func startMonitoringLocationPushes(completion: ((Data?, (any Error)?) -> Void)? = nil) {
    deliver { _ in completion?(nil, CLLocationPushServiceError(.unsupportedPlatform)) }
  }

  /// Ends location pushes, which never begin.
  open func stopMonitoringLocationPushes() {}

  // MARK: History

  /// Fails: this platform does not remember where the device was (STD-58).
  ///
  /// - Parameters:
  ///   - purposeKey: Not used.
  ///   - sampleCount: Not used.
  ///   - handler: Called where the delegate is, with no locations and
  ///     `CLError.historicalLocationError`.
  open func requestHistoricalLocations(
    purposeKey: String, sampleCount: Int,
    completionHandler handler: @escaping ([CLLocation], (any Error)?) -> Void
  ) {
    deliver { _ in handler([], CLError(.historicalLocationError)) }
  }

  // MARK: Requests to the service

  /// The largest radius in meters. Chosen (`maxRegionRadius`).
  private static let maximumRadius: CLLocationDistance = 1_000_000

  /// The options of the manager.
  var options: ManagerOptions { state.withLock { $0.options } }

  /// Whether significant changes are delivered as locations.
  var hearsChanges: Bool { state.withLock { $0.hearsChanges } }

  /// Whether errors of visits are delivered.
  var watchesVisits: Bool { state.withLock { $0.watchesVisits } }

  /// The app's current request to the standard service.
  var wanted: ManagerState.Wanted { state.withLock { $0.wanted } }

  /// Whether the delegate is receiving the answer to a request for one location.
  var isAnswering: Bool { state.withLock { $0.isAnswering } }

  /// The location delivered last; `nil` before the first.
  var delivered: CLLocation? { state.withLock { $0.delivered } }

  /// Whether the authorization is new and no delegate has received that yet.
  var hasNewAuthorization: Bool { state.withLock { $0.hasNewAuthorization } }

  /// The last pending event that was delivered to the delegate.
  var lastEvent: EventNumber { state.withLock { $0.lastEvent } }

  /// Whether the app wants headings.
  var wantsHeadings: Bool { state.withLock { $0.wantsHeadings } }

  /// What the app ranges by this manager.
  var ranged: RangedBeacons { state.withLock { $0.ranged } }

  /// Completes a request for full accuracy.
  func finish(_ ticket: SubscriberID, _ refusal: AccuracyRefusal?) {
    link.client.end(ticket)
    guard let completion = accuracyRequests.removeValue(forKey: ticket) else { return }
    completion(refusal.map { CLError($0 == .denied ? .denied : .promptDeclined) })
  }

  /// Changes the state of the manager.
  func remember(_ change: (inout ManagerState) -> Void) {
    state.withLock { change(&$0) }
  }

  private func change(_ change: (inout ManagerOptions) -> Void) {
    remember { change(&$0.options) }
    link.send(.change(UpdateOptions(options)))
  }

  private func changeHeading(_ change: (inout ManagerOptions) -> Void) {
    remember { change(&$0.options) }
    link.send(HeadingRequest.change(HeadingOptions(options)))
  }
}
