internal import LocationModel

/// Decides whether successive fixes can be the movement of one body.
///
/// A receiver may claim 2 m and be 200 m wrong for minutes, with fixes that agree perfectly. The
/// error shows in the step that led there, which no body could take. After such a step the fixes
/// are doubted until the device is observed to travel from the new place, until they return, or
/// until they have lasted longer than such errors do (chosen).
struct OutlierGate: Sendable {
  /// The judgment of the newest fix.
  enum Verdict: Hashable, CaseIterable, Sendable {
    /// It continues a plausible movement.
    case trusted
    /// It lies beyond a step that needs confirmation.
    case doubted
    /// It is back where the doubt began: all doubted fixes were errors.
    case returned
  }

  /// A fix accepted as a place of the device.
  fileprivate struct Place: Sendable {
    var point: GeocentricPoint
    /// Meters.
    var spread: Double
    var time: UnixTime
    /// Meters per second, smoothed.
    var speed: Double
  }

  fileprivate struct Doubt: Sendable {
    /// Where the device was before the step.
    var trusted: Place
    /// The first fix after the step.
    var origin: Place
    /// Seconds of fixes after which the new place is accepted without movement.
    var timeout: Double
    /// Seconds for which the receiver itself measured travel.
    var travelled = 0.0
    /// Seconds in which the distance from the new place kept growing.
    var progress = 0.0
    /// The greatest distance from the new place so far, in meters, and its time.
    var farthest: (way: Double, time: UnixTime)
    var fixes = 1

    init(trusted: Place, origin: Place, timeout: Double) {
      self.trusted = trusted
      self.origin = origin
      self.timeout = timeout
      farthest = (0, origin.time)
    }
  }

  private enum State: Sendable {
    case empty
    case trusted(Place)
    /// The newest place lies beyond the step. Rare, and large: apart from what each fix copies.
    indirect case doubted(Doubt, newest: Place)
  }

  private var state = State.empty
  /// The trusted places of the last seconds, oldest first.
  private var trail: [Place] = []
  private var travel = MotionEvidence()

  /// Seconds for which the device has recently traveled.
  var travelled: Double { travel.seconds }

  /// Whether the newest fix awaits confirmation, so that the next ones should come soon.
  var isDoubting: Bool {
    if case .doubted = state { return true }
    return false
  }

  /// Meters per second by the last plausible steps; zero if unknown.
  var speed: Double {
    switch state {
    case .empty: 0
    case .trusted(let place), .doubted(_, let place): place.speed
    }
  }

  /// Judges the next fix; `pace` is that of the motion sensor, as for ``MotionEvidence``.
  mutating func observe(
    _ point: GeocentricPoint, of fix: Fix, pace: Double? = nil
  ) -> Verdict {
    guard fix.horizontalAccuracy <= Self.coarsest else { return isDoubting ? .doubted : .trusted }
    var place = Place(
      point: point, spread: max(fix.horizontalAccuracy, Self.finest), time: fix.time,
      speed: fix.speed ?? 0)
    travel.observe(point, spread: place.spread, of: fix, pace: pace)
    switch state {
    case .empty:
      trust(place)
      return .trusted
    case .trusted(let last):
      place.speed = Self.speed(
        from: trail.first ?? last, after: last, to: place, measured: fix.speed)
      guard let (before, timeout) = breach(from: last, to: place) else {
        if Self.isHidden(from: last, to: place) { travel.confirm() }
        trust(place)
        return .trusted
      }
      place.speed = fix.speed ?? 0
      trail = []
      state = .doubted(Doubt(trusted: before, origin: place, timeout: timeout), newest: place)
      return .doubted
    case .doubted(let doubt, let newest):
      return resolve(doubt, newest: newest, place, measured: fix.speed)
    }
  }

  private mutating func trust(_ place: Place) {
    state = .trusted(place)
    if let newest = trail.last, place.time.seconds(since: newest.time) < 1 { return }
    trail.append(place)
    trail.removeAll { place.time.seconds(since: $0.time) > Self.memory }
  }

