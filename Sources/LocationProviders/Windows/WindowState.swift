import LocationModel

/// The owner of a window, by what is known of it.
package enum WindowOwner: Hashable, Sendable {
  /// A process, as the kernel gave it to the server of the window.
  case process(Int32)
  /// The app identifier that the window, or the shell, names.
  case app(String)
  /// A program that a desktop entry of such an identifier starts, by its path.
  case program(String)
}

/// Which windows there are, and which are active, as one source shows it.
package struct WindowState: Hashable, Sendable {
  /// The owners of all windows, seen or minimized.
  package var owners: Set<WindowOwner>
  /// The owners of active windows; one, or none, but for a moment while the active window changes.
  package var active: Set<WindowOwner>

  package init(owners: Set<WindowOwner> = [], active: Set<WindowOwner> = []) {
    (self.owners, self.active) = (owners, active)
  }
}

/// What shows the windows of a desktop, in the order in which they are asked (docs/decisions/0079).
package enum WindowSource: String, CaseIterable, Hashable, Sendable {
  /// An X server with a window manager.
  case x11
  /// The control socket of sway, which names processes.
  case sway
  /// A Wayland compositor with `zwlr_foreign_toplevel_manager_v1`, which names app identifiers.
  case wayland
  /// GNOME's shell or a backend of the desktop portal, on the bus of the session.
  case bus
}

/// An input of a machine that follows windows.
package enum WindowInput: MachineInput {
  /// The connection is open.
  case opened
  case bytes([UInt8])
  case bus(BusEvent)
  case wake
}

/// An output of a machine that follows windows.
package enum WindowOutput: Hashable, Sendable {
  case send([UInt8])
  case bus(BusAction)
  /// The windows have changed; `nil` while they are not known.
  case windows(WindowState?)
  /// The source cannot be used any more.
  case ended(reason: String)
}

/// Bounds of what sources of windows send.
package enum WindowBounds {
  /// Windows that are looked at. Chosen: more than a person can arrange.
  package static let windows = 1024
  /// Bytes of an app identifier; a longer one is none. Chosen: the length of a file name.
  static let identifier = 255
  /// How long a source may take to answer. Chosen.
  static let answer = Duration.seconds(5)

  /// The identifier of a window, if it can be that of an app.
  static func identifier(_ text: String) -> WindowOwner? {
    let isNamed = !text.isEmpty && text.utf8.count <= identifier && !text.contains("/")
    return isNamed ? .app(text) : nil
  }
}

extension [UInt8] {
  /// Appends a number of 32 bits in the byte order of this machine.
  mutating func append(native value: UInt32) {
    Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
  }

  /// The number of 32 bits at an index, in the byte order of this machine; `nil` beyond the end.
  func native(at index: Int) -> UInt32? {
    guard index >= 0, index + 4 <= count else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
  }
}
