/// A stay at a place, as delivered to an app.
package struct Visit: Hashable, Sendable {
  /// `nil` when the app had not subscribed at arrival (VISIT-4).
  package var arrival: UnixTime?
  /// `nil` while the stay lasts (VISIT-2).
  package var departure: UnixTime?
  package var coordinate: Coordinate
  /// Meters: the radius of the place (VISIT-6).
  package var horizontalAccuracy: Double
  /// The evidence of the event; `nil` when it is not known.
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
