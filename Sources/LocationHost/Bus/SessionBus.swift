/// The bus of a person's session.
package enum SessionBus {
  /// Returns the address that the variables name, else that of the user; `nil` without a session.
  package static func address(_ variables: [String: String]) -> String? {
    if let named = variables["DBUS_SESSION_BUS_ADDRESS"], !named.isEmpty { return named }
    return variables["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" }
  }

  /// Why there is none.
  package static let missing = "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"
}
