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

@Suite("Calls of a double")
struct OptionalRegionCallTests {
  /// As in a test of SwiftLocation, whose delegate has these methods on iOS alone (decision 0084).
  @Test("reach a delegate that has the methods from a double that calls them as optional")
  @MainActor func optional() async {
    let region = CLBeaconRegion(uuid: UUID(), identifier: "beacon_1")
    let delegate = RegionStream()
    let description = ClientDescription(app: AppIdentity("test"), manifest: Manifest())
    let client = LocationClient(description, over: ScriptedLink(), callbacks: { { $0() } })
    let manager = LocationClient.$bound.withValue(client) { CLLocationManager() }
    Task { @MainActor in
      let called: (any CLLocationManagerDelegate)? = delegate
      called?.locationManager?(manager, didStartMonitoringFor: region)
      called?.locationManager?(manager, didEnterRegion: region)
      called?.locationManager?(manager, didExitRegion: region)
      called?.locationManager?(
        manager, monitoringDidFailFor: region, withError: CLError(.regionMonitoringFailure))
    }
    var received: [String] = []
    for await event in delegate.events {
      received.append(event)
      if received.count == 4 { break }
    }
    #expect(received == ["starts", "enters", "exits", "fails"].map { "\($0) beacon_1" })
  }
}

/// A delegate that passes what it hears of regions into a stream.
private final class RegionStream: NSObject, CLLocationManagerDelegate {
  let events: AsyncStream<String>
  private let stream: AsyncStream<String>.Continuation

  override init() {
    (events, stream) = AsyncStream.makeStream()
    super.init()
  }

  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
    stream.yield("starts \(region.identifier)")
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    stream.yield("enters \(region.identifier)")
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    stream.yield("exits \(region.identifier)")
  }

  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    stream.yield("fails \(region?.identifier ?? "")")
  }
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