  /// Returns the place before an impossible step, and for how long the step needs confirmation.
  ///
  /// A step that is spread over several fixes is found from a place some seconds back.
  private func breach(from last: Place, to place: Place) -> (Place, timeout: Double)? {
    if let timeout = Self.timeout(from: last, to: place) { return (last, timeout) }
    let start = trail.first { earlier in
      let seconds = place.time.seconds(since: earlier.time)
      return seconds <= Self.memory && !Self.isReachable(from: earlier, to: place, in: seconds)
    }
    return start.map { ($0, Self.jumpTimeout) }
  }

  private mutating func resolve(
    _ earlier: Doubt, newest: Place, _ fresh: Place, measured: Double?
  ) -> Verdict {
    var place = fresh
    var doubt = earlier
    if Self.hasReturned(place, to: doubt.trusted) {
      travel = MotionEvidence()
      trust(place)
      return .returned
    }
    if let timeout = Self.timeout(from: newest, to: place), timeout >= doubt.timeout {
      doubt = Doubt(trusted: doubt.trusted, origin: place, timeout: timeout)
    } else {
      place.speed = Self.speed(from: newest, after: newest, to: place, measured: measured)
      doubt.fixes += 1
      doubt.note(speed: measured, for: place.time.seconds(since: newest.time))
      doubt.note(place)
    }
    if doubt.isConfirmed(by: place) {
      // The way of a possible step was not observed; after an impossible step, travel counts.
      if doubt.timeout < Self.jumpTimeout || !doubt.hasLasted(until: place.time) {
        travel.confirm()
      }
      trust(place)
      return .trusted
    }
    state = .doubted(doubt, newest: place)
    return .doubted
  }
}

extension OutlierGate.Doubt {
  fileprivate mutating func note(speed: Double?, for seconds: Double) {
    guard let speed else { return }
    let credit = min(max(seconds, 0), 5)
    // 0.8 m/s is a slow walk; receivers at rest report less.
    travelled = speed >= 0.8 ? travelled + credit : max(travelled - credit, 0)
  }

  fileprivate mutating func note(_ place: OutlierGate.Place) {
    let way = place.point.distance(to: origin.point)
    guard way > farthest.way + 5 else { return }
    let seconds = place.time.seconds(since: farthest.time)
    // A device that travels gains 5 m in less time.
    progress = seconds <= 12 || fixes < 4 ? progress + seconds : 0
    farthest = (way, place.time)
  }

  fileprivate func hasLasted(until time: UnixTime) -> Bool {
    fixes >= 3 && time.seconds(since: origin.time) >= timeout
  }

  /// Whether the device traveled on from the new place, or stayed there long enough.
  fileprivate func isConfirmed(by place: OutlierGate.Place) -> Bool {
    if hasLasted(until: place.time) { return true }
    // A fading error moves, too: towards the place of the device.
    let origins = origin.point.distance(to: trusted.point)
    guard place.point.distance(to: trusted.point) > origins - 10 else { return false }
    if travelled >= 12 { return true }
    let way = place.point.distance(to: origin.point)
    // A growing error covers this distance in less time.
    return fixes >= 4 && progress >= 25 && way >= max(40, 2 * place.spread)
  }
}

// MARK: - Steps

extension OutlierGate {
  /// Meters: accuracies below this are not believed (chosen; consumer receivers drift that much).
  private static let finest = 10.0
  /// Meters: coarser fixes are no evidence of steps.
  private static let coarsest = 200.0

  private static func isNoise(from last: Place, to next: Place) -> Bool {
    next.point.distance(to: last.point) <= 3 * hypotenuse(last.spread, next.spread)
  }

  /// Whether the device is at its place before the step, or where its earlier movement leads.
  private static func hasReturned(_ place: Place, to trusted: Place) -> Bool {
    let noise = 3 * hypotenuse(trusted.spread, place.spread)
    let seconds = place.time.seconds(since: trusted.time)
    let way = trusted.speed >= 1 ? min(1.5 * trusted.speed * seconds, 100) : 0
    return place.point.distance(to: trusted.point) <= noise + way
  }

