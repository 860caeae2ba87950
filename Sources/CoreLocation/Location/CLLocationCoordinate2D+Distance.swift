import LocationModel

extension CLLocationCoordinate2D {
  /// Returns meters along the WGS 84 ellipsoid; all of this module's distances use it (LOC-10).
  func distance(to other: CLLocationCoordinate2D) -> CLLocationDistance {
    Coordinate(self).distance(to: Coordinate(other))
  }
}
