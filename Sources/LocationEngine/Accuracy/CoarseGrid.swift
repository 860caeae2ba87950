package import LocationModel
package import LocationSecrets

/// Divides the earth into cells of about ten kilometers, placed by a secret.
///
/// Rows follow the parallels. Each row has whole cells and its own offset, so no corner is shared
/// by four cells, and the cells of one row reveal nothing about the next. All apps share one grid:
/// if cells differed between apps, apps could intersect them.
package struct CoarseGrid: Sendable {
  /// One cell, named by its row from the south and its column from the row's own origin.
  package struct Cell: Hashable, Sendable {
    package var row: Int
    package var column: Int
  }

  private let function: KeyedFunction
  /// The offset of the first row from the south pole, in rows.
  private let rowOffset: Double

  package init(secret: SecretKey) {
    function = KeyedFunction(secret, purpose: "grid")
    rowOffset = function.fractions(of: -1).0
  }

  /// Returns the cell that contains a place.
  package func cell(at place: Coordinate) -> Cell {
    let row = Int(((place.latitude + 90) / Self.height + rowOffset).rounded(.down))
    let turn = normalizedDegrees(place.longitude - origin(ofRow: row)) / 360
    return Cell(row: row, column: Int((turn * Double(columns(inRow: row))).rounded(.down)))
  }

  package func center(of cell: Cell) -> Coordinate {
    point(of: cell, east: 0, north: 0)
  }

  /// Returns the place at a distance in meters from the center of a cell; in a row that a pole
  /// cuts, at the same fraction of its cells.
  func point(of cell: Cell, east: Double, north: Double) -> Coordinate {
    let column = Double(cell.column) + 0.5 + east / Self.side
    let turn = column / Double(columns(inRow: cell.row))
    let degrees = normalizedDegrees(origin(ofRow: cell.row) + turn * 360)
    let latitude = latitude(ofRow: cell.row) + north / Self.metersPerDegree
    return Coordinate(
      latitude: min(max(latitude, -90), 90),
      longitude: degrees > 180 ? degrees - 360 : degrees)
  }

  /// Returns the distance in meters of a place from a cell; zero inside it.
  package func distance(from place: Coordinate, to cell: Cell) -> Double {
    let center = center(of: cell)
    let shift = normalizedDegrees(place.longitude - center.longitude + 180) - 180
    let east = shift.magnitude * Self.metersPerDegree * cos(Angle(degrees: center.latitude))
    let width = 360 / Double(columns(inRow: cell.row)) * Self.metersPerDegree
    let halfWidth = width * cos(Angle(degrees: center.latitude)) / 2
    let north = (place.latitude - center.latitude).magnitude * Self.metersPerDegree
    return max(0, east - halfWidth, north - Self.side / 2)
  }

  /// Returns the number of cells in a row around the earth; one at the poles.
  private func columns(inRow row: Int) -> Int {
    let around = 360 * Self.metersPerDegree * cos(Angle(degrees: latitude(ofRow: row)))
    return max(1, Int((around / Self.side).rounded(.down)))
  }

  /// Returns the latitude of the middle of a row, in degrees; the rows at the poles are cut.
  private func latitude(ofRow row: Int) -> Double {
    let middle = (Double(row) + 0.5 - rowOffset) * Self.height - 90
    return min(max(middle, -90), 90)
  }

  /// Returns where the first cell of a row begins, in degrees east.
  private func origin(ofRow row: Int) -> Double { function.fractions(of: row).0 * 360 }

  /// Meters. Chosen, so that the stated accuracy holds (docs/decisions/0015).
  package static let side = 9_700.0
  /// Meters, on a sphere; the cells need no better model of the earth.
  private static let metersPerDegree = 111_195.0
  /// Degrees of latitude.
  private static let height = side / metersPerDegree
}
