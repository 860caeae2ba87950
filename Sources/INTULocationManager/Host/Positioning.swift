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
  func change(_ setting: BackgroundSetting)
}

enum PositioningEvent {
  case location(CLLocation)
  case heading(CLHeading)
  case failed(any Error)
  /// The state of the services may have changed: read it.
  case servicesChanged
}

/// What the app wants while it is in the background (INTU-8).
enum BackgroundSetting: Hashable, Sendable {
  case allowsUpdates(Bool)
  case showsIndicator(Bool)
  case pausesAutomatically(Bool)
}

/// The time, and a timer.
@MainActor
protocol RequestClock: AnyObject {
  var now: RequestTime { get }

  /// Sets the timer to fire once at an uptime, or never; replaces the earlier setting.
  func setAlarm(at deadline: Duration?, _ ring: @escaping @MainActor () -> Void)
}
