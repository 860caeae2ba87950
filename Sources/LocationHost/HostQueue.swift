package import Dispatch
package import LocationModel

/// The one queue on which the host runs; the executor of its actor.
///
/// Dispatch sources for descriptors and timers fire on it and enter the actor with `onQueue`.
package final class HostQueue: SerialExecutor {
  package let queue: DispatchQueue

  package init(label: String) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
  }

  /// Runs `body` after everything posted before, and waits until it has called its argument, at most
  /// a second (LIFE-12).
  ///
  /// - Parameter body: calls its argument, from any thread, when its work outlasts the process.
  /// - Returns: whether that was in time.
  func postAndWait(
    _ body: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
  ) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    queue.async { body { semaphore.signal() } }
    return semaphore.wait(timeout: .now() + Self.longestWait) == .success
  }

  /// Chosen: a disk or a daemon that needs longer is at fault, and the caller is a person's app.
  private static let longestWait = DispatchTimeInterval.seconds(1)

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The job may end the actor that has this executor, which must outlast what ends with the actor.
    queue.async {
      withExtendedLifetime(self) { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}

/// An actor that runs on a host's queue.
package protocol QueueActor: Actor {
  nonisolated var executor: HostQueue { get }
}

extension QueueActor {
  /// The queue of the actor's executor.
  nonisolated package var queue: DispatchQueue { executor.queue }

  /// Runs `body` on the actor's queue, after everything posted before.
  nonisolated package func enter(_ body: @escaping @Sendable (isolated Self) -> Void) {
    queue.async { self.onQueue { body($0) } }
  }

  /// Runs `body` on the actor's queue at a time, or soon if that has passed, while the actor exists.
  nonisolated package func enter(
    at due: Instant, _ body: @escaping @Sendable (isolated Self) -> Void
  ) {
    let wait = max(0, (due - HostClock.now.uptime).wholeNanoseconds)
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(wait))) { [weak self] in
      self?.onQueue { body($0) }
    }
  }

  /// Runs a part of the actor for a caller that is already on its queue; traps anywhere else.
  ///
  /// Works like `assumeIsolated`, which asks the runtime for the executor of a thread without a
  /// task: with cold caches, the longest single delay in the path of a fix (docs/decisions/0004).
  nonisolated package func onQueue<Result: Sendable>(
    _ body: (isolated Self) throws -> Result
  ) rethrows -> Result {
    dispatchPrecondition(condition: .onQueue(queue))
    return try withoutActuallyEscaping(body) { body in
      try unsafeBitCast(body, to: ((Self) throws -> Result).self)(self)
    }
  }
}
