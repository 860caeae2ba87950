internal import LocationModel

/// What was taught lately to a layer, so that a position can be found as if it had not been.
///
/// A position at a place that was taught a minute ago says little about how right positions are:
/// the place was taught by the same way, by the same receiver, past the same people.
struct RadioLessons: Sendable {
  /// A place as it was before it was taught lately.
  private struct Before: Sendable {
    /// `nil` where nothing was known.
    var cell: RadioLayer.Cell?
    /// When it was taught for the last time.
    var last: Instant
  }

  private var places: [CellIndex: Before] = [:]
  /// Transmitters that were not known before, and when they were taught for the last time.
  private var stations: [RadioStationID: Instant] = [:]
  /// Where positions were compared lately.
  private var comparisons: [(place: Coordinate, at: Instant)] = []

  /// Notes what a lesson changes.
  mutating func note(_ lesson: RadioLayer.Lesson, at now: Instant) {
    places = places.filter { now - $0.value.last <= Self.lately }
    stations = stations.filter { now - $0.value <= Self.lately }
    for (index, cell) in lesson.before {
      places[index] = Before(cell: places[index].map(\.cell) ?? cell, last: now)
    }
    for station in lesson.stations where lesson.new.contains(station) || stations[station] != nil {
      stations[station] = now
    }
    if places.count > Self.mostPlaces { places = Self.newer(places) { $0.last } }
    if stations.count > Self.mostStations { stations = Self.newer(stations) { $0 } }
  }

  /// The places that were taught lately, as they were before.
  var before: [CellIndex: RadioLayer.Cell?] { places.mapValues(\.cell) }

  /// Returns whether a transmitter was known before it was taught lately.
  func knew(_ station: RadioStationID) -> Bool { stations[station] == nil }

  /// Returns whether anything was known of a place before it was taught lately.
  func knew(_ index: CellIndex, in layer: RadioLayer) -> Bool {
    if let before = places[index] { before.cell != nil } else { layer[index] != nil }
  }

  /// Returns whether positions at a place are to be compared, and notes that they are: each place
  /// once in a while, so that a computer at rest does not compare one error all day.
  mutating func compares(at place: Coordinate, within distance: Double, at now: Instant) -> Bool {
    comparisons.removeAll { now - $0.at > Self.lately }
    let frame = LocalFrame(center: place)
    guard !comparisons.contains(where: { frame.chord(to: $0.place) < distance }) else {
      return false
    }
    comparisons.append((place, now))
    if comparisons.count > Self.mostComparisons { comparisons.removeFirst() }
    return true
  }

  /// Returns the newer half.
  private static func newer<Key: Comparable, Value>(
    _ entries: [Key: Value], _ time: (Value) -> Instant
  ) -> [Key: Value] {
    let sorted = entries.sorted { (time($1.value), $1.key) < (time($0.value), $0.key) }
    return Dictionary(
      uniqueKeysWithValues: sorted.prefix(sorted.count / 2).map { ($0.key, $0.value) })
  }

  /// How long a lesson is one. Chosen: longer than a person stays to be measured.
  private static let lately = Duration.seconds(900)
  /// Chosen: a scan each few seconds on a way that does not return.
  private static let mostPlaces = 4096
  private static let mostStations = 8192
  private static let mostComparisons = 512
}
