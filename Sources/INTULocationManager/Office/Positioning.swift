import CoreLocation

/// The location manager as the office sees it: what can be read, told, and heard.
@MainActor
protocol Positioning: AnyObject {
  /// Hears what the services say; never called from within a command.
  var hear: ((PositioningEvent) -> Void)? { get set }
  var services: INTULocationServicesState { get }
  var headingServices: INTUHeadingServicesState { get }

  func carryOut(_ command: HardwareCommand)
  func askForAuthorization(_ type: INTUAuthorizationType)
  func change(_ setting: BackgroundSetting)
}

enum PositioningEvent {
  case location(CLLocation)
  case heading(CLHeading)
  case failed(any Error)
  /// The state of the services may have changed: read it.
  case servicesChanged
}

/// What the app wishes for the time it is not in front (INTU-8).
enum BackgroundSetting: Hashable, Sendable {
  case allowsUpdates(Bool)
  case showsIndicator(Bool)
  case pausesAutomatically(Bool)
}

/// The time, and an alarm.
@MainActor
protocol OfficeClock: AnyObject {
  var now: RequestTime { get }

  /// Rings once, at an uptime, or never; the last call counts.
  func setAlarm(at deadline: Duration?, _ ring: @escaping @MainActor () -> Void)
}
