/// The way back from `NSError`: `as? CLError` and `catch let error as CLError` find the error
/// again, whoever made the `NSError`.
///
/// Without an Objective-C runtime, a cast goes by this protocol of the standard library alone.
extension CLError: _ObjectiveCBridgeable {
  /// The error that this one stands for.
  public func _bridgeToObjectiveC() -> NSError { _nsError }

  /// Takes an error of any domain.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) {
    result = CLError(_nsError: source)
  }

  /// Takes an error of `kCLErrorDomain`.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError, result: inout CLError?
  ) -> Bool {
    guard source.domain == errorDomain else { return false }
    result = CLError(_nsError: source)
    return true
  }

  /// Takes an error of any domain; none is `locationUnknown`.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CLError {
    source.map(CLError.init(_nsError:)) ?? CLError(.locationUnknown)
  }
}
