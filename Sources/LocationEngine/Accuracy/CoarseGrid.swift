package import LocationModel

/// A division of the earth into cells of about ten kilometers, laid by a secret.
///
/// Rows follow the parallels; each row has whole cells and an offset of its own, so corners of
/// four cells do not exist and what one row shows says nothing of the next. It is one for the whole
/// machine: cells that differed between apps could be intersected.
package struct CoarseGrid: Sendable {
  /// One cell, named by its row from the south and its column from the row's own origin.
  package struct Cell: Hashable, Codable, Sendable {
    package var row: Int
    package var column: Int
  }

  private let function: KeyedFunction
  /// How far the first row lies from the south pole, in rows.
  private let rowOffset: Double

  package init(secret: SecretKey) {
    function = KeyedFunction(secret, purpose: "grid")
    rowOffset = function.fractions(of: -1).0
  }

  /// The cell that holds a place.
  package func cell(at place: Coordinate) -> Cell {
    let row = Int(((place.latitude + 90) / Self.height + rowOffset).rounded(.down))
    let turn = normalizedDegrees(place.longitude - origin(ofRow: row)) / 360
    return Cell(row: row, column: Int((turn * Double(columns(inRow: row))).rounded(.down)))
  }

  package func center(of cell: Cell) -> Coordinate {
    point(of: cell, east: 0, north: 0)
  }

  /// A place at a distance from the center of a cell, in meters; where a row is cut by a pole, at the
  /// same fraction of its cells.
  func point(of cell: Cell, east: Double, north: Double) -> Coordinate {
    let column = Double(cell.column) + 0.5 + east / Self.side
    let turn = column / Double(columns(inRow: cell.row))
    let degrees = normalizedDegrees(origin(ofRow: cell.row) + turn * 360)
    let latitude = latitude(ofRow: cell.row) + north / Self.metersPerDegree
    return Coordinate(
      latitude: min(max(latitude, -90), 90),
      longitude: degrees > 180 ? degrees - 360 : degrees)
  }

  /// How far a place lies outside a cell, in meters; zero within.
  package func distance(from place: Coordinate, to cell: Cell) -> Double {
    let center = center(of: cell)
    let shift = normalizedDegrees(place.longitude - center.longitude + 180) - 180
    let east = shift.magnitude * Self.metersPerDegree * cos(Angle(degrees: center.latitude))
    let width = 360 / Double(columns(inRow: cell.row)) * Self.metersPerDegree
    let halfWidth = width * cos(Angle(degrees: center.latitude)) / 2
    let north = (place.latitude - center.latitude).magnitude * Self.metersPerDegree
    return max(0, east - halfWidth, north - Self.side / 2)
  }

  /// Whole cells around the earth; one at the poles.
  private func columns(inRow row: Int) -> Int {
    let around = 360 * Self.metersPerDegree * cos(Angle(degrees: latitude(ofRow: row)))
    return max(1, Int((around / Self.side).rounded(.down)))
  }

  /// The middle of a row, in degrees; the rows at the poles are cut.
  private func latitude(ofRow row: Int) -> Double {
    let middle = (Double(row) + 0.5 - rowOffset) * Self.height - 90
    return min(max(middle, -90), 90)
  }

  /// Where the first cell of a row begins, in degrees east.
  private func origin(ofRow row: Int) -> Double { function.fractions(of: row).0 * 360 }

  /// Meters. Chosen, so that the stated accuracy holds (docs/decisions/0015).
  package static let side = 9_700.0
  /// Meters on a sphere; the cells need no better earth.
  private static let metersPerDegree = 111_195.0
  /// Degrees of latitude.
  private static let height = side / metersPerDegree
}
