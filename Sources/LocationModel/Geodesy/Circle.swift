/// All places within a distance of a center, measured along geodesics.
package struct Circle: Hashable, Sendable {
  package var center: Coordinate
  /// Meters, not negative.
  package var radius: Double

  package init(center: Coordinate, radius: Double) {
    self.center = center
    self.radius = radius
  }

  /// Whether the geodesic distance from the center is at most the radius (REG-38).
  ///
  /// Exact, though the geodesic is solved only where cheaper bounds leave a doubt.
  package func contains(_ place: Coordinate) -> Bool {
    let frame = LocalFrame(center: center)
    // No path over the surface is shorter than the chord; a micrometer covers rounding.
    guard frame.chord(to: place) <= radius + 1e-6 else { return false }
    if radius <= LocalFrame.reach / 2 {
      let excess = frame.distance(to: place) - radius
      if excess.magnitude > LocalFrame.distanceError { return excess < 0 }
    }
    return center.distance(to: place) <= radius
  }

  /// Meters from a place to the boundary; negative inside.
  package func distanceToBoundary(from place: Coordinate) -> Double {
    center.distance(to: place) - radius
  }

  /// The smallest box of latitudes and longitudes that holds the circle, a millimeter spare.
  package var boundingBox: BoundingBox {
    let reach = radius + 0.001
    let north = extremeLatitude(1, reach)
    let south = extremeLatitude(-1, reach)
    guard north < 90, south > -90 else {
      return BoundingBox(south: south, north: north, west: -180, east: 180)
    }
    let extent = longitudeExtent(reach)
    return BoundingBox(
      south: south, north: north, west: wrappedLongitude(center.longitude - extent),
      east: wrappedLongitude(center.longitude + extent))
  }

  /// The latitude farthest towards a pole: `side` is 1 for the north and -1 for the south.
  private func extremeLatitude(_ side: Double, _ reach: Double) -> Double {
    let pole = Coordinate(latitude: 90 * side, longitude: center.longitude)
    guard reach < center.distance(to: pole) else { return 90 * side }
    return center.moved(by: reach, towards: side > 0 ? 0 : 180).latitude
  }

  /// Degrees of longitude from the center to where a meridian touches the circle.
  ///
  /// Geodesics from the center cross the circle at right angles (Gauss), so it is where one of
  /// them arrives heading due east. Halving finds its azimuth; the extent is flat around it.
  private func longitudeExtent(_ reach: Double) -> Double {
    let side = center.latitude < 0 ? -1.0 : 1.0
    let start = Coordinate(latitude: center.latitude * side, longitude: 0)
    var (low, high) = (0.0, 90.0)
    var extent = 0.0
    for _ in 0..<30 {
      let azimuth = (low + high) / 2
      let arrival = Geodesic.direct(from: start, azimuth: azimuth, distance: reach)
      extent = max(extent, arrival.end.longitude)
      if arrival.finalAzimuth < 90 { low = azimuth } else { high = azimuth }
    }
    return extent
  }
}

/// A range of latitudes and longitudes.
package struct BoundingBox: Hashable, Sendable {
  /// Degrees north, in `-90...90`.
  package var south: Double
  package var north: Double
  /// Degrees east, in `-180...180`; when the box lies across the antimeridian, west is the greater.
  package var west: Double
  package var east: Double

  package init(south: Double, north: Double, west: Double, east: Double) {
    self.south = south
    self.north = north
    self.west = west
    self.east = east
  }

  package var crossesAntimeridian: Bool { west > east }

  /// Whether a place lies in the box or on its edge.
  package func contains(_ place: Coordinate) -> Bool {
    guard south <= place.latitude, place.latitude <= north else { return false }
    // The two names of the antimeridian are one place.
    if place.longitude.magnitude == 180 {
      return crossesAntimeridian || west == -180 || east == 180
    }
    return crossesAntimeridian
      ? place.longitude >= west || place.longitude <= east
      : west <= place.longitude && place.longitude <= east
  }
}

/// A longitude turned into `-180...180`.
private func wrappedLongitude(_ degrees: Double) -> Double {
  degrees.magnitude <= 180 ? degrees : degrees.remainder(dividingBy: 360)
}
