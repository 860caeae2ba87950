/// Follows the screen saver on the bus of a session: where it ends, the display turns on.
package struct ScreenSaver: SessionMonitor {
  private var display = DisplayState()

  package init() {}

  package mutating func take(_ event: BusEvent) -> [SessionOutput] {
    switch event {
    case .connected:
      return Self.services.map { service in
        .bus(
          .subscribe(
            BusMatch(
              sender: service, interface: service, member: Self.member, signature: "b")))
      }
    case .signal(let signal):
      guard Self.services.contains(signal.interface), signal.member == Self.member,
        let isActive = signal[0]?.boolean
      else { return [] }
      return display.turns(off: isActive) ? [.displayOn(nil)] : []
    case .disconnected, .reply, .called, .refused: return []
    }
  }

  /// GNOME's, and that of other desktops.
  private static let services = ["org.gnome.ScreenSaver", "org.freedesktop.ScreenSaver"]
  private static let member = "ActiveChanged"
}
