package import LocationModel

/// Transmitters whose places somebody else has determined, from a list that the owner has imported.
///
/// A list gives one place and a range for each transmitter, and nothing of how it is received
/// around. It answers only where nothing was learned, and a transmitter that is received far from
/// its place in the list is removed from it.
package struct PlacedStations: Sendable {
  /// Where the list places a transmitter.
  package struct Place: Hashable, Sendable {
    package var coordinate: Coordinate
    /// Meters within which it is usually received, in ``ranges`` once it is in the map.
    package var range: Double
    /// Days since 1970 of the list's last observation.
    package var day: Int32
    /// The area in which a cell lies; `nil` for access points, and where the list does not say.
    package var area: RadioStationID?

    package init(_ coordinate: Coordinate, range: Double, day: Int32) {
      (self.coordinate, self.range, self.day) = (coordinate, range, day)
    }
  }

  /// By name; at most ``most``.
  package private(set) var places: [RadioStationID: Place] = [:]
  /// Of each area the transmitters with the least names, in their order; at most ``mostOfArea``. Names are hashes, so
  /// that these are a fair sample.
  private var areas: [RadioStationID: [RadioStationID]] = [:]
  /// Buckets that have changed since they were stored.
  private var changed: Set<UInt8> = []

  package init() {}

  package var isEmpty: Bool { places.isEmpty }

  /// The bucket in which a transmitter is stored: the highest byte of its name.
  static func bucket(of id: RadioStationID) -> UInt8 { UInt8(id.hash >> 56) }

  /// Adds a transmitter, unless a newer observation of it is known.
  ///
  /// Returns why it is not added; `nil` when it is.
  @discardableResult
  mutating func add(_ id: RadioStationID, _ place: Place) -> ImportRefusal? {
    guard place.coordinate.isValid, place.range > 0, place.range.isFinite else { return .noPlace }
    if let known = places[id] {
      guard known.day <= place.day else { return .older }
    } else if places.count >= Self.most {
      return .noRoom
    }
    remove(id)
    var place = place
    // As it is stored. The square of a smaller one may be 0, and that of a greater one infinite: weights that give
    // no position (RADIO-95).
    place.range = min(max(place.range, Self.ranges.lowerBound), Self.ranges.upperBound)
    places[id] = place
    if let area = place.area { enter(id, in: area) }
    changed.insert(Self.bucket(of: id))
    return nil
  }

  private mutating func remove(_ id: RadioStationID) {
    guard let area = places.removeValue(forKey: id)?.area else { return }
    areas[area]?.removeAll { $0 == id }
    if areas[area]?.isEmpty ?? false { areas[area] = nil }
  }

  private mutating func enter(_ id: RadioStationID, in area: RadioStationID) {
    let known = areas[area]?.count ?? 0
    guard known < Self.mostOfArea || areas[area]?.last.map({ id < $0 }) ?? false else { return }
    if known == Self.mostOfArea { areas[area]?.removeLast() }
    let place = areas[area]?.firstIndex { id < $0 }
    areas[area, default: []].insert(id, at: place ?? areas[area]?.count ?? 0)
  }

  /// Returns where the transmitters of an area are, or those of a sample.
  func places(in area: RadioStationID) -> [Place] {
    areas[area, default: []].compactMap { places[$0] }
  }

  /// Removes those of the transmitters that are received where the list says they cannot be.
  mutating func check(_ heard: [RadioLayer.Level], at place: Coordinate) {
    guard !places.isEmpty else { return }
    for level in heard {
      guard let known = places[level.station] else { continue }
      let distance = LocalFrame(center: place).chord(to: known.coordinate)
      guard distance > Self.farthest + Self.rangesApart * known.range else { continue }
      remove(level.station)
      changed.insert(Self.bucket(of: level.station))
    }
  }

  /// Removes the transmitters that the list places in a circle.
  ///
  /// - Parameter circle: its center and radius.
  /// - Returns: how many they were.
  mutating func remove(within circle: Circle) -> Int {
    let near = places.filter { circle.contains($0.value.coordinate) }.keys
    for id in near {
      remove(id)
      changed.insert(Self.bucket(of: id))
    }
    return near.count
  }

  // MARK: Positions

  /// Finds a position from the transmitters that the list places; `nil` if it has none of them.
  ///
  /// The loudest decides the neighborhood; others count as far as they agree with it.
  func locate(_ heard: [RadioLayer.Level], day: Int32, least: Double) -> RadioPosition? {
    guard !places.isEmpty else { return nil }
    let loudest = heard.filter { places[$0.station] != nil }
      .sorted { ($1.strength, $0.station) < ($0.strength, $1.station) }
    let known = loudest.prefix(Self.mostCompared).compactMap { level in
      places[level.station].map { (strength: level.strength, place: $0) }
    }
    guard !known.isEmpty else { return nil }
    let groups = known.map { anchor in
      known.filter { Self.agree($0.place, anchor.place) }
    }
    // The largest group whose members agree with one; of equal ones that of the loudest.
    let best = groups.max {
      ($0.count, Self.weight(of: $0)) < ($1.count, Self.weight(of: $1))
    }
    guard let group = best, let first = group.first else { return nil }
    return Self.position(group, around: first.place, (day, least, heard.count))
  }

  private typealias Known = (strength: Double, place: Place)

  private static func position(
    _ group: [Known], around first: Place, _ facts: (day: Int32, least: Double, heard: Int)
  ) -> RadioPosition {
    let frame = LocalFrame(center: first.coordinate)
    let weights = group.map { $0.strength / ($0.place.range * $0.place.range) }
    let total = weights.reduce(0, +)
    var (east, north, range, age) = (0.0, 0.0, 0.0, 0.0)
    for (weight, known) in zip(weights, group) {
      let offset = frame.offset(of: known.place.coordinate)
      east += weight / total * offset.east
      north += weight / total * offset.north
      range += weight / total * known.place.range
      age += weight / total * max(0, Double(facts.day) - Double(known.place.day))
    }
    // Errors of one list have one cause: several transmitters are worth two at most.
    let shared = group.count > 1 ? 2.0.squareRoot() : 1
    let aging = 1 + min(age / daysPerDoubling, mostAging)
    return RadioPosition(
      coordinate: frame.place(east: east, north: north),
      radius: max(range / shared, facts.least) * aging, floor: nil, known: group.count,
      heard: facts.heard)
  }

  private static func weight(of group: [Known]) -> Double {
    group.reduce(0) { $0 + $1.strength }
  }

  private static func agree(_ first: Place, _ second: Place) -> Bool {
    LocalFrame(center: first.coordinate).chord(to: second.coordinate)
      <= first.range + second.range + slack
  }

  // MARK: Storing

  /// Returns the buckets that have changed since the last call, in their order.
  mutating func takeChangedBuckets() -> [UInt8] {
    defer { changed = [] }
    return changed.sorted()
  }

  /// Returns a bucket's transmitters in the order of their names.
  func entries(of bucket: UInt8) -> [(id: RadioStationID, place: Place)] {
    places.filter { Self.bucket(of: $0.key) == bucket }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// Replaces a bucket by what is stored of it.
  mutating func restore(_ bucket: UInt8, _ entries: [(id: RadioStationID, place: Place)]) {
    for entry in self.entries(of: bucket) { remove(entry.id) }
    changed.insert(bucket)
    for (id, place) in entries where Self.bucket(of: id) == bucket { add(id, place) }
  }

  /// Notes that a bucket is as it is stored.
  mutating func settle(_ bucket: UInt8) { changed.remove(bucket) }

  /// Meters. Chosen: no radio is received over less or more.
  package static let ranges = 1.0...1e6
  /// Transmitters of one kind. Chosen: the access points of a city, the cells of a small country.
  package static let most = 100_000
  /// Transmitters of an area that are kept apart. Chosen: the spread of as many is right to a tenth.
  package static let mostOfArea = 64
  /// Transmitters of a scan that are compared with each other.
  private static let mostCompared = 24
  /// Meters, beside three ranges, beyond which a list is wrong about a transmitter.
  private static let farthest = 500.0
  private static let rangesApart = 3.0
  /// Meters by which two places may lie apart, beside their ranges.
  private static let slack = 200.0
  /// Days after which a radius is doubled. Chosen: networks of a city are renewed in some years.
  private static let daysPerDoubling = 1000.0
  private static let mostAging = 3.0
}
