/// Newton's search for the azimuth that arrives at the right longitude (Karney 2013, section 4).
///
/// The longitude reached grows with alpha1 over `0...pi`, so the root stays bracketed, and a step
/// that leaves the bracket or has not settled in time becomes a bisection: the search always ends.
struct AzimuthSearch {
  let problem: CanonicalInverse
  /// Newton steps before bisection takes over; with none, bisection finds the path alone.
  var newtonSteps = 20

  /// Halvings that shrink any bracket to neighboring numbers, even round a cosine of 1e-100.
  private static let bisections = 400

  /// One geodesic tried: where it comes out on the circle of the end's latitude.
  struct Trial {
    var alpha1: Direction
    var alpha2: Direction
    /// Meters.
    var distance: Double
    /// Radians by which the geodesic passes the end's meridian; negative when short of it.
    var miss: Double
    /// How fast ``miss`` grows with alpha1.
    var slope: Double
  }

  func solve(startingAt start: Direction) -> Trial {
    var trial = trial(start.sine > 0 ? start : Direction(sine: 1, cosine: 0))
    var low = Direction(sine: Direction.smallestCosine, cosine: 1)
    var high = Direction(sine: Direction.smallestCosine, cosine: -1)
    var isSettled = false
    for step in 0..<(newtonSteps + Self.bisections) {
      let limit = (isSettled ? 8 : 1) * Double.ulpOfOne
      guard trial.miss.magnitude > limit else { break }
      let alpha1 = trial.alpha1
      if trial.miss > 0 { high = alpha1 } else { low = alpha1 }
      if step < newtonSteps, let next = newtonStep(from: trial, low, high) {
        isSettled = trial.miss.magnitude <= 16 * Double.ulpOfOne
        trial = self.trial(next)
      } else {
        isSettled = false
        let middle = Direction(y: low.sine + high.sine, x: low.cosine + high.cosine)
        trial = self.trial(middle)
        if Self.areNeighbors(low, middle) || Self.areNeighbors(middle, high) { break }
      }
    }
    return trial
  }

  /// The next azimuth by Newton, or `nil` when it falls outside the bracket.
  private func newtonStep(from trial: Trial, _ low: Direction, _ high: Direction) -> Direction? {
    guard trial.slope > 0 else { return nil }
    let step = -trial.miss / trial.slope
    guard step.magnitude < .pi else { return nil }
    let next = trial.alpha1 + Direction(radians: step)
    // The cotangent falls as the azimuth grows.
    guard next.sine > 0, next.cosine * low.sine <= low.cosine * next.sine,
      next.cosine * high.sine >= high.cosine * next.sine
    else { return nil }
    return Direction(y: next.sine, x: next.cosine)
  }

  /// Whether two azimuths differ by rounding only, also where sine or cosine is tiny.
  private static func areNeighbors(_ left: Direction, _ right: Direction) -> Bool {
    let tolerance = 2 * Double.ulpOfOne
    return (left.sine - right.sine).magnitude <= tolerance * right.sine.magnitude
      && (left.cosine - right.cosine).magnitude <= tolerance * right.cosine.magnitude
  }

  /// Follows the geodesic with azimuth `alpha` up to the end's latitude (eq. 5, 45, 46).
  private func trial(_ alpha: Direction) -> Trial {
    let (beta1, beta2) = (problem.beta1, problem.beta2)
    // Leaving the equator due east has no direction to go on; lean to the south.
    let isFlat = beta1.sine == 0 && alpha.cosine == 0
    let alpha1 = isFlat ? Direction(sine: alpha.sine, cosine: -Direction.smallestCosine) : alpha
    let alpha0 = alpha1.atEquator(from: beta1)
    let alpha2 = azimuthAtEnd(alpha1, alpha0)
    let arc = Arc(
      from: Direction(y: beta1.sine, x: alpha1.cosine * beta1.cosine),
      to: Direction(y: beta2.sine, x: alpha2.cosine * beta2.cosine))
    let epsilon = expansionParameter(alpha0)
    let lengths = arc.lengths(epsilon: epsilon, in: problem)
    let slope =
      alpha2.cosine == 0
      ? -2 * (1 - WGS84.flattening) * CanonicalInverse.distortion(beta1) / beta1.sine
      : lengths.reduced * (1 - WGS84.flattening) / (alpha2.cosine * beta2.cosine)
    return Trial(
      alpha1: alpha1, alpha2: alpha2, distance: lengths.distance,
      miss: miss(of: arc, alpha0, epsilon: epsilon), slope: slope)
  }

  /// How far the longitude at the end of an arc lies beyond the one sought (eq. 8, 12).
  private func miss(of arc: Arc, _ alpha0: Direction, epsilon: Double) -> Double {
    let omega1 = Direction(sine: alpha0.sine * arc.sigma1.sine, cosine: arc.sigma1.cosine)
    let omega2 = Direction(sine: alpha0.sine * arc.sigma2.sine, cosine: arc.sigma2.cosine)
    let omega12 = (omega2 - omega1).forwards
    let longitudes = LongitudeSeries(epsilon: epsilon)
    let correction =
      arc.length + longitudes.series(arc.sigma2) - longitudes.series(arc.sigma1)
    return (omega12 - problem.lambda12).radians
      - WGS84.flattening * longitudes.scale * alpha0.sine * correction
  }

  /// Clairaut's relation at the end, without cancellation near the vertex (eq. 5, 45).
  private func azimuthAtEnd(_ alpha1: Direction, _ alpha0: Direction) -> Direction {
    let (beta1, beta2) = (problem.beta1, problem.beta2)
    let isSameCircle = beta2.cosine == beta1.cosine
    let sine = isSameCircle ? alpha1.sine : alpha0.sine / beta2.cosine
    guard !isSameCircle || beta2.sine.magnitude != -beta1.sine else {
      return Direction(sine: sine, cosine: alpha1.cosine.magnitude)
    }
    let difference =
      beta1.cosine < -beta1.sine
      ? (beta2.cosine - beta1.cosine) * (beta1.cosine + beta2.cosine)
      : (beta1.sine - beta2.sine) * (beta1.sine + beta2.sine)
    let northward = alpha1.cosine * beta1.cosine
    return Direction(
      sine: sine, cosine: (northward * northward + difference).squareRoot() / beta2.cosine)
  }
}
