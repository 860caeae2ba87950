/// A geodesic that leaves a place in a given direction (Karney 2013, section 3).
///
/// Greek letters are the paper's: alpha azimuth, beta reduced latitude, sigma arc and omega
/// longitude on the auxiliary sphere; index 0 is where the line crosses the equator northwards.
struct GeodesicLine {
  private let longitude1: Double
  private let alpha0: Direction
  private let sigma1: Direction
  private let omega1: Direction
  private let epsilon: Double
  private let distances: DistanceSeries
  private let longitudes: LongitudeSeries

  init(from start: Coordinate, azimuth: Double) {
    longitude1 = start.longitude
    let beta1 = Direction(reducing: start.latitude)
    let alpha1 = Direction(degrees: azimuth.remainder(dividingBy: 360))
    alpha0 = alpha1.atEquator(from: beta1)
    // On the equator heading east or west, sigma is counted from the start.
    let northward = alpha1.cosine * beta1.cosine
    let isEquatorial = beta1.sine == 0 && northward == 0
    sigma1 = isEquatorial ? Direction(sine: 0, cosine: 1) : Direction(y: beta1.sine, x: northward)
    omega1 = Direction(sine: alpha0.sine * beta1.sine, cosine: isEquatorial ? 1 : northward)
    epsilon = expansionParameter(alpha0)
    distances = DistanceSeries(epsilon: epsilon)
    longitudes = LongitudeSeries(epsilon: epsilon)
  }

  /// The end of the line after `distance` meters, and the azimuth there in `0..<360`.
  func position(at distance: Double) -> (end: Coordinate, finalAzimuth: Double) {
    let sigma12 = arc(for: distance)
    let sigma2 = sigma1 + Direction(radians: sigma12)
    let beta2 = Direction(
      sine: alpha0.cosine * sigma2.sine,
      cosine: hypotenuse(alpha0.sine, alpha0.cosine * sigma2.cosine))
    let latitude = arctangent(beta2.sine, (1 - WGS84.flattening) * beta2.cosine).degrees
    let alpha2 = arctangent(alpha0.sine, alpha0.cosine * sigma2.cosine).degrees
    let longitude = longitude1 + longitudeDifference(sigma2, sigma12)
    let end = Coordinate(
      latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
    return (end, normalizedDegrees(alpha2))
  }

  /// Radians on the auxiliary sphere (eq. 20).
  private func arc(for distance: Double) -> Double {
    let tau12 = distance / (WGS84.polarRadius * distances.scale)
    let offset = distances.series(sigma1)
    let tau2 = sigma1 + Direction(radians: offset) + Direction(radians: tau12)
    let reverted = DistanceSeries.reverted(epsilon: epsilon)
    return tau12 + offset + reverted(tau2)
  }

  /// Degrees east of the start (eq. 8).
  private func longitudeDifference(_ sigma2: Direction, _ sigma12: Double) -> Double {
    let y = alpha0.sine * sigma2.sine
    let omega12 = arctangent(
      y * omega1.cosine - sigma2.cosine * omega1.sine,
      sigma2.cosine * omega1.cosine + y * omega1.sine)
    let correction =
      sigma12 + longitudes.series(sigma2) - longitudes.series(sigma1)
    let lambda12 =
      omega12.radians - WGS84.flattening * alpha0.sine * longitudes.scale * correction
    return Angle(radians: lambda12).degrees
  }
}

extension Direction {
  /// Keeps the poles off the singularity without moving them measurably.
  static let smallestCosine = 1.5e-154

  /// The reduced latitude beta of a geographic latitude in degrees (eq. 6).
  init(reducing latitude: Double) {
    let phi = Direction(degrees: latitude)
    let beta = Direction(y: (1 - WGS84.flattening) * phi.sine, x: phi.cosine)
    self.init(sine: beta.sine, cosine: max(beta.cosine, Self.smallestCosine))
  }

  /// The azimuth where the geodesic crosses the equator, by Clairaut's relation (eq. 5, 10).
  func atEquator(from beta: Direction) -> Direction {
    Direction(sine: sine * beta.cosine, cosine: hypotenuse(cosine, sine * beta.sine))
  }
}

/// The small parameter of all the series, from the azimuth at the equator (eq. 9, 16).
func expansionParameter(_ alpha0: Direction) -> Double {
  let k2 = alpha0.cosine * alpha0.cosine * WGS84.secondEccentricitySquared
  return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
}
