package import Dispatch
package import LocationModel

/// What starts apps that do not run, for the events that wait for them.
package protocol AppLaunching: Sendable {
  /// The apps that can be started, in the order of their names.
  func apps() -> [AppIdentity]

  /// Calls a function at each change of the apps that can be started.
  ///
  /// - Parameters:
  ///   - queue: where the function is called.
  ///   - changed: receives all apps that can be started from now on.
  /// - Returns: what watches until it is canceled; `nil` where changes cannot be watched.
  func follow(
    on queue: DispatchQueue, _ changed: @escaping @Sendable ([AppIdentity]) -> Void
  ) -> (any DispatchSourceRead)?

  /// Starts an app, where the program that is registered is the one that holds its identifier.
  ///
  /// - Parameters:
  ///   - app: the app to start.
  ///   - program: the path of the program that holds the app's identifier; `nil` where none does.
  func launch(_ app: AppIdentity, heldBy program: String?)
}
