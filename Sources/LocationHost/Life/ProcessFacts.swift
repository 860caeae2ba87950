import CLinux
import Glibc

/// One process for as long as it lives: its number may be given to another one afterwards.
package struct ProcessMark: Hashable, Sendable {
  package var pid: Int32
  /// The start time of the process, in ticks of the kernel since boot.
  package var start: UInt64

  package init(pid: Int32, start: UInt64) {
    (self.pid, self.start) = (pid, start)
  }
}

/// The state, parent, group, session, and terminal of a process, from `/proc/PID/stat`.
package struct ProcessFacts: Hashable, Sendable {
  package var mark: ProcessMark
  /// Whether a signal has stopped it, as the shell does on Control-Z.
  package var isStopped: Bool
  /// The parent's number; 0 if it cannot be seen.
  package var parent: Int32
  package var group: Int32
  package var session: Int32
  /// The device number of its controlling terminal; 0 for none.
  package var terminal: Int32
  /// The process group in the foreground of that terminal; -1 for none.
  package var foreground: Int32

  package var pid: Int32 { mark.pid }

  /// Parses the text of `/proc/PID/stat`; `nil` if it is not one.
  package init?(_ text: String) {
    // The name of the program may contain any character, even parentheses.
    guard let name = text.lastIndex(of: ")"), let pid = Int32(text.prefix { $0 != " " }) else {
      return nil
    }
    let words = text[text.index(after: name)...].split(separator: " ")
    guard words.count > Self.startWord, let start = UInt64(words[Self.startWord]) else {
      return nil
    }
    let numbers = words[1...5].compactMap { Int32($0) }
    guard numbers.count == 5 else { return nil }
    mark = ProcessMark(pid: pid, start: start)
    isStopped = words[0] == "T"
    (parent, group, session) = (numbers[0], numbers[1], numbers[2])
    (terminal, foreground) = (numbers[3], numbers[4])
  }

  /// The index of the start time, counted from the word after the name.
  private static let startWord = 19
}

/// Queries about the processes of a machine.
package protocol ProcessTable: Sendable {
  /// Returns the facts of a process; `nil` if there is no such process.
  func facts(of pid: Int32) -> ProcessFacts?
  /// Returns the user whose rights a process has; `nil` if there is no such process.
  func user(of pid: Int32) -> UInt32?
  /// Returns the path of its program; `nil` if that may not be seen.
  func program(of pid: Int32) -> String?
  /// Returns its control group, such as `/user.slice/…/app-boat.scope`; `nil` if it has none.
  func controlGroup(of pid: Int32) -> String?
}

/// The processes of this machine, from `/proc`.
package struct RunningProcesses: ProcessTable {
  package init() {}

  package func facts(of pid: Int32) -> ProcessFacts? {
    guard let bytes = SmallFile.read("/proc/\(pid)/stat", limit: 4096) else { return nil }
    return ProcessFacts(String(decoding: bytes, as: UTF8.self))
  }

  package func user(of pid: Int32) -> UInt32? { Self.status(of: pid)?.user }

  package func program(of pid: Int32) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/\(pid)/exe", &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package func controlGroup(of pid: Int32) -> String? {
    guard let bytes = SmallFile.read("/proc/\(pid)/cgroup", limit: 1 << 16) else { return nil }
    return ControlGroup.path(in: String(decoding: bytes, as: UTF8.self))
  }

  /// Returns the user of a process, and the process that traces it, 0 for none.
  package static func status(of pid: Int32) -> (user: UInt32, tracer: Int32)? {
    var (user, tracer): (UInt32, Int32) = (0, 0)
    return linux_process_status(pid, &user, &tracer) == 0 ? (user, tracer) : nil
  }

  /// The numbers of all processes; bounded, in no order.
  package static var numbers: [Int32] {
    SmallFile.names(in: "/proc").compactMap { Int32($0) }
  }
}
