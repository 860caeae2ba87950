/// The ellipsoid of GPS (NIMA TR8350.2): two defining numbers, and what follows from them.
package enum WGS84 {
  /// Meters: the semi-major axis, a.
  package static let equatorialRadius = 6_378_137.0
  /// The flattening, f.
  package static let flattening = 1 / 298.257_223_563
  /// Meters: the semi-minor axis, b.
  package static let polarRadius = equatorialRadius * (1 - flattening)
  /// The third flattening, n = f / (2 - f).
  package static let thirdFlattening = flattening / (2 - flattening)
  /// The first eccentricity, squared.
  package static let eccentricitySquared = flattening * (2 - flattening)
  /// The second eccentricity, squared.
  package static let secondEccentricitySquared =
    eccentricitySquared / ((1 - flattening) * (1 - flattening))
}
