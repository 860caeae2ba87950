import CVirtualTime
import CoreLocation
import Dispatch
import LocationModel
import Synchronization

/// Which tasks belong to a device's executor, and what they wait for.
extension DeviceExecutor {
  /// The executor whose work this thread runs.
  static var current: DeviceExecutor? {
    virtual_time_current_executor().map {
      Unmanaged<DeviceExecutor>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// The executor that the current task belongs to, on whatever thread it runs.
  static var ofPresentTask: DeviceExecutor? {
    TaskOwners.shared.owner(of: virtual_time_current_task()) ?? current
  }

  /// The executor of the device whose app is bound here.
  private static var ofBoundApp: DeviceExecutor? {
    (LocationClient.bound?.link as? SimulatedDevice)?.executor
  }

  /// Returns the executor that a job belongs to: its task's, else that of the app bound where it
  /// was made, else that of the thread that enqueued it.
  static func owner(of job: UnownedJob) -> DeviceExecutor? {
    let task = virtual_time_task_of_job(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
    if let owner = TaskOwners.shared.owner(of: task) {
      owner.resume(task, by: current === owner ? .device : TaskBook.Resumer.outside)
      return owner
    }
    guard TaskOwners.shared.isNeeded else { return nil }
    let owner = ofBoundApp ?? current
    owner?.adopt(task)
    return owner
  }

  /// The app whose task is calling; `nil` for code of no device.
  static var presentApp: LocationClient? {
    let task = virtual_time_current_task()
    return TaskOwners.shared.owner(of: task)?.state.withLock { $0.apps[task] }
  }

  private func resume(_ task: UInt64, by resumer: TaskBook.Resumer) {
    let now = now()
    state.withLock { $0.book.resumes(task, by: resumer, at: now) }
  }

  /// Records that the device has delivered something to an app.
  func hasDelivered(at now: Instant) { state.withLock { $0.book.lastDelivery = now } }

  private func adopt(_ task: UInt64) {
    guard task != 0 else { return }
    let parent = virtual_time_current_task()
    let app = LocationClient.bound
    let isNew = state.withLock { state in
      state.book.note(task, madeBy: parent)
      state.apps[task] = app ?? state.apps[parent]
      return state.tasks.insert(task).inserted
    }
    if isNew { TaskOwners.shared.set(self, for: task) }
  }

  /// Removes a task, which returns to the platform's threads or has ended.
  func release(_ task: UInt64) {
    let app = state.withLock { state in
      state.tasks.remove(task)
      state.book.forget(task)
      return state.apps.removeValue(forKey: task)
    }
    // It may be the last reference, and asks the device then.
    withExtendedLifetime(app) {}
    TaskOwners.shared.forgetAll(of: [task])
  }

  /// Records that a task has stopped: it has ended, or waits.
  func look(at task: WatchedTask) {
    let now = now()
    let hasEnded = state.withLock { state in
      guard state.tasks.contains(task.number) else {
        task.letGo()
        return false
      }
      return state.book.stops(task, at: now)
    }
    if hasEnded { release(task.number) }
  }

  // MARK: Guests

  /// Moves the calling task, which runs code in `SimulatedApp.run`, to this executor, where it runs in its
  /// turn from here on. Returns the executor it belonged to before.
  func takeIn() async -> DeviceExecutor? {
    let task = virtual_time_current_task()
    let before = TaskOwners.shared.owner(of: task)
    guard before !== self else { return before }
    before?.release(task)
    adopt(task)
    state.withLock { $0.book.comes(task) }
    await comeHere()
    return before
  }

  /// Lets the calling task go on in its turn here, unless it runs as an app of another device.
  func settle() async {
    guard DeviceExecutor.current !== self, (Self.ofBoundApp ?? self) === self else { return }
    let task = virtual_time_current_task()
    let before = TaskOwners.shared.owner(of: task)
    if before !== self { before?.release(task) }
    await comeHere()
  }

  /// Suspends the calling task, and resumes it in its turn.
  ///
  /// A task that is resumed before it has suspended goes on where it is, beside the code of the apps, so the
  /// executor waits until it has. The runtime says so a moment before it is so: then the task tries again. It
  /// tries so often at most, as a task with an executor of its own never comes here.
  private func comeHere() async {
    for _ in 0..<10 where DeviceExecutor.current !== self {
      let task = WatchedTask.holdingCurrent()
      await withUnsafeContinuation { continuation in
        add(
          .call {
            task?.awaitSuspension()
            continuation.resume()
          })
      }
      task?.letGo()
    }
  }

  /// Returns the calling task to the executor it belonged to before, or to the platform.
  func letGo(to before: DeviceExecutor?) async {
    guard before !== self else { return }
    let task = virtual_time_current_task()
    state.withLock { $0.book.leaves(task) }
    if let before {
      _ = await before.takeIn()
      return
    }
    await withUnsafeContinuation { continuation in
      DispatchQueue.global().async {
        self.release(task)
        continuation.resume()
      }
    }
  }

  // MARK: Who is away

  /// Checks again after 2 milliseconds whether a task is away.
  func lookSoon() {
    let isFirst = state.withLock { state in
      defer { state.willLook = true }
      return !state.willLook
    }
    guard isFirst else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) { [self] in
      state.withLock { state in
        state.willLook = false
        state.absence?.looks += 1
      }
      poke()
    }
  }

  /// Returns the task that time has to wait for though the queue is empty, how long it has waited,
  /// and how often it has looked again.
  func absentee() -> (TaskBook.Absentee, waited: Duration, looks: Int)? {
    state.withLock { state in
      guard let absentee = state.book.absentee() else {
        state.absence = nil
        return nil
      }
      let now = ContinuousClock.now
      if state.absence?.of != absentee { state.absence = (absentee, now, 0) }
      return (absentee, now - (state.absence?.since ?? now), state.absence?.looks ?? 0)
    }
  }

  func letPass(_ absentee: TaskBook.Absentee) {
    state.withLock { $0.book.letPass(absentee) }
  }

  func story(of absentee: TaskBook.Absentee) -> String {
    state.withLock { $0.book.story(of: absentee.task) }
  }

  /// Records that the current task waits for something of the device.
  func expect(_ what: String) {
    let task = virtual_time_current_task()
    state.withLock { $0.book.expects(task, what) }
  }

  /// Records, for the device of the current task, that it waits for the time of this one.
  func welcome(_ task: UInt64) {
    guard let home = TaskOwners.shared.owner(of: task), home !== self else { return }
    home.state.withLock { $0.book.goesAbroad(task) }
  }

  /// Returns, once, a description of the task that something real resumed after time had advanced.
  func takeLatecomer() -> String? { state.withLock { $0.book.takeLatecomer() } }

  /// A readable description of a loop whose element is not handled though no work is left.
  var unhandled: String? { state.withLock { $0.book.stuckLoop } }

  /// Readable descriptions of the tasks that wait for a continuation of unknown origin.
  var awaiting: [String] { state.withLock { $0.book.awaiting } }
}

extension DeviceExecutor: ReadingWatch {
  func waits(for what: String) { expect(what) }

  func goesOn() {
    let task = virtual_time_current_task()
    state.withLock { $0.book.expectsNoLonger(task) }
  }

  func noteElement(_ loop: ObjectIdentifier, name: String) {
    let (task, now) = (virtual_time_current_task(), now())
    state.withLock { $0.book.noteElement(loop, name: name, by: task, at: now) }
  }

  func finished(_ loop: ObjectIdentifier) {
    state.withLock { $0.book.finished(loop) }
  }
}
