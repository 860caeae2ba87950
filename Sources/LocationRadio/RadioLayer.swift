package import LocationModel

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
    /// The part of the variance of the likely places that is error.
    package var shareOfSpread: Double
    /// Whether transmitters may travel along with the computer.
    package var canTravel: Bool
    /// Meters between two hearings of one transmitter from which it has moved; twice as many between two
    /// that are heard at one place show that one of them has.
    var farthest = 500.0
    /// Meters of ground over which one that stands somewhere is not received as loudly everywhere: one
    /// that is travels along.
    var farthestAlike = Double.infinity
    /// Meters that a position may be off where one transmitter alone is received.
    package var rangeOfOne: Double
    /// How much slower the evidence of a likeness falls, for a likeness below 1.
    package var dullness: Double
    /// The most cells; the tile that was not taught for the longest time goes first.
    package var mostCells: Int
    /// The most transmitters; where there are more, tiles go in the same order.
    package var mostStations = 100_000

    /// Access points: rooms. On all recordings the error has hardly to do with how far the likely
    /// places are apart: their middle is right also where they are many. The dullness was chosen on the
    /// mall's paths.
    package static let accessPoints = Grain(
      spacing: 3, spread: 2.5, floor: 1.8, shareOfSpread: 0.01, canTravel: true, rangeOfOne: 25,
      dullness: 0.1, mostCells: 60_000)
    /// Cells of mobile networks: blocks of houses. What one cell serves is as likely everywhere.
    package static let cells = Grain(
      spacing: 120, spread: 100, floor: 60, shareOfSpread: 1, canTravel: false, rangeOfOne: 250,
      dullness: 0, mostCells: 20_000)
    /// Beacons: rooms, as access points, but those are heard over less ground. Nobody can look at a
    /// beacon's name for whether it is a thing that moves, so what it does has to show that. Chosen, as
    /// there is no recording of beacons with places: a beacon is received over some 30 m within
    /// buildings, and over 100 m in the open.
    package static let beacons = Grain(
      spacing: 3, spread: 2.5, floor: 1.8, shareOfSpread: 0.01, canTravel: true, farthest: 200,
      farthestAlike: 40, rangeOfOne: 15, dullness: 0.1, mostCells: 20_000, mostStations: 20_000)
  }

  /// One place.
  package struct Cell: Hashable, Sendable {
    var latitude: Double
    var longitude: Double
    /// The weight of all teachings.
    var weight: Double
    /// Meters: how far off the positions were that taught it, by their own radii (root mean square).
    var accuracy: Double
    package var levels: [Level]
    /// Days since 1970 of the last teaching.
    var day: Int32
    /// The length of `levels` as a vector.
    var length = 0.0

    package var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
  }

  /// How strongly a transmitter is heard at a place: 0 at -100 dBm, 1 at -30 dBm.
  package struct Level: Hashable, Sendable {
    package var station: RadioStationID
    package var strength: Double
  }

  /// A place at which a transmitter is heard.
  struct Posting: Hashable, Sendable {
    /// The place's number among all.
    var slot: Int
    var strength: Double
  }

  package let grain: Grain
  /// The number of each place.
  private var slots: [CellIndex: Int] = [:]
  /// The places by their numbers; `nil` where one was removed.
  package private(set) var places: [(index: CellIndex, cell: Cell)?] = []
  /// Numbers of removed places.
  private var free: [Int] = []
  package private(set) var stations: [RadioStationID: RadioStation] = [:]
  /// The places at which each transmitter is heard, in the order of their numbers.
  private var postings: [RadioStationID: [Posting]] = [:]
  /// The numbers of the places of each tile.
  private var slotsByTile: [TileIndex: Set<Int>] = [:]
  /// Tiles that have changed since they were stored.
  private var changedTiles: Set<TileIndex> = []

  package init(_ grain: Grain) {
    self.grain = grain
  }

  package var cellCount: Int { slots.count }

  // MARK: Teaching

  /// Teaches what was heard at a place: each transmitter once, with its strength.
  ///
  /// Returns what was known before.
  @discardableResult
  mutating func teach(_ heard: [Level], at place: Coordinate, _ teaching: Teaching) -> Lesson {
    var lesson = Lesson()
    guard !heard.isEmpty, place.isValid, abs(place.latitude) < Self.mostNorth else {
      return lesson
    }
    lesson.new = Set(heard.map(\.station).filter { postings[$0] == nil })
    let current = heard.filter { !isOutdated($0.station, at: place, teaching) }
    lesson.older = heard.count - current.count
    var usable = current.filter { note($0.station, at: place, teaching) }
    usable.sort { $0.station < $1.station }
    guard !usable.isEmpty else { return lesson }
    lesson.stations = usable.map(\.station)
    let frame = LocalFrame(center: place)
    for north in -1...1 {
      for east in -1...1 {
        let isOwn = north == 0 && east == 0
        // The place itself: moved by nothing, 180 degrees may become -180, which is another cell.
        let near =
          isOwn
          ? place
          : frame.place(east: Double(east) * grain.spacing, north: Double(north) * grain.spacing)
        let middle = CellIndex(near, floor: teaching.floor, spacing: grain.spacing)
        let offset = frame.offset(of: middle.middle(spacing: grain.spacing))
        let squared = offset.east * offset.east + offset.north * offset.north
        let nearness = exponential(-squared / (2 * grain.spread * grain.spread))
        lesson.before.append((middle, self[middle]))
        teach(usable, to: middle, place, isOwn ? 1 : nearness * Self.neighborShare, teaching)
      }
    }
    // One that is too faint to be kept anywhere, and has not moved, is no memory.
    for level in usable where postings[level.station] == nil {
      if stations[level.station]?.moves == 0 { stations[level.station] = nil }
    }
    shrink()
    return lesson
  }

  /// What a teaching changes.
  struct Lesson {
    /// The places as they were.
    var before: [(index: CellIndex, cell: Cell?)] = []
    /// The transmitters, and those that were not known anywhere.
    var stations: [RadioStationID] = []
    var new: Set<RadioStationID> = []
    /// How many transmitters were received elsewhere on a later day, and were not taught.
    var older = 0
  }

  /// When and how a position is taught.
  struct Teaching {
    /// 1 for a good position, less for a worse one.
    var weight: Double
    /// Meters: the radius of the position; 0 where it is not known.
    var accuracy = 0.0
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
    // A neighbor keeps its own middle; only what was heard in it says where within it that was.
    let target = share == 1 ? place : index.middle(spacing: grain.spacing)
    // A new one begins there: the way from the place may go around the earth, and end a little beyond 180 degrees.
    var cell =
      self[index]
      ?? Cell(
        latitude: target.latitude, longitude: target.longitude, weight: 0, accuracy: 0, levels: [],
        day: teaching.day)
    let old = min(cell.weight, Self.mostWeight)
    let part = weight / (old + weight)
    cell.latitude += (target.latitude - cell.latitude) * part
    cell.longitude += (target.longitude - cell.longitude) * part
    cell.levels = Self.merge(cell.levels, heard, part)
    let square = cell.accuracy * cell.accuracy
    cell.accuracy = (square + (teaching.accuracy * teaching.accuracy - square) * part).squareRoot()
    cell.weight = old + weight
    cell.day = max(cell.day, teaching.day)
    set(cell, at: index)
  }

  // MARK: Places

  subscript(index: CellIndex) -> Cell? { slots[index].flatMap { places[$0]?.cell } }

  /// Returns the number of a place; `nil` where nothing is known.
  func slot(of index: CellIndex) -> Int? { slots[index] }

  /// Returns where a transmitter is heard, and how strongly.
  func postings(of station: RadioStationID) -> [Posting] { postings[station] ?? [] }

  /// Puts a place, or removes one at which nothing is heard.
  private mutating func set(_ cell: Cell, at index: CellIndex) {
    var cell = cell
    cell.length = Self.length(of: cell.levels)
    changedTiles.insert(index.tile)
    let before = self[index]?.levels ?? []
    let slot = slots[index] ?? free.popLast() ?? places.count
    if slot == places.count { places.append(nil) }
    let kept = Set(cell.levels.map(\.station))
    for level in before where !kept.contains(level.station) { unpost(level.station, at: slot) }
    for level in cell.levels { post(level, at: slot) }
    if cell.levels.isEmpty {
      if slots[index] != nil { slotsByTile[index.tile]?.remove(slot) }
      if slotsByTile[index.tile]?.isEmpty ?? false { slotsByTile[index.tile] = nil }
      (places[slot], slots[index]) = (nil, nil)
      free.append(slot)
    } else {
      if slots[index] == nil { slotsByTile[index.tile, default: []].insert(slot) }
      (places[slot], slots[index]) = ((index, cell), slot)
    }
  }

  private mutating func post(_ level: Level, at slot: Int) {
    let posting = Posting(slot: slot, strength: level.strength)
    let place = place(of: slot, among: postings[level.station] ?? [])
    if postings[level.station]?.indices.contains(place) == true,
      postings[level.station]?[place].slot == slot
    {
      postings[level.station]?[place] = posting
    } else {
      postings[level.station, default: []].insert(posting, at: place)
    }
  }

  private mutating func unpost(_ station: RadioStationID, at slot: Int) {
    // Not kept, because a second reference would copy all of them.
    guard let count = postings[station]?.count else { return }
    let place = place(of: slot, among: postings[station] ?? [])
    guard place < count, postings[station]?[place].slot == slot else { return }
    postings[station]?.remove(at: place)
    if count == 1 { (postings[station], stations[station]) = (nil, nil) }
  }

  /// Returns where the posting of a place is, or belongs.
  private func place(of slot: Int, among all: [Posting]) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].slot < slot { low = middle + 1 } else { high = middle }
    }
    return low
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
    if isFar(station, from: place, teaching) {
      station.move(to: place, on: teaching.day)
      removeLevels(of: id)
    }
    station.firstDay = min(station.firstDay, teaching.day)
    station.lastDay = max(station.lastDay, teaching.day)
    station.isLocal = station.isLocal && isLocal
    stations[id] = station
    return station.blockedUntil <= teaching.day
  }

  private func isFar(
    _ station: RadioStation, from place: Coordinate, _ teaching: Teaching
  ) -> Bool {
    teaching.canMove && LocalFrame(center: station.place).chord(to: place) > grain.farthest
  }

  /// Whether a transmitter was received far away on a later day: what is older says nothing of
  /// where it is now.
  private func isOutdated(
    _ id: RadioStationID, at place: Coordinate, _ teaching: Teaching
  ) -> Bool {
    guard let station = stations[id], teaching.day < station.lastDay else { return false }
    return isFar(station, from: place, teaching)
  }

  private mutating func removeLevels(of station: RadioStationID) {
    let record = stations[station]
    for posting in postings[station] ?? [] {
      guard let (index, known) = places[posting.slot] else { continue }
      var cell = known
      cell.levels.removeAll { $0.station == station }
      set(cell, at: index)
    }
    // Where it was is forgotten; that it moves is not.
    stations[station] = record
  }

  // MARK: Bounds

  /// Forgets what was not taught for the longest time while there is more than the bounds permit.
  mutating func shrink() {
    if stations.count > grain.mostStations { forgetMoved() }
    guard slots.count > grain.mostCells || stations.count > grain.mostStations else { return }
    var days: [TileIndex: Int32] = [:]
    for case (let index, let cell)? in places {
      days[index.tile] = max(days[index.tile] ?? .min, cell.day)
    }
    let oldest = days.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    for tile in oldest {
      let isSmall =
        slots.count <= grain.mostCells * 9 / 10 && stations.count <= grain.mostStations * 9 / 10
      if isSmall { return }
      remove(tile)
    }
  }

  /// Forgets transmitters that are known at no place.
  private mutating func forgetMoved() {
    stations = stations.filter { postings[$0.key] != nil }
  }

  /// Puts a stored tile back.
  mutating func restore(_ parts: StoredParts) {
    for entry in parts.stations { restore(entry.station, as: entry.id) }
    for entry in parts.cells { set(entry.cell, at: entry.index) }
    // A row may name transmitters that are in none of its places.
    for entry in parts.stations where postings[entry.id] == nil && entry.station.moves == 0 {
      stations[entry.id] = nil
    }
  }

  /// Removes what is known of a tile.
  mutating func remove(_ tile: TileIndex) {
    for entry in cells(of: tile) {
      var cell = entry.cell
      cell.levels = []
      set(cell, at: entry.index)
    }
  }

  /// Removes the places in a circle, by their middles or by where they were taught, and with them the transmitters that
  /// are known nowhere else. Those that are keep no position in the circle.
  ///
  /// - Parameter circle: its center and radius.
  /// - Returns: how many places and transmitters are known no more.
  mutating func remove(within circle: Circle) -> (places: Int, transmitters: Int) {
    let before = stations.count
    let near = places.compactMap { $0 }.filter {
      circle.contains($0.index.middle(spacing: grain.spacing))
        || circle.contains($0.cell.coordinate)
    }
    for (index, known) in near {
      var cell = known
      cell.levels = []
      set(cell, at: index)
    }
    for (id, station) in stations where circle.contains(station.place) {
      let others = postings(of: id)
      let loudest = others.max { ($0.strength, $1.slot) < ($1.strength, $0.slot) }
      stations[id]?.place = loudest.flatMap { places[$0.slot]?.cell.coordinate } ?? station.place
      if loudest == nil { stations[id] = nil }
      for other in others {
        if let index = places[other.slot]?.index { changedTiles.insert(index.tile) }
      }
    }
    return (near.count, before - stations.count)
  }

  /// Returns the places of a tile, in their order.
  func cells(of tile: TileIndex) -> [(index: CellIndex, cell: Cell)] {
    slotsByTile[tile, default: []].compactMap { places[$0] }.sorted { $0.index < $1.index }
  }

  /// Returns the tiles that have changed since the last call, in their order.
  mutating func takeChangedTiles() -> [TileIndex] {
    defer { changedTiles = [] }
    return changedTiles.sorted()
  }

  /// Notes that a tile is as it is stored.
  mutating func settle(_ tile: TileIndex) { changedTiles.remove(tile) }

  /// Puts a stored transmitter back, unless more is known of it: several rows may hold one.
  mutating func restore(_ station: RadioStation, as id: RadioStationID) {
    if let known = stations[id],
      (known.moves, known.lastDay) > (station.moves, station.lastDay)
    {
      return
    }
    stations[id] = station
  }

  /// Transmitters that have moved and are known at no place.
  var moved: [(id: RadioStationID, station: RadioStation)] {
    stations.compactMap { id, station in
      station.moves > 0 && postings[id] == nil ? (id: id, station: station) : nil
    }
  }

  /// Replaces the transmitters that have moved and are known at no place by what is stored of them.
  mutating func restore(moved entries: [(id: RadioStationID, station: RadioStation)]) {
    for entry in moved { stations[entry.id] = nil }
    for entry in entries { restore(entry.station, as: entry.id) }
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
