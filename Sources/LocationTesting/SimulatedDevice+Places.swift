import CoreLocation
package import LocationGeocoding
import LocationModel
import Synchronization

extension SimulatedDevice {
  /// Replaces the places that geocoders on the device find (SIM-32); at first there are none.
  ///
  /// A reverse request finds the nearest place of those within whose radius it lies, and an address the places
  /// whose names have all its words, in this order, without regard to case and accents. What is not among them
  /// fails with `geocodeFoundNoResult`; before the first call ``messages`` says why. As elsewhere, an app may make 50 requests in a minute, further ones fail with
  /// `network` (GEO-5), and the same point gets the same answer for a minute (GEO-18).
  ///
  /// ```swift
  /// device.setPlaces([SimulatedPlace(at: home, name: "Home", locality: "Berlin")])
  /// ```
  ///
  /// - Parameters:
  ///   - places: The places, the best first; one that is not on Earth is left out, and ``messages`` says so.
  ///   - latency: The virtual time from a request to its answer. Without it an answer needs no `advance`; with it a
  ///     test sees what an app shows meanwhile, and can cancel.
  public func setPlaces(_ places: [SimulatedPlace], answeringAfter latency: Duration = .zero) {
    let valid = places.filter { accepts($0.coordinate, otherwise: "geocoders do not find it") }
    gazetteer.withLock { gazetteer in
      gazetteer.places = valid.map(\.place)
      gazetteer.latency = max(latency, .zero)
    }
  }

  /// Connects the device to a network, or disconnects it (SIM-33).
  ///
  /// Without a network, geocoding fails with `network`. Positions go on: the device has its map of access points and
  /// cells in itself; see ``cover(_:)``, ``setAccessPoints(_:)``, and ``setCells(_:)`` for those. Where airplane mode is to
  /// deny locations, turn location services off as well (``turnLocationServices(on:)``).
  ///
  /// - Parameter on: Whether there is a network; it is there at first.
  public func turnNetwork(on: Bool) { gazetteer.withLock { $0.isOnline = on } }
}

extension SimulatedDevice: PlaceSearch {
  package func lookUp(
    _ question: GeocodeQuestion, then complete: @escaping @Sendable (GeocodeOutcome) -> Void
  ) {
    let (latency, isUnset) = gazetteer.withLock { ($0.latency, $0.places == nil && $0.isOnline) }
    if isUnset {
      log.say("a geocoder finds nothing: the device has no places. Next: device.setPlaces(_:)")
    }
    let answer = DeviceExecutor.Work.call { [self] in
      complete(gazetteer.withLock { $0.answer(to: question) })
    }
    guard latency > .zero else { return executor.add(answer) }
    executor.sleep(until: now.uptime + latency, then: answer)
  }

  package func runOnMain(_ completion: @escaping @Sendable () -> Void) {
    executor.add(.mainCall(completion))
  }
}
