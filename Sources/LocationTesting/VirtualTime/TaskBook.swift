import CVirtualTime
import LocationModel

/// The state of a device's tasks between two of their jobs: which are away, and what they wait for.
///
/// Time may advance when every task waits for something of the device: a delivery, a later time,
/// another task. Time always waits for a task that runs on an executor of its own. A task that
/// waits for a continuation may be resumed by the device, in which case time must advance, or by
/// something real, in which case it must not. `AwaitedPlaces` remembers which it was.
struct TaskBook: Sendable {
  /// A task that has not ended.
  private struct Entry: Sendable {
    var task: WatchedTask
    /// When it last suspended.
    var since: Instant
    /// Where it waits for a continuation, once that was looked up.
    var place: AwaitedPlaces.Place?
  }

  /// A loop whose body is handling an element.
  private struct Loop: Sendable {
    var name: String
    var task: UInt64
    var since: Instant
  }

  /// A task that time may have to wait for.
  struct Absentee: Hashable, Sendable {
    enum Reason: Hashable, Sendable {
      /// Runs on an executor of its own.
      case elsewhere
      /// It is unknown who will resume it.
      case continuation
    }

    var task: UInt64
    var reason: Reason
  }

  /// Who resumes a task that waited for a continuation.
  enum Resumer: Sendable {
    case device
    /// A task that does not belong to the device: the test's own.
    case test
    /// A thread that runs no task: something real.
    case thread

    /// The current thread or task, which is outside the device.
    static var outside: Resumer { virtual_time_current_task() == 0 ? .thread : .test }
  }

  private var entries: [UInt64: Entry] = [:]
  private var parents: [UInt64: UInt64] = [:]
  /// Tasks that the device itself will resume, with what they wait for.
  private var expected: [UInt64: String] = [:]
  /// Tasks that run code in `SimulatedApp.run`.
  private var guests: Set<UInt64> = []
  /// Tasks that wait for the time of another device.
  private var abroad: Set<UInt64> = []
  /// Tasks that have suspended and were not checked yet.
  private var unsettled: [UInt64] = []
  private var loops: [ObjectIdentifier: Loop] = [:]
  /// A description of the first task that something real resumed after time had advanced.
  private var latecomer: String?
  /// When the device last delivered something to an app.
  var lastDelivery = Instant.start

  // MARK: Tasks

  /// Records that a task was made by another.
  mutating func note(_ task: UInt64, madeBy parent: UInt64) {
    if parent != 0, parent != task { parents[task] = parent }
  }

  mutating func begins(_ task: UInt64) {
    expected[task] = nil
    abroad.remove(task)
    entries[task]?.place = nil
  }

  /// Records that a task has suspended or ended; returns whether it has ended.
  mutating func stops(_ task: WatchedTask, at now: Instant) -> Bool {
    guard task.wait != .ended else {
      forget(task.number)
      task.letGo()
      return true
    }
    if entries.updateValue(Entry(task: task, since: now), forKey: task.number) != nil {
      task.letGo()
    }
    if expected[task.number] == nil { unsettled.append(task.number) }
    return false
  }

  /// Removes a task.
  mutating func forget(_ number: UInt64) {
    entries.removeValue(forKey: number)?.task.letGo()
    parents[number] = nil
    expected[number] = nil
    guests.remove(number)
    abroad.remove(number)
  }

  mutating func forgetAll() {
    for entry in entries.values { entry.task.letGo() }
    entries = [:]
  }

  mutating func expects(_ task: UInt64, _ what: String) { expected[task] = what }
  mutating func expectsNoLonger(_ task: UInt64) { expected[task] = nil }

  mutating func comes(_ guest: UInt64) { guests.insert(guest) }
  mutating func leaves(_ guest: UInt64) { guests.remove(guest) }
  mutating func goesAbroad(_ task: UInt64) { abroad.insert(task) }

  mutating func resumes(_ number: UInt64, by resumer: Resumer, at now: Instant) {
    guard let entry = entries[number], let place = entry.place else { return }
    entries[number]?.place = nil
    AwaitedPlaces.shared.learn(place, byDevice: resumer == .device)
    // A thread may resume the task for something delivered at this very instant: that is in time.
    guard resumer == .thread, now > max(entry.since, lastDelivery), latecomer == nil else { return }
    let loop = loops.values.filter { $0.task == number }.min { $0.since < $1.since }
    let who = loop.map { "the body of a loop over \($0.name)" } ?? "a task"
    latecomer =
      "\(who) waited for something that is not of the device from \(entry.since - .start) on: "
      + entry.task.story
  }

