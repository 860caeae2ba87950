import LocationModel

extension CLLocationCoordinate2D {
  /// Meters along the WGS 84 ellipsoid: the one road from the face to the geodesic (LOC-10).
  func distance(to other: CLLocationCoordinate2D) -> CLLocationDistance {
    Coordinate(self).distance(to: Coordinate(other))
  }
}
