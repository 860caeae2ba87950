import CLinux
import Dispatch
import Glibc
import LocationHost

/// The programs that this process has started.
enum ChildProcess {
  /// Starts a program as the leader of its own session, and reaps it when it has ended; returns an
  /// errno, or 0.
  static func start(_ words: [String], _ environment: [String]) -> Int32 {
    var (words, environment) = (SpawnArguments.block(words), SpawnArguments.block(environment))
    var process: Int32 = 0
    let code = linux_spawn(&words, &environment, nil, &process)
    if code == 0 { reapAtItsEnd(process) }
    return code
  }

  /// Adopts the children of the previous program of this process: a daemon that restarts keeps its
  /// process number and its children, but has lost its records of them.
  static func adopt() {
    let path = "/proc/self/task/\(getpid())/children"
    guard let bytes = SmallFile.read(path, limit: 1 << 16) else { return }
    let children = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    for child in children.compactMap({ Int32($0) }) { reapAtItsEnd(child) }
  }

  private static func reapAtItsEnd(_ process: Int32) {
    let descriptor = linux_open_process(process)
    guard descriptor >= 0 else {
      // Without a free descriptor, a thread waits for the child.
      return DispatchQueue.global().async { _ = linux_reap(process) }
    }
    let end = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    end.setEventHandler {
      _ = linux_reap(process)
      end.cancel()
    }
    end.setCancelHandler { close(descriptor) }
    end.activate()
  }
}
