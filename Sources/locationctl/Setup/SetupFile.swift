import Glibc
import LocationCoding
import LocationHost
import LocationProviders

/// The configuration that `locationctl setup` writes, and the one that was there before.
struct SetupFile: Hashable, Sendable {
  var path: String

  init(path: String) {
    self.path = path
  }

  /// Where a configuration that somebody else has written is kept: the first, and each further one.
  private func kept(_ number: Int) -> String {
    path + ".before-setup" + (number == 1 ? "" : "-\(number)")
  }

  /// The number of the one that was kept last; 0 if there is none. A lower one may have been taken away.
  private var lastKept: Int {
    (1...Self.mostKept).last { Self.isThere(kept($0)) } ?? 0
  }

  /// Whether there is anything at a path, a link that leads nowhere included.
  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The file of the system's daemon, or of this user's.
  static func standard(
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
  var settings: [String] {
    lines.filter { line in KeyValueLines.setting(in: line).map { $0.key != "source" } ?? false }
      .map(String.init)
  }

  /// The sources that the file names, which a new one does not keep.
  var sources: [String] {
    lines.compactMap { line in
      KeyValueLines.setting(in: line).flatMap { $0.key == "source" ? $0.value : nil }
    }
  }

  /// The units that setup has enabled, by what it has written here.
  var enabled: [String] { SetupPlan.enabled(by: text ?? "").map(String.init) }

  private var lines: [Substring] { (text ?? "").split(separator: "\n") }

  /// Whether the file was written by ``write(_:)``.
  private var isOwn: Bool {
    text.map { SetupPlan.wrote($0) } ?? false
  }

  /// Keeps what somebody has edited in a file of setup's own, under the first number that is free.
  ///
  /// - Returns: the path of the copy; `nil` where nobody has edited anything.
  private func keepEdited() throws(Errno) -> String? {
    guard let text, !SetupPlan.isAsWritten(text) else { return nil }
    for number in 1...Self.mostKept {
      let copy = "\(path).edited-\(number)"
      if link(path, copy) == 0 { return copy }
      guard errno == EEXIST else { throw Errno(last: "keep \(copy)") }
    }
    throw Errno(code: EEXIST, call: "keep \(path).edited-\(Self.mostKept)")
  }

  /// Chosen: more than anybody looks through.
  private static let mostKept = 99

  private var text: String? {
    SmallFile.read(path, limit: Self.longest).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a configuration; one that somebody else has written, or has edited, is kept beside it.
  ///
  /// - Returns: the path of the one that is kept; `nil` if none is.
  func write(_ text: String) throws(Errno) -> String? {
    let isKept = access(path, F_OK) == 0 && !isOwn
    let number = isKept ? lastKept + 1 : 0
    let kept = self.kept(number)
    if isKept {
      guard number <= Self.mostKept else {
        throw Errno(code: EEXIST, call: "keep \(self.kept(Self.mostKept))")
      }
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
    let edited = isKept ? nil : try keepEdited()
    guard rename(new, path) == 0 else { throw Errno(last: "rename \(new)") }
    return isKept ? kept : edited
  }

  /// Removes the written configuration, and puts the one that was kept last back; one that was edited is kept.
  ///
  /// - Parameter keeping: is called with the path of the one that is kept.
  /// - Returns: `false` if there is none that ``write(_:)`` has written; nothing is changed then.
  /// - Throws: why it cannot be removed, or the one before it not be put back.
  func remove(keeping: (String) -> Void = { _ in }) throws(Errno) -> Bool {
    guard isOwn else { return false }
    if let edited = try keepEdited() { keeping(edited) }
    guard unlink(path) == 0 else { throw Errno(last: "unlink \(path)") }
    guard case let number = lastKept, number > 0 else { return true }
    guard rename(kept(number), path) == 0 else { throw Errno(last: "rename \(kept(number))") }
    return true
  }
}
