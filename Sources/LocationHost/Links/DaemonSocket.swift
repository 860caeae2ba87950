import CLinux
import Glibc

/// Identifies a socket in the file system.
package struct OwnSocket: Hashable, Sendable {
  package let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Identifies the file at a path; `nil` if there is none.
  package init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    (self.path, device, inode) = (path, status.st_dev, status.st_ino)
  }
}

/// Finds and opens the Unix sockets of daemons.
package enum DaemonSocket {
  package static let variable = "LOCATIOND_SOCKET"
  /// The socket of the daemon that serves the whole machine.
  package static let ofSystem = "/run/locationd/locationd.sock"

  /// The socket of the daemon that serves one user; `nil` without a runtime folder.
  package static func ofUser(_ variables: [String: String]) -> String? {
    variables["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/locationd.sock" : nil }
  }

  /// The socket that an app's process uses; `nil` if no daemon serves this machine.
  ///
  /// A socket named by the variable is always used. A socket that is only found counts if a daemon
  /// answers; a file that a daemon left behind does not.
  package static func inUse(_ variables: [String: String]) -> String? {
    guard let named = variables[variable] else { return found(variables) }
    return named.isEmpty ? nil : named
  }

  /// The same where a daemon answers, also at a socket named by the variable.
  package static func answering(_ variables: [String: String]) -> String? {
    guard let named = variables[variable] else { return found(variables) }
    return !named.isEmpty && answers(at: named) ? named : nil
  }

  /// The sockets of the daemons that may serve a person: the one named by the variable, else the person's
  /// own and that of the machine, whether a daemon answers there or not.
  package static func all(_ variables: [String: String]) -> [String] {
    guard let named = variables[variable] else {
      return [ofUser(variables), ofSystem].compactMap(\.self)
    }
    return named.isEmpty ? [] : [named]
  }

  private static func found(_ variables: [String: String]) -> String? {
    all(variables).first(where: answers)
  }

  /// Whether a daemon answers at a socket.
  package static func answers(at path: String) -> Bool {
    guard let descriptor = try? connect(to: path) else { return false }
    close(descriptor)
    return true
  }

  /// Whether there is a socket at which a daemon may answer, found without connecting to it.
  package static func mayAnswer() -> Bool {
    let variables = HostEnvironment.current.variables
    return variables[variable]?.isEmpty == false
      || all(variables).contains { access($0, F_OK) == 0 }
  }

  /// Opens a connection; waits at most two seconds, also for later reads and writes.
  package static func connect(to path: String) throws(Errno) -> Int32 {
    let descriptor = try socket()
    var timeout = timeval(tv_sec: 2, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
    let result = try withAddress(of: path) { Glibc.connect(descriptor, $0, $1) }
    guard result == 0 else {
      let error = Errno(last: "connect \(path)")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Opens a socket to which every user may connect, and replaces a leftover one.
  ///
  /// - Throws: `EADDRINUSE` if a process answers, `EEXIST` if there is a file other than a socket.
  package static func listen(
    at path: String, mode: UInt32 = 0o666
  ) throws(Errno) -> Int32 {
    try removeLeftover(at: path)
    let descriptor = try socket()
    let result = try withAddress(of: path) { bind(descriptor, $0, $1) }
    guard result == 0, chmod(path, mode) == 0, Glibc.listen(descriptor, backlog) == 0 else {
      let error = Errno(last: "listen at \(path)")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Creates the folder of a socket if only it is missing, so that every user may pass through it.
  package static func makeFolder(for path: String) throws(Errno) {
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return }
    let folder = String(path[..<end])
    if mkdir(folder, 0o755) == 0 {
      // Restores bits that the umask has removed.
      chmod(folder, 0o755)
    } else if errno != EEXIST {
      throw Errno(last: "mkdir \(folder)")
    }
  }

  /// Removes a socket on which no process listens any more.
  private static func removeLeftover(at path: String) throws(Errno) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw Errno(code: EEXIST, call: "listen at \(path)")
    }
    let probe = try socket()
    defer { close(probe) }
    _ = fcntl(probe, F_SETFL, O_NONBLOCK)
    let result = try withAddress(of: path) { Glibc.connect(probe, $0, $1) }
    guard result != 0, errno == ECONNREFUSED else {
      // This includes a socket whose queue is full, and one that this user may not use.
      throw Errno(code: EADDRINUSE, call: "listen at \(path)")
    }
    unlink(path)
  }

  /// Returns the process that answers at a socket; `nil` if it cannot be determined.
  package static func listener(at path: String) -> Int32? {
    guard let descriptor = try? connect(to: path) else { return nil }
    defer { close(descriptor) }
    var (pid, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
    guard linux_peer_credentials(descriptor, &pid, &user, &group) == 0, pid > 0 else { return nil }
    return pid
  }

  /// Removes a socket that this process has made, unless another one has replaced it.
  package static func remove(_ own: OwnSocket) {
    if OwnSocket(at: own.path) == own { unlink(own.path) }
  }

  private static let backlog: Int32 = 512

  private static func socket() throws(Errno) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw Errno(last: "socket") }
    return descriptor
  }

  /// Calls `body` with the address of a local socket; throws if its path is too long for one.
  static func withAddress(
    of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(Errno) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else { throw Errno(code: ENAMETOOLONG, call: path) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
