// A client that is not ready for all checks of concurrency imports the framework so, and the compiler is silent about
// types that are not Sendable. Scripts/conformance.sh fails for any warning in this file.

@preconcurrency import CoreLocation

struct PreconcurrencyRecord: Sendable {
    let heading: CLHeading
    let region: CLRegion
    let visit: CLVisit
    let beacon: CLBeacon
    let manager: CLLocationManager
    let geocoder: CLGeocoder
}

final class PreconcurrencyDelegate: NSObject, CLLocationManagerDelegate, Sendable {
    let manager = CLLocationManager()

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        Self.later { print(region.identifier, manager.monitoredRegions) }
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        Task { @MainActor in print(visit.arrivalDate, manager.maximumRegionMonitoringDistance) }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        DispatchQueue.main.async { print(newHeading.trueHeading) }
    }

    static func later(_ body: @escaping @Sendable () -> Void) { body() }
}