  // MARK: Loops

  mutating func noteElement(
    _ loop: ObjectIdentifier, name: String, by task: UInt64, at now: Instant
  ) {
    loops[loop] = Loop(name: name, task: task, since: now)
  }

  mutating func finished(_ loop: ObjectIdentifier) { loops[loop] = nil }

  // MARK: Inspection

  /// Returns a task that is away; called when no work is left.
  mutating func absentee() -> Absentee? {
    while let number = unsettled.last {
      if expected[number] == nil, let entry = entries[number] {
        switch entry.task.wait {
        case .ended: forget(number)
        case .otherTask: break
        case .elsewhere: return Absentee(task: number, reason: .elsewhere)
        case .continuation:
          let place = entry.place ?? entry.task.functions
          entries[number]?.place = place
          if AwaitedPlaces.shared.isWorthWaiting(place) {
            return Absentee(task: number, reason: .continuation)
          }
        }
      }
      unsettled.removeLast()
    }
    return nil
  }

  /// Stops waiting for a task.
  mutating func letPass(_ absentee: Absentee) {
    unsettled.removeAll { $0 == absentee.task }
    if let place = entries[absentee.task]?.place { AwaitedPlaces.shared.giveUp(place) }
  }

  /// Returns a readable description of what a task is doing.
  func story(of task: UInt64) -> String { entries[task]?.task.story ?? "task \(task)" }

  mutating func takeLatecomer() -> String? {
    defer { latecomer = nil }
    return latecomer
  }

  /// Readable descriptions of the tasks that wait for a continuation of unknown origin.
  var awaiting: [String] {
    entries.sorted { $0.key < $1.key }.map(\.value.task)
      .filter { $0.wait == .continuation && expected[$0.number] == nil }.map(\.story)
  }

  /// A readable description of a loop whose body does not return.
  var stuckLoop: String? {
    let stuck = loops.values.sorted { ($0.since, $0.task) < ($1.since, $1.task) }.lazy
      .compactMap { loop in culprit(of: loop.task).map { (loop, $0) } }.first
    guard let (loop, culprit) = stuck else { return nil }
    return "the body of a loop over \(loop.name) began at \(loop.since - .start) and has not "
      + "come back: \(culprit.story)"
  }

  /// The tasks that a task has made, in their order.
  private func children(of number: UInt64) -> [UInt64] {
    parents.filter { $0.value == number }.keys.sorted()
  }

  /// Returns the task that blocks a task: itself, or one that it made.
  private func culprit(of number: UInt64) -> WatchedTask? {
    guard let entry = entries[number], expected[number] == nil else { return nil }
    switch entry.task.wait {
    case .ended: return nil
    case .continuation, .elsewhere: return entry.task
    case .otherTask:
      let children = children(of: number)
      guard children.allSatisfy({ expected[$0] == nil }) else { return nil }
      return children.lazy.compactMap { culprit(of: $0) }.first
    }
  }
}

// MARK: Tasks that wait for time

extension TaskBook {
  /// A task without which the code in `SimulatedApp.run` does not go on, and which waits for the device or
  /// for a continuation; `nil` where there is none, or where something else runs.
  var strandedTask: UInt64? { guests.sorted().lazy.compactMap { waiter(of: $0) }.first }

  /// Returns the task that waits where this one does: itself, or one that it made.
  private func waiter(of number: UInt64) -> UInt64? {
    if expected[number] != nil { return number }
    guard let entry = entries[number], !abroad.contains(number) else { return nil }
    switch entry.task.wait {
    case .ended, .elsewhere: return nil
    case .continuation: return number
    case .otherTask:
      let children = children(of: number)
      let isBusy = children.contains { child in
        if case .elsewhere = entries[child]?.task.wait { expected[child] == nil } else { false }
      }
      return isBusy ? nil : children.lazy.compactMap { waiter(of: $0) }.first
    }
  }

  /// Returns a readable description of what a task awaits, and where in the code.
  func wish(of task: UInt64) -> String {
    let what = expected[task] ?? "a continuation, which the device or something real resumes"
    // A delivery is awaited some ten functions deep in Core Location.
    let place = entries[task].flatMap { WatchedTask.place($0.task.functions(atMost: 32)) }
    return place.map { "\(what), in \($0)" } ?? what
  }
}
