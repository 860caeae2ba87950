package import Dispatch

/// The one queue on which the host acts; the executor of its actor.
///
/// Dispatch sources for descriptors and timers fire on it and enter the actor with
/// `assumeIsolated`, so nothing needs an unchecked conformance.
package final class HostQueue: SerialExecutor {
  package let queue: DispatchQueue

  package init(label: String) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
