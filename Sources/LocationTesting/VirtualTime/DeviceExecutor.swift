import CVirtualTime
import CoreLocation
import Dispatch
import LocationModel
import Synchronization

/// Executor of all code of one device: one piece of work at a time, in order of arrival.
///
/// The jobs of tasks that belong to the device run here instead of on the platform's threads. When
/// the queue is empty, `whenQuiet` may advance time, which makes new work. That is what makes
/// virtual time exact: it advances only when there is nothing left to run.
final class DeviceExecutor: Sendable {
  /// One piece of work.
  enum Work: Sendable {
    case job(UnownedJob)
    /// Runs on the main queue, while the executor waits.
    case mainJob(UnownedJob, UnownedSerialExecutor)
    case call(@Sendable () -> Void)
    case mainCall(@Sendable () -> Void)

    var needsMain: Bool {
      switch self {
      case .mainJob, .mainCall: true
      case .job, .call: false
      }
    }
  }

  /// The result of `whenQuiet`, which is called when the queue is empty.
  enum Quiet {
    /// There is more work.
    case working
    /// No more work is wanted.
    case resting
    /// A task is away (see `TaskBook.Absentee`): call `whenQuiet` again soon.
    case waiting
  }

  /// What the executor is doing, for the watchdog.
  struct Activity: Hashable {
    /// The number of pieces of work begun.
    var number: Int
    /// The work was handed to the main queue and did not begin there.
    var waitsForMain: Bool
    /// The functions where the task was resumed, innermost first; empty for a callback.
    var place: [UInt]
  }

  struct State {
    var waiting: [Work] = []
    /// The index of the first element of `waiting` that was not taken yet.
    var next = 0
    /// The queue is being drained.
    var isActive = false
    var begun = 0
    var waitsForMain = false
    /// The current work runs on the main queue.
    var isOnMain = false
    var jobBeganAt = ContinuousClock.now
    /// The functions where the current task was resumed, innermost first.
    var place: [UInt] = []
    /// The task that the executor waits for though the queue is empty, and since when.
    var absence: (of: TaskBook.Absentee, since: ContinuousClock.Instant, looks: Int)?
    /// The executor is scheduled to check again whether a task is away.
    var willLook = false
    /// The executor is scheduled to check whether a call of `advance` is forgotten.
    var willRemind = false
    var book = TaskBook()
    var tasks: Set<UInt64> = []
    /// The apps that have made them.
    var apps: [UInt64: LocationClient] = [:]
    var sleepers: [Sleeper] = []
  }

  let state = Mutex(State())
  private let queue = DispatchQueue(label: "meridian.device")
  private let whenQuiet: @Sendable () -> Quiet
  let now: @Sendable () -> Instant
  let realTimer = DeviceExecutor.timer

  /// Makes an executor that calls `whenQuiet` when no work is left.
  init(now: @escaping @Sendable () -> Instant, whenQuiet: @escaping @Sendable () -> Quiet) {
    self.now = now
    self.whenQuiet = whenQuiet
  }

  deinit {
    let tasks = state.withLock { state in
      state.book.forgetAll()
      return state.tasks
    }
    TaskOwners.shared.forgetAll(of: tasks)
  }

  // MARK: Work

  func add(_ work: Work) {
    let mustBegin = state.withLock { state in
      state.waiting.append(work)
      defer { state.isActive = true }
      return !state.isActive
    }
    if mustBegin { queue.async { self.drain() } }
  }

  /// Calls `whenQuiet` again, because something outside has changed.
  func poke() { add(.call {}) }

  private func take() -> Work? {
    state.withLock { state in
      guard state.next < state.waiting.count else { return nil }
      let work = state.waiting[state.next]
      state.next += 1
      if state.next == state.waiting.count {
        state.waiting.removeAll(keepingCapacity: true)
        state.next = 0
      }
      state.begun += 1
      state.jobBeganAt = .now
      state.waitsForMain = work.needsMain
      return work
    }
  }

  /// Runs the queued work here, until none is left or the next piece needs the main queue.
  private func drain() {
    enter()
    defer { leave() }
    while true {
      while let work = take() {
        switch work {
        case .job(let job):
          run(job) { virtual_time_run_job(unsafeBitCast(job, to: UnsafeMutableRawPointer.self)) }
        case .call(let call): call()
        case .mainJob, .mainCall:
          return DispatchQueue.main.async { self.runOnMain(work) }
        }
      }
      let quiet = whenQuiet()
      if case .working = quiet { continue }
      let isDone = state.withLock { state in
        guard state.next == state.waiting.count else { return false }
        state.isActive = false
        return true
      }
      guard isDone else { continue }
      if case .waiting = quiet { lookSoon() }
      return
    }
  }

  /// Runs a job of a task, then records what the task waits for.
  private func run(_ job: UnownedJob, _ run: () -> Void) {
    let task = WatchedTask(holding: job)
    state.withLock { state in
      state.place = task?.functions ?? []
      if let task { state.book.begins(task.number) }
    }
    run()
    state.withLock { $0.place = [] }
    if let task { look(at: task) }
  }

  private func runOnMain(_ work: Work) {
    state.withLock { state in
      state.waitsForMain = false
      state.isOnMain = true
    }
    enter()
    switch work {
    case .mainJob(let job, let executor): run(job) { job.runSynchronously(on: executor) }
    case .mainCall(let call): call()
    case .job, .call: break
    }
    leave()
    state.withLock { $0.isOnMain = false }
    queue.async { self.drain() }
  }

  /// Where the callbacks of a manager that is made here run: on the main queue if it is made there,
  /// else on this executor (MODEL-4).
  var callbackRunner: LocationClient.CallbackRunner {
    let isOnMain = Thread.isMainThread || (Self.current === self && state.withLock { $0.isOnMain })
    let app = LocationClient.ofTest
    return { [self] callback in
      // What a callback begins belongs to its app, as do the tasks that it makes.
      let call: @Sendable () -> Void = { LocationClient.$bound.withValue(app) { callback() } }
      add(isOnMain ? .mainCall(call) : .call(call))
    }
  }

  private func enter() {
    virtual_time_set_current_executor(Unmanaged.passUnretained(self).toOpaque())
  }

  private func leave() {
    virtual_time_set_current_executor(nil)
  }

  var activity: Activity? {
    state.withLock { state in
      guard state.isActive else { return nil }
      return Activity(
        number: state.begun, waitsForMain: state.waitsForMain, place: state.place)
    }
  }
}
