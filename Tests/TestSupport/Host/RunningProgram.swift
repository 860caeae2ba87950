import Dispatch
import Foundation
import Synchronization

/// A program that a test has started: its lines as they come, and its end.
///
/// Runs in a process group of its own, with no signal blocked or ignored by inheritance; `end()`
/// ends the whole group and waits for it, and so does letting go.
package final class RunningProgram: Sendable {
  /// Lines of standard output and standard error together.
  package let lines = Events<String>()
  private let process: pid_t
  private let status = Mutex<Int32?>(nil)
  private let reader: LineReader

  /// What must last as long as the program, such as the folder it works in.
  private let belongings: any Sendable

  package init(
    _ path: String, _ arguments: [String] = [], environment: [String: String] = [:],
    keeping belongings: any Sendable = ()
  ) throws {
    self.belongings = belongings
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    // Or it would hold open what another test is just writing, such as a copied program. Closed in the
    // child alone: Foundation takes the end of a descriptor that its own children hold for their end.
    for descriptor in Int32(3)..<1024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = Self.attributes()
    defer { posix_spawnattr_destroy(&attributes) }
    // How the tests are started, on a terminal or as a service, is not what the program is judged by, and
    // the keyring of who starts them is not for their keys.
    let own = ["CORELOCATION_IN_USE": "assumed", "CORELOCATION_SECRET_SERVICE": "no"]
    let variables = ProcessInfo.processInfo.environment.merging(own) { $1 }
      .merging(environment) { $1 }
    process = try Self.withStrings([path] + arguments) { arguments in
      try Self.withStrings(variables.map { "\($0)=\($1)" }) { environment in
        var process: pid_t = 0
        var code = posix_spawnp(&process, path, &actions, &attributes, arguments, environment)
        // A child that is just starting still holds open what its parent was writing.
        for _ in 0..<500 where code == ETXTBSY {
          usleep(10_000)
          code = posix_spawnp(&process, path, &actions, &attributes, arguments, environment)
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
        return process
      }
    }
    reader = LineReader(ends[0], into: lines)
  }

  deinit {
    end()
  }

  /// Ends the program with all that it has started, and waits until it is gone.
  package func end(with signal: Int32 = SIGKILL) {
    status.withLock { status in
      guard status == nil else { return }
      kill(-process, signal)
      var code: Int32 = 0
      while waitpid(process, &code, 0) < 0, errno == EINTR {}
      status = code
    }
    kill(-process, SIGKILL)
    reader.stop()
  }

  /// Sends it a signal that it goes on after.
  package func signal(_ number: Int32) {
    status.withLock { if $0 == nil { kill(process, number) } }
  }

  /// The number of its process.
  package var pid: Int32 { process }

  /// Asks it to end, as its caretaker would.
  package func terminate() { end(with: SIGTERM) }

  private static func attributes() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    return attributes
  }

  private static func withStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
  ) rethrows -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return try body(pointers + [nil])
  }
}

/// Cuts what comes from a descriptor into lines, on a thread of its own.
///
/// A dispatch source that is canceled at the moment its descriptor hangs up can end the process.
private final class LineReader: Sendable {
  /// Tells the thread to stop, although somebody may still hold the other end. Closed with the last
  /// who knows it.
  private final class Stop: Sendable {
    let reading, writing: Int32

    init() {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { fatalError("no pipe: \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }

    deinit {
      close(reading)
      close(writing)
    }
  }

  private let stopped = Stop()

  init(_ descriptor: Int32, into lines: Events<String>) {
    Thread.detachNewThread { [stopped] in
      Self.read(descriptor, until: stopped.reading, into: lines)
      close(descriptor)
      lines.finish()
    }
  }

  func stop() { _ = write(stopped.writing, [1], 1) }

  private static func read(_ descriptor: Int32, until wake: Int32, into lines: Events<String>) {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var watched = [descriptor, wake].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&watched, 2, -1) > 0 || errno == EINTR else { return }
      guard watched[1].revents == 0 else { return }
      guard watched[0].revents != 0 else { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      rest += buffer[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        lines.add(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeSubrange(...end)
      }
    }
  }
}

/// The programs that are built beside the tests.
package enum BuiltProgram {
  package static func path(_ name: String) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent().appending(path: name).path
  }
}

/// A folder for one test, removed with everything in it; programs in it that nobody waits for any more,
/// such as an app that a daemon has started in a session of its own, are ended.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "meridian-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
    chmod(path, 0o755)
  }

  deinit {
    for process in Self.processes(in: path) { kill(process, SIGKILL) }
    try? FileManager.default.removeItem(atPath: path)
    // Where a state lies in it, its keys lie beside it.
    try? FileManager.default.removeItem(atPath: path + "-key")
  }

  /// The processes whose program lies in a folder, and whose parent has ended.
  private static func processes(in folder: String) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { process in
      let link = "/proc/\(process)/exe"
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      guard program?.hasPrefix(folder + "/") == true else { return false }
      let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      return status?.contains("\nPPid:\t1\n") == true
    }
  }

  package func file(_ name: String) -> String { path + "/" + name }
}

/// Whether a program can be found.
package func isInstalled(_ program: String) -> Bool {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
  return folders.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
}
