import CVirtualTime
import CoreLocation
import Dispatch
import LocationModel
import Synchronization

/// Everything that the code of one device has to do, one piece at a time, in the order in which
/// it came.
///
/// Work comes from tasks that belong to the device: their jobs are led here instead of to the
/// platform's threads. When nothing waits any more, `whenQuiet` may let time pass and so make new
/// work. That is what makes virtual time exact: it moves only when nobody has anything to do.
final class DeviceExecutor: Sendable {
  /// One piece of work.
  enum Work: Sendable {
    case job(UnownedJob)
    /// To be run on the main queue, while the line waits.
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

  /// What came of asking for more work when none was left.
  enum Quiet {
    /// There is more.
    case working
    /// Nothing is wanted.
    case resting
    /// Somebody is away: ask again soon.
    case waiting
  }

  /// What the line is busy with, as a watchdog sees it.
  struct Activity: Hashable {
    /// Counts the pieces of work begun.
    var number: Int
    /// It was handed to the main queue and did not begin there.
    var waitsForMain: Bool
    /// The functions that went on, innermost first; empty for a callback.
    var place: [UInt]
  }

  struct State {
    var waiting: [Work] = []
    /// The first of `waiting` that was not taken yet.
    var next = 0
    /// Somebody drains the line.
    var isActive = false
    var begun = 0
    var waitsForMain = false
    /// The work under way runs on the main queue.
    var isOnMain = false
    var jobBeganAt = ContinuousClock.now
    /// Where the task under way went on, innermost first.
    var place: [UInt] = []
    /// Whom the line waits for though it is empty, and since when.
    var absence: (of: TaskBook.Absentee, since: ContinuousClock.Instant, looks: Int)?
    /// The line will look again whether somebody is away.
    var willLook = false
    var book = TaskBook()
    var tasks: Set<UInt64> = []
    var sleepers: [Sleeper] = []
  }

  let state = Mutex(State())
  private let queue = DispatchQueue(label: "meridian.device")
  private let whenQuiet: @Sendable () -> Quiet
  let now: @Sendable () -> Instant

  /// `whenQuiet` is asked when no work is left.
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

  /// Asks `whenQuiet` again: something outside has changed.
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

  /// Runs what waits, here; ends when nothing is left or the main queue must go on.
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

  /// Runs a piece of a task, and looks afterwards what the task waits for.
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

  /// Where the callbacks of a manager run that is made here: on the main queue if this is it,
  /// else in line (MODEL-4).
  var callbackRunner: LocationClient.CallbackRunner {
    let isOnMain = Thread.isMainThread || (Self.current === self && state.withLock { $0.isOnMain })
    return { [self] callback in add(isOnMain ? .mainCall(callback) : .call(callback)) }
  }

  private func enter() {
    virtual_time_set_current_line(Unmanaged.passUnretained(self).toOpaque())
  }

  private func leave() {
    virtual_time_set_current_line(nil)
  }

  var activity: Activity? {
    state.withLock { state in
      guard state.isActive else { return nil }
      return Activity(
        number: state.begun, waitsForMain: state.waitsForMain, place: state.place)
    }
  }
}
