package import Dispatch
package import LocationModel

/// Starts apps that do not run, and wakes those that are suspended, for events that are pending for them.
package protocol AppLaunching: Sendable {
  /// The apps that can be started, and what starts each, for a person: a command or a unit.
  func starters() -> [AppIdentity: String]

  /// Calls a function at each change of the apps that can be started.
  ///
  /// - Parameters:
  ///   - queue: where the function is called.
  ///   - changed: receives all apps that can be started from now on.
  /// - Returns: a source that watches until it is canceled; `nil` if changes cannot be watched.
  func follow(
    on queue: DispatchQueue, _ changed: @escaping @Sendable ([AppIdentity]) -> Void
  ) -> (any DispatchSourceRead)?

  /// Starts an app if the registered program is the one that holds its identifier.
  ///
  /// - Parameters:
  ///   - app: the app to start.
  ///   - program: the path of the program that holds the app's identifier; `nil` if none does.
  func launch(_ app: AppIdentity, heldBy program: String?)

  /// Whether an app that a signal has stopped may be continued for an event.
  func mayContinue(_ app: AppIdentity) -> Bool

  /// Freezes a unit of systemd, or thaws it.
  ///
  /// - Parameters:
  ///   - unit: the name of the unit.
  ///   - isFrozen: whether its processes are to be stopped.
  ///   - answer: receives, on any thread, why that was refused; `nil` once it is done.
  func freeze(_ unit: String, _ isFrozen: Bool, _ answer: @escaping @Sendable (String?) -> Void)
}

extension AppLaunching {
  /// The apps that can be started, in the order of their names.
  package func apps() -> [AppIdentity] { starters().keys.sorted() }
}
