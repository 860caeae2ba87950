import CoreLocation
import LocationTesting
import Testing

@Suite("The messages of a simulated device")
struct MessageTests {
  private let device = SimulatedDevice(at: SimulatedDeviceTests.berlin)

  @Test("SIM-27, AUTH-19: name the key that is missing, once for each app")
  func missingKey() async throws {
    device.person(answers: .allowWhileUsing)
    let app = device.app("com.example.nokeys", information: [:])
    try await app.run {
      let manager = CLLocationManager()
      #expect(device.messages == [])
      for _ in 0..<2 {
        manager.requestWhenInUseAuthorization()
        try await device.advance(by: .seconds(5))
      }
      #expect(manager.authorizationStatus == .notDetermined)
    }
    #expect(
      device.messages == [
        "com.example.nokeys: no question is asked: add the key NSLocationWhenInUseUsageDescription "
          + "with the reason to the test's information"
      ])
  }

  @Test("SIM-27, BGA-12: say why a background activity session stays inactive")
  func missingMode() async throws {
    let app = device.app("com.example.nomode")
    app.setPermission(.whileUsing)
    try await app.run {
      let session = CLBackgroundActivitySession()
      try await device.advance(by: .seconds(5))
      session.invalidate()
    }
    #expect(
      device.messages == [
        "com.example.nomode: a background activity session stays inactive: add location to "
          + "UIBackgroundModes in the test's information"
      ])
  }

  @Test("SIM-27: are none where an app has what it needs")
  func silence() async throws {
    device.person(answers: .allowWhileUsing)
    try await device.app("com.example.fine").run {
      let manager = CLLocationManager()
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(10))
      #expect(manager.location != nil)
    }
    #expect(device.messages == [])
  }
}
