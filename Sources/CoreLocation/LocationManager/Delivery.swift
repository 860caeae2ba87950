extension CLLocationManager {
  /// Runs a callback later, where this manager's callbacks run: never within the call that caused
  /// it.
  func deliver(_ callback: @escaping (CLLocationManager) -> Void) {
    // The callback runs once, at the place of the manager that it came from (docs/decisions/0004).
    nonisolated(unsafe) let callback = callback
    let handle = ManagerHandle(self)
    link.place.run {
      if let manager = handle.manager { callback(manager) }
    }
  }

  /// Calls the delegate, unless there is none by then.
  func deliver(
    _ callback: @escaping (CLLocationManager, any CLLocationManagerDelegate) -> Void
  ) {
    deliver { manager in
      if let delegate = manager.delegate { callback(manager, delegate) }
    }
  }
}
