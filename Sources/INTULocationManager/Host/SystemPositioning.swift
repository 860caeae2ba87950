import CoreLocation

/// The location manager of the system, made and used on the main queue.
@MainActor
final class SystemPositioning: NSObject, Positioning, @MainActor CLLocationManagerDelegate {
  var onEvent: ((PositioningEvent) -> Void)?
  private let manager: CLLocationManager
  private let declarations: Declarations

  init(_ manager: CLLocationManager = CLLocationManager(), declarations: Declarations = .ofProcess)
  {
    self.manager = manager
    self.declarations = declarations
    super.init()
    manager.delegate = self
    if declarations.hasLocationBackgroundMode { change(.allowsUpdates(true)) }
  }

  var services: INTULocationServicesState { INTULocationManager.locationServicesState() }
  var headingServices: INTUHeadingServicesState { INTULocationManager.headingServicesState() }

  func carryOut(_ command: HardwareCommand) {
    switch command {
    case .desiredAccuracy(let level): manager.desiredAccuracy = level.managerAccuracy
    case .activityType(let type): manager.activityType = type
    case .startUpdatingLocation: manager.startUpdatingLocation()
    case .stopUpdatingLocation: manager.stopUpdatingLocation()
    case .startSignificantChanges: manager.startMonitoringSignificantLocationChanges()
    case .stopSignificantChanges: manager.stopMonitoringSignificantLocationChanges()
    case .startUpdatingHeading: manager.startUpdatingHeading()
    case .stopUpdatingHeading: manager.stopUpdatingHeading()
    }
  }

  func askForAuthorization(_ type: INTUAuthorizationType) {
    switch declarations.goal(for: type) {
    case .always: manager.requestAlwaysAuthorization()
    case .whenInUse: manager.requestWhenInUseAuthorization()
    }
  }

  func change(_ setting: ManagerSetting) {
    switch setting {
    case .allowsUpdates(let allows): manager.allowsBackgroundLocationUpdates = allows
    case .showsIndicator(let shows): manager.showsBackgroundLocationIndicator = shows
    case .pausesAutomatically(let pauses): manager.pausesLocationUpdatesAutomatically = pauses
    case .headingFilter(let degrees): manager.headingFilter = degrees
    }
  }

  // MARK: Delegate methods

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations { onEvent?(.location(location)) }
  }

  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
    onEvent?(.heading(newHeading))
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    onEvent?(.failed(error))
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    onEvent?(.servicesChanged)
  }
}

/// Reads the authorization without a manager.
///
/// The property of a manager needs a manager, and a manager needs a run loop; the older class
/// method needs neither, so any thread can call it. Calling it through this protocol avoids the
/// deprecation warning.
private protocol AuthorizationReading {
  static func authorizationStatus() -> CLAuthorizationStatus
}

extension CLLocationManager: AuthorizationReading {}

extension INTULocationServicesState {
  /// The current state; the setting for all apps takes precedence (INTU-4).
  static var current: Self {
    guard CLLocationManager.locationServicesEnabled() else { return .disabled }
    let reading: any AuthorizationReading.Type = CLLocationManager.self
    return Self(reading.authorizationStatus())
  }

  /// Converts an authorization, given that services are switched on.
  init(_ status: CLAuthorizationStatus) {
    switch status {
    case .notDetermined: self = .notDetermined
    case .denied: self = .denied
    case .restricted: self = .restricted
    default: self = .available
    }
  }
}
