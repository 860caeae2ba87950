import CoreLocation
import Testing

@testable import INTULocationManager

@Suite("A location manager with tasks")
@MainActor
struct AsyncTests {
  let desktop = Desktop()
  var manager: INTULocationManager { desktop.manager }
  var positioning: FakePositioning { desktop.positioning }

  /// Starts a request as a task, and waits until it has reached the host.
  func start(
    _ accuracy: INTULocationAccuracy, timeout: Duration?
  ) async -> Task<INTUGradedLocation, any Error> {
    let manager = manager
    let before = positioning.commands.count
    let task = Task { try await manager.location(accuracy: accuracy, timeout: timeout) }
    while positioning.commands.count == before { await desktop.settle() }
    return task
  }

  @Test("INTU-17: returns a location of the desired accuracy")
  func success() async throws {
    let task = await start(.block, timeout: .seconds(10))
    positioning.locate(within: 80)
    let result = try await task.value
    #expect(result.location.horizontalAccuracy == 80)
    #expect(result.achievedAccuracy == .block)
    #expect(!result.isTimedOut)
    #expect(manager.isIdle)
  }

  @Test("INTU-18: returns the best location when time is up, with its grade")
  func timedOut() async throws {
    let task = await start(.room, timeout: .seconds(10))
    positioning.locate(within: 80)
    desktop.clock.run(for: .seconds(10))
    let result = try await task.value
    #expect(result.achievedAccuracy == .block)
    #expect(result.isTimedOut)
  }

  @Test("INTU-18: throws when time is up and there is no location")
  func nothing() async throws {
    let task = await start(.room, timeout: .seconds(10))
    desktop.clock.run(for: .seconds(10))
    let error = await #expect(throws: INTULocationError.self) { try await task.value }
    #expect(error?.status == .timedOut)
  }

  @Test("INTU-23: throws what the services reported")
  func failure() async throws {
    let task = await start(.room, timeout: .seconds(10))
    positioning.send(.failed(CLError(.network)))
    let error = await #expect(throws: INTULocationError.self) { try await task.value }
    #expect(error?.status == .error)
    #expect(error?.underlyingError?.code == .network)
  }

  @Test("an error of another kind is passed on inside")
  func foreignError() async throws {
    let task = await start(.room, timeout: .seconds(10))
    positioning.send(.failed(CocoaError(.fileNoSuchFile)))
    let error = await #expect(throws: INTULocationError.self) { try await task.value }
    let inner = error?.underlyingError?.userInfo[NSUnderlyingErrorKey] as? CocoaError
    #expect(inner?.code == .fileNoSuchFile)
  }

  @Test("canceling a task cancels its request and stops the hardware")
  func cancel() async throws {
    let task = await start(.room, timeout: nil)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await desktop.settle()
    #expect(positioning.commands.last == .stopUpdatingLocation)
    #expect(manager.isIdle)
  }

  @Test("a task canceled before it asks does not wait, and leaves nothing behind")
  func canceledBefore() async throws {
    let manager = manager
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await manager.location(accuracy: .room, timeout: nil)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await desktop.settle()
    #expect(manager.isIdle)
    #expect(positioning.commands.last != .startUpdatingLocation)
  }

  @Test("a thousand tasks that are canceled at any time all end, and the hardware is off")
  func cancelAnytime() async {
    let manager = manager
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<1000 {
        group.addTask {
          _ = try? await manager.location(accuracy: index % 2 == 0 ? .city : .room, timeout: nil)
        }
      }
      group.cancelAll()
    }
    await desktop.settle()
    #expect(manager.isIdle)
    #expect(positioning.commands.last == nil || positioning.commands.last == .stopUpdatingLocation)
  }

  @Test("INTU-29, INTU-30: a sequence has every location and every error, and ends with a no")
  func updates() async {
    let updates = manager.locationUpdates(accuracy: .city)
    await desktop.settle()
    positioning.locate(within: 80)
    positioning.send(.failed(CLError(.network)))
    positioning.locate(within: 3)
    positioning.change(to: .denied)
    var statuses: [INTULocationStatus] = []
    for await update in updates { statuses.append(update.status) }
    #expect(statuses == [.success, .error, .success, .servicesDenied])
    #expect(manager.isIdle)
  }

  @Test("leaving the loop ends the subscription")
  func leaving() async {
    for await update in located(manager.significantLocationChanges()) {
      #expect(update.achievedAccuracy == .block)
      break
    }
    await desktop.settle()
    #expect(positioning.commands == [.startSignificantChanges, .stopSignificantChanges])
    #expect(manager.isIdle)
  }

  /// Says a location as soon as a subscription is made.
  func located(_ updates: AsyncStream<INTULocationUpdate>) -> AsyncStream<INTULocationUpdate> {
    DispatchQueue.main.async { [positioning] in
      MainActor.assumeIsolated { positioning.locate(within: 80) }
    }
    return updates
  }

  @Test("a sequence whose reader is slow keeps the newest 64 elements")
  func bounded() async {
    let updates = manager.locationUpdates()
    await desktop.settle()
    for meters in 1...100 { positioning.locate(within: Double(meters)) }
    positioning.change(to: .denied)
    var meters: [Int] = []
    for await update in updates { meters.append(Int(update.location?.horizontalAccuracy ?? 0)) }
    #expect(meters == Array(38...100) + [0])
  }

  @Test("INTU-36: headings are a sequence, too, that ends when the compass goes")
  func headings() async {
    let headings = manager.headingUpdates()
    await desktop.settle()
    let magnetic = FakeHeading()
    magnetic.north = -1
    positioning.send(.heading(FakeHeading()))
    positioning.send(.heading(magnetic))
    positioning.send(.heading(CLHeading()))
    positioning.headingServices = .unavailable
    positioning.send(.servicesChanged)
    var delivered: [String] = []
    for await update in headings {
      let degrees = update.heading.map { "\($0.magneticHeading) \($0.trueHeading ?? -1)" }
      delivered.append("\(update.status) \(degrees ?? "nothing")")
    }
    #expect(
      delivered == [
        "success 12.0 15.0", "success 12.0 -1.0", "invalid nothing", "unavailable nothing",
      ])
    #expect(positioning.commands == [.startUpdatingHeading, .stopUpdatingHeading])
  }
}
