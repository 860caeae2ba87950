import CoreLocation
import LocationModel
import Testing

@Suite("Headings and beacons of a manager")
struct SignalTests {
  private let link = ScriptedLink()

  @Test("AVAIL-2: whether services are on is read without a request")
  func servicesEnabled() {
    let link = ScriptedLink()
    let client = LocationClient(
      ClientDescription(app: AppIdentity("a.b"), manifest: Manifest()), over: link)
    LocationClient.$bound.withValue(client) {
      #expect(CLLocationManager.locationServicesEnabled())
      var off = ClientState()
      off.servicesEnabled = false
      link.deliver(.state(off))
      #expect(!CLLocationManager.locationServicesEnabled())
      #expect(link.requests.isEmpty)
    }
  }
  private let manager: CLLocationManager
  private let listener = Listener()

  init() {
    let description = ClientDescription(app: AppIdentity("test"), manifest: Manifest())
    let client = LocationClient(description, over: link, callbacks: { { $0() } })
    manager = LocationClient.$bound.withValue(client) { CLLocationManager() }
    manager.delegate = listener
  }

  @Test("HEAD-13: there is no heading before the first, and the last one afterwards")
  func lastHeading() {
    #expect(manager.heading == nil)
    manager.startUpdatingHeading()
    #expect(manager.heading == nil)
    link.deliver(.heading(SubscriberID(1), .heading(heading(90, accuracy: 5))))
    #expect(manager.heading?.magneticHeading == 90)
    #expect(listener.headings == [90])
  }

  @Test("HEAD-4, HEAD-6, HEAD-7: what is unknown is negative, and the field is handed on")
  func sentinels() throws {
    manager.startUpdatingHeading()
    link.deliver(.heading(SubscriberID(1), .heading(heading(359.5, accuracy: nil))))
    let heading = try #require(manager.heading)
    #expect(heading.trueHeading < 0)
    #expect(heading.headingAccuracy < 0)
    #expect((heading.x, heading.y, heading.z) == (1, -2, 3))
  }

  @Test("HEAD-1: filter and orientation go along, and a stopped manager receives nothing")
  func options() {
    manager.headingFilter = 5
    manager.headingOrientation = .landscapeLeft
    manager.startUpdatingHeading()
    manager.stopUpdatingHeading()
    link.deliver(.heading(SubscriberID(1), .heading(heading(10, accuracy: 5))))
    #expect(listener.headings.isEmpty)
    let asked = link.requests.compactMap { request -> HeadingOptions? in
      guard case .heading(_, .start(let options)) = request else { return nil }
      return options
    }
    #expect(asked == [HeadingOptions(filter: 5, orientation: .landscapeLeft)])
  }

  @Test("HEAD-9, HEAD-12: the delegate answers about calibration, and learns of interference")
  func calibration() {
    manager.startUpdatingHeading()
    link.deliver(.heading(SubscriberID(1), .askCalibration))
    #expect(link.requests.last == .heading(SubscriberID(1), .calibrationAnswer(true)))
    link.deliver(.heading(SubscriberID(1), .failed))
    #expect(listener.failures == [.headingFailure])
  }

  @Test("BEACON-19: the modern call receives the modern callbacks, the old call the old ones")
  func interfaces() {
    let region = CLBeaconRegion(uuid: uuid, major: 1, identifier: "shop")
    manager.startRangingBeacons(satisfying: region.beaconIdentityConstraint)
    link.deliver(.ranging(SubscriberID(1), .ranged(constraint, [beacon])))
    #expect(listener.calls == ["satisfying 7"])
    let old: any OldRanging = manager
    old.startRangingBeacons(in: region)
    manager.stopRangingBeacons(satisfying: region.beaconIdentityConstraint)
    link.deliver(.ranging(SubscriberID(1), .ranged(constraint, [beacon])))
    #expect(listener.calls == ["satisfying 7", "in shop 7"])
    #expect(!link.requests.contains(.ranging(SubscriberID(1), .stop(constraint))))
    old.stopRangingBeacons(in: region)
    #expect(link.requests.last == .ranging(SubscriberID(1), .stop(constraint)))
  }

