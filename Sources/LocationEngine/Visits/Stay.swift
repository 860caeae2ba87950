internal import LocationModel

/// Fixes that stay at one place: a stay, or the possible beginning of one.
struct Stay: Equatable, Sendable {
  /// The mean of its fixes, weighted by accuracy and duration.
  private(set) var center: GeocentricPoint
  private(set) var coordinate: Coordinate
  private var weight: Double
  /// The time of the first fix.
  private(set) var since: UnixTime
  /// The time of the newest fix in the stay.
  private(set) var latest: UnixTime
  /// Meters: the mean distance of the fixes from the center.
  private var scatter: Double
  /// Meters: the mean accuracy of its fixes.
  private(set) var meanAccuracy: Double
  /// Meters: the best accuracy of its fixes.
  private(set) var bestAccuracy: Double
  /// Meters per second: the speed at which the device arrived.
  private(set) var approach: Double
  private var fixes: Int
  private var strays = 0
  /// The statistics of the coarse fixes.
  private var blur: Blur?
  /// Whether the newest fix lies where none should while the device is there.
  private(set) var isStraying = false

  /// The coarse fixes of one place. Most of their error belongs to the place, so that they agree
  /// with one another better than with the truth.
  fileprivate struct Blur: Equatable, Sendable {
    var center: GeocentricPoint
    /// Meters: the mean distance of the fixes from the center.
    var scatter: Double
    /// The prior counts as two fixes.
    fileprivate var fixes = 2.0

    init(center: GeocentricPoint, accuracy: Double) {
      self.center = center
      scatter = accuracy / 2
    }

    mutating func take(_ point: GeocentricPoint) {
      fixes = min(fixes + 1, 20)
      scatter += (point.distance(to: center) - scatter) / fixes
      center = center.moved(towards: point, by: 1 / fixes)
    }
  }

  init(at fix: Fix, _ point: GeocentricPoint, approach: Double = 0) {
    self.approach = approach
    center = point
    coordinate = fix.coordinate
    weight = Self.weight(of: fix)
    since = fix.time
    latest = fix.time
    scatter = 0
    meanAccuracy = fix.horizontalAccuracy
    bestAccuracy = fix.horizontalAccuracy
    fixes = 1
  }

  /// Creates the stay of a restored visit.
  init(of visit: Visit) {
    approach = 0
    center = GeocentricPoint(visit.coordinate)
    coordinate = visit.coordinate
    weight = 1
    since = visit.arrival ?? UnixTime(seconds: 0)
    latest = since
    scatter = 0
    meanAccuracy = visit.horizontalAccuracy
    bestAccuracy = visit.horizontalAccuracy
    fixes = 1
  }

  /// The same stay of a device of which nobody has seen how it arrived.
  var withoutApproach: Stay {
    var stay = self
    stay.approach = 0
    return stay
  }

  /// Seconds from the first to the newest fix.
  var length: Double { latest.seconds(since: since) }

  /// Whether there are enough fixes at the place for silence to mean that the stay lasts.
  var isSettled: Bool { !isFleeting && length >= 45 }

  /// Whether there are too few fixes at the place.
  private var isFleeting: Bool { fixes < 3 }

  /// Seconds in which the device may leave unseen: shortly after arrival it leaves soonest.
  var samplingInterval: Double { min(max(length / 8, 5), 30) }

  /// Meters from the center within which the device is still at the place.
  var extent: Double { min(max(20, 1.5 * scatter), 60) }

  /// Returns meters by which a fix lies farther out than one at the place; negative inside.
  func excess(of fix: Fix, _ point: GeocentricPoint) -> Double {
    let distance = point.distance(to: center) - extent
    guard fix.horizontalAccuracy > Self.coarse else { return distance }
    let blur = blur ?? Blur(center: center, accuracy: fix.horizontalAccuracy)
    return min(distance, point.distance(to: blur.center) - max(extent, Self.blurs * blur.scatter))
  }

  var visit: Visit {
    Visit(
      arrival: since, coordinate: coordinate,
      horizontalAccuracy: max(30, 2 * scatter, meanAccuracy))
  }

  /// Returns the evidence of a visit, if it must last so long at such a place.
  func evidence(
    _ place: StayEvidence.Place, dwell: Double, at now: Moment
  ) -> EventEvidence {
    .stay(
      StayEvidence(
        firstFix: since, lastFix: latest, fixes: fixes, scatter: scatter, place: place,
        dwellSeconds: dwell, decided: now.unixTime))
  }

