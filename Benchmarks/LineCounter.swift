import Foundation
import Synchronization

/// Counts what a child prints, on a thread of its own.
final class LineCounter: Sendable {
  private struct State {
    var count = 0
    var hasEnded = false
    var waiting: (goal: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  init(of child: Child) {
    let output = dup(child.output)
    let thread = Thread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let length = read(output, &buffer, buffer.count)
        guard length > 0 else { break }
        note(buffer[..<length].count { $0 == UInt8(ascii: "\n") })
      }
      close(output)
      note(nil)
    }
    thread.start()
  }

  var count: Int { state.withLock { $0.count } }

  /// Waits until there are so many lines, or there will never be more.
  func wait(for goal: Int) async throws {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock {
        guard $0.count < goal, !$0.hasEnded else { return true }
        $0.waiting = (goal, continuation)
        return false
      }
      if isDone { continuation.resume() }
    }
    guard goal == .max || count >= goal else {
      throw MissingPeer(text: "a measured program ended after \(count) fixes")
    }
  }

  private func note(_ more: Int?) {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock {
      $0.count += more ?? 0
      if more == nil { $0.hasEnded = true }
      guard let waiting = $0.waiting, $0.count >= waiting.goal || $0.hasEnded else { return nil }
      $0.waiting = nil
      return waiting.continuation
    }
    waiting?.resume()
  }
}

/// Runs work that waits on a thread of its own, so that it holds no thread of the tasks'.
func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Swift.Result { try body() })
    }
  }
}
