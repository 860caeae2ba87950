import Foundation
import Glibc

/// A program that this one has started, and what it cost.
final class Child {
  let identifier: pid_t
  /// What it prints.
  let output: Int32
  private var hasEnded = false

  struct Cost {
    /// Seconds of processor time.
    var time: Double
    var status: Int32
  }

  /// Starts a program by its path; standard error goes nowhere.
  init(_ program: String, _ arguments: [String]) throws {
    var pipe: [Int32] = [0, 0]
    guard Glibc.pipe(&pipe) == 0 else { throw MissingPeer(text: "no pipe can be opened") }
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    // A thread of the tasks' blocks signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, program, &actions, &attributes, words, environ)
    close(pipe[1])
    guard code == 0 else { throw MissingPeer(text: "\(program) does not start") }
    identifier = child
    output = pipe[0]
  }

  deinit {
    close(output)
    if !hasEnded { _ = end() }
  }

  /// Reads lines until `take` wants no more or there are none.
  func readLines(_ take: (Substring) -> Bool) { Self.readLines(from: output, take) }

  /// The same, for a thread that has the descriptor only.
  static func readLines(from output: Int32, _ take: (Substring) -> Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var rest: [UInt8] = []
    while true {
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { return }
      rest += buffer[..<count]
      var start = 0
      while let end = rest[start...].firstIndex(of: 10) {
        let line = String(decoding: rest[start..<end], as: UTF8.self)
        start = end + 1
        guard take(line[...]) else { return }
      }
      rest.removeFirst(start)
    }
  }

  /// Processor time of all its threads so far, in seconds.
  var processorTime: Double {
    let folder = "/proc/\(identifier)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.reduce(0) { sum, thread in
      let text = try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
      return sum + (text?.split(separator: " ").first.flatMap { Double($0) } ?? 0) * 1e-9
    }
  }

  /// Ends it with a signal, and waits.
  func end(_ signal: Int32 = SIGTERM) -> Cost {
    kill(identifier, signal)
    return wait()
  }

  /// Waits for its own end.
  func wait() -> Cost {
    var status: Int32 = 0
    var usage = rusage()
    wait4(identifier, &status, 0, &usage)
    hasEnded = true
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    return Cost(time: seconds(usage.ru_utime) + seconds(usage.ru_stime), status: status)
  }
}
