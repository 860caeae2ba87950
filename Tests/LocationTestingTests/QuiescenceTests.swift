import CoreLocation
import Dispatch
@testable import LocationTesting
import Synchronization
import Testing

/// Runs code in a task that no device knows, from a thread of the platform.
private func apart<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      Task {
        do { continuation.resume(returning: try await body()) } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}

@Suite("Virtual time")
struct QuiescenceTests {
  static let berlin = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)

  /// A loop that does its work in many tasks, on actors and on the main actor.
  private static func busyLoop(into tally: Tally) -> Task<Void, any Error> {
    Task {
      for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<100 {
            group.addTask {
              await tally.add(1)
              await Task.yield()
              if number % 10 == 0 { await MainCounter.shared.add() }
              await tally.add(1)
            }
          }
        }
        Task { await tally.add(1) }
      }
    }
  }

  @Test("does not go on before thousands of tasks are done, on busy cores")
  func stress() async throws {
    // Threads, not tasks: those would keep all of the runtime's threads from the test itself.
    let hogs = Hogs(4)
    defer { hogs.end() }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let device = SimulatedDevice(at: Self.berlin)
          let app = device.app("com.example.stress")
          device.person(answers: .allowWhileUsing, after: .zero)
          return try await app.run {
            let tally = Tally()
            let loop = Self.busyLoop(into: tally)
            for second in 1...30 {
              try await device.advance(by: .seconds(1))
              let count = await tally.value
              #expect(count % 201 == 0, "after \(second) s work was left undone")
            }
            loop.cancel()
            return await tally.value
          }
        }
      }
      var results: Set<Int> = []
      for try await result in group { results.insert(result) }
      #expect(results.count == 1)
      #expect((results.first ?? 0) >= 201 * 28)
    }
  }

  @Test("lets its caller go on in its turn, also where no time passes before it has suspended")
  func callerInTurn() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await apart {
            let device = SimulatedDevice(at: Self.berlin)
            try await device.advance(by: .zero)
            return DeviceExecutor.current === device.executor
          }
        }
      }
      for try await isInTurn in group { #expect(isInTurn) }
    }
  }

  @Test("lets its caller go on in the turn of the device that was advanced last")
  func callerOfTwo() async throws {
    let devices = [SimulatedDevice(at: Self.berlin), SimulatedDevice(at: Self.berlin)]
    for device in devices + devices {
      try await device.advance(by: .seconds(1))
      #expect(DeviceExecutor.current === device.executor)
    }
    let app = devices[0].app("com.example.two")
    try await app.run {
      try await devices[1].advance(by: .seconds(1))
      #expect(DeviceExecutor.current === devices[0].executor)
    }
  }

  @Test("is what Task.sleep sleeps in, wherever it is called")
  func sleep() async throws {
    let device = SimulatedDevice(at: Self.berlin)
    try await device.app("com.example.sleep").run {
      let dates = Mutex<[Double]>([])
      let begin = device.date
      let note = { @Sendable in
        dates.withLock { $0.append(device.date.timeIntervalSince(begin)) }
      }
      Task {
        try await Task.sleep(for: .seconds(3600))
        note()
      }
      Task { @MainActor in
        try await Task.sleep(nanoseconds: 90_000_000_000)
        note()
      }
      Task.detached {
        try await Task.sleep(until: .now + .seconds(7200), clock: .suspending)
        note()
      }
      try await device.advance(by: .seconds(3 * 3600))
      #expect(dates.withLock { $0 } == [90, 3600, 7200])
    }
  }

  @Test("gives the callbacks of a manager made on the main actor to the main actor")
  @MainActor func mainActor() async throws {
    let device = SimulatedDevice(at: Self.berlin)
    device.person(answers: .allowWhileUsing)
    try await device.app("com.example.main").run {
      let listener = MainListener()
      listener.manager.requestWhenInUseAuthorization()
      listener.manager.startUpdatingLocation()
      try await device.advance(by: .seconds(60))
      #expect(listener.count >= 58)
    }
  }
}

actor Tally {
  private(set) var value = 0
  func add(_ number: Int) { value += number }
}

@MainActor final class MainCounter {
  static let shared = MainCounter()
  private var count = 0
  func add() { count += 1 }
}

@MainActor final class MainListener: NSObject, @MainActor CLLocationManagerDelegate {
  let manager = CLLocationManager()
  var count = 0

  override init() {
    super.init()
    manager.delegate = self
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    count += locations.count
  }
}

/// Threads that keep the processors busy.
private final class Hogs: Sendable {
  private let isOver = Atomic(false)

  init(_ count: Int) {
    for _ in 0..<count {
      Thread.detachNewThread { [self] in
        while !isOver.load(ordering: .relaxed) {}
      }
    }
  }

  func end() { isOver.store(true, ordering: .relaxed) }
}
