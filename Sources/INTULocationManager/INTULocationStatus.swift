public import CoreLocation

/// How a location request ended, or what an update of a subscription means.
public enum INTULocationStatus: Int, CaseIterable, Sendable {
  /// There is a location of the desired accuracy.
  case success = 0
  /// The timeout is over; there may be a location of lower accuracy. Never for a subscription.
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

/// Whether the device can determine headings.
public enum INTUHeadingServicesState: Int, CaseIterable, Sendable {
  /// The device has a compass.
  case available = 0
  /// The device has no compass.
  case unavailable
}

/// The authorization that the app requests the first time.
public enum INTUAuthorizationType: Int, CaseIterable, Sendable {
  /// Always, if the app declares the usage text for it; else while in use (INTU-6).
  case auto = 0
  /// Use of location at any time.
  case always
  /// Use of location while the app is in use.
  case whenInUse
}

/// Identifies one location request or subscription; counted from 1, never used twice (INTU-3).
public typealias INTULocationRequestID = Int

/// Identifies one heading subscription; counted together with location requests (INTU-3).
public typealias INTUHeadingRequestID = Int

/// The change of heading in degrees before the next heading is delivered.
public typealias INTUHeadingFilterAccuracy = CLLocationDegrees

/// The block that runs, on the main queue, when a request ends or a subscription has an update.
///
/// It receives the location, its accuracy level, and the status. The location is `nil` unless the
/// status is `success` or `timedOut`, and may be `nil` for `timedOut`.
public typealias INTULocationRequestBlock =
  @MainActor (CLLocation?, INTULocationAccuracy, INTULocationStatus) -> Void

/// The block that runs, on the main queue, when there is a heading; the heading is `nil` unless the
/// status is `success`.
public typealias INTUHeadingRequestBlock = @MainActor (CLHeading?, INTUHeadingStatus) -> Void

extension INTULocationStatus {
  /// Makes the status for a state of the services; `nil` when they are available (INTU-21).
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
