import CoreLocation
import Dispatch
import LocationTesting
import Synchronization
import Testing

@Suite("A standstill")
struct StandstillTests {
  let device = SimulatedDevice(at: QuiescenceTests.berlin)
  let app: SimulatedApp

  init() {
    app = device.app("com.example.standstill")
    device.person(answers: .allowWhileUsing, after: .zero)
  }

  @Test("ends advance when a task blocks its thread, and names the function")
  func blocked() async throws {
    let gate = DispatchSemaphore(value: 0)
    await app.run {
      Task {
        try await Task.sleep(for: .seconds(5))
        Self.block(on: gate)
      }
      let error = await #expect(throws: Standstill.self) {
        try await device.advance(by: .seconds(60), timeout: .milliseconds(300))
      }
      #expect(error?.description.contains("blocked()") == true, "\(error as Any)")
      #expect(error?.since == .seconds(5))
      gate.signal()
    }
  }

  private static func block(on gate: DispatchSemaphore) { gate.wait() }

  @Test("ends advance when an executor of the app's own never runs a task, and says where")
  func foreignExecutor() async throws {
    let keeper = SlowExecutor(delay: nil)
    let actor = SlowActor(on: keeper)
    await app.run {
      Task { await actor.work() }
      let error = await #expect(throws: Standstill.self) {
        try await device.advance(by: .seconds(60), timeout: .milliseconds(300))
      }
      guard case .elsewhere = error?.cause else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(error?.description.contains("foreignExecutor()") == true, "\(error as Any)")
      #expect(error?.since == .zero)
      keeper.runAll()
    }
  }

  @Test("ends advance when others keep the threads that would resume a task busy without end")
  func starvedForEver() async throws {
    let isOver = Atomic(false)
    await app.run {
      for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
        DispatchQueue.global().async { while !isOver.load(ordering: .relaxed) {} }
      }
      Task {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume() }
        }
      }
      let error = await #expect(throws: Standstill.self) {
        try await device.advance(by: .seconds(60), timeout: .milliseconds(300))
      }
      isOver.store(true, ordering: .relaxed)
      guard case .elsewhere(let story) = error?.cause else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(story.contains("starvedForEver()"), "\(story)")
    }
  }

  @Test("is reported when the body of a loop awaits what never comes")
  func strandedBody() async throws {
    let kept = Kept()
    try await app.run {
      let loop = Task {
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
          await withCheckedContinuation { kept.keep($0) }
        }
      }
      let begin = device.date
      let error = await #expect(throws: Standstill.self) {
        try await device.advance(by: .seconds(60))
      }
      guard case .loop(let story) = error?.cause else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(story.contains("live updates") && story.contains("awaits a continuation"))
      #expect(story.contains("strandedBody()"), "\(story)")
      #expect(device.date.timeIntervalSince(begin) == 60)
      loop.cancel()
      kept.resume()
      try await device.advance(by: .seconds(1))
    }
  }

  @Test("ends advance when something real resumes a task too late, and says where it waited")
  func latecomer() async throws {
    let kept = Kept()
    try await app.run {
      Task { await Self.wait(for: kept) }
      try await device.advance(by: .seconds(60))
      onThread { kept.resume() }
      let error = await #expect(throws: Standstill.self) {
        try await device.advance(by: .seconds(60))
      }
      guard case .latecomer(let story) = error?.cause else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(story.contains("from 0.0 seconds on"), "\(story)")
      #expect(story.contains("StandstillTests.(wait"), "\(story)")
      #expect(error?.since == .seconds(60))
    }
  }

  @Test(
    "is distinguished from rest: a device names the functions that wait for something uncertain")
  func awaiting() async throws {
    let kept = Kept()
    try await app.run {
      Task { await Self.wait(for: kept) }
      Task { try await Task.sleep(for: .seconds(7200)) }
      try await device.advance(by: .seconds(3600))
      let awaiting = device.awaiting
      #expect(awaiting.count == 1)
      #expect(awaiting.first?.contains("StandstillTests.(wait") == true, "\(awaiting)")
      kept.resume()
      try await device.advance(by: .seconds(1))
      #expect(device.awaiting == [])
    }
  }

  private static func wait(for kept: Kept) async {
    await withCheckedContinuation { kept.keep($0) }
  }

  @Test("does not come of bodies that sleep, wait for tasks, or wait for the device")
  func patientBodies() async throws {
    try await app.run {
      let answers = Mutex<[Double]>([])
      let begin = device.date
      let note = { @Sendable in
        answers.withLock { $0.append(device.date.timeIntervalSince(begin)) }
      }
      let loop = Task {
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
          try await Task.sleep(for: .seconds(10))
          await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: .seconds(20)) }
          }
          for try await other in CLLocationUpdate.liveUpdates() where other.location != nil {
            break
          }
          note()
        }
      }
      try await device.advance(by: .seconds(100))
      let rounds = answers.withLock { $0 }
      #expect(rounds.count == 3 && rounds.allSatisfy { $0 > 30 }, "\(rounds)")
      loop.cancel()
    }
  }
}

