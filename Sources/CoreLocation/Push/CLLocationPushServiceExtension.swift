/// The extension of an app that answers location pushes.
///
/// An adopter implements one of the two forms of `didReceiveLocationPushPayload`; each stands in
/// for the other.
public protocol CLLocationPushServiceExtension: NSObjectProtocol {
  /// A push has come; the extension must call `completion` when it is done.
  func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping () -> Void)

  /// A push has come; the extension is done when this returns.
  func didReceiveLocationPushPayload(_ payload: [String: Any]) async

  /// The time of the extension is up.
  func serviceExtensionWillTerminate()
}

extension CLLocationPushServiceExtension {
  /// Runs the asynchronous form.
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
  public func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
    await withCheckedContinuation { continuation in
      didReceiveLocationPushPayload(payload) { continuation.resume() }
    }
  }

  /// Does nothing.
  public func serviceExtensionWillTerminate() {}
}