  /// Returns the seconds for which a step needs confirmation; `nil` for a plausible step.
  private static func timeout(from last: Place, to next: Place) -> Double? {
    let seconds = max(next.time.seconds(since: last.time), 0)
    let step = next.point.distance(to: last.point)
    let noise = 3 * hypotenuse(last.spread, next.spread)
    // From rest, a body may reach 40 m/s at 3 m/s², and a moving one keeps its speed.
    let gained = min(last.speed * seconds + 1.5 * seconds * seconds, max(last.speed, 40) * seconds)
    if seconds <= 10 { return step <= noise + gained ? nil : jumpTimeout }
    if seconds >= longGap {
      if step <= noise || isHidden(from: last, to: next) { return nil }
      return step <= fastest * seconds ? gapTimeout : jumpTimeout
    }
    if step <= noise + (last.speed + 2) * seconds { return nil }
    return step <= noise + gained ? gapTimeout : jumpTimeout
  }

  /// Whether the device traveled during a gap: farther than a receiver error.
  private static func isHidden(from last: Place, to next: Place) -> Bool {
    let seconds = next.time.seconds(since: last.time)
    let step = next.point.distance(to: last.point)
    let error = max(3 * hypotenuse(last.spread, next.spread), largestError)
    return seconds >= longGap && step > error && step <= fastest * seconds
  }

  /// Whether a body could get there, by its observed speed at the earlier place.
  private static func isReachable(
    from earlier: Place, to place: Place, in seconds: Double
  ) -> Bool {
    let noise = 2.5 * hypotenuse(earlier.spread, place.spread)
    return place.point.distance(to: earlier.point)
      <= noise + earlier.speed * seconds + 1.5 * seconds * seconds
  }

  /// Seconds for which trusted places are kept for comparison (chosen).
  private static let memory = 12.0
  /// Seconds without a fix in which a device may have gone anywhere (chosen: more than the longest
  /// sampling interval near a boundary).
  private static let longGap = 180.0
  /// Meters per second: an airliner.
  private static let fastest = 300.0
  /// Meters: the greatest error of receivers that claim a good fix (chosen).
  static let largestError = 300.0
  /// Seconds: after a possible step that was not observed (chosen).
  private static let gapTimeout = 60.0
  /// Seconds: after an impossible step (chosen: longer than receiver errors last).
  private static let jumpTimeout = 900.0

  /// Returns meters per second, as measured, or from `start`, some seconds before `last`.
  private static func speed(
    from start: Place, after last: Place, to next: Place, measured: Double?
  ) -> Double {
    if let measured { return measured }
    let passed = next.time.seconds(since: last.time)
    let seconds = next.time.seconds(since: start.time)
    guard passed > 0, seconds > 0 else { return last.speed }
    let step = next.point.distance(to: start.point)
    let believed = isNoise(from: start, to: next) ? min(step / seconds, 3) : step / seconds
    return last.speed + (believed - last.speed) * min(passed / 5, 1)
  }
}

// MARK: - Storing

extension OutlierGate {
  /// Writes or reads every field.
  mutating func pass(_ coder: inout StateCoder) {
    var kind: UInt8 =
      switch state {
      case .empty: 0
      case .trusted: 1
      case .doubted: 2
      }
    coder.pass(&kind)
    switch kind {
    case 0: state = .empty
    case 1:
      var place = if case .trusted(let place) = state { place } else { Place.blank }
      place.pass(&coder)
      state = .trusted(place)
    case 2:
      var (doubt, newest) = (Doubt(trusted: .blank, origin: .blank, timeout: 0), Place.blank)
      if case .doubted(let known, let place) = state { (doubt, newest) = (known, place) }
      doubt.pass(&coder)
      newest.pass(&coder)
      state = .doubted(doubt, newest: newest)
    default: coder.reject()
    }
    coder.pass(&trail, most: 1024, blank: .blank) { $1.pass(&$0) }
    travel.pass(&coder)
  }
}

extension OutlierGate.Place {
  fileprivate static let blank = Self(
    point: GeocentricPoint(vector: .zero), spread: 1, time: UnixTime(nanoseconds: 0), speed: 0)

  fileprivate mutating func pass(_ coder: inout StateCoder) {
    coder.pass(&point)
    coder.pass(&spread)
    coder.pass(&time)
    coder.pass(&speed)
  }
}

extension OutlierGate.Doubt {
  fileprivate mutating func pass(_ coder: inout StateCoder) {
    trusted.pass(&coder)
    origin.pass(&coder)
    coder.pass(&timeout)
    coder.pass(&travelled)
    coder.pass(&progress)
    coder.pass(&farthest.way)
    coder.pass(&farthest.time)
    coder.pass(&fixes)
  }
}
