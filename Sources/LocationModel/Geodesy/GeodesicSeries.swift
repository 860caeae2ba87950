// The series of C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87, 43–55 (2013),
// doi 10.1007/s00190-012-0578-z, to sixth order. Equation numbers are the paper's.

/// The sum of c_k sin(2 k sigma) for k from 1 to 6.
struct SineSeries {
  var c1: Double
  var c2: Double
  var c3: Double
  var c4: Double
  var c5: Double
  var c6: Double

  /// Clenshaw's summation.
  @inline(__always)
  func callAsFunction(_ sigma: Direction) -> Double {
    let x = 2 * (sigma.cosine - sigma.sine) * (sigma.cosine + sigma.sine)
    let b5 = x * c6 + c5
    let b4 = x * b5 - c6 + c4
    let b3 = x * b4 - b5 + c3
    let b2 = x * b3 - b4 + c2
    let b1 = x * b2 - b3 + c1
    return 2 * sigma.sine * sigma.cosine * b1
  }
}

/// Distance along the geodesic from the arc on the auxiliary sphere: I1 (eq. 15).
struct DistanceSeries {
  /// A1 (eq. 17).
  let scale: Double
  /// C1k (eq. 18).
  let series: SineSeries

  init(epsilon e: Double) {
    let e2 = e * e
    scale = (1 + e2 * (1 / 4 + e2 * (1 / 64 + e2 / 256))) / (1 - e)
    series = SineSeries(
      c1: e * (-1 / 2 + e2 * (3 / 16 - e2 / 32)),
      c2: e2 * (-1 / 16 + e2 * (1 / 32 - e2 * (9 / 2048))),
      c3: e2 * e * (-1 / 48 + e2 * (3 / 256)),
      c4: e2 * e2 * (-5 / 512 + e2 * (3 / 512)),
      c5: e2 * e2 * e * (-7 / 1280),
      c6: e2 * e2 * e2 * (-7 / 2048))
  }

  /// The way back, from distance to arc: C1'k (eq. 21).
  static func reverted(epsilon e: Double) -> SineSeries {
    let e2 = e * e
    return SineSeries(
      c1: e * (1 / 2 + e2 * (-9 / 32 + e2 * (205 / 1536))),
      c2: e2 * (5 / 16 + e2 * (-37 / 96 + e2 * (1335 / 4096))),
      c3: e2 * e * (29 / 96 - e2 * (75 / 128)),
      c4: e2 * e2 * (539 / 1536 - e2 * (2391 / 2560)),
      c5: e2 * e2 * e * (3467 / 7680),
      c6: e2 * e2 * e2 * (38081 / 61440))
  }
}

/// The second integral that the reduced length needs: I2 (eq. 41).
struct ReducedLengthSeries {
  /// A2 (eq. 42).
  let scale: Double
  /// C2k (eq. 43).
  let series: SineSeries

  init(epsilon e: Double) {
    let e2 = e * e
    scale = (1 - e) * (1 + e2 * (1 / 4 + e2 * (9 / 64 + e2 * (25 / 256))))
    series = SineSeries(
      c1: e * (1 / 2 + e2 * (1 / 16 + e2 / 32)),
      c2: e2 * (3 / 16 + e2 * (1 / 32 + e2 * (35 / 2048))),
      c3: e2 * e * (5 / 48 + e2 * (5 / 256)),
      c4: e2 * e2 * (35 / 512 + e2 * (7 / 512)),
      c5: e2 * e2 * e * (63 / 1280),
      c6: e2 * e2 * e2 * (77 / 2048))
  }
}

/// Longitude on the ellipsoid from longitude on the auxiliary sphere: I3 (eq. 23).
struct LongitudeSeries {
  /// A3 (eq. 24).
  let scale: Double
  /// C3k (eq. 25).
  let series: SineSeries

  init(epsilon e: Double) {
    typealias N = LongitudeCoefficients
    let e2 = e * e
    scale = Self.scale(epsilon: e)
    series = SineSeries(
      c1: e * (N.c11 + e * (N.c12 + e * (N.c13 + e * (N.c14 + e * (3 / 128))))),
      c2: e2 * (N.c22 + e * (N.c23 + e * (N.c24 + e * (5 / 256)))),
      c3: e2 * e * (N.c33 + e * (N.c34 + e * (7 / 512))),
      c4: e2 * e2 * (N.c44 + e * (7 / 512)),
      c5: e2 * e2 * e * (21 / 2560),
      c6: 0)
  }

  static func scale(epsilon e: Double) -> Double {
    typealias N = LongitudeCoefficients
    return 1 - e * (N.a1 + e * (N.a2 + e * (N.a3 + e * (N.a4 + e * (3 / 128)))))
  }
}

/// The polynomials in n of equations 24 and 25, for WGS 84.
private enum LongitudeCoefficients {
  static let n = WGS84.thirdFlattening
  static let a1 = (1 - n) / 2
  static let a2 = 1 / 4 + n * (1 / 8 - n * (3 / 8))
  static let a3 = 1 / 16 + n * (3 / 16 + n / 16)
  static let a4 = 3 / 64 + n / 32
  static let c11 = (1 - n) / 4
  static let c12 = (1 - n * n) / 8
  static let c13 = 3 / 64 + n * (3 / 64 - n / 64)
  static let c14 = 5 / 128 + n / 64
  static let c22 = 1 / 16 + n * (-3 / 32 + n / 32)
  static let c23 = 3 / 64 - n * (1 / 32 + n * (3 / 64))
  static let c24 = 3 / 128 + n / 128
  static let c33 = 5 / 192 + n * (-3 / 64 + n * (5 / 192))
  static let c34 = 3 / 128 - n * (5 / 192)
  static let c44 = (7 / 512) * (1 - 2 * n)
}
