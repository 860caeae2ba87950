internal import LocationModel

/// What is known of a location or tracking area: where its cells are received.
///
/// A cell that is not known lies somewhere among the others of its area, or beside them.
struct CellArea: Sendable {
  private struct Place: Sendable {
    var coordinate: Coordinate
    /// Meters within which a cell is received there.
    var range: Double
    var weight: Double
  }

  private var places: [Place] = []
  /// The square kilometers in which something is known.
  private var squares: Set<CellIndex> = []

  /// Adds a cell of an imported list.
  mutating func add(_ place: PlacedStations.Place) {
    add(Place(coordinate: place.coordinate, range: place.range, weight: 1))
  }

  /// Adds a place at which this computer was, after all cells of lists.
  mutating func add(learned place: Coordinate) {
    add(Place(coordinate: place, range: Self.side / 2, weight: Self.weightOfLearned))
  }

  /// One place in each square kilometer counts: many cells of one building say no more of the area than one.
  private mutating func add(_ place: Place) {
    let square = CellIndex(place.coordinate, floor: nil, spacing: Self.side)
    if squares.insert(square).inserted { places.append(place) }
  }

  /// The middle of the places, and the radius that holds an unknown cell of the area in 68 %; `nil` where nothing is
  /// known, or the places are too far apart to say anything.
  var region: RadioRegion? {
    guard let first = places.first else { return nil }
    var center = first.coordinate
    // Twice, because one place far away may be the first.
    for _ in 0..<2 { center = middle(around: center) }
    let frame = LocalFrame(center: center)
    let spread = Self.quantile(
      Self.confidence, places.map { (frame.chord(to: $0.coordinate), $0.weight) })
    let range = Self.quantile(0.5, places.map { ($0.range, $0.weight) })
    let count = places.reduce(0) { $0 + $1.weight }
    let known = count * spread * spread
    let assumed = Self.worthOfTypical * Self.typical * Self.typical
    let square = (known + assumed) / (count + Self.worthOfTypical) + range * range
    guard square <= Self.widest * Self.widest else { return nil }
    return RadioRegion(kind: .area, center: center, radius: square.squareRoot())
  }

  /// The middle to the east and to the north: wrong places move it little.
  private func middle(around center: Coordinate) -> Coordinate {
    let frame = LocalFrame(center: center)
    let offsets = places.map { (offset: frame.offset(of: $0.coordinate), weight: $0.weight) }
    return frame.place(
      east: Self.quantile(0.5, offsets.map { ($0.offset.east, $0.weight) }),
      north: Self.quantile(0.5, offsets.map { ($0.offset.north, $0.weight) }))
  }

  /// Returns the least value that a part of the weight does not exceed.
  private static func quantile(_ part: Double, _ values: [(value: Double, weight: Double)])
    -> Double
  {
    let sorted = values.sorted { $0.value < $1.value }
    let enough = part * sorted.reduce(0) { $0 + $1.weight }
    var sum = 0.0
    for (value, weight) in sorted {
      sum += weight
      if sum >= enough { return value }
    }
    return sorted.last?.value ?? 0
  }

  /// Meters: places nearer to each other than this tell the same of an area.
  private static let side = 1000.0
  /// A place at which this computer was, beside one of a list: its ways lie together, and where it was the cells are
  /// known. Chosen.
  private static let weightOfLearned = 0.25
  private static let confidence = 0.68
  /// Meters: the radius of an area of which nothing is known. Chosen: some 50 base stations, each for 10 km².
  private static let typical = 10_000.0
  /// As many known places are worth as much as that. A square kilometer holds one of them, so that no radius is below
  /// 3.5 km.
  private static let worthOfTypical = 4.0
  /// Meters: beyond this, the numbers of the area are wrong, and the country says as much.
  private static let widest = 100_000.0
}