  /// Adds a fix near the place; returns `false` when two in a row are elsewhere, or when the place
  /// had few fixes so long ago that no stay in between is known (VISIT-10).
  mutating func take(_ fix: Fix, _ point: GeocentricPoint, reach: Double) -> Bool {
    guard !isFleeting || fix.time.seconds(since: latest) <= Self.longestGap else { return false }
    let distance = point.distance(to: center)
    guard distance > max(reach, min(1.2 * fix.horizontalAccuracy, 120)) else {
      keep(fix, point)
      return true
    }
    isStraying = excess(of: fix, point) > 0
    strays += 1
    return strays < 2 && distance < 4 * reach
  }

  /// Adds a fix at the place.
  mutating func keep(_ fix: Fix, _ point: GeocentricPoint) {
    isStraying = excess(of: fix, point) > 0
    if fix.horizontalAccuracy > Self.coarse { note(coarse: point, of: fix) }
    strays = 0
    fixes += 1
    let seconds = min(max(fix.time.seconds(since: latest), 0.1), 30)
    let share = Self.weight(of: fix) * seconds
    // Of fixes without any accuracy the first one is as good as those that follow.
    let part = share > 0 ? share / (weight + share) : 0
    scatter += (point.distance(to: center) - scatter) * min(part, 0.2)
    meanAccuracy += (fix.horizontalAccuracy - meanAccuracy) * max(1 / Double(fixes), 0.05)
    bestAccuracy = min(bestAccuracy, fix.horizontalAccuracy)
    center = center.moved(towards: point, by: part)
    coordinate.latitude += (fix.coordinate.latitude - coordinate.latitude) * part
    coordinate.longitude += turned(fix.coordinate.longitude - coordinate.longitude) * part
    coordinate.longitude = turned(coordinate.longitude)
    weight = min(weight + share, Self.heaviest)
    latest = fix.time
  }

  /// Moves its dates with the clock.
  mutating func move(by difference: Duration) {
    since = since + difference
    latest = latest + difference
  }

  private mutating func note(coarse point: GeocentricPoint, of fix: Fix) {
    var known = blur ?? Blur(center: center, accuracy: fix.horizontalAccuracy)
    known.take(point)
    blur = known
  }

  /// Mean distances of the coarse fixes beyond which one counts as elsewhere: by chance one of
  /// eight does, and costs a good fix (chosen).
  private static let blurs = 1.6
  /// Meters: less accurate fixes are coarse, and do not distinguish the sides of a near boundary.
  static let coarse = 30.0

  /// Seconds without a fix after which a stay of few fixes is over (chosen).
  private static let longestGap = 600.0

  /// The weight of a second of fixes: less than its accuracy says, as errors are correlated.
  private static func weight(of fix: Fix) -> Double {
    let spread = max(fix.horizontalAccuracy, 10)
    return 100 / (spread * spread)
  }

  /// As much as ten minutes of good fixes, so that the center of a place can still move a little.
  private static let heaviest = 600.0
}

/// A difference of longitudes within half a turn.
private func turned(_ degrees: Double) -> Double { normalizedDegrees(degrees + 180) - 180 }

// MARK: - Storing

extension Stay {
  /// A value to read another one into.
  static let blank = Stay(
    of: Visit(
      arrival: nil, coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 1))

  /// Writes or reads every field.
  mutating func pass(_ coder: inout StateCoder) {
    if coder.isOfEarlierForm {
      coder.pass(&center)
      coder.pass(&coordinate)
    } else {
      // Both are means of the same fixes.
      coder.pass(&coordinate)
      coder.expect(coordinate)
      coder.pass(&center)
    }
    coder.pass(&weight)
    coder.pass(&since)
    coder.pass(&latest)
    coder.pass(&scatter)
    coder.pass(&meanAccuracy)
    coder.pass(&bestAccuracy)
    coder.pass(&approach)
    coder.pass(&fixes)
    coder.pass(&strays)
    coder.pass(&blur, blank: Blur(center: center, accuracy: 1)) { $1.pass(&$0) }
    coder.pass(&isStraying)
  }
}

extension Stay.Blur {
  fileprivate mutating func pass(_ coder: inout StateCoder) {
    coder.pass(&center)
    coder.pass(&scatter)
    coder.pass(&fixes)
  }
}
