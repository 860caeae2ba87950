/// The World Magnetic Model (NOAA NCEI and BGS, public domain): four models of five years each.
///
/// Equations follow the model's technical report (Chulliat et al. 2020, section 1.2).
package struct MagneticModel: Sendable {
  /// The decimal year for which the coefficients hold without change.
  package let epoch: Double
  /// By degree n from 1 and order m from 0: the row of (n, m) is n (n + 1) / 2 + m - 1.
  private let rows: [GaussCoefficients]

  /// The models we carry, oldest first.
  private static let all = [
    MagneticModel(epoch: 2010, text: MagneticCoefficients.epoch2010),
    MagneticModel(epoch: 2015, text: MagneticCoefficients.epoch2015),
    MagneticModel(epoch: 2020, text: MagneticCoefficients.epoch2020),
    MagneticModel(epoch: 2025, text: MagneticCoefficients.epoch2025),
  ]

  /// The decimal years for which there is a model.
  package static let years = 2010.0...2030.0

  /// Meters: the geomagnetic reference radius.
  private static let referenceRadius = 6_371_200.0

  private init(epoch: Double, text: String) {
    self.epoch = epoch
    rows = text.split(separator: "\n").map { line in
      let fields = line.split(separator: " ").dropFirst(2).compactMap { Double($0) }
      precondition(fields.count == 4, "a row of coefficients has six numbers")
      return GaussCoefficients(g: fields[0], h: fields[1], gRate: fields[2], hRate: fields[3])
    }
  }

  /// The model in force in a decimal year; `nil` outside ``years``.
  package static func inForce(in year: Double) -> MagneticModel? {
    guard years.contains(year) else { return nil }
    return all.last { $0.epoch <= year }
  }

  /// The field at a place and height in meters above the ellipsoid; `nil` outside ``years``.
  package static func field(
    at place: Coordinate, altitude: Double = 0, time: UnixTime
  ) -> MagneticField? {
    let year = time.decimalYear
    return inForce(in: year)?.field(at: place, altitude: altitude, year: year)
  }

  /// The field at a place and height in meters above the ellipsoid, in a decimal year.
  package func field(at place: Coordinate, altitude: Double, year: Double) -> MagneticField {
    let phi = Direction(degrees: place.latitude)
    let lambda = Direction(degrees: place.longitude)
    let crossRadius =
      WGS84.equatorialRadius
      / (1 - WGS84.eccentricitySquared * phi.sine * phi.sine).squareRoot()
    let fromAxis = (crossRadius + altitude) * phi.cosine
    let aboveEquator = (crossRadius * (1 - WGS84.eccentricitySquared) + altitude) * phi.sine
    let radius = hypotenuse(fromAxis, aboveEquator)
    // East has no direction at a pole: stand half a millimeter beside it.
    let theta = Direction(sine: max(fromAxis / radius, 1e-10), cosine: aboveEquator / radius)
    let harmonics = SphericalHarmonics(
      theta: theta, lambda: lambda, ratio: Self.referenceRadius / radius)
    let spherical = harmonics.sum(of: rows, elapsed: year - epoch)
    // From the geocentric to the geodetic vertical.
    let tilt = Direction(sine: theta.cosine, cosine: theta.sine) - phi
    return MagneticField(
      north: spherical.north * tilt.cosine - spherical.down * tilt.sine,
      east: spherical.east,
      down: spherical.north * tilt.sine + spherical.down * tilt.cosine)
  }
}