  @Test("BEACON-19: a region of the same name ends what the one before it ranged")
  func renamed() {
    let ranging: any OldRanging = manager
    let other = CLBeaconRegion(uuid: uuid, major: 2, identifier: "shop")
    ranging.startRangingBeacons(in: CLBeaconRegion(uuid: uuid, major: 1, identifier: "shop"))
    ranging.startRangingBeacons(in: other)
    #expect(link.requests.last == .ranging(SubscriberID(1), .stop(constraint)))
    ranging.stopRangingBeacons(in: CLBeaconRegion(uuid: uuid, major: 3, identifier: "shop"))
    let second = BeaconConstraint(uuid: constraint.uuid, major: 2)
    #expect(link.requests.last == .ranging(SubscriberID(1), .stop(second)))
  }

  @Test(
    "BEACON-16: failures carry Apple's codes, to both interfaces",
    arguments: [
      (RangingFailure.unavailable, CLError.Code.rangingUnavailable), (.failing, .rangingFailure),
      (.denied, .denied),
    ])
  func failures(failure: RangingFailure, code: CLError.Code) {
    let region = CLBeaconRegion(uuid: uuid, major: 1, identifier: "shop")
    manager.startRangingBeacons(satisfying: region.beaconIdentityConstraint)
    (manager as any OldRanging).startRangingBeacons(in: region)
    link.deliver(.ranging(SubscriberID(1), .failed(constraint, failure)))
    #expect(listener.failures == [code, code])
  }

  @Test("BEACON-10: an unknown beacon has rssi 0 and accuracy -1")
  func unknown() {
    let region = CLBeaconRegion(uuid: uuid, major: 1, identifier: "shop")
    manager.startRangingBeacons(satisfying: region.beaconIdentityConstraint)
    let silent = RangedBeacon(
      identity: beacon.identity, proximity: .unknown, accuracy: nil, rssi: nil, time: beacon.time)
    link.deliver(.ranging(SubscriberID(1), .ranged(constraint, [silent])))
    #expect(listener.beacon?.rssi == 0)
    #expect(listener.beacon?.accuracy == -1)
    #expect(listener.beacon?.proximity == .unknown)
  }

  private func heading(_ degrees: Double, accuracy: Double?) -> Heading {
    Heading(
      magneticHeading: degrees, trueHeading: nil, accuracy: accuracy,
      field: DeviceVector(x: 1, y: -2, z: 3), time: UnixTime(seconds: 1_700_000_000))
  }
}

private let uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2))
private let constraint = BeaconConstraint(uuid: BeaconUUID(high: 1, low: 2), major: 1)
private let beacon = RangedBeacon(
  identity: BeaconIdentity(uuid: constraint.uuid, major: 1, minor: 7), proximity: .near,
  accuracy: 1, rssi: -60, time: UnixTime(seconds: 1_700_000_000))

/// The older calls, which the compiler warns of when they are called by their class.
private protocol OldRanging {
  func startRangingBeacons(in region: CLBeaconRegion)
  func stopRangingBeacons(in region: CLBeaconRegion)
}

extension CLLocationManager: OldRanging {}

/// A delegate that notes what it receives.
private final class Listener: NSObject, CLLocationManagerDelegate {
  var headings: [Double] = []
  var failures: [CLError.Code] = []
  var calls: [String] = []
  var beacon: CLBeacon?

  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
    headings.append(newHeading.magneticHeading)
  }

  func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { true }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    note(error)
  }

  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    beacon = beacons.first
    calls.append("satisfying \(beacons.first?.minor ?? 0)")
  }

  func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {
    calls.append("in \(region.identifier) \(beacons.first?.minor ?? 0)")
  }

  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    note(error)
  }

  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  ) {
    note(error)
  }

  private func note(_ error: any Error) {
    if let error = error as? CLError { failures.append(error.code) }
  }
}
