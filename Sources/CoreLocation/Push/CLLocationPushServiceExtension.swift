/// The extension of an app that answers location pushes.
///
/// An adopter implements one of the two forms of `didReceiveLocationPushPayload`; the default of
/// each calls the other.
public protocol CLLocationPushServiceExtension: NSObjectProtocol {
  /// Handles a push.
  ///
  /// - Parameters:
  ///   - payload: The content of the push.
  ///   - completion: To be called when the extension is done.
  func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping () -> Void)

  /// Handles a push; the extension is done when this returns.
  ///
  /// - Parameter payload: The content of the push.
  func didReceiveLocationPushPayload(_ payload: [String: Any]) async

  /// Tells the extension that its time is over.
  func serviceExtensionWillTerminate()
}

extension CLLocationPushServiceExtension {
  /// Runs the asynchronous form.
  ///
  /// - Parameters:
  ///   - payload: The content of the push.
  ///   - completion: To be called when the extension is done.
  public func didReceiveLocationPushPayload(
    _ payload: [String: Any], completion: @escaping () -> Void
  ) {
    // The caller passes ownership of all three with this call.
    nonisolated(unsafe) let service: any CLLocationPushServiceExtension = self
    nonisolated(unsafe) let (payload, completion) = (payload, completion)
    Task {
      await service.didReceiveLocationPushPayload(payload)
      completion()
    }
  }

  /// Runs the form with a completion.
  ///
  /// - Parameter payload: The content of the push.
  public func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
    await withCheckedContinuation { continuation in
      didReceiveLocationPushPayload(payload) { continuation.resume() }
    }
  }

  /// Does nothing.
  public func serviceExtensionWillTerminate() {}
}
