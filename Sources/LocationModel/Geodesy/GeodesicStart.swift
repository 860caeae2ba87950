/// Where the search for the azimuth begins.
enum GeodesicStart {
  /// The path is so short that the first approximation is the answer.
  case solved(CanonicalInverse.Path)
  /// Newton's method should start here.
  case azimuth(Direction)
}

extension CanonicalInverse {
  /// Radians of arc below which the spherical solution of eq. 48 is exact to rounding.
  private static let shortArc = 3.6e-8

  /// Radians by which a path may miss the antipodal branch cut and still count as on it.
  private static let cutThickness = 1000 * 1.5e-8

  /// The first approximation to alpha1 (section 5).
  func startingAzimuth() -> GeodesicStart {
    let difference = beta2 - beta1
    let sum = beta2 + beta1
    let isShort =
      difference.cosine >= 0 && difference.sine < 0.5
      && lambda12.sine * beta2.cosine < 0.5 && lambda12.cosine > 0
    let omega12 = isShort ? localLongitude() : lambda12
    let (y, x) = sphericalAzimuth(omega12, difference: difference.sine, sum: sum.sine)
    let sineOfArc = hypotenuse(y, x)
    if isShort && sineOfArc < Self.shortArc {
      return .solved(shortPath(omega12, alpha1: Direction(y: y, x: x), sineOfArc: sineOfArc))
    }
    let cosineOfArc =
      beta1.sine * beta2.sine + beta1.cosine * beta2.cosine * omega12.cosine
    let nearlyAntipodal = 6 * WGS84.thirdFlattening * .pi * beta1.cosine * beta1.cosine
    if cosineOfArc < 0 && sineOfArc < nearlyAntipodal {
      return .azimuth(antipodalAzimuth(sineOfSum: sum.sine))
    }
    return .azimuth(Direction(y: y, x: x))
  }

  /// The longitude on a sphere that fits the ellipsoid at the mean latitude (eq. 47, 48).
  private func localLongitude() -> Direction {
    let y = (beta1.sine + beta2.sine) * (beta1.sine + beta2.sine)
    let x = (beta1.cosine + beta2.cosine) * (beta1.cosine + beta2.cosine)
    let mean = (1 + WGS84.secondEccentricitySquared * y / (y + x)).squareRoot()
    return Direction(radians: lambda12.radians / ((1 - WGS84.flattening) * mean))
  }

  /// The vector of alpha1 on the sphere, as long as the sine of the arc (eq. 49).
  private func sphericalAzimuth(
    _ omega12: Direction, difference: Double, sum: Double
  ) -> (y: Double, x: Double) {
    let versine = omega12.sine * omega12.sine / (1 + omega12.cosine.magnitude)
    let x =
      omega12.cosine >= 0
      ? difference + beta2.cosine * beta1.sine * versine
      : sum - beta2.cosine * beta1.sine * versine
    return (beta2.cosine * omega12.sine, x)
  }

  private func shortPath(
    _ omega12: Direction, alpha1: Direction, sineOfArc: Double
  ) -> Path {
    let versine = omega12.sine * omega12.sine / (1 + omega12.cosine)
    let alpha2 = Direction(
      y: beta1.cosine * omega12.sine,
      x: (beta2 - beta1).sine - beta1.cosine * beta2.sine * versine)
    let middle = Direction(y: beta1.sine + beta2.sine, x: beta1.cosine + beta2.cosine)
    let radius = WGS84.polarRadius * Self.distortion(middle)
    return Path(distance: arcsine(sineOfArc) * radius, alpha1: alpha1, alpha2: alpha2)
  }

  /// Near the antipode: the envelope of geodesics is an astroid, solved in the plane (eq. 53–59).
  private func antipodalAzimuth(sineOfSum: Double) -> Direction {
    let epsilon = expansionParameter(Direction(sine: beta1.cosine, cosine: beta1.sine))
    let lambdaScale =
      WGS84.flattening * beta1.cosine * LongitudeSeries.scale(epsilon: epsilon) * .pi
    let x = arctangent(-lambda12.sine, -lambda12.cosine).radians / lambdaScale
    let y = sineOfSum / (lambdaScale * beta1.cosine)
    if y > -200 * Double.ulpOfOne && x > -1 - Self.cutThickness {
      let sine = min(1, -x)
      return Direction(sine: sine, cosine: -(1 - sine * sine).squareRoot())
    }
    let kappa = astroidRoot(x, y)
    let omega = Direction(radians: lambdaScale * -x * kappa / (1 + kappa))
    let versine = omega.sine * omega.sine / (1 + omega.cosine)
    return Direction(
      y: beta2.cosine * omega.sine, x: sineOfSum - beta2.cosine * beta1.sine * versine)
  }
}

/// The positive root of kappa^4 + 2 kappa^3 - (x^2 + y^2 - 1) kappa^2 - 2 y^2 kappa - y^2 = 0
/// (eq. 55, appendix B); 0 on the segment between the cusps.
private func astroidRoot(_ x: Double, _ y: Double) -> Double {
  let (p, q) = (x * x, y * y)
  let r = (p + q - 1) / 6
  guard q > 0 || r > 0 else { return 0 }
  let s = p * q / 4
  let r3 = r * r * r
  let discriminant = s * (s + 2 * r3)
  var u = r
  if discriminant >= 0 {
    let cube = s + r3
    let root = discriminant.squareRoot()
    let t = cubeRoot(cube < 0 ? cube - root : cube + root)
    u += t == 0 ? 0 : t + r * r / t
  } else {
    let angle = arctangent((-discriminant).squareRoot(), -(s + r3))
    u += 2 * r * cosine(angle.radians / 3)
  }
  let v = (u * u + q).squareRoot()
  let sum = u < 0 ? q / (v - u) : u + v
  let w = (sum - q) / (2 * v)
  return sum / ((sum + w * w).squareRoot() + w)
}
