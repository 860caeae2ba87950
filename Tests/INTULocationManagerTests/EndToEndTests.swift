import CoreLocation
import LocationService
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import Testing

@testable import INTULocationManager

/// From a source, through the engine, Core Location's public API, and the coordinator.
@Suite("Over a real engine")
struct EndToEndTests {
  let manager: INTULocationManager

  init() {
    let host = LocationHost(
      sources: [.fixed(Coordinate(latitude: 48.2, longitude: 11.6), accuracy: 4)],
      agents: [Answer(.whileUsing)])
    manager = Self.manager(over: host)
  }

  /// An app of its own.
  static func client(over host: LocationHost) -> LocationClient {
    let manifest = Manifest([
      Manifest.Key.identifier: .string("org.example.intu"),
      Manifest.Key.whenInUse: .string("To test."),
    ])
    return LocationClient(
      ClientDescription(app: AppIdentity("org.example.intu"), manifest: manifest), over: host)
  }

  /// A manager whose location manager belongs to an app of its own.
  static func manager(over host: LocationHost) -> INTULocationManager {
    let client = client(over: host)
    return INTULocationManager(
      positioning: { BoundPositioning(client) }, clock: { SystemClock() })
  }

  @Test("a request asks the person, waits for the answer, and returns a location")
  func location() async throws {
    let result = try await manager.location(
      accuracy: .room, timeout: .seconds(20), delayUntilAuthorized: true)
    #expect(result.achievedAccuracy == .room)
    #expect(result.location.coordinate.latitude == 48.2)
    #expect(manager.isIdle)
  }

  @Test("a subscription has one location after the other")
  func updates() async {
    var count = 0
    for await update in manager.locationUpdates() where update.status == .success {
      #expect(update.location?.coordinate.longitude == 11.6)
      count += 1
      if count == 2 { break }
    }
    #expect(count == 2)
  }

  @Test("a request is refused when the person says no")
  func denied() async throws {
    let host = LocationHost(sources: [], agents: [Answer(.deny)])
    let manager = Self.manager(over: host)
    let error = await #expect(throws: INTULocationError.self) {
      try await manager.location(accuracy: .city, timeout: nil)
    }
    #expect(error?.status == .servicesDenied)
  }

  @Test("INTU-4: a request is refused while services are switched off, whatever the person said")
  func disabled() async throws {
    let host = LocationHost(sources: [], agents: [Answer(.whileUsing)])
    host.pass(.setting(.services(on: false)))
    let manager = Self.manager(over: host)
    let error = await #expect(throws: INTULocationError.self) {
      try await manager.location(accuracy: .city, timeout: nil)
    }
    #expect(error?.status == .servicesDisabled)
  }

  @Test("INTU-4, INTU-5: the states can be read on any thread")
  func states() async {
    let client = Self.client(over: LocationHost(sources: []))
    await LocationClient.$bound.withValue(client) {
      await Task {
        #expect(INTULocationManager.locationServicesState() == .notDetermined)
        let hasCompass = CLLocationManager.headingAvailable()
        #expect((INTULocationManager.headingServicesState() == .available) == hasCompass)
      }.value
    }
  }
}

/// A person who always says the same.
private struct Answer: PromptAgent {
  private let answer: PromptAnswer

  init(_ answer: PromptAnswer) { self.answer = answer }

  var name: String { "test" }

  func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void) {
    reply(.answer(answer, precise: true))
  }
}

/// The system's positioning, for an app that is bound to it alone.
@MainActor
private final class BoundPositioning: Positioning {
  private let client: LocationClient
  private let system: SystemPositioning

  init(_ client: LocationClient) {
    self.client = client
    system = LocationClient.$bound.withValue(client) { SystemPositioning() }
  }

  var onEvent: ((PositioningEvent) -> Void)? {
    get { system.onEvent }
    set { system.onEvent = newValue }
  }

  var services: INTULocationServicesState {
    LocationClient.$bound.withValue(client) { system.services }
  }

  var headingServices: INTUHeadingServicesState {
    LocationClient.$bound.withValue(client) { system.headingServices }
  }

  func carryOut(_ command: HardwareCommand) { system.carryOut(command) }
  func askForAuthorization(_ type: INTUAuthorizationType) { system.askForAuthorization(type) }
  func change(_ setting: ManagerSetting) { system.change(setting) }
}
