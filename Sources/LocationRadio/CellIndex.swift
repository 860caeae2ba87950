package import LocationModel

/// The number of a cell of the ground in rows from the equator and columns from Greenwich.
package struct CellIndex: Hashable, Comparable, Sendable {
  package var row: Int32
  package var column: Int32
  /// The floor of a building; ``anyFloor`` where it is not known.
  package var floor: Int8

  package init(row: Int32, column: Int32, floor: Int8 = Self.anyFloor) {
    self.row = row
    self.column = column
    self.floor = floor
  }

  /// The cell that holds a place.
  package init(_ place: Coordinate, floor: Int8?, spacing: Double) {
    self.floor = floor ?? Self.anyFloor
    row = Int32((place.latitude * Self.metersPerDegree / spacing).rounded(.down))
    let width = Self.metersPerDegree * cos(Angle(degrees: Self.latitude(row, spacing)))
    column = Int32((place.longitude * width / spacing).rounded(.down))
  }

  /// The middle of the cell; of one that reaches over the antimeridian or a pole, at most there: what lies beyond is no
  /// coordinate, and has no geodesics (RADIO-96).
  package func middle(spacing: Double) -> Coordinate {
    let latitude = (Double(row) + 0.5) * spacing / Self.metersPerDegree
    let width = Self.metersPerDegree * cos(Angle(degrees: Self.latitude(row, spacing)))
    let longitude = (Double(column) + 0.5) * spacing / width
    return Coordinate(
      latitude: min(max(latitude, -90), 90), longitude: min(max(longitude, -180), 180))
  }

  /// Returns whether a place lies in the cell, or at most as far beside it as the cell is wide.
  func isNear(_ place: Coordinate, spacing: Double) -> Bool {
    let middle = middle(spacing: spacing)
    let width = Self.metersPerDegree * cos(Angle(degrees: Self.latitude(row, spacing)))
    return abs(place.latitude - middle.latitude) * Self.metersPerDegree <= 1.5 * spacing
      && abs(place.longitude - middle.longitude) * width <= 1.5 * spacing && width > 0
  }

  /// The tile of 8 rows and columns that is stored as one entry.
  package var tile: TileIndex { TileIndex(row: row >> 3, column: column >> 3) }

  /// The latitude by which the columns of a row are as wide as the spacing.
  ///
  /// Rows of about a kilometer share it, so that the cells of neighboring rows are aligned.
  private static func latitude(_ row: Int32, _ spacing: Double) -> Double {
    let rows = max(1, 1000 / spacing).rounded()
    return (Double(row) / rows).rounded(.down) * rows * spacing / metersPerDegree
  }

  package static func < (left: CellIndex, right: CellIndex) -> Bool {
    (left.row, left.column, left.floor) < (right.row, right.column, right.floor)
  }

  package static let anyFloor = Int8.min
  /// Of a meridian, on average.
  private static let metersPerDegree = 111_195.0
}

/// The number of a tile.
package struct TileIndex: Hashable, Comparable, Sendable {
  package var row: Int32
  package var column: Int32

  package init(row: Int32, column: Int32) {
    self.row = row
    self.column = column
  }

  package static func < (left: TileIndex, right: TileIndex) -> Bool {
    (left.row, left.column) < (right.row, right.column)
  }
}
