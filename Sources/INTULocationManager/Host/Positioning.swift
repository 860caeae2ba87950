import CoreLocation

/// The location manager as the host sees it: its state, commands, and events.
@MainActor
protocol Positioning: AnyObject {
  /// Receives the events of the services; never called from within a command.
  var onEvent: ((PositioningEvent) -> Void)? { get set }
  var services: INTULocationServicesState { get }
  var headingServices: INTUHeadingServicesState { get }

  func carryOut(_ command: HardwareCommand)
  func askForAuthorization(_ type: INTUAuthorizationType)
  func change(_ setting: ManagerSetting)
}

enum PositioningEvent {
  case location(CLLocation)
  case heading(CLHeading)
  case failed(any Error)
  /// The state of the services may have changed: read it.
  case servicesChanged
}

/// What the app sets: what it wants in the background (INTU-8), and of headings (INTU-37).
enum ManagerSetting: Hashable, Sendable {
  case allowsUpdates(Bool)
  case showsIndicator(Bool)
  case pausesAutomatically(Bool)
  /// Degrees.
  case headingFilter(INTUHeadingFilterAccuracy)
}

/// The time, and a timer.
@MainActor
protocol RequestClock: AnyObject {
  var now: RequestTime { get }

  /// Sets the timer to fire once at an uptime, or never; replaces the earlier setting.
  func setAlarm(at deadline: Duration?, _ ring: @escaping @MainActor () -> Void)
}
