import CVirtualTime
import CoreLocation
import Dispatch
import LocationModel

/// An app on a simulated device.
public final class SimulatedApp: Sendable {
  /// The bundle identifier.
  public let identifier: String
  /// The device it runs on.
  public let device: SimulatedDevice
  let client: LocationClient

  init(_ description: ClientDescription, on device: SimulatedDevice) {
    identifier = description.app.name
    self.device = device
    client = LocationClient(
      description, over: device, callbacks: { device.place(callback: $0) })
  }

  /// Runs code as this app: everything that it and its tasks do of Core Location happens on the
  /// device, in virtual time, one thing after the other.
  public func run<Result>(
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    guard await device.line.takeIn() else {
      return try await LocationClient.$bound.withValue(client) { try await body() }
    }
    do {
      let result = try await LocationClient.$bound.withValue(client) { try await body() }
      await device.line.letGo()
      return result
    } catch {
      await device.line.letGo()
      throw error
    }
  }
}

extension SimulatedDevice {
  /// Installs an app and starts it in the foreground.
  ///
  /// `information` is its information property list; without one, it has the usage texts that
  /// every app needs.
  public func app(
    _ identifier: String, information: [String: any Sendable] = SimulatedDevice.usualInformation
  ) -> SimulatedApp {
    let manifest = Manifest(propertyList: information, file: "the test's information")
    let description = ClientDescription(app: AppIdentity(identifier), manifest: manifest)
    return SimulatedApp(description, on: self)
  }

  /// The usage texts that every app needs, and nothing else.
  public static let usualInformation: [String: any Sendable] = [
    "NSLocationWhenInUseUsageDescription": "To show where you are.",
    "NSLocationAlwaysAndWhenInUseUsageDescription": "To tell you when you arrive.",
  ]

  /// Callbacks run where their manager was made: on the main queue, or in line.
  func place(callback: @escaping @Sendable () -> Void) {
    line.add(.call(callback))
  }

  func virtualTask() -> UInt64 { virtual_time_current_task() }
}

extension WorkLine {
  /// Brings the calling task into line: from here on it runs in its turn. False if it does so
  /// already.
  func takeIn() async -> Bool {
    guard WorkLine.current !== self else { return false }
    await withUnsafeContinuation { continuation in add(.call { continuation.resume() }) }
    return true
  }

  /// Gives the calling task back to the platform.
  func letGo() async {
    let task = virtual_time_current_task()
    await withUnsafeContinuation { continuation in
      DispatchQueue.global().async {
        self.release(task)
        continuation.resume()
      }
    }
  }
}
