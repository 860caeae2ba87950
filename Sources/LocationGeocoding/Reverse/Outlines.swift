import LocationModel
import LocationSQLite

/// What of the place index a map shows: the borders of areas, as lines.
package struct Outlines: Sendable {
  /// Latitudes and longitudes in turn, in degrees.
  package var borders: [[Double]] = []

  /// A part of the map, in degrees.
  package struct Box: Hashable, Sendable {
    package var south: Double
    package var west: Double
    package var north: Double
    package var east: Double

    /// Reads `SOUTH,WEST,NORTH,EAST`; `nil` for anything else.
    package init?(_ text: String) {
      let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard numbers.count == 4, let south = numbers[0], let west = numbers[1],
        let north = numbers[2],
        let east = numbers[3], (-90...90).contains(south), (-180...180).contains(west),
        (south...90).contains(north), (west...180).contains(east)
      else { return nil }
      (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }
  }
}

extension Outlines {
  /// The borders in a part of the map, from the index that is installed; none without one.
  package static func read(_ box: Box) -> Outlines {
    guard let path = IndexLocation.places.found else { return Outlines() }
    do throws(DatabaseError) { return try PlaceIndex(path: path).outlines(in: box) } catch {
      return Outlines()
    }
  }
}

extension PlaceIndex {
  /// The borders in a part of the map, no finer than a screen shows them, and not more than are drawn in
  /// a moment.
  func outlines(in box: Outlines.Box) throws(DatabaseError) -> Outlines {
    let scale = Self.stepsPerDegree
    let statement = try database.statement(
      """
      SELECT rings FROM area_box JOIN area USING (id)
      WHERE left <= ? AND right >= ? AND bottom <= ? AND top >= ? ORDER BY id
      """)
    statement.bind(box.east * scale, at: 1).bind(box.west * scale, at: 2)
    statement.bind(box.north * scale, at: 3).bind(box.south * scale, at: 4)
    // A six-hundredth of what is seen is about a pixel or two.
    let step = max(1, Int(max(box.east - box.west, box.north - box.south) * scale / 600))
    var outlines = Outlines()
    var points = 0
    while points < Self.mostPoints, statement.step() {
      statement.withBytes(0) { bytes in
        for ring in PackedRings(bytes: bytes).lines(every: step, scale: scale) {
          outlines.borders.append(ring)
          points += ring.count / 2
        }
      }
    }
    return outlines
  }

  /// Chosen: what a browser draws in a tenth of a second.
  private static let mostPoints = 60_000
}

extension PackedRings {
  /// The rings as closed lines; points nearer to the last than `step`, and rings smaller than that, are
  /// left out.
  fileprivate func lines(every step: Int, scale: Double) -> [[Double]] {
    var reader = VariableLengthReader(bytes: bytes)
    var lines: [[Double]] = []
    while let count = reader.next(), count > 0 {
      var line: [Double] = []
      var (x, y) = (0, 0)
      var last: (x: Int, y: Int)?
      for _ in 0..<count {
        guard let stepX = reader.nextSigned(), let stepY = reader.nextSigned() else { return lines }
        x += stepX
        y += stepY
        if let last, abs(x - last.x) < step, abs(y - last.y) < step { continue }
        last = (x, y)
        line += [Double(y) / scale, Double(x) / scale]
      }
      if line.count >= 6 { lines.append(line + line.prefix(2)) }
    }
    return lines
  }
}
