internal import LocationModel

/// Fixes that keep to one place: a stay, or what may become one.
struct Stay: Sendable {
  /// The mean of its fixes, weighted by their accuracy and the time they stand for.
  private(set) var center: GeocentricPoint
  private var coordinate: Coordinate
  private var weight: Double
  /// The time of the first fix.
  private(set) var since: UnixTime
  /// The time of the newest fix in the stay.
  private(set) var latest: UnixTime
  /// Meters: the mean distance of the fixes from the center.
  private var scatter: Double
  /// Meters: the mean accuracy of its fixes.
  private(set) var meanAccuracy: Double
  /// Meters per second: how fast the device came.
  let approach: Double
  private var fixes: Int
  private var strays = 0

  init(at fix: Fix, _ point: GeocentricPoint, approach: Double = 0) {
    self.approach = approach
    center = point
    coordinate = fix.coordinate
    weight = Self.weight(of: fix)
    since = fix.time
    latest = fix.time
    scatter = 0
    meanAccuracy = fix.horizontalAccuracy
    fixes = 1
  }

  /// A visit taken up again.
  init(of visit: Visit) {
    approach = 0
    center = GeocentricPoint(visit.coordinate)
    coordinate = visit.coordinate
    weight = 1
    since = visit.arrival ?? UnixTime(seconds: 0)
    latest = since
    scatter = 0
    meanAccuracy = visit.horizontalAccuracy
    fixes = 1
  }

  /// Seconds from the first to the newest fix.
  var length: Double { latest.seconds(since: since) }

  /// Whether enough fixes keep to the place for silence to mean that it goes on.
  var isSettled: Bool { fixes >= 3 && length >= 45 }

  /// Meters from the center within which the device still is at the place.
  var extent: Double { min(max(20, 1.5 * scatter), 60) }

  var visit: Visit {
    Visit(
      arrival: since, coordinate: coordinate,
      horizontalAccuracy: max(30, 2 * scatter, meanAccuracy))
  }

  /// Why it is a visit, if it must last so long at such a place.
  func evidence(
    _ place: StayEvidence.Place, dwell: Double, at now: Moment
  ) -> EventEvidence {
    .stay(
      StayEvidence(
        firstFix: since, lastFix: latest, fixes: fixes, scatter: scatter, place: place,
        dwellSeconds: dwell, decided: now.unixTime))
  }

  /// Takes a fix near the place; says no when two in a row are elsewhere.
  mutating func take(_ fix: Fix, _ point: GeocentricPoint, reach: Double) -> Bool {
    let distance = point.distance(to: center)
    guard distance > max(reach, min(1.2 * fix.horizontalAccuracy, 120)) else {
      keep(fix, point)
      return true
    }
    strays += 1
    return strays < 2 && distance < 4 * reach
  }

  /// Takes a fix as one of the place.
  mutating func keep(_ fix: Fix, _ point: GeocentricPoint) {
    strays = 0
    fixes += 1
    let seconds = min(max(fix.time.seconds(since: latest), 0.1), 30)
    let share = Self.weight(of: fix) * seconds
    let part = share / (weight + share)
    scatter += (point.distance(to: center) - scatter) * min(part, 0.2)
    meanAccuracy += (fix.horizontalAccuracy - meanAccuracy) * max(1 / Double(fixes), 0.05)
    center = center.moved(towards: point, by: part)
    coordinate.latitude += (fix.coordinate.latitude - coordinate.latitude) * part
    coordinate.longitude += turned(fix.coordinate.longitude - coordinate.longitude) * part
    coordinate.longitude = turned(coordinate.longitude)
    weight = min(weight + share, Self.heaviest)
    latest = fix.time
  }

  /// Dates it by a clock that shows so much more.
  mutating func move(by difference: Duration) {
    since = since + difference
    latest = latest + difference
  }

  /// The weight of a second of fixes: less than its accuracy says, as errors stay alike.
  private static func weight(of fix: Fix) -> Double {
    let spread = max(fix.horizontalAccuracy, 10)
    return 100 / (spread * spread)
  }

  /// As much as ten minutes of good fixes: places may turn out to lie a little elsewhere.
  private static let heaviest = 600.0
}

/// A difference of longitudes within half a turn.
private func turned(_ degrees: Double) -> Double { normalizedDegrees(degrees + 180) - 180 }
