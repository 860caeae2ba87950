package import LocationModel

/// A place as a vector from the center of the earth, in meters.
///
/// Distances between such points cost a square root, where a geodesic costs microseconds. They are
/// within a millimeter of the geodesic up to 10 km, and within 10 m at 1,000 km.
package struct GeocentricPoint: Hashable, Sendable {
  package var vector: SIMD3<Double>

  package init(_ coordinate: Coordinate) {
    let latitude = Angle(degrees: coordinate.latitude)
    let longitude = Angle(degrees: coordinate.longitude)
    let sine = sin(latitude)
    let cosine = cos(latitude)
    let normal =
      WGS84.equatorialRadius / (1 - WGS84.eccentricitySquared * sine * sine).squareRoot()
    vector = SIMD3(
      normal * cosine * cos(longitude),
      normal * cosine * sin(longitude),
      normal * (1 - WGS84.eccentricitySquared) * sine)
  }

  package init(vector: SIMD3<Double>) {
    self.vector = vector
  }

  /// Returns meters over ground.
  package func distance(to other: GeocentricPoint) -> Double {
    let difference = vector - other.vector
    let squares = difference * difference
    let chord = (squares.x + squares.y + squares.z).squareRoot()
    guard chord > 10_000 else { return chord }
    let diameter = 2 * Self.meanRadius
    return diameter * arcsine(min(chord / diameter, 1))
  }

  /// Returns the point at this fraction of the straight line to another one.
  func moved(towards other: GeocentricPoint, by part: Double) -> GeocentricPoint {
    GeocentricPoint(vector: vector + (other.vector - vector) * part)
  }

  /// Meters: (2a + b) / 3.
  private static let meanRadius = (2 * WGS84.equatorialRadius + WGS84.polarRadius) / 3
}

// MARK: - Storing

extension StateCoder {
  package mutating func pass(_ point: inout GeocentricPoint) {
    pass(&point.vector.x)
    pass(&point.vector.y)
    pass(&point.vector.z)
  }

  /// Notes the point of a place that was passed (``LocationModel/StateCoder/expect(_:)``).
  package mutating func expect(_ place: Coordinate) {
    let point = GeocentricPoint(place)
    expect(point.vector.x)
    expect(point.vector.y)
    expect(point.vector.z)
  }
}
