package import LocationModel
import LocationSQLite

/// What a map shows of the place index and of the address index: borders, places, and streets.
package struct Outlines: Sendable {
  /// Latitudes and longitudes in turn, in degrees.
  package var borders: [[Double]] = []
  /// The most important first.
  package var places: [Place] = []
  package var streets: [Street] = []
  /// What must be shown beside it, of each index that it is from.
  package var attributions: [String] = []

  /// A settlement, where its middle is.
  package struct Place: Hashable, Sendable {
    package var name: String
    package var coordinate: Coordinate
  }

  /// A street, as a line.
  package struct Street: Hashable, Sendable {
    package var name: String?
    /// Latitudes and longitudes in turn, in degrees.
    package var line: [Double]
  }

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

    /// The longer side, in degrees.
    var span: Double { max(east - west, north - south) }

    func contains(_ place: Coordinate) -> Bool {
      (south...north).contains(place.latitude) && (west...east).contains(place.longitude)
    }
  }
}

extension Outlines {
  /// What is in a part of the map, from the indexes that are installed; nothing without one.
  package static func read(_ box: Box) -> Outlines {
    var outlines = Outlines()
    if let path = IndexLocation.places.found, let index = try? PlaceIndex(path: path) {
      outlines.borders = (try? index.borders(in: box)) ?? []
      outlines.places = (try? index.places(in: box)) ?? []
      outlines.attributions.append(index.attribution)
    }
    if box.span <= Self.widestWithStreets, let path = IndexLocation.streets.found,
      let index = try? StreetIndex(path: path)
    {
      outlines.streets = (try? index.streets(in: box)) ?? []
      outlines.attributions.append(index.attribution)
    }
    return outlines
  }

  /// Degrees. Chosen: some five kilometers, where streets stand apart on a screen.
  private static let widestWithStreets = 0.05
}

extension PlaceIndex {
  /// The borders in a part of the map, no finer than a screen shows them, and not more than are drawn in
  /// a moment.
  fileprivate func borders(in box: Outlines.Box) throws(DatabaseError) -> [[Double]] {
    let scale = Self.stepsPerDegree
    let statement = try database.statement(
      """
      SELECT rings FROM area_box JOIN area USING (id)
      WHERE left <= ? AND right >= ? AND bottom <= ? AND top >= ? ORDER BY id
      """)
    statement.bind(box.east * scale, at: 1).bind(box.west * scale, at: 2)
    statement.bind(box.north * scale, at: 3).bind(box.south * scale, at: 4)
    // A six-hundredth of what is seen is about a pixel or two.
    let step = max(1, Int(box.span * scale / 600))
    var borders: [[Double]] = []
    var points = 0
    while points < Self.mostPoints, statement.step() {
      statement.withBytes(0) { bytes in
        for ring in PackedRings(bytes: bytes).lines(every: step, scale: scale) {
          borders.append(ring)
          points += ring.count / 2
        }
      }
    }
    return borders
  }

  /// Chosen: what a browser draws in a tenth of a second.
  private static let mostPoints = 60_000

  /// The most important settlements in a part of the map.
  fileprivate func places(in box: Outlines.Box) throws(DatabaseError) -> [Outlines.Place] {
    let ranks = try box.span > Self.widestByCell ? foremost(in: box) : nearby(in: box)
    var places: [Outlines.Place] = []
    for rank in ranks {
      guard let row = try row(rank) else { continue }
      places.append(Outlines.Place(name: row.name, coordinate: row.position.coordinate))
    }
    return places
  }

  /// Of a wide part: looked for among the most important of all.
  private func foremost(in box: Outlines.Box) throws(DatabaseError) -> [Int] {
    let statement = try database.statement(
      "SELECT id, position FROM place WHERE kind = ? ORDER BY id LIMIT ?")
    statement.bind(Int64(PlaceKind.settlement.rawValue), at: 1)
    statement.bind(Int64(Self.mostLookedAt), at: 2)
    var ranks: [Int] = []
    while ranks.count < Self.mostPlaces, statement.step() {
      let position = GridPosition(bits: UInt64(truncatingIfNeeded: statement.integer(1)))
      if box.contains(position.coordinate) { ranks.append(statement.integer(0)) }
    }
    return ranks
  }

  /// Of a narrow part: those of all that are in it.
  private func nearby(in box: Outlines.Box) throws(DatabaseError) -> [Int] {
    let middle = Coordinate(
      latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2)
    let corner = Coordinate(latitude: box.south, longitude: box.west)
    let neighborhood = Neighborhood(around: middle)
    let showsQuarters = box.span <= Self.widestWithQuarters
    let found = try settlements(within: neighborhood.distance(to: corner), of: neighborhood)
      .filter { showsQuarters || !$0.isQuarter }.map(\.rank).sorted()
    var ranks: [Int] = []
    for rank in found where ranks.count < Self.mostPlaces {
      guard let row = try row(rank), box.contains(row.position.coordinate) else { continue }
      ranks.append(rank)
    }
    return ranks
  }

  /// Chosen: more names than a screen has room for.
  private static let mostPlaces = 60
  /// Chosen: larger than towns of 20,000.
  private static let mostLookedAt = 20_000
  /// Degrees. Chosen: a country; in a wider part the cells would be too many to look at.
  private static let widestByCell = 3.0
  /// Degrees. Chosen: a town.
  private static let widestWithQuarters = 0.3
}

extension StreetIndex {
  /// The streets in a part of the map, not more than are drawn in a moment.
  fileprivate func streets(in box: Outlines.Box) throws(DatabaseError) -> [Outlines.Street] {
    try lines(
      in: DegreeBox(west: box.west, east: box.east, south: box.south, north: box.north),
      limit: Self.mostStreets
    ).map { name, points in
      Outlines.Street(
        name: name, line: points.map(\.coordinate).flatMap { [$0.latitude, $0.longitude] })
    }
  }

  private static let mostStreets = 4000
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
