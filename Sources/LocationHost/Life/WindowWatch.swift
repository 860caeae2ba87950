package import LocationProviders

/// A report of what shows the windows of a desktop.
package enum WindowReport: Sendable {
  /// What a source shows now; `nil` when it shows nothing any more.
  case windows(WindowSource, WindowState?)
  /// Why a source shows nothing.
  case obstacle(String)
}

/// Follows the windows of the desktop that the process belongs to: those of its X server, and those
/// that its session shows, each on a queue of its own.
package struct WindowWatch: Sendable {
  private let display: DisplayWatch?
  private let session: SessionWatch?

  /// Creates a watch of the desktop that the variables of the process name; `nil` without one.
  package init?(_ variables: [String: String]) {
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    display = value("DISPLAY").map { DisplayWatch(display: $0) }
    var ways: [SessionWatch.Way] = []
    if let path = value("SWAYSOCK") { ways.append(.sway(path)) }
    if let name = value("WAYLAND_DISPLAY"), let path = Self.path(name, value("XDG_RUNTIME_DIR")) {
      ways.append(.wayland(path))
      if let desktop = value("XDG_CURRENT_DESKTOP"), SessionBusWindows(desktop: desktop).isOfUse,
        let address = SessionBus.address(variables)
      {
        ways.append(.bus(address, desktop: desktop))
      }
    }
    let programs = DesktopPrograms(variables)
    session = ways.isEmpty ? nil : SessionWatch(ways, programs: programs)
    guard display != nil || session != nil else { return nil }
  }

  /// The socket of a compositor: in the runtime folder, unless it is a path.
  private static func path(_ name: String, _ folder: String?) -> String? {
    name.hasPrefix("/") ? name : folder.map { "\($0)/\(name)" }
  }

  /// Calls `report`, on any thread, at each change.
  package func begin(_ report: @escaping @Sendable (WindowReport) -> Void) {
    display?.begin(report)
    session?.begin(report)
  }

  /// Ends the watch.
  package func end() {
    display?.end()
    session?.end()
  }
}
