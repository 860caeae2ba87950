/// The domain of all errors of the location services (STD-36).
public let kCLErrorDomain = "kCLErrorDomain"

/// The user information key for a region that could be monitored instead.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// Why a location service failed.
public struct CLError: CustomNSError, Hashable, Sendable {
  /// What went wrong; see the shortcuts of the same names below.
  public typealias Code = CLErrorCode

  /// The wrapped error.
  public let _nsError: NSError

  /// Wraps an error.
  ///
  /// - Parameter error: An error of `kCLErrorDomain`.
  public init(_nsError error: NSError) {
    _nsError = error
  }

  /// Makes an error with a code.
  ///
  /// - Parameters:
  ///   - code: The reason.
  ///   - userInfo: More about the error, by Foundation's keys, such as `NSLocalizedDescriptionKey`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    _nsError = NSError(domain: kCLErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// What went wrong.
  public var code: Code { Code(rawValue: _nsError.code) ?? .locationUnknown }

  /// More about the error, by Foundation's keys.
  public var userInfo: [String: Any] { _nsError.userInfo }

  /// A region that could be monitored instead; `nil` unless the error carries one.
  public var alternateRegion: CLRegion? {
    _nsError.userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion
  }

  /// Hashes the code alone: on Linux, the hash of an `NSError` recurses without end.
  ///
  /// - Parameter hasher: The hasher to feed.
  public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }

  /// `kCLErrorDomain` (STD-36).
  public static var errorDomain: String { kCLErrorDomain }

  /// The number of the code, in `0...19` (STD-36).
  public var errorCode: Int { _nsError.code }

  /// More about the error, by Foundation's keys.
  public var errorUserInfo: [String: Any] { _nsError.userInfo }
}

extension CLError.Code {
  /// Compares an error with a code, in a `catch` or a `case`: the error may be a `CLError`, or one
  /// that was bridged to `NSError`.
  ///
  /// - Parameters:
  ///   - match: The code.
  ///   - error: Any error.
  /// - Returns: Whether the error is one of this code.
  public static func ~= (match: Self, error: any Error) -> Bool {
    let bridged = error as NSError
    return bridged.domain == kCLErrorDomain && bridged.code == match.rawValue
  }
}

extension CLError {
  /// There is no position now; the service keeps trying (STD-32).
  public static var locationUnknown: Code { .locationUnknown }
  /// The app may not use the service.
  public static var denied: Code { .denied }
  /// The network is missing, or a limit of requests was reached (STD-33).
  public static var network: Code { .network }
  /// Magnetic interference prevents a heading (STD-35).
  public static var headingFailure: Code { .headingFailure }
  /// The app may not monitor regions (REG-7).
  public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
  /// The region cannot be monitored (REG-5, REG-6).
  public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
  /// Monitoring will begin later.
  public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
  /// Events of the region may be delayed.
  public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
  /// The geocoder found nothing.
  public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
  /// The geocoder found only a part of the address.
  public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
  /// The geocoding request was canceled.
  public static var geocodeCanceled: Code { .geocodeCanceled }
  /// Deferred updates cannot begin.
  public static var deferredFailed: Code { .deferredFailed }
  /// Deferred updates need standard updates.
  public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
  /// Deferred updates need a better accuracy.
  public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
  /// Deferred updates allow no distance filter.
  public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
  /// Deferred updates were canceled.
  public static var deferredCanceled: Code { .deferredCanceled }
  /// Ranging is not available here (AVAIL-4).
  public static var rangingUnavailable: Code { .rangingUnavailable }
  /// Ranging failed.
  public static var rangingFailure: Code { .rangingFailure }
  /// The person was not asked, or did not agree.
  public static var promptDeclined: Code { .promptDeclined }
  /// Historical locations cannot be read.
  public static var historicalLocationError: Code { .historicalLocationError }
}
