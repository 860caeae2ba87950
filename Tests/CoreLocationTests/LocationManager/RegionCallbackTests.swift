import CoreLocation
import LocationModel
import Testing

@Suite("Region callbacks of a manager")
struct RegionCallbackTests {
  private let link = ScriptedLink()
  private let manager: CLLocationManager
  private let listener = Listener()

  init() {
    let description = ClientDescription(app: AppIdentity("test"), manifest: Manifest())
    let client = LocationClient(description, over: link, callbacks: { { $0() } })
    manager = LocationClient.$bound.withValue(client) { CLLocationManager() }
    manager.delegate = listener
  }

  @Test("REG-25: the state precedes the entry and the exit that say it")
  func order() {
    link.deliver(.pending(EventNumber(rawValue: 1), .region(home, .entered(nil))))
    link.deliver(.pending(EventNumber(rawValue: 2), .region(home, .exited(nil))))
    link.deliver(.region(nil, home, .determined(.satisfied)))
    #expect(listener.received == ["inside", "entered", "outside", "exited", "inside"])
  }

  private let home = RegionDescription(
    identifier: "home",
    target: .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 100)),
    notices: RegionNotices())
}

private final class Listener: NSObject, CLLocationManagerDelegate {
  var received: [String] = []

  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    received.append(state == .inside ? "inside" : state == .outside ? "outside" : "unknown")
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    received.append("entered")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    received.append("exited")
  }
}
