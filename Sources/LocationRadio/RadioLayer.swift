internal import LocationModel

/// Places with what is heard there, for one kind of radio, and the transmitters by place.
///
/// A place is a cell of the ground. What is heard at a fix is taught to the cell it lies in and, with
/// less weight, to the cells around, so that ways between taught ways are known, too.
package struct RadioLayer: Sendable {
  /// How coarse a layer is, and what it may hold.
  package struct Grain: Hashable, Sendable {
    /// Meters between the middles of two cells.
    package var spacing: Double
    /// Meters over which a teaching spreads, as one standard deviation.
    package var spread: Double
    /// Meters: the least standard deviation of a position.
    package var floor: Double
    /// The most cells; the tile that was not taught for the longest time goes first.
    package var mostCells: Int

    /// Access points: rooms.
    package static let accessPoints = Grain(
      spacing: 3, spread: 2.5, floor: 1.5, mostCells: 60_000)
    /// Cells of mobile networks: blocks of houses.
    package static let cells = Grain(spacing: 120, spread: 100, floor: 60, mostCells: 20_000)
  }

  /// One place.
  struct Cell: Hashable, Sendable {
    var latitude: Double
    var longitude: Double
    /// The weight of all teachings.
    var weight: Double
    var levels: [Level]
    var floor: Int8?
    /// Days since 1970 of the last teaching.
    var day: Int32
    /// The length of `levels` as a vector.
    var length = 0.0
  }

  /// How strongly a transmitter is heard at a place: 0 at -100 dBm, 1 at -30 dBm.
  package struct Level: Hashable, Sendable {
    package var station: RadioStationID
    package var strength: Double
  }

  package let grain: Grain
  private(set) var cells: [CellIndex: Cell] = [:]
  package private(set) var stations: [RadioStationID: RadioStation] = [:]
  /// The cells in which a transmitter is heard.
  private var places: [RadioStationID: Set<CellIndex>] = [:]
  /// Tiles that have changed since they were stored.
  private(set) var changedTiles: Set<TileIndex> = []

  package init(_ grain: Grain) {
    self.grain = grain
  }

  package var cellCount: Int { cells.count }

  // MARK: Teaching

  /// Teaches what was heard at a place.
  ///
  /// - Parameters:
  ///   - heard: each transmitter once, with its strength.
  ///   - weight: 1 for a good position, less for a worse one.
  mutating func teach(_ heard: [Level], at place: Coordinate, _ teaching: Teaching) {
    guard !heard.isEmpty, place.isValid, abs(place.latitude) < Self.mostNorth else { return }
    var usable = heard.filter { note($0.station, at: place, teaching) }
    usable.sort { $0.station < $1.station }
    guard !usable.isEmpty else { return }
    let frame = LocalFrame(center: place)
    for north in -1...1 {
      for east in -1...1 {
        let middle = CellIndex(
          frame.place(east: Double(east) * grain.spacing, north: Double(north) * grain.spacing),
          spacing: grain.spacing)
        let offset = frame.offset(of: middle.middle(spacing: grain.spacing))
        let squared = offset.east * offset.east + offset.north * offset.north
        let nearness = exponential(-squared / (2 * grain.spread * grain.spread))
        let isOwn = north == 0 && east == 0
        teach(usable, to: middle, place, isOwn ? 1 : nearness * Self.neighborShare, teaching)
      }
    }
    shrink()
  }

  /// When and how a position is taught.
  struct Teaching {
    var weight: Double
    var day: Int32
    var floor: Int8?
    /// Transmitters with locally administered addresses.
    var local: Set<RadioStationID> = []
    /// Whether one that is heard far from its place has moved.
    var canMove = true
  }

  private mutating func teach(
    _ heard: [Level], to index: CellIndex, _ place: Coordinate, _ share: Double,
    _ teaching: Teaching
  ) {
    let weight = teaching.weight * share
    guard weight > Self.leastWeight else { return }
    var cell =
      cells[index]
      ?? Cell(
        latitude: place.latitude, longitude: place.longitude, weight: 0, levels: [],
        floor: teaching.floor, day: teaching.day)
    let old = min(cell.weight, Self.mostWeight)
    let part = weight / (old + weight)
    // A neighbor keeps its own middle; only what was heard in it says where within it that was.
    let target = share == 1 ? place : index.middle(spacing: grain.spacing)
    cell.latitude += (target.latitude - cell.latitude) * (cell.weight == 0 ? 1 : part)
    cell.longitude += (target.longitude - cell.longitude) * (cell.weight == 0 ? 1 : part)
    let before = cell.levels
    cell.levels = Self.merge(cell.levels, heard, part)
    cell.weight = old + weight
    cell.day = max(cell.day, teaching.day)
    cell.floor = teaching.floor ?? cell.floor
    cell.length = Self.length(of: cell.levels)
    cells[index] = cell
    settlePlaces(of: index, before, cell.levels)
    changedTiles.insert(index.tile)
  }

  private mutating func settlePlaces(of index: CellIndex, _ before: [Level], _ after: [Level]) {
    let kept = Set(after.map(\.station))
    for level in before where !kept.contains(level.station) {
      places[level.station]?.remove(index)
    }
    for station in kept { places[station, default: []].insert(index) }
  }

  /// Mixes what is known of a place with what is heard now; both are in the order of the names.
  private static func merge(_ known: [Level], _ heard: [Level], _ part: Double) -> [Level] {
    var mixed: [Level] = []
    mixed.reserveCapacity(known.count + heard.count)
    var (left, right) = (known[...], heard[...])
    while let first = [left.first, right.first].compactMap({ $0?.station }).min() {
      var strength = 0.0
      if left.first?.station == first { strength += left.removeFirst().strength * (1 - part) }
      if right.first?.station == first { strength += right.removeFirst().strength * part }
      if strength > leastStrength { mixed.append(Level(station: first, strength: strength)) }
    }
    guard mixed.count > mostLevels else { return mixed }
    let loudest = mixed.sorted {
      ($1.strength, $0.station) < ($0.strength, $1.station)
    }
    return loudest.prefix(mostLevels).sorted { $0.station < $1.station }
  }

  static func length(of levels: [Level]) -> Double {
    levels.reduce(0) { $0 + $1.strength * $1.strength }.squareRoot()
  }

  // MARK: Transmitters

  /// Notes that a transmitter was heard; returns whether it may be taught.
  private mutating func note(
    _ id: RadioStationID, at place: Coordinate, _ teaching: Teaching
  ) -> Bool {
    let isLocal = teaching.local.contains(id)
    guard var station = stations[id] else {
      stations[id] = RadioStation(place: place, day: teaching.day, isLocal: isLocal)
      return true
    }
    let isFar =
      teaching.canMove
      && LocalFrame(center: station.place).chord(to: place) > RadioStation.farthest
    if isFar {
      station.move(to: place, on: teaching.day)
      removeLevels(of: id)
    }
    station.lastDay = max(station.lastDay, teaching.day)
    station.isLocal = station.isLocal && isLocal
    stations[id] = station
    return station.blockedUntil <= teaching.day
  }

  private mutating func removeLevels(of station: RadioStationID) {
    for index in (places.removeValue(forKey: station) ?? []).sorted() {
      guard var cell = cells[index] else { continue }
      cell.levels.removeAll { $0.station == station }
      cell.length = Self.length(of: cell.levels)
      cells[index] = cell.levels.isEmpty ? nil : cell
      changedTiles.insert(index.tile)
    }
  }

  /// The cells in which a transmitter is heard, in their order.
  func places(of station: RadioStationID) -> Set<CellIndex> { places[station] ?? [] }

  // MARK: Bounds

  private mutating func shrink() {
    guard cells.count > grain.mostCells else { return }
    var days: [TileIndex: Int32] = [:]
    for (index, cell) in cells { days[index.tile] = max(days[index.tile] ?? .min, cell.day) }
    let oldest = days.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    for tile in oldest {
      guard cells.count > grain.mostCells * 9 / 10 else { return }
      remove(tile)
    }
  }

  /// Removes what is known of a tile.
  mutating func remove(_ tile: TileIndex) {
    for index in cells.keys where index.tile == tile {
      guard let cell = cells.removeValue(forKey: index) else { continue }
      for level in cell.levels {
        places[level.station]?.remove(index)
        guard places[level.station]?.isEmpty == true else { continue }
        places[level.station] = nil
        stations[level.station] = nil
      }
    }
    changedTiles.insert(tile)
  }

  /// The tiles of which something is known, in their order.
  var tiles: [TileIndex] { Set(cells.keys.map(\.tile)).sorted() }

  /// Returns the places of a tile, in their order.
  func cells(of tile: TileIndex) -> [(index: CellIndex, cell: Cell)] {
    cells.filter { $0.key.tile == tile }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns the tiles that have changed since the last call, in their order.
  mutating func takeChangedTiles() -> [TileIndex] {
    defer { changedTiles = [] }
    return changedTiles.sorted()
  }

  /// Puts a stored place and its transmitters back.
  mutating func restore(_ cell: Cell, at index: CellIndex) {
    var cell = cell
    cell.length = Self.length(of: cell.levels)
    cells[index] = cell
    settlePlaces(of: index, [], cell.levels)
  }

  mutating func restore(_ station: RadioStation, as id: RadioStationID) {
    stations[id] = station
  }

  /// Degrees of latitude beyond which there is no map: the cells become too narrow.
  private static let mostNorth = 85.0
  /// The weight of what is taught to a neighbor, beside its nearness. Chosen on the museum's walks.
  private static let neighborShare = 0.6
  private static let leastWeight = 0.01
  /// Old teachings count at most this much, so that a changed place is learned anew.
  private static let mostWeight = 12.0
  private static let leastStrength = 0.004
  private static let mostLevels = 48
}
