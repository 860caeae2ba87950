import CLinux
import Dispatch
import Glibc

/// The programs that this process has started.
package enum ChildProcess {
  /// Starts a program as the leader of a session of its own, which is reaped when it has ended; an
  /// errno, or 0.
  package static func start(_ words: [String], _ environment: [String]) -> Int32 {
    var (words, environment) = (SpawnArguments.block(words), SpawnArguments.block(environment))
    var process: Int32 = 0
    let code = linux_spawn(&words, &environment, nil, &process)
    if code == 0 { reapAtItsEnd(process) }
    return code
  }

  /// Takes up the children of the program that this process ran before: a daemon that started over
  /// keeps its number and its children, and has forgotten them.
  package static func adopt() {
    let path = "/proc/self/task/\(getpid())/children"
    guard let bytes = SmallFile.read(path, limit: 1 << 16) else { return }
    let children = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    for child in children.compactMap({ Int32($0) }) { reapAtItsEnd(child) }
  }

  private static func reapAtItsEnd(_ process: Int32) {
    let descriptor = linux_open_process(process)
    guard descriptor >= 0 else {
      // Without a descriptor to spare, a thread waits.
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
