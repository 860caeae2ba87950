package import LocationModel

/// Whether a process is in use, as the kernel shows it, for apps whose framework says nothing
/// (docs/decisions/0079).
package struct ObservedUse: Hashable, Sendable {
  /// What the lifecycle state rests on.
  package enum Ground: String, Sendable {
    /// A signal has stopped the process.
    case stopped
    /// Whether one of its windows is the active one.
    case window
    /// Which process group is in the foreground of its terminal.
    case terminal
    /// It is part of a service of systemd.
    case service
    /// Nothing shows it: the app counts as in use.
    case nothing
    /// The configuration: every app counts as in use.
    case assumed
  }

  package var life: AppLife
  package var ground: Ground

  /// In use, as nothing shows otherwise, or the configuration says so.
  package init(isAssumed: Bool = false) {
    (life, ground) = (.foreground, isAssumed ? .assumed : .nothing)
  }

  /// Whether the system shows it.
  var isShown: Bool { ground != .nothing && ground != .assumed }

  /// Judges a process by its facts, its control group, `nil` for none, and whether its window is active,
  /// `nil` if it never had one.
  package init(_ facts: ProcessFacts, in group: String?, hasFocus: Bool? = nil) {
    self.init()
    if facts.isStopped {
      (life, ground) = (.suspended, .stopped)
    } else if let hasFocus {
      (life, ground) = (hasFocus ? .foreground : .background, .window)
    } else if facts.terminal != 0 {
      life = facts.foreground == facts.group ? .foreground : .background
      ground = .terminal
    } else if group.map(Self.isService) ?? false {
      (life, ground) = (.background, .service)
    }
  }

  /// Whether a control group is that of a service without windows: desktops start apps in services
  /// whose names begin with `app-` (systemd.io/DESKTOP_ENVIRONMENTS).
  private static func isService(_ group: String) -> Bool {
    guard let unit = group.split(separator: "/").last(where: Self.isUnit) else { return false }
    return unit.hasSuffix(".service") && !unit.hasPrefix("app-")
  }

  private static func isUnit(_ name: Substring) -> Bool {
    name.hasSuffix(".service") || name.hasSuffix(".scope")
  }

  /// Whether it can change without an event that the kernel reports.
  var isVolatile: Bool { ground == .terminal || ground == .stopped }

  /// Whether the process waits for such a change.
  var isWaiting: Bool { isVolatile && life != .foreground }
}
