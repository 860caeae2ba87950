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
final class WorkLine: Sendable {
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

  /// What the line is busy with, as a watchdog sees it.
  struct Activity: Hashable {
    /// Counts the pieces of work begun.
    var number: Int
    /// It was handed to the main queue and did not begin there.
    var waitsForMain: Bool
  }

  private struct State {
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
    var tasks: Set<UInt64> = []
    var sleepers: [Sleeper] = []
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "meridian.device")
  private let whenQuiet: @Sendable () -> Bool
  private let now: @Sendable () -> Instant

  /// `whenQuiet` is asked when no work is left; it says whether it has made some.
  init(now: @escaping @Sendable () -> Instant, whenQuiet: @escaping @Sendable () -> Bool) {
    self.now = now
    self.whenQuiet = whenQuiet
  }

  deinit {
    TaskOwners.shared.forgetAll(of: state.withLock { $0.tasks })
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
          virtual_time_run_job(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
        case .call(let call): call()
        case .mainJob, .mainCall:
          return DispatchQueue.main.async { self.runOnMain(work) }
        }
      }
      guard !whenQuiet() else { continue }
      let isDone = state.withLock { state in
        guard state.next == state.waiting.count else { return false }
        state.isActive = false
        return true
      }
      if isDone { return }
    }
  }

  private func runOnMain(_ work: Work) {
    state.withLock { state in
      state.waitsForMain = false
      state.isOnMain = true
    }
    enter()
    switch work {
    case .mainJob(let job, let executor): job.runSynchronously(on: executor)
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
      return Activity(number: state.begun, waitsForMain: state.waitsForMain)
    }
  }

  // MARK: Owners

  /// The line whose work this thread does.
  static var current: WorkLine? {
    virtual_time_current_line().map { Unmanaged<WorkLine>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The line that a job belongs to: by the thread that made it ready, by its task, or by the app
  /// bound where it was made.
  static func owner(of job: UnownedJob) -> WorkLine? {
    let task = virtual_time_task_of_job(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
    if let line = current {
      line.adopt(task)
      return line
    }
    if let line = TaskOwners.shared.owner(of: task) { return line }
    guard TaskOwners.shared.isNeeded,
      let line = (LocationClient.bound?.link as? SimulatedDevice)?.line
    else { return nil }
    line.adopt(task)
    return line
  }

  private func adopt(_ task: UInt64) {
    let isNew = state.withLock { $0.tasks.insert(task).inserted }
    if isNew { TaskOwners.shared.set(self, for: task) }
  }

  /// The task goes back to the platform's threads.
  func release(_ task: UInt64) {
    _ = state.withLock { $0.tasks.remove(task) }
    TaskOwners.shared.forgetAll(of: [task])
  }

  // MARK: Sleep

  /// A job that waits for virtual time.
  private struct Sleeper: Sendable {
    var deadline: Instant
    var work: Work
  }

  func add(_ job: UnownedJob, after wait: Duration) {
    sleep(until: now() + max(.zero, wait), then: .job(job))
  }

  /// The runtime hands in an absolute time of a real clock; what was asked for lies between the
  /// time that is left and the time since this piece of work began. The roundest is meant.
  func add(_ job: UnownedJob, afterAbout rest: Duration) {
    let elapsed = state.withLock { ContinuousClock.now - $0.jobBeganAt }
    add(job, after: RoundDuration.between(rest, rest + elapsed))
  }

  func sleep(until deadline: Instant, then work: Work) {
    state.withLock { state in
      let sleeper = Sleeper(deadline: deadline, work: work)
      var (low, high) = (0, state.sleepers.count)
      while low < high {
        let middle = (low + high) / 2
        if state.sleepers[middle].deadline > deadline { high = middle } else { low = middle + 1 }
      }
      state.sleepers.insert(sleeper, at: low)
    }
    poke()
  }

  var nextWake: Instant? { state.withLock { $0.sleepers.first?.deadline } }

  /// Puts the sleepers in line whose time has come.
  func wakeSleepers(at now: Instant) {
    while let work = state.withLock({ state -> Work? in
      guard let first = state.sleepers.first, first.deadline <= now else { return nil }
      return state.sleepers.removeFirst().work
    }) {
      add(work)
    }
  }
}
