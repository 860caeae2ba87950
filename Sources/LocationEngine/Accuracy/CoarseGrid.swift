package import LocationModel

/// A division of the earth into cells of about ten kilometers, laid by a secret.
///
/// Rows follow the parallels; each row has whole cells and an offset of its own, so corners of
/// four cells do not exist and what one row shows says nothing of the next.
package struct CoarseGrid: Hashable, Sendable {
  /// One cell, named by its row from the south and its column from the row's own origin.
  package struct Cell: Hashable, Codable, Sendable {
    package var row: Int
    package var column: Int
  }

  private let secret: UInt64

  package init(secret: UInt64) {
    self.secret = secret
  }

  /// The cell that holds a place.
  package func cell(at place: Coordinate) -> Cell {
    let row = Int(((place.latitude + 90) / Self.height + rowOffset).rounded(.down))
    let turn = normalizedDegrees(place.longitude - origin(ofRow: row)) / 360
    return Cell(row: row, column: Int((turn * Double(columns(inRow: row))).rounded(.down)))
  }

  package func center(of cell: Cell) -> Coordinate {
    let turn = (Double(cell.column) + 0.5) / Double(columns(inRow: cell.row))
    let east = normalizedDegrees(origin(ofRow: cell.row) + turn * 360)
    return Coordinate(
      latitude: latitude(ofRow: cell.row), longitude: east > 180 ? east - 360 : east)
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

  private var rowOffset: Double { fraction(of: -1) }

  /// Where the first cell of a row begins, in degrees east.
  private func origin(ofRow row: Int) -> Double { fraction(of: row) * 360 }

  /// A number in `0..<1` that only the secret explains.
  private func fraction(of index: Int) -> Double {
    var random = SeededRandom(seed: secret &+ UInt64(bitPattern: Int64(index)) &* 0x1_0000_0001)
    return Double(random.next() >> 11) * 0x1p-53
  }

  /// Meters. Chosen (docs/decisions/0015).
  package static let side = 10_000.0
  /// Meters on a sphere; the cells need no better earth.
  private static let metersPerDegree = 111_195.0
  /// Degrees of latitude.
  private static let height = side / metersPerDegree
}
