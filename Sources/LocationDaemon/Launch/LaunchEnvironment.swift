/// Which variables of the daemon's own environment an app gets that the daemon starts.
///
/// A short list: what else the environment holds may be a secret of the owner's, such as the key of a
/// service, or make the app load a library (`LD_PRELOAD`).
package enum LaunchEnvironment {
  /// Returns the variables that are passed on; `isUsers` says whether the daemon is a user's own, whose
  /// apps belong to the user's session.
  package static func kept(of own: [String: String], isUsers: Bool) -> [String: String] {
    own.filter { name, value in
      if name == geocoder { return isPublic(value) }
      return names.contains(name) || beginnings.contains { name.hasPrefix($0) }
        || isUsers && ofSession.contains(name)
    }
  }

  private static let names: Set = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
  ]
  private static let beginnings = ["LC_", "XDG_"]
  private static let ofSession: Set = [
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
  ]
  /// The one setting of an app that the daemon does not have in its place: an app asks for addresses
  /// itself.
  private static let geocoder = "CORELOCATION_GEOCODER"

  /// Whether an address has neither a password nor a query, which may be a key.
  private static func isPublic(_ address: String) -> Bool {
    !address.contains { $0 == "@" || $0 == "?" }
  }
}
