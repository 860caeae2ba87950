import CoreLocation
import LocationTesting
import XCTest

/// The same as in Swift Testing, in a test case of XCTest.
final class SimulatedDeviceXCTestCase: XCTestCase {
  private static let home = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)

  func testTellsADelegateOfEverySecond() async throws {
    let device = SimulatedDevice(at: Self.home)
    device.person(answers: .allowWhileUsing)
    try await device.app("com.example.xctest").run {
      let listener = SimulatedDeviceTests.Listener()
      let manager = CLLocationManager()
      manager.delegate = listener
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      try await device.advance(by: .seconds(100))
      XCTAssertEqual(listener.dates.count, 99)
    }
  }

  @MainActor func testServesTheMainActor() async throws {
    let device = SimulatedDevice(at: Self.home)
    device.person(answers: .allowWhileUsing)
    try await device.app("com.example.xctest.main").run {
      let listener = MainListener()
      listener.manager.requestWhenInUseAuthorization()
      listener.manager.startUpdatingLocation()
      try await device.advance(by: .seconds(60))
      XCTAssertGreaterThanOrEqual(listener.count, 58)
    }
  }
}
