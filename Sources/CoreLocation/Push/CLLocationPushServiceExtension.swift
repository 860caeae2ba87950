/// The extension of an app that answers location pushes.
///
/// An adopter implements one of the two forms of `didReceiveLocationPushPayload`; each stands in
/// for the other.
public protocol CLLocationPushServiceExtension: NSObjectProtocol {
  /// Takes a push.
  ///
  /// - Parameters:
  ///   - payload: What the push carries.
  ///   - completion: To be called when the extension is done.
  func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping () -> Void)

  /// Takes a push; the extension is done when this returns.
  ///
  /// - Parameter payload: What the push carries.
  func didReceiveLocationPushPayload(_ payload: [String: Any]) async

  /// Tells the extension that its time is up.
  func serviceExtensionWillTerminate()
}

extension CLLocationPushServiceExtension {
  /// Runs the asynchronous form.
  ///
  /// - Parameters:
  ///   - payload: What the push carries.
  ///   - completion: To be called when the extension is done.
  public func didReceiveLocationPushPayload(
    _ payload: [String: Any], completion: @escaping () -> Void
  ) {
    // The caller gives all three away with this call.
    nonisolated(unsafe) let service: any CLLocationPushServiceExtension = self
    nonisolated(unsafe) let (payload, completion) = (payload, completion)
    Task {
      await service.didReceiveLocationPushPayload(payload)
      completion()
    }
  }

  /// Runs the form with a completion.
  ///
  /// - Parameter payload: What the push carries.
  public func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
    await withCheckedContinuation { continuation in
      didReceiveLocationPushPayload(payload) { continuation.resume() }
    }
  }

  /// Does nothing.
  public func serviceExtensionWillTerminate() {}
}
