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

  /// Creates the folder of a file.
  init(containing file: String) {
    path = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
  }

  /// The folder of the keys of the state, beside this one (docs/decisions/0108).
  package var keys: StateFolder {
    let own = String(path.reversed().drop { $0 == "/" }.reversed())
    return StateFolder(path: own + "-key")
  }

  /// `$XDG_STATE_HOME/meridian`, else `~/.local/state/meridian`; `nil` where neither is set.
  package static func ofUser(_ environment: [String: String]) -> StateFolder? {
    if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") {
      return StateFolder(path: home + "/meridian")
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return StateFolder(path: home + "/.local/state/meridian")
  }

  /// That of the system's daemon.
  package static let ofSystem = StateFolder(path: "/var/lib/locationd")

  /// Creates the folder and missing ones above it, with mode 700 whatever the umask.
  package func create() throws(Errno) {
    var made = ""
    for name in path.split(separator: "/") {
      made += "/" + name
      if mkdir(made, 0o700) == 0 {
        // Restores bits that the umask has removed.
        chmod(made, 0o700)
        StateFolder(containing: made).sync()
      } else if errno != EEXIST {
        throw Errno(last: "mkdir \(made)")
      }
    }
  }

  /// Has the names in the folder written to the disk.
  private func sync() {
    let descriptor = open(path.isEmpty ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Makes running hosts read the state again.
  package func ringBell() throws(Errno) {
    let descriptor = open(path + "/" + Self.bell, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Errno(last: "open \(path)/\(Self.bell)") }
    fchmod(descriptor, 0o600)
    close(descriptor)
  }

  /// Returns the names of the files in the folder, in order.
  func entryNames() -> [String] { SmallFile.names(in: path) }

  func watch(on queue: DispatchQueue) -> (any DispatchSourceRead, Int32)? {
    let descriptor = linux_watch_directory(path)
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setCancelHandler { close(descriptor) }
    return (source, descriptor)
  }

  /// Reads and discards the events; returns whether the bell was among them.
  static func drain(_ descriptor: Int32) -> Bool {
    linux_drain_watch(descriptor, bell) > 0
  }

  static let bell = "changed"
  /// The file of ``StateLock``.
  static let lock = "lock"
  /// The file of ``StateGuard``.
  static let guardian = "guard"
  /// The files of ``StateKeys``.
  static let (keyFile, master, items) = ("keys", "master", "keys.items")
}
