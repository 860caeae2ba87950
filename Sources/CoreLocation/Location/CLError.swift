/// The domain of all errors of the location services (STD-36).
public let kCLErrorDomain = "kCLErrorDomain"

/// Under this key of an error's user information lies a region that could be monitored instead.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// Why a location service failed.
public struct CLError: CustomNSError, Hashable, Sendable {
  /// What went wrong; see the shortcuts of the same names below.
  public typealias Code = CLErrorCode

  /// The error that this one stands for.
  public let _nsError: NSError

  /// Makes an error that stands for another.
  ///
  /// - Parameter error: An error of `kCLErrorDomain`.
  public init(_nsError error: NSError) {
    _nsError = error
  }

  /// Makes an error of a code.
  ///
  /// - Parameters:
  ///   - code: The reason.
  ///   - userInfo: More about the error, by Foundation's keys, such as `NSLocalizedDescriptionKey`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    _nsError = NSError(domain: kCLErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// What went wrong.
  public var code: Code { Code(rawValue: _nsError.code) ?? .locationUnknown }

  /// What else is known, by Foundation's keys.
  public var userInfo: [String: Any] { _nsError.userInfo }

  /// A region that could be monitored instead; `nil` unless the error carries one.
  public var alternateRegion: CLRegion? {
    _nsError.userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion
  }

  /// Hashes the code alone: on Linux, an `NSError` asked for its hash asks itself without end.
  ///
  /// - Parameter hasher: The hasher to feed.
  public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }

  /// `kCLErrorDomain` (STD-36).
  public static var errorDomain: String { kCLErrorDomain }

  /// The number of the code, in `0...19` (STD-36).
  public var errorCode: Int { _nsError.code }

  /// What else is known, by Foundation's keys.
  public var errorUserInfo: [String: Any] { _nsError.userInfo }
}

extension CLError.Code {
  /// Compares an error with a code, in a `catch` or a `case`: a `CLError`, or what became of one on
  /// its way through `NSError`.
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
  /// No position now; the service goes on trying (STD-32).
  public static var locationUnknown: Code { .locationUnknown }
  /// The app may not use the service.
  public static var denied: Code { .denied }
  /// The network is missing, or a limit of requests was met (STD-33).
  public static var network: Code { .network }
  /// Magnetic interference hides the heading (STD-35).
  public static var headingFailure: Code { .headingFailure }
  /// The app may not monitor regions (REG-7).
  public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
  /// The region cannot be monitored (REG-5, REG-6).
  public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
  /// Monitoring will begin later.
  public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
  /// Events of the region may come late.
  public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
  /// The geocoder found nothing.
  public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
  /// The geocoder found only a part of what it was asked for.
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
  /// The person was not asked, or did not answer yes.
  public static var promptDeclined: Code { .promptDeclined }
  /// Historical locations cannot be read.
  public static var historicalLocationError: Code { .historicalLocationError }
}
