import LocationModel
import TestSupport

/// A row of Karney's test set GeodTest: a geodesic known to far more digits than a `Double` holds.
struct KarneyRow {
  var start: Coordinate
  var initialAzimuth: Double
  var end: Coordinate
  var finalAzimuth: Double
  /// Meters.
  var distance: Double
  /// Meters: how far the end moves sideways per radian of the initial azimuth.
  var reducedLength: Double

  init?(_ line: Substring) {
    let fields = line.split(separator: " ").compactMap { Double($0) }
    guard fields.count == 10 else { return nil }
    start = Coordinate(latitude: fields[0], longitude: fields[1])
    initialAzimuth = fields[2]
    end = Coordinate(latitude: fields[3], longitude: fields[4])
    finalAzimuth = fields[5]
    distance = fields[6]
    reducedLength = fields[8]
  }

  static func all() throws -> [KarneyRow] {
    try SharedData.lines("geodesy/GeodTest-short.odd-rows.dat.gz").compactMap(KarneyRow.init)
  }

  /// Degrees by which the row determines an azimuth: 1e-9, and what moving an end by 4 nm, the
  /// rounding of its coordinates, turns the path or the meridian.
  var azimuthTolerance: Double {
    let toPole = 90 - max(start.latitude.magnitude, end.latitude.magnitude)
    let polar = 4e-9 / max(toPole * 111_000, 1e-9)
    let turn = 4e-9 / max(reducedLength.magnitude, 1e-9) + polar
    return 1e-9 + Angle(radians: turn).degrees
  }
}

/// The smaller angle between two directions in degrees.
func turn(_ left: Double, _ right: Double) -> Double {
  (left - right).remainder(dividingBy: 360).magnitude
}
