/// A place with its tangent plane: distances and offsets of neighbors at a tenth of the cost.
///
/// The straight chord through the Earth is lengthened to the arc by the curvature of the ellipsoid
/// in its direction, so that neither poles nor the antimeridian are special. Against the geodesic
/// the error is below ``distanceError`` to ``reach``, at every latitude.
package struct LocalFrame: Sendable {
  /// Meters: how far the approximation holds.
  package static let reach = 100_000.0

  /// Meters: the bound on the error of a distance within ``reach``.
  ///
  /// Measured 0.16 mm at 100 km and 0.01 mm at 50 km, worst near 45 degrees of latitude; beyond
  /// reach it grows to 3 mm at 200 km and 0.1 m at 500 km.
  package static let distanceError = 0.000_25

  package let center: Coordinate
  private let origin: EarthVector
  private let east: EarthVector
  private let north: EarthVector
  /// Per meter: the curvature of the meridian, and of the section across it.
  private let meridianCurvature: Double
  private let crossCurvature: Double

  package init(center: Coordinate) {
    self.center = center
    let phi = Direction(degrees: center.latitude)
    let lambda = Direction(degrees: center.longitude)
    let w2 = 1 - WGS84.eccentricitySquared * phi.sine * phi.sine
    crossCurvature = w2.squareRoot() / WGS84.equatorialRadius
    meridianCurvature = crossCurvature * w2 / (1 - WGS84.eccentricitySquared)
    origin = EarthVector(center)
    east = EarthVector(x: -lambda.sine, y: lambda.cosine, z: 0)
    north = EarthVector(
      x: -phi.sine * lambda.cosine, y: -phi.sine * lambda.sine, z: phi.cosine)
  }

  /// Meters to a place along the ellipsoid.
  package func distance(to place: Coordinate) -> Double {
    let chord = EarthVector(place) - origin
    return arc(over: chord, east: chord.dot(east), north: chord.dot(north))
  }

  /// Meters straight through the Earth: never more than the distance.
  package func chord(to place: Coordinate) -> Double {
    let chord = EarthVector(place) - origin
    return chord.dot(chord).squareRoot()
  }

  /// Meters east and north of the center, true to distance, and to direction within 1e-5 degree.
  package func offset(of place: Coordinate) -> (east: Double, north: Double) {
    let chord = EarthVector(place) - origin
    let (x, y) = (chord.dot(east), chord.dot(north))
    let flat = (x * x + y * y).squareRoot()
    guard flat > 0 else { return (0, 0) }
    let scale = arc(over: chord, east: x, north: y) / flat
    return (x * scale, y * scale)
  }

  /// The place that lies so many meters east and north of the center; exact at any distance.
  package func place(east: Double, north: Double) -> Coordinate {
    center.moved(by: hypotenuse(east, north), towards: arctangent(east, north).degrees)
  }

  /// The length of the arc over a chord: s = c (1 + (kc)^2 / 24 + 3 (kc)^4 / 640), where Euler's
  /// theorem gives the curvature k in the chord's direction.
  private func arc(over chord: EarthVector, east: Double, north: Double) -> Double {
    let square = chord.dot(chord)
    let (e2, n2) = (east * east, north * north)
    guard e2 + n2 > 0 else { return square.squareRoot() }
    let curvature = (e2 * crossCurvature + n2 * meridianCurvature) / (e2 + n2)
    let q = square * curvature * curvature
    return square.squareRoot() * (1 + q * (1 / 24 + q * (3 / 640)))
  }
}

/// A vector in meters from the center of the Earth: x towards Greenwich on the equator, z north.
private struct EarthVector: Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(x: Double, y: Double, z: Double) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// A place on the ellipsoid.
  init(_ place: Coordinate) {
    let phi = Direction(degrees: place.latitude)
    let lambda = Direction(degrees: place.longitude)
    let crossRadius =
      WGS84.equatorialRadius
      / (1 - WGS84.eccentricitySquared * phi.sine * phi.sine).squareRoot()
    x = crossRadius * phi.cosine * lambda.cosine
    y = crossRadius * phi.cosine * lambda.sine
    z = crossRadius * (1 - WGS84.eccentricitySquared) * phi.sine
  }

  static func - (left: EarthVector, right: EarthVector) -> EarthVector {
    EarthVector(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  func dot(_ other: EarthVector) -> Double { x * other.x + y * other.y + z * other.z }
}
