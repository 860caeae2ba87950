import LocationModel
import Synchronization

/// Work that waits for virtual time.
extension DeviceExecutor {
  /// A job that waits for virtual time.
  struct Sleeper: Sendable {
    var deadline: Instant
    var work: Work
  }

  /// Queues a job after a delay; the current task, or the task that waits for the job, sleeps.
  func add(_ job: UnownedJob, after wait: Duration) {
    expect("a sleep")
    sleep(until: now() + max(.zero, wait), then: .job(job))
  }

  /// Queues a job after about `rest`. The runtime passes an absolute time of a real clock; the
  /// requested delay lies between the time left and the time since this piece of work began. The
  /// roundest duration in that range is taken.
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

  /// Queues the work of the sleepers whose deadline has passed.
  func wakeSleepers(at now: Instant) {
    while let work = state.withLock({ state -> Work? in
      guard let first = state.sleepers.first, first.deadline <= now else { return nil }
      return state.sleepers.removeFirst().work
    }) {
      add(work)
    }
  }
}
