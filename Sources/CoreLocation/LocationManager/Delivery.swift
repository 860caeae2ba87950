extension CLLocationManager {
  /// Runs a callback later, on the main queue: never within the call that caused it.
  func deliver(_ callback: @escaping (CLLocationManager) -> Void) {
    // The main queue is where managers and their delegates live.
    nonisolated(unsafe) let (manager, callback) = (self, callback)
    DispatchQueue.main.async { callback(manager) }
  }

  /// Tells the delegate something, unless there is none by then.
  func deliver(
    _ callback: @escaping (CLLocationManager, any CLLocationManagerDelegate) -> Void
  ) {
    deliver { manager in
      if let delegate = manager.delegate { callback(manager, delegate) }
    }
  }
}
