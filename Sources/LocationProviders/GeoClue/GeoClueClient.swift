import LocationModel

/// One Client object: what it asks for, and whether it is active.
struct GeoClueClient: Sendable {
  enum Activity: Hashable, Sendable {
    /// Not started, or stopped.
    case stopped
    /// Started; the calls wait until it is known whether the app may know the location, or for as
    /// long as a caller waits for an answer.
    case deciding(questions: [Int], asking: Asking, until: Instant)
    case active
    /// Started, and not permitted any more: active again when it is.
    case barred
  }

  /// How far a request for authorization is.
  enum Asking: Hashable, Sendable {
    case notYet
    /// It is sent, and not handled yet.
    case sent
    /// The person is asked, unless the state of the app says otherwise.
    case handled
  }

  /// The number in its path.
  let number: Int
  /// The unique name of the connection that made it.
  let owner: String
  var activity = Activity.stopped
  var desktopID = ""
  var distanceThreshold: UInt32 = 0
  var timeThreshold: UInt32 = 0
  /// As it was set.
  var requestedLevel = GeoClueLevel.city.rawValue
  var locations = GeoClueLocations()
  /// Whether the next fix is announced, whatever the thresholds: the first after a start.
  var isFresh = true

  init(number: Int, owner: String) {
    (self.number, self.owner) = (number, owner)
  }

  var path: String { GeoClue.path(client: number) }
  var subscriber: SubscriberID { SubscriberID(UInt32(truncatingIfNeeded: number)) }
  var isActive: Bool { activity == .active }

  var nextDeadline: Instant? {
    guard case .deciding(_, _, let until) = activity else { return locations.nextDeadline }
    return earliest(until, locations.nextDeadline)
  }

  /// The level that it has: at least a country, and an unknown number counts as the one below.
  var level: GeoClueLevel { max(.country, GeoClueLevel(atMost: requestedLevel)) }

  /// The options of its updates, where an agent limits its level.
  ///
  /// Below the most exact level there is the coarse place only: 100 m are a wish, and no limit.
  func options(_ limit: GeoClueLevel?) -> UpdateOptions {
    UpdateOptions(accuracy: limit == nil ? level.accuracy : .reduced)
  }

  var location: String {
    locations.current.map { GeoClue.path(client: number, location: $0) } ?? "/"
  }

  // MARK: Fixes

  /// Takes a fix; returns the paths of the objects before and after, or `nil` where it lies below a
  /// threshold, and only changes the current object.
  mutating func take(_ fix: Fix, at now: Instant) -> (old: String, new: String)? {
    guard isFresh || passes(fix) else {
      locations.update(fix)
      return nil
    }
    isFresh = false
    let old = location
    _ = locations.add(fix, at: now)
    return (old, location)
  }

  /// Whether a fix is beyond both thresholds, each of which is none when it is 0.
  private func passes(_ fix: Fix) -> Bool {
    guard let last = locations.announced else { return true }
    let isNear =
      distanceThreshold > 0
      && fix.coordinate.distance(to: last.coordinate) < Double(distanceThreshold)
    let isEarly =
      timeThreshold > 0 && fix.time.seconds(since: last.time).magnitude < Double(timeThreshold)
    return !isNear && !isEarly
  }

  // MARK: Properties

  var properties: BusValue {
    .properties([
      "Location": .objectPath(location), "DistanceThreshold": .uint32(distanceThreshold),
      "TimeThreshold": .uint32(timeThreshold), "DesktopId": .string(desktopID),
      "RequestedAccuracyLevel": .uint32(requestedLevel), "Active": .boolean(isActive),
    ])
  }

  /// Sets a property.
  ///
  /// - Returns: whether it is another value now; `nil` if it cannot be set, or not to this value.
  mutating func set(_ name: String, to value: BusValue) -> Bool? {
    func set<Value: Equatable>(_ place: inout Value, _ value: Value) -> Bool {
      defer { place = value }
      return place != value
    }
    switch (name, value) {
    case ("DistanceThreshold", .uint32(let meters)): return set(&distanceThreshold, meters)
    case ("TimeThreshold", .uint32(let seconds)): return set(&timeThreshold, seconds)
    case ("RequestedAccuracyLevel", .uint32(let level)): return set(&requestedLevel, level)
    case ("DesktopId", .string(let text)):
      return text.utf8.count <= Bounds.nameBytes ? set(&desktopID, text) : nil
    default: return nil
    }
  }
}
