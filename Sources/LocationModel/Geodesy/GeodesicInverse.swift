// The inverse problem (Karney 2013, sections 4 and 5). Greek letters and indices are the paper's.

/// Solves in the paper's canonical position, then turns the answer back to where it came from.
func solveInverse(from start: Coordinate, to end: Coordinate) -> Geodesic {
  var (lambda, rest) = longitudeDifference(from: start.longitude, to: end.longitude)
  let isWestward = lambda < 0 || (lambda == 0 && rest < 0)
  if isWestward { (lambda, rest) = (-lambda, -rest) }
  let isSwapped = start.latitude.magnitude < end.latitude.magnitude
  var (phi1, phi2) = (start.latitude, end.latitude)
  if isSwapped { (phi1, phi2) = (phi2, phi1) }
  let isMirrored = phi1 >= 0
  if isMirrored { (phi1, phi2) = (-phi1, -phi2) }

  let problem = CanonicalInverse(
    beta1: Direction(reducing: phi1), beta2: Direction(reducing: phi2),
    lambda12: Direction(degrees: lambda, rest: rest))
  let path = problem.solution()

  var (alpha1, alpha2) = (path.alpha1, path.alpha2)
  if isSwapped { (alpha1, alpha2) = (alpha2, alpha1) }
  let east = isWestward ? -1.0 : 1.0
  let north = isSwapped != isMirrored ? -1.0 : 1.0
  func azimuth(_ alpha: Direction) -> Double {
    normalizedDegrees(arctangent(east * alpha.sine, north * alpha.cosine).degrees)
  }
  guard path.distance > 0 else {
    return Geodesic(distance: 0, initialAzimuth: 0, finalAzimuth: 0)
  }
  return Geodesic(
    distance: path.distance, initialAzimuth: azimuth(alpha1), finalAzimuth: azimuth(alpha2))
}

/// The inverse problem with the start farthest from the equator, on the south, and the end
/// eastwards: beta1 <= 0, beta1 <= beta2 <= -beta1, 0 <= lambda12 <= pi (eq. 44).
struct CanonicalInverse {
  let beta1: Direction
  let beta2: Direction
  let lambda12: Direction

  /// A solved path: its length in meters, and the azimuths at both ends.
  struct Path {
    var distance: Double
    var alpha1: Direction
    var alpha2: Direction
  }

  func solution() -> Path {
    if let path = meridian() ?? equator() { return path }
    switch startingAzimuth() {
    case .solved(let path): return path
    case .azimuth(let alpha1):
      let trial = AzimuthSearch(problem: self).solve(startingAt: alpha1)
      return Path(distance: trial.distance, alpha1: trial.alpha1, alpha2: trial.alpha2)
    }
  }

  /// A path along one meridian, or over the pole, unless a shorter one passes beside it.
  private func meridian() -> Path? {
    guard lambda12.sine == 0 || beta1.cosine == Direction.smallestCosine else { return nil }
    let alpha1 = lambda12
    let alpha2 = Direction(sine: 0, cosine: 1)
    let arc = Arc(
      from: Direction(y: beta1.sine, x: alpha1.cosine * beta1.cosine),
      to: Direction(y: beta2.sine, x: alpha2.cosine * beta2.cosine))
    let lengths = arc.lengths(epsilon: WGS84.thirdFlattening, in: self)
    guard arc.length < 1 || lengths.reduced >= 0 else { return nil }
    return Path(distance: max(0, lengths.distance), alpha1: alpha1, alpha2: alpha2)
  }

  /// A path along the equator, unless it is so long that a shorter one leaves it.
  private func equator() -> Path? {
    guard beta1.sine == 0 else { return nil }
    let longest = Direction(degrees: 180 * (1 - WGS84.flattening))
    guard lambda12.cosine >= longest.cosine else { return nil }
    let east = Direction(sine: 1, cosine: 0)
    return Path(
      distance: WGS84.equatorialRadius * lambda12.radians, alpha1: east, alpha2: east)
  }

  /// The distortion w of local distances at a reduced latitude: sqrt(1 + e'^2 sin^2 beta).
  static func distortion(_ beta: Direction) -> Double {
    (1 + WGS84.secondEccentricitySquared * beta.sine * beta.sine).squareRoot()
  }
}

/// An arc on the auxiliary sphere, from sigma1 to sigma2.
struct Arc {
  let sigma1: Direction
  let sigma2: Direction
  /// Radians, in `0...pi`.
  let length: Double

  init(from sigma1: Direction, to sigma2: Direction) {
    self.sigma1 = sigma1
    self.sigma2 = sigma2
    let turn = sigma2 - sigma1
    length = turn.forwards.radians
  }

  /// Meters along the geodesic (eq. 7), and the reduced length m12 divided by b (eq. 38, 40).
  func lengths(
    epsilon: Double, in problem: CanonicalInverse
  ) -> (distance: Double, reduced: Double) {
    let first = DistanceSeries(epsilon: epsilon)
    let second = ReducedLengthSeries(epsilon: epsilon)
    let (b1, b2) = (
      first.series(sigma2) - first.series(sigma1), second.series(sigma2) - second.series(sigma1)
    )
    let integral =
      (first.scale - second.scale) * length + first.scale * b1 - second.scale * b2
    let reduced =
      CanonicalInverse.distortion(problem.beta2) * sigma1.cosine * sigma2.sine
      - CanonicalInverse.distortion(problem.beta1) * sigma1.sine * sigma2.cosine
      - sigma1.cosine * sigma2.cosine * integral
    return (WGS84.polarRadius * first.scale * (length + b1), reduced)
  }
}
