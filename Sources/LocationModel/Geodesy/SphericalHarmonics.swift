/// Gauss's coefficients in nanotesla, and their change in nanotesla per year.
struct GaussCoefficients: Sendable {
  var g: Double
  var h: Double
  var gRate: Double
  var hRate: Double
}

/// The spherical harmonics of the geomagnetic potential at one point, to degree 12.
struct SphericalHarmonics {
  private static let degree = 12

  /// Geocentric colatitude.
  let theta: Direction
  /// Longitude.
  let lambda: Direction
  /// The reference radius over the distance from the center of the Earth.
  let ratio: Double

  /// The field in the geocentric frame, `elapsed` years after the coefficients' epoch.
  func sum(of rows: [GaussCoefficients], elapsed: Double) -> MagneticField {
    var field = MagneticField(north: 0, east: 0, down: 0)
    var sectoral = Legendre(value: 1, slope: 0)
    var turn = Direction(sine: 0, cosine: 1)
    // ratio to the power of m + 2.
    var decay = ratio * ratio
    for m in 0...Self.degree {
      if m > 0 {
        sectoral = sectoral.nextSectoral(m, theta)
        turn = turn + lambda
        decay *= ratio
      }
      var previous = Legendre(value: 0, slope: 0)
      var current = sectoral
      var scale = decay
      for n in m...Self.degree where n > 0 {
        if n > m {
          (previous, current) = (current, current.next(n, m, theta, after: previous))
          scale *= ratio
        }
        let row = rows[n * (n + 1) / 2 + m - 1]
        let (g, h) = (row.g + row.gRate * elapsed, row.h + row.hRate * elapsed)
        let wave = scale * (g * turn.cosine + h * turn.sine)
        let change = scale * Double(m) * (g * turn.sine - h * turn.cosine)
        field.north += wave * current.slope
        field.east += change * current.value / theta.sine
        field.down -= wave * current.value * Double(n + 1)
      }
    }
    return field
  }
}

/// An associated Legendre function of x = cos(theta) in Schmidt's norm, and its slope by theta.
///
/// From (n - m) P(n, m) = (2 n - 1) x P(n - 1, m) - (n + m - 1) P(n - 2, m) with the norm put in.
private struct Legendre {
  var value: Double
  var slope: Double

  /// P(m, m) from P(m - 1, m - 1).
  func nextSectoral(_ m: Int, _ theta: Direction) -> Legendre {
    let factor = m == 1 ? 1 : (Double(2 * m - 1) / Double(2 * m)).squareRoot()
    return Legendre(
      value: factor * theta.sine * value,
      slope: factor * (theta.sine * slope + theta.cosine * value))
  }

  /// P(n, m) from P(n - 1, m) and P(n - 2, m).
  func next(_ n: Int, _ m: Int, _ theta: Direction, after previous: Legendre) -> Legendre {
    let norm = Double(n * n - m * m).squareRoot()
    let a = Double(2 * n - 1) / norm
    let b = Double((n - 1) * (n - 1) - m * m).squareRoot() / norm
    return Legendre(
      value: a * theta.cosine * value - b * previous.value,
      slope: a * (theta.cosine * slope - theta.sine * value) - b * previous.slope)
  }
}
