/// The way back from `NSError`: `as? CLError` and `catch let error as CLError` find the error
/// again, whoever made the `NSError`.
///
/// Without an Objective-C runtime, a cast goes by this protocol of the standard library alone.
extension CLError: _ObjectiveCBridgeable {
  /// Returns the error that this one stands for.
  ///
  /// - Returns: An error of `kCLErrorDomain`.
  public func _bridgeToObjectiveC() -> NSError { _nsError }

  /// Takes an error of any domain.
  ///
  /// - Parameters:
  ///   - source: The error.
  ///   - result: Where the error goes.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) {
    result = CLError(_nsError: source)
  }

  /// Takes an error of `kCLErrorDomain`, and no other.
  ///
  /// - Parameters:
  ///   - source: The error.
  ///   - result: Where the error goes.
  /// - Returns: Whether the error was taken; `result` is `nil` otherwise.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError, result: inout CLError?
  ) -> Bool {
    guard source.domain == errorDomain else { return false }
    result = CLError(_nsError: source)
    return true
  }

  /// Takes an error of any domain; none is `locationUnknown`.
  ///
  /// - Parameter source: The error.
  /// - Returns: The error.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CLError {
    source.map(CLError.init(_nsError:)) ?? CLError(.locationUnknown)
  }
}
