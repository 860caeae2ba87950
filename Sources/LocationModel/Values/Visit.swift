/// A stay at a place, as an app hears of it.
package struct Visit: Hashable, Sendable {
  /// `nil` when the app was not listening at arrival (VISIT-4).
  package var arrival: UnixTime?
  /// `nil` while the stay lasts (VISIT-2).
  package var departure: UnixTime?
  package var coordinate: Coordinate
  /// Meters: the radius of the place (VISIT-6).
  package var horizontalAccuracy: Double
  /// Why it is told now; `nil` when that is not known.
  package var evidence: EventEvidence?

  package init(
    arrival: UnixTime?, departure: UnixTime? = nil, coordinate: Coordinate,
    horizontalAccuracy: Double
  ) {
    self.arrival = arrival
    self.departure = departure
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
  }
}
