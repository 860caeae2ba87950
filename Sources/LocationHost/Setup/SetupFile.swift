import Glibc
import LocationCoding
import LocationProviders

/// The configuration that `locationctl setup` writes, and the one that was there before.
package struct SetupFile: Hashable, Sendable {
  package var path: String

  package init(path: String) {
    self.path = path
  }

  /// Where a configuration that somebody else has written is kept.
  package var kept: String { path + ".before-setup" }

  /// The file of the system's daemon, or of this user's.
  package static func standard(
    root: String, isRoot: Bool, _ variables: [String: String]
  ) -> SetupFile? {
    if isRoot || !root.isEmpty { return SetupFile(path: root + "/etc/locationd.conf") }
    if let home = variables["XDG_CONFIG_HOME"], home.hasPrefix("/") {
      return SetupFile(path: home + "/meridian/locationd.conf")
    }
    return variables["HOME"].map { SetupFile(path: $0 + "/.config/meridian/locationd.conf") }
  }

  private static let longest = 1 << 20

  /// The lines of the file that set anything but a source, which a new one keeps.
  package var settings: [String] {
    (text ?? "").split(separator: "\n").filter { line in
      KeyValueLines.setting(in: line).map { $0.key != "source" } ?? false
    }.map(String.init)
  }

  /// Whether the file was written by ``write(_:)``.
  private var isOwn: Bool {
    text.map { SetupPlan.wrote($0) } ?? false
  }

  private var text: String? {
    SmallFile.read(path, limit: Self.longest).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a configuration; one that somebody else has written is kept beside it.
  ///
  /// - Returns: whether there was one.
  package func write(_ text: String) throws(Errno) -> Bool {
    let isKept = access(path, F_OK) == 0 && !isOwn
    if isKept {
      guard access(kept, F_OK) != 0 else { throw Errno(code: EEXIST, call: "keep \(kept)") }
    } else if let folder = path.lastIndex(of: "/").map({ String(path[..<$0]) }) {
      try StateFolder(path: folder).create()
    }
    let new = path + ".new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw Errno(last: "open \(new)") }
    let bytes = Array(text.utf8)
    let written = Glibc.write(descriptor, bytes, bytes.count)
    // The service runs as a user of its own: a mask that leaves nothing to others must not hide its configuration.
    let isStored =
      written == bytes.count && fchmod(descriptor, 0o644) == 0 && fsync(descriptor) == 0
    let fault = Errno(last: "write \(new)")
    close(descriptor)
    guard isStored else {
      unlink(new)
      throw fault
    }
    if isKept, rename(path, kept) != 0 { throw Errno(last: "rename \(path)") }
    guard rename(new, path) == 0 else { throw Errno(last: "rename \(new)") }
    return isKept
  }

  /// Removes the written configuration, and puts the one before it back.
  ///
  /// - Returns: `false` if there is none that ``write(_:)`` has written; nothing is changed then.
  package func remove() throws(Errno) -> Bool {
    guard isOwn else { return false }
    guard unlink(path) == 0 else { throw Errno(last: "unlink \(path)") }
    if access(kept, F_OK) == 0, rename(kept, path) != 0 { throw Errno(last: "rename \(kept)") }
    return true
  }
}
