/// The domain of all errors of location pushes.
public let CLLocationPushServiceErrorDomain = "CLLocationPushServiceErrorDomain"

/// Why location pushes failed.
public struct CLLocationPushServiceError: CustomNSError, Hashable, Sendable {
  /// What went wrong; see the shortcuts of the same names below.
  public typealias Code = CLLocationPushServiceErrorCode

  private let stored: NSError

  /// Makes an error with a code.
  ///
  /// - Parameters:
  ///   - code: The reason.
  ///   - userInfo: More about the error, by Foundation's keys, such as `NSLocalizedDescriptionKey`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    stored = NSError(
      domain: CLLocationPushServiceErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// What went wrong.
  public var code: Code { Code(rawValue: stored.code) ?? .unknown }

  /// More about the error, by Foundation's keys.
  public var userInfo: [String: Any] { stored.userInfo }

  /// `CLLocationPushServiceErrorDomain`.
  public static var errorDomain: String { CLLocationPushServiceErrorDomain }

  /// The number of the code.
  public var errorCode: Int { stored.code }

  /// More about the error, by Foundation's keys.
  public var errorUserInfo: [String: Any] { stored.userInfo }

  /// No further reason.
  public static var unknown: Code { .unknown }
  /// The app has no push extension.
  public static var missingPushExtension: Code { .missingPushExtension }
  /// The app names no push server.
  public static var missingPushServerEnvironment: Code { .missingPushServerEnvironment }
  /// The app lacks the entitlement.
  public static var missingEntitlement: Code { .missingEntitlement }
  /// The platform has no location pushes.
  public static var unsupportedPlatform: Code { .unsupportedPlatform }
}

extension CLLocationPushServiceError.Code {
  /// Compares an error with a code, in a `catch` or a `case`.
  ///
  /// - Parameters:
  ///   - match: The code.
  ///   - error: Any error.
  /// - Returns: Whether the error is one of this code.
  public static func ~= (match: Self, error: any Error) -> Bool {
    let bridged = error as NSError
    return bridged.domain == CLLocationPushServiceErrorDomain && bridged.code == match.rawValue
  }
}
