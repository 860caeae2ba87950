import LocationModel

/// The Location objects of one client: which one is current, and which still exist.
///
/// A client reads an object after the signal that names it, so the one before stays, and the one
/// before that for some seconds.
struct GeoClueLocations: Sendable {
  private struct Location: Sendable {
    var number: Int
    var fix: Fix
    /// When it is withdrawn; `nil` for the current one and the one before.
    var end: Instant?
  }

  private var locations: [Location] = []
  private var next = 0
  /// The fix with which the current object was made: thresholds count from it.
  private(set) var announced: Fix?

  /// The number of the current object; `nil` until the first fix.
  var current: Int? { locations.last?.number }

  func fix(_ number: Int) -> Fix? { locations.first { $0.number == number }?.fix }

  var nextDeadline: Instant? { locations.compactMap(\.end).min() }

  /// Makes a new object for a fix, which becomes the current one, and returns its number.
  mutating func add(_ fix: Fix, at now: Instant) -> Int {
    let before = locations.count - 2
    if before >= 0, locations[before].end == nil { locations[before].end = now + Self.term }
    defer { next += 1 }
    locations.append(Location(number: next, fix: fix))
    if locations.count > Self.most { locations.removeFirst() }
    announced = fix
    return next
  }

  /// Changes the current object in place, without a signal.
  mutating func update(_ fix: Fix) {
    guard !locations.isEmpty else { return }
    locations[locations.count - 1].fix = fix
  }

  /// Withdraws the objects that have been replaced for long enough.
  mutating func expire(at now: Instant) {
    locations.removeAll { location in location.end.map { $0 <= now } ?? false }
  }

  /// Observed in GeoClue.
  static let term = Duration.seconds(5)
  /// Objects of a client. Chosen: what a receiver with ten fixes a second makes in a second, and more
  /// than a client reads.
  static let most = 16
}

extension Fix {
  /// The properties of a Location object.
  var geoClueProperties: BusValue {
    let nanoseconds = max(0, time.nanoseconds)
    return .properties([
      "Latitude": .double(coordinate.latitude), "Longitude": .double(coordinate.longitude),
      "Accuracy": .double(horizontalAccuracy),
      "Altitude": .double(altitude ?? -Double.greatestFiniteMagnitude),
      "Speed": .double(speed ?? -1), "Heading": .double(course ?? -1),
      // How a position was found is not for apps.
      "Description": .string(""),
      "Timestamp": .structure([
        .uint64(UInt64(nanoseconds / 1_000_000_000)),
        .uint64(UInt64(nanoseconds % 1_000_000_000 / 1000)),
      ]),
    ])
  }
}
