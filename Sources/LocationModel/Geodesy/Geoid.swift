/// Mean sea level, as the geoid EGM96 has it, on a half-degree grid.
///
/// Against the full quarter-degree model the error is 0.09 m (root mean square), below 0.3 m for
/// 99 places of 100 and 0.5 m at most. Apple names its finer successor, EGM2008 (LOC-7).
package enum Geoid {
  private static let rows = 361
  private static let columns = 720
  /// Meters of undulation in one step of the grid.
  private static let step = 0.25

  /// Undulations in steps, by parallel from the south and meridian from 180 degrees west.
  private static let grid = unpack(GeoidGrid.text)

  /// Meters the geoid lies above the ellipsoid: ellipsoidal altitude minus altitude (LOC-8).
  ///
  /// Not a number when the place is not valid.
  package static func undulation(at place: Coordinate) -> Double {
    guard place.isValid else { return .nan }
    let (y, x) = ((place.latitude + 90) * 2, (place.longitude + 180) * 2)
    let (row, column) = (min(Int(y), rows - 2), Int(x))
    let (vertical, horizontal) = (cubicWeights(y - Double(row)), cubicWeights(x - Double(column)))
    var sum = 0.0
    for i in 0..<4 {
      for j in 0..<4 {
        sum += vertical[i] * horizontal[j] * Double(node(row + i - 1, column + j - 1))
      }
    }
    return sum * step
  }

  /// A node of the grid; beyond a pole the grid goes on along the opposite meridian.
  private static func node(_ row: Int, _ column: Int) -> Int16 {
    let isBeyond = row < 0 || row >= rows
    let inside = row < 0 ? -row : row >= rows ? 2 * (rows - 1) - row : row
    let turned = column + columns + (isBeyond ? columns / 2 : 0)
    return grid[inside * columns + turned % columns]
  }

  /// Cubic convolution (Keys 1981): weights of four neighbors, `t` past the second.
  private static func cubicWeights(_ t: Double) -> SIMD4<Double> {
    SIMD4(
      ((2 - t) * t - 1) * t / 2, ((3 * t - 5) * t * t + 2) / 2,
      ((4 - 3 * t) * t + 1) * t / 2, (t - 1) * t * t / 2)
  }

  /// Reads the packing of Scripts/generate-geoid-grid.sh.
  private static func unpack(_ text: String) -> [Int16] {
    var grid: [Int16] = []
    grid.reserveCapacity(rows * columns)
    func append(_ difference: Int) {
      let column = grid.count % columns
      let isFirstRow = grid.count < columns
      let west = column > 0 ? Int(grid[grid.count - 1]) : 0
      let south = isFirstRow ? 0 : Int(grid[grid.count - columns])
      let southwest = isFirstRow || column == 0 ? 0 : Int(grid[grid.count - columns - 1])
      grid.append(Int16(west + south - southwest + difference))
    }
    var bytes = text.utf8.lazy.filter { $0 != UInt8(ascii: "\n") }.map { Int($0) - 40 }
      .makeIterator()
    func wide() -> Int { (bytes.next() ?? 0) * 64 + (bytes.next() ?? 0) - 2048 }
    while let pair = bytes.next() {
      let isWide = pair == Int(UInt8(ascii: "~")) - 40
      append(isWide ? wide() : pair / 9 - 4)
      append(isWide ? wide() : pair % 9 - 4)
    }
    precondition(grid.count == rows * columns, "the grid of the geoid is not complete")
    return grid
  }
}

extension Fix {
  /// Gives a fix that has one of the two heights the other (LOC-7): by the undulation that its
  /// receiver reports, in meters, else by the geoid's.
  package mutating func completeHeights(undulation: Double?) {
    switch (altitude, ellipsoidalAltitude) {
    case (let altitude?, nil):
      ellipsoidalAltitude = altitude + (undulation ?? Geoid.undulation(at: coordinate))
    case (nil, let ellipsoidalAltitude?):
      altitude = ellipsoidalAltitude - (undulation ?? Geoid.undulation(at: coordinate))
    case (nil, nil), (_?, _?): break
    }
  }
}
