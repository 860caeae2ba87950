import CoreLocation
import Foundation
import Testing

/// Passes the first errors on to whoever waits for them.
@MainActor
private final class Witness: NSObject, @preconcurrency CLLocationManagerDelegate {
  private let continuation: AsyncStream<String>.Continuation
  let errors: AsyncStream<String>

  override init() {
    (errors, continuation) = AsyncStream.makeStream()
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    continuation.yield("updates \((error as NSError).code)")
  }

  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?,
    withError error: any Error
  ) {
    continuation.yield("region \((error as NSError).code)")
  }

  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {
    continuation.yield("ranging \((error as NSError).code)")
  }
}

@Suite("A service that is switched off")
struct SwitchedOffTests {
  @Test("AVAIL-3: has nothing available")
  func availability() {
    #expect(!CLLocationManager.locationServicesEnabled())
    #expect(!CLLocationManager.headingAvailable())
    #expect(!CLLocationManager.significantLocationChangeMonitoringAvailable())
    #expect(!CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
    #expect(!CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self))
    #expect(!CLLocationManager.isMonitoringAvailable(for: NSObject.self))
    #expect(!CLLocationManager.isRangingAvailable())
    #expect(CLLocationManager().maximumRegionMonitoringDistance == -1)
  }

  @Test("AVAIL-4, AVAIL-7: says why it does not start")
  @MainActor
  func errors() async throws {
    let witness = Witness()
    let manager = CLLocationManager()
    manager.delegate = witness
    manager.startUpdatingHeading()
    manager.startMonitoringVisits()
    manager.startUpdatingLocation()
    manager.startMonitoring(for: CLCircularRegion(center: .init(), radius: 1, identifier: "a"))
    manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: UUID()))
    var errors = witness.errors.makeAsyncIterator()
    #expect(await errors.next() == "updates 1")
    #expect(await errors.next() == "region 5")
    #expect(await errors.next() == "ranging 16")
  }

  @Test("AVAIL-7: says so in live updates and sessions")
  func sequences() async throws {
    var updates = CLLocationUpdate.liveUpdates().makeAsyncIterator()
    let update = try #require(try await updates.next())
    #expect(update.authorizationDeniedGlobally)
    #expect(update.location == nil)
    let session = CLServiceSession(authorization: .whenInUse)
    var diagnostics = session.diagnostics.makeAsyncIterator()
    #expect(try await diagnostics.next()?.authorizationDeniedGlobally == true)
    session.invalidate()
    #expect(try await diagnostics.next() == nil)
  }

  @Test("MON-9, MON-20: keeps conditions that it cannot watch")
  func monitor() async throws {
    let monitor = await CLMonitor("away")
    let circle = CLMonitor.CircularGeographicCondition(center: .init(), radius: 10)
    await monitor.add(circle, identifier: "b")
    await monitor.add(circle, identifier: "a", assuming: .satisfied)
    #expect(await monitor.identifiers == ["b", "a"])
    let record = try #require(await monitor.record(for: "a"))
    #expect(record.lastEvent.state == .unmonitored)
    #expect(record.lastEvent.conditionUnsupported)
    await monitor.remove("b")
    #expect(await monitor.identifiers == ["a"])
    #expect(await monitor.record(for: "b") == nil)
    var events = await monitor.events.makeAsyncIterator()
    #expect(try await events.next()?.identifier == "a")
  }

  @Test("GEO-3, GEO-6, GEO-9: answers one geocoding request at a time")
  @MainActor
  func geocoding() async {
    let geocoder = CLGeocoder()
    let (codes, continuation) = AsyncStream<Int>.makeStream()
    for _ in 1...2 {
      geocoder.geocodeAddressString("1 Main Street") { places, error in
        #expect(places == nil)
        continuation.yield((error as? CLError)?.code.rawValue ?? -1)
      }
    }
    #expect(geocoder.isGeocoding)
    var first = codes.makeAsyncIterator()
    let both = [await first.next(), await first.next()].compactMap { $0 }
    #expect(both.sorted() == [CLError.Code.network, .geocodeCanceled].map(\.rawValue))
    #expect(!geocoder.isGeocoding)
  }

  @Test("has no location pushes")
  func pushes() async {
    await #expect(throws: CLLocationPushServiceError(.unsupportedPlatform)) {
      try await CLLocationManager().startMonitoringLocationPushes()
    }
  }
}
