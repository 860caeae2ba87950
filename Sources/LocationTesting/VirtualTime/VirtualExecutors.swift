@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
import CVirtualTime
import Dispatch

// How virtual time intercepts work: docs/decisions/0012-virtual-time.md.

/// Replaces the runtime's executors before the process begins.
@_cdecl("virtual_time_install")
func installVirtualExecutors() {
  _createExecutors(factory: VirtualExecutors.self)
}

/// The platform's executors, which first look for the simulated device that a job belongs to.
private struct VirtualExecutors: ExecutorFactory {
  static let mainExecutor: any MainExecutor = DoorToMainExecutor()
  static let defaultExecutor: any TaskExecutor = DoorToGlobalExecutor()
}

/// Sends the jobs of a device to that device's executor, and all others to the platform.
private final class DoorToGlobalExecutor: TaskExecutor, SchedulingExecutor {
  private let platform = PlatformExecutorFactory.defaultExecutor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let owner = DeviceExecutor.owner(of: job) else { return platform.enqueue(job) }
    owner.add(.job(job))
  }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
  ) {
    guard let owner = DeviceExecutor.ofPresentTask,
      let wait = clock.now.duration(to: instant) as? Duration
    else {
      guard let platform = platform as? any SchedulingExecutor else { return enqueue(job) }
      return platform.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
    }
    owner.add(UnownedJob(job), afterAbout: wait)
  }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
  ) {
    guard let owner = DeviceExecutor.ofPresentTask, let wait = delay as? Duration else {
      guard let platform = platform as? any SchedulingExecutor else { return enqueue(job) }
      return platform.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
    }
    owner.add(UnownedJob(job), after: wait)
  }
}

/// The main executor: the main queue; the jobs of a device reach it through the device's executor.
private final class DoorToMainExecutor: MainExecutor {
  private let platform = PlatformExecutorFactory.mainExecutor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    guard let owner = DeviceExecutor.owner(of: job) else {
      return DispatchQueue.main.async { job.runSynchronously(on: executor) }
    }
    owner.add(.mainJob(job, executor))
  }

  var isMainExecutor: Bool { true }
  func checkIsolated() { dispatchPrecondition(condition: .onQueue(.main)) }
  func run() throws { try platform.run() }
  func runUntil(_ condition: () -> Bool) throws { try platform.runUntil(condition) }
  func stop() { platform.stop() }
}
