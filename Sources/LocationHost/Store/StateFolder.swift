import CLinux
import Dispatch
import Glibc

/// The folder that holds the durable state: mode 0700, one SQLite file, and a bell.
///
/// A process that changes the state from outside, such as `locationctl authorize`, rings the bell;
/// running hosts then read the state again.
package struct StateFolder: Hashable, Sendable {
  package var path: String

  package init(path: String) {
    self.path = path
  }

  package var file: String { path + "/state.sqlite" }

  /// `$XDG_STATE_HOME/meridian`, else `~/.local/state/meridian`; `nil` where neither is set.
  package static func ofUser(_ environment: [String: String]) -> StateFolder? {
    if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") {
      return StateFolder(path: home + "/meridian")
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return StateFolder(path: home + "/.local/state/meridian")
  }

  /// Makes the folder and those above it where they are missing.
  package func create() throws(Errno) {
    var made = ""
    for name in path.split(separator: "/") {
      made += "/" + name
      guard mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
      throw Errno(last: "mkdir \(made)")
    }
  }

  /// Tells running hosts to read the state again.
  package func ringBell() throws(Errno) {
    let descriptor = open(path + "/" + Self.bell, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Errno(last: "open \(path)/\(Self.bell)") }
    close(descriptor)
  }

  /// Renames a damaged file, so that it can be looked at and a new one can be made; its new name.
  func moveDamagedFileAside() -> String {
    let name = file + ".damaged-\(linux_unix_nanoseconds() / 1_000_000_000)"
    rename(file, name)
    for suffix in ["-wal", "-shm"] { rename(file + suffix, name + suffix) }
    return name
  }

  /// Removes what ``moveDamagedFileAside()`` has kept.
  package func removeDamagedFiles() {
    guard let folder = opendir(path) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.contains(".damaged-") { unlink("\(path)/\(name)") }
    }
  }

  func watch(on queue: DispatchQueue) -> (any DispatchSourceRead, Int32)? {
    let descriptor = linux_watch_directory(path)
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setCancelHandler { close(descriptor) }
    return (source, descriptor)
  }

  /// Reads the events away; whether the bell was among them.
  static func drain(_ descriptor: Int32) -> Bool {
    linux_drain_watch(descriptor, bell) > 0
  }

  private static let bell = "changed"
}
