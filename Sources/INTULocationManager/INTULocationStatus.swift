public import CoreLocation

/// How a location request ended, or what a subscription has to tell.
public enum INTULocationStatus: Int, CaseIterable, Sendable {
  /// There is a location, and it is of the desired accuracy.
  case success = 0
  /// The time is over; there may be a location, of a lesser accuracy. Never for a subscription.
  case timedOut
  /// The person has not yet answered whether the app may know the location.
  case servicesNotDetermined
  /// The person has denied the app the location.
  case servicesDenied
  /// A policy denies the location, and the person cannot change it.
  case servicesRestricted
  /// Location services are switched off for all apps.
  case servicesDisabled
  /// Location services have failed.
  case error
}

/// Whether the app may use location services.
public enum INTULocationServicesState: Int, CaseIterable, Sendable {
  /// The person has allowed it, in use or always.
  case available = 0
  /// The person has not yet answered.
  case notDetermined
  /// The person has denied it.
  case denied
  /// A policy denies it, and the person cannot change it.
  case restricted
  /// Location services are switched off for all apps.
  case disabled
}

/// How a heading was obtained.
public enum INTUHeadingStatus: Int, CaseIterable, Sendable {
  /// There is a heading.
  case success = 0
  /// The heading cannot be trusted.
  case invalid
  /// The device has no compass.
  case unavailable
}

/// Whether the device can tell headings.
public enum INTUHeadingServicesState: Int, CaseIterable, Sendable {
  /// There is a compass.
  case available = 0
  /// There is none.
  case unavailable
}

/// What the app asks the person for when it asks for the first time.
public enum INTUAuthorizationType: Int, CaseIterable, Sendable {
  /// Always, if the app declares the text for that question; else while in use (INTU-6).
  case auto = 0
  /// Use at any time.
  case always
  /// Use while the app is in use.
  case whenInUse
}

/// Names one location request or subscription; counted from 1, never used twice (INTU-3).
public typealias INTULocationRequestID = Int

/// Names one heading subscription; counted together with location requests (INTU-3).
public typealias INTUHeadingRequestID = Int

/// Degrees to turn before the next heading.
public typealias INTUHeadingFilterAccuracy = CLLocationDegrees

/// What runs, on the main queue, when a request ends or a subscription has something to tell.
///
/// It gets the location, its grade, and the status. The location is `nil` unless the status is
/// `success` or `timedOut`, and may be `nil` for `timedOut`.
public typealias INTULocationRequestBlock =
  @MainActor (CLLocation?, INTULocationAccuracy, INTULocationStatus) -> Void

/// What runs, on the main queue, when there is a heading; the heading is `nil` unless the status
/// is `success`.
public typealias INTUHeadingRequestBlock = @MainActor (CLHeading?, INTUHeadingStatus) -> Void

extension INTULocationStatus {
  /// What the services have to say before anything else; `nil` when they are available (INTU-21).
  init?(_ services: INTULocationServicesState) {
    switch services {
    case .available: return nil
    case .notDetermined: self = .servicesNotDetermined
    case .denied: self = .servicesDenied
    case .restricted: self = .servicesRestricted
    case .disabled: self = .servicesDisabled
    }
  }

  /// Whether a location may come with it.
  package var carriesLocation: Bool {
    switch self {
    case .success, .timedOut: true
    case .servicesNotDetermined, .servicesDenied, .servicesRestricted, .servicesDisabled, .error:
      false
    }
  }
}