@Suite("What is real and quick")
struct RealWorkTests {
  let device = SimulatedDevice(at: QuiescenceTests.berlin)
  let app: SimulatedApp

  init() {
    app = device.app("com.example.real")
    device.person(answers: .allowWhileUsing, after: .zero)
  }

  @Test("takes no virtual time, whoever does it")
  func noTime() async throws {
    let actor = SlowActor(on: SlowExecutor(delay: .milliseconds(20)))
    try await app.run {
      let begin = device.date
      let (beginnings, delays) = (Log<Double>(), Log<Double>())
      let loop = Task {
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
          beginnings.add(device.date.timeIntervalSince(begin))
          await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
              continuation.resume()
            }
          }
          await actor.work()
          delays.add(device.date.timeIntervalSince(begin))
        }
      }
      try await device.advance(by: .seconds(20))
      #expect(beginnings.values.count == 20)
      #expect(delays.values == beginnings.values)
      loop.cancel()
    }
  }

  @Test("is waited for though others keep the threads of the process busy for seconds")
  func starved() async throws {
    try await app.run {
      let begin = device.date
      let delays = Log<Double>()
      Task {
        for _ in 0..<2 {
          for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
            DispatchQueue.global().async { compute(for: .milliseconds(400)) }
          }
          await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume() }
          }
          delays.add(device.date.timeIntervalSince(begin))
        }
      }
      try await device.advance(by: .seconds(60))
      #expect(delays.values == [0, 0])
    }
  }

  @Test("is waited for once and no more where the device itself resumes")
  func ownContinuations() async throws {
    try await app.run {
      let pipe = AsyncStream<Date>.makeStream()
      let listener = PipingListener(pipe.continuation)
      let manager = CLLocationManager()
      manager.delegate = listener
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      let counter = Counter()
      let loop = Task { for await _ in pipe.stream { await counter.add() } }
      let began = ContinuousClock.now
      try await device.advance(by: .seconds(600))
      #expect(await counter.value >= 598)
      // Six hundred waits would be ten minutes.
      #expect(ContinuousClock.now - began < .seconds(300))
      loop.cancel()
      withExtendedLifetime(listener) {}
    }
  }
}

/// Does something on a thread of its own, as what is real does, and waits for its end.
private func onThread(_ body: @escaping @Sendable () -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    isDone.signal()
  }
  isDone.wait()
}

/// Keeps this thread busy, in real time.
private func compute(for time: Duration) {
  let end = ContinuousClock.now + time
  while ContinuousClock.now < end {}
}

/// Values in the order in which tasks have added them.
final class Log<Value: Sendable>: Sendable {
  private let log = Mutex<[Value]>([])
  var values: [Value] { log.withLock { $0 } }
  func add(_ value: Value) { log.withLock { $0.append(value) } }
}

private final class PipingListener: NSObject, CLLocationManagerDelegate {
  let continuation: AsyncStream<Date>.Continuation

  init(_ continuation: AsyncStream<Date>.Continuation) { self.continuation = continuation }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations { continuation.yield(location.timestamp) }
  }
}

/// Keeps a continuation that nobody resumes by himself.
private final class Kept: Sendable {
  private let continuation = Mutex<CheckedContinuation<Void, Never>?>(nil)

  func keep(_ new: CheckedContinuation<Void, Never>) { continuation.withLock { $0 = new } }
  func resume() { continuation.withLock { $0 }?.resume() }
}

/// Runs jobs on a queue of its own after a real delay; without one, on request.
private final class SlowExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "slow")
  private let delay: DispatchTimeInterval?
  private let kept = Mutex<[UnownedJob]>([])

  init(delay: DispatchTimeInterval?) { self.delay = delay }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let delay else { return kept.withLock { $0.append(job) } }
    queue.asyncAfter(deadline: .now() + delay) { self.run(job) }
  }

  private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }

  func runAll() {
    let jobs = kept.withLock { kept in
      defer { kept = [] }
      return kept
    }
    queue.async { for job in jobs { self.run(job) } }
  }
}

private actor SlowActor {
  private let executor: SlowExecutor
  private var count = 0

  init(on executor: SlowExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func work() { count += 1 }
}
