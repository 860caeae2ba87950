/// Bridges from `NSError`: `as? CLError` and `catch let error as CLError` work for any `NSError` of
/// the domain, whatever code made it.
///
/// Without an Objective-C runtime, a cast uses only this protocol of the standard library.
extension CLError: _ObjectiveCBridgeable {
  /// Returns the wrapped error.
  ///
  /// - Returns: An error of `kCLErrorDomain`.
  public func _bridgeToObjectiveC() -> NSError { _nsError }

  /// Converts an error of any domain.
  ///
  /// - Parameters:
  ///   - source: The error.
  ///   - result: Receives the error.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) {
    result = CLError(_nsError: source)
  }

  /// Converts an error of `kCLErrorDomain`, and no other.
  ///
  /// - Parameters:
  ///   - source: The error.
  ///   - result: Receives the error.
  /// - Returns: Whether the error was converted; `result` is `nil` otherwise.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError, result: inout CLError?
  ) -> Bool {
    guard source.domain == errorDomain else { return false }
    result = CLError(_nsError: source)
    return true
  }

  /// Converts an error of any domain; `nil` becomes `locationUnknown`.
  ///
  /// - Parameter source: The error.
  /// - Returns: The error.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CLError {
    source.map(CLError.init(_nsError:)) ?? CLError(.locationUnknown)
  }
}
