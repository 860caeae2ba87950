import CoreLocation
import Dispatch
import Synchronization
import Testing

@testable import LocationTesting

/// The real timers that a device sets; none ends by itself.
private final class Timers: Sendable {
  private let numberSet = Mutex(0)
  private let queue = DispatchQueue(label: "timers")
  private let ends: AsyncStream<@Sendable () -> Void>
  private let continuation: AsyncStream<@Sendable () -> Void>.Continuation

  init() { (ends, continuation) = AsyncStream.makeStream() }

  /// How many were set.
  var count: Int { numberSet.withLock { $0 } }

  func device() -> SimulatedDevice {
    DeviceExecutor.$timer.withValue(
      { [self] _, end in
        numberSet.withLock { $0 += 1 }
        // From the device's own thread the test would go on as work of the device.
        queue.async { self.continuation.yield(end) }
      },
      operation: { SimulatedDevice(at: SimulatedDeviceTests.berlin) })
  }

  /// Waits until a timer is set, and returns what ends it.
  func next() async -> @Sendable () -> Void {
    for await end in ends { return end }
    return {}
  }

  /// Ends timers until the device says something; returns it.
  func message(of device: SimulatedDevice) async -> String {
    for await end in ends {
      end()
      if let message = device.messages.first { return message }
    }
    return ""
  }
}

@Suite("A forgotten advance", .timeLimit(.minutes(1)))
struct ForgottenAdvanceTests {
  private let timers = Timers()
  private let device: SimulatedDevice
  private let app: SimulatedApp

  init() {
    device = timers.device()
    app = device.app("com.example.forgetful")
    app.setPermission(.whileUsing)
  }

  private static func firstUpdate() async throws {
    for try await update in CLLocationUpdate.liveUpdates() where update.location != nil { return }
  }

  @Test("SIM-31: is said, with what is awaited, where, and the next step")
  func update() async throws {
    let body = Task { [app] in try await app.run { try await Self.firstUpdate() } }
    let message = await timers.message(of: device)
    #expect(message.contains("SimulatedApp.run awaits live updates, in "), "\(message)")
    #expect(message.contains("ForgottenAdvanceTests.(firstUpdate"), "\(message)")
    #expect(message.hasSuffix("and call device.advance(by:)"), "\(message)")
    try await device.advance(by: .seconds(10))
    try await body.value
    #expect(device.messages == [message])
  }

  @Test("SIM-31: is said of a sleep, also in a task that the code awaits")
  func sleep() async throws {
    let body = Task { [app] in
      try await app.run {
        try await Task { try await Task.sleep(for: .seconds(5)) }.value
      }
    }
    let message = await timers.message(of: device)
    #expect(message.contains("awaits a sleep"), "\(message)")
    try await device.advance(by: .seconds(10))
    try await body.value
  }

  @Test("SIM-31: is said of a continuation that a callback resumes, with the function")
  func callback() async throws {
    let body = Task { @MainActor [app] in
      await app.run { await Locator().place() }
    }
    let message = await timers.message(of: device)
    #expect(message.contains("awaits a continuation"), "\(message)")
    #expect(message.contains(".place()"), "\(message)")
    try await device.advance(by: .seconds(60))
    #expect(await body.value != nil)
  }

  @Test("SIM-31: is not said where another task advances the device")
  func otherTask() async throws {
    let body = Task { [app] in try await app.run { try await Self.firstUpdate() } }
    let end = await timers.next()
    try await device.advance(by: .seconds(10))
    try await body.value
    end()
    #expect(device.messages == [])
  }

  @Test("SIM-31: is not thought of while the code advances the device, or another one")
  func otherDevice() async throws {
    let other = timers.device()
    try await app.run {
      let loop = Task { try await Self.firstUpdate() }
      try await device.advance(by: .seconds(10))
      try await other.advance(by: .seconds(60))
      try await loop.value
    }
    #expect(timers.count == 0)
  }
}

/// Asks for one location, as apps do that make Core Location asynchronous.
@MainActor private final class Locator: NSObject, @MainActor CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private var continuation: CheckedContinuation<CLLocation?, Never>?

  func place() async -> CLLocation? {
    manager.delegate = self
    manager.requestLocation()
    return await withCheckedContinuation { continuation = $0 }
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    end(with: locations.last)
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    end(with: nil)
  }

  private func end(with location: CLLocation?) {
    continuation?.resume(returning: location)
    continuation = nil
  }
}
