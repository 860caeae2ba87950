import Glibc

/// The control group of a process, used to find out whether the system has frozen the process.
package struct ControlGroup: Hashable, Sendable {
  /// The path of the group's `cgroup.events` file.
  package let events: String

  /// Finds the group of a process; `nil` where there is none that can be frozen, as for processes
  /// in the root group, and on kernels without version 2 of control groups.
  package init?(ofProcess pid: Int32) {
    guard let bytes = SmallFile.read("/proc/\(pid)/cgroup", limit: 1 << 16),
      let path = Self.path(in: String(decoding: bytes, as: UTF8.self)), path != "/",
      let root = Self.roots.first(where: { access("\($0)\(path)/cgroup.events", R_OK) == 0 })
    else { return nil }
    events = "\(root)\(path)/cgroup.events"
  }

  /// The innermost unit of systemd that the group belongs to; `nil` if there is none.
  package var unit: String? {
    events.split(separator: "/").last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }
      .map(String.init)
  }

  /// Whether all its processes are stopped.
  package var isFrozen: Bool {
    guard let bytes = SmallFile.read(events, limit: 1 << 12) else { return false }
    return Self.isFrozen(String(decoding: bytes, as: UTF8.self))
  }

  /// The path in the one hierarchy of version 2: `0::/path`.
  package static func path(in text: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
  }

  /// Whether the text of `cgroup.events` contains the line `frozen 1`.
  package static func isFrozen(_ text: String) -> Bool {
    text.split(separator: "\n").contains("frozen 1")
  }

  /// Where the hierarchy is mounted: alone, or beside those of version 1.
  private static let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
}
