package import LocationModel

/// Joins the altitudes of satellite receivers with the barometer (docs/decisions/0095).
///
/// The barometer knows within centimeters how the height changes, and not the height: the weather
/// moves the zero of its scale. Satellites know the altitude, with errors of meters that last for
/// minutes. So a filter follows the distance between the two, and how fast the weather moves it:
/// then the altitude follows the barometer, also while there are no satellites.
package struct AltitudeEstimator: Sendable {
  /// The altitude at a height of zero by the standard atmosphere, as far as it is known.
  fileprivate struct Offset: Sendable {
    /// Meters.
    var value: Double
    /// Meters per second, by the weather.
    var rate = 0.0
    /// The variances of value and rate, and their covariance.
    var variance: Double
    var rateVariance = AltitudeEstimator.weather * AltitudeEstimator.weather
    var covariance = 0.0
    /// When it was computed.
    var time: Instant
    /// The height at which it was learned, in meters.
    var height: Double
    /// When an altitude was taken last.
    var taken: Instant
    /// Since when altitudes contradict it by tens of meters; `nil` while none does.
    var doubted: Instant?
  }

  /// The last sample of the pressure.
  private struct Sample: Sendable {
    /// Meters by the standard atmosphere.
    var height: Double
    var time: Instant
  }

  private var sample: Sample?
  private var offset: Offset?
  private var floors = FloorCounter()
  private var floor: FloorTrack?
  /// Whether simulated positions are joined, too: only where the barometer is simulated as well.
  package var joinsSimulated = false

  package init() {}

  /// Whether a sample of the pressure has come, so that there is a barometer.
  package var hasBarometer: Bool { sample != nil }

  /// Returns how often samples are needed: once a second for floors, and more rarely while positions
  /// are needed rarely.
  static func interval(_ demand: PositionDemand?) -> Duration? {
    guard let demand else { return nil }
    return demand.interval <= .seconds(10) ? .seconds(1) : min(demand.interval, .seconds(30))
  }

  /// Takes a sample of the pressure.
  package mutating func take(_ pressure: PressureSample, at now: Instant) {
    let height = Self.height(at: pressure.pressure)
    sample = Sample(height: height, time: now)
    if floors.take(height, at: now) == .interrupted { floor = nil }
  }

  /// Forgets where the device was.
  package mutating func forget() {
    (offset, floor) = (nil, nil)
  }

  /// Returns the fix with the altitude and the floor that the barometer and earlier fixes show,
  /// where these are better than its own. Without a barometer, it is unchanged.
  package mutating func refine(_ fix: Fix, at now: Instant) -> Fix {
    guard let sample, now.seconds(since: sample.time) <= Self.longestAge,
      joinsSimulated || !fix.origin.isSimulated
    else { return fix }
    var fix = fix
    settleFloor(of: &fix, at: now)
    learn(fix, sample, at: now)
    guard let offset else { return fix }
    let isFast = (fix.speed ?? 0) > Self.fast
    let noise = isFast ? Self.wind : Self.noise
    let climb = Self.temperature * (sample.height - offset.height)
    let accuracy = (offset.variance + noise * noise + climb * climb).squareRoot()
    guard accuracy <= Self.widest, accuracy < fix.verticalAccuracy ?? .infinity else { return fix }
    let altitude = sample.height + offset.value
    let own = fix.altitude
    fix.ellipsoidalAltitude = own.flatMap { own in
      fix.ellipsoidalAltitude.map { $0 + altitude - own }
    }
    (fix.altitude, fix.verticalAccuracy) = (altitude, accuracy)
    fix.completeHeights(undulation: nil)
    return fix
  }

  // MARK: The offset

  private mutating func learn(_ fix: Fix, _ sample: Sample, at now: Instant) {
    offset?.pass(to: now)
    guard fix.origin.method == .receiver, let altitude = fix.altitude,
      let accuracy = fix.verticalAccuracy, accuracy > 0, accuracy.isFinite, altitude.isFinite
    else { return }
    let value = altitude - sample.height
    if offset?.take(value, accuracy, at: sample.height, now) != true {
      offset = Offset(
        value: value, variance: accuracy * accuracy, time: now, height: sample.height, taken: now)
    }
  }

  /// Meters in the standard atmosphere.
  static func height(at hectopascals: Double) -> Double {
    let ratio = power(hectopascals / 1013.25, 0.190_263)
    return 44_330.77 * (1 - ratio)
  }

  // MARK: Floors

  /// Gives a fix without a floor the one that was known last, and the floors that were climbed since.
  private mutating func settleFloor(of fix: inout Fix, at now: Instant) {
    if let level = fix.floor {
      floor = FloorTrack(floor: level, count: floors.count, place: fix.coordinate, time: now)
    } else if let floor, floor.isValid(for: fix, at: now) {
      fix.floor = floor.floor + floors.count - floor.count
    }
  }

  /// Seconds. Chosen: twice the longest interval between samples.
  private static let longestAge = 60.0
  /// Meters. Measured: the noise of a phone's barometer.
  private static let noise = 0.15
  /// Meters. Chosen: half a hectopascal, by the wind of driving.
  private static let wind = 4.0
  /// Meters per second from which there is such a wind. Chosen.
  private static let fast = 8.0
  /// The share by which a climb is measured wrongly, because the air is not as warm as in the
  /// standard atmosphere. Chosen: 11 K.
  private static let temperature = 0.04
  /// Meters. Chosen: an altitude that is less certain is none.
  private static let widest = 50.0
  /// Meters per second. Measured: 4.1 hPa in a night.
  fileprivate static let weather = 7e-4
}

extension AltitudeEstimator.Offset {
  /// Advances time: weather, doors, and ventilation move the offset.
  fileprivate mutating func pass(to now: Instant) {
    let seconds = max(0, now.seconds(since: time))
    let kept = exponential(-seconds / Self.memory)
    let weather = AltitudeEstimator.weather * AltitudeEstimator.weather
    value += rate * seconds
    variance += 2 * covariance * seconds + rateVariance * seconds * seconds + Self.drift * seconds
    covariance = (covariance + rateVariance * seconds) * kept
    rate *= kept
    rateVariance = rateVariance * kept * kept + weather * (1 - kept * kept)
    time = now
  }

  /// Takes what an altitude shows; returns `false` where the offset must begin anew, because
  /// altitudes have contradicted it for a while, as in a cabin under pressure.
  fileprivate mutating func take(
    _ measured: Double, _ accuracy: Double, at height: Double, _ now: Instant
  ) -> Bool {
    let error = accuracy * accuracy
    let difference = measured - value
    // Errors of a receiver last: fixes of one minute count as one.
    let share = min(max(now.seconds(since: taken), Self.least) / Self.correlation, 1)
    taken = now
    let doubt = difference * difference / (variance + error)
    let isFar = doubt > 16 && difference.magnitude > Self.far
    doubted = isFar ? doubted ?? now : nil
    if let doubted, now.seconds(since: doubted) >= Self.confirmation { return false }
    // Indoors receivers claim less than they err: what contradicts counts less.
    let noise = error / share * max(1, doubt / 4)
    let total = variance + noise
    let (gain, rateGain) = (variance / total, covariance / total)
    value += gain * difference
    rate += rateGain * difference
    rateVariance -= rateGain * covariance
    covariance *= 1 - gain
    variance *= 1 - gain
    self.height += gain * (height - self.height)
    return true
  }

  /// Square meters per second. Measured: 0.3 m in a minute, on one floor (docs/decisions/0095).
  private static let drift = 0.0015
  /// Seconds for which the weather goes on as it does. Chosen: three hours.
  private static let memory = 10_800.0
  /// Seconds for which a receiver's error lasts. Chosen.
  private static let correlation = 60.0
  /// Seconds. Several fixes of one second count as one of a tenth.
  private static let least = 0.1
  /// Meters. Chosen: more than receivers err in buildings.
  private static let far = 50.0
  /// Seconds until a far contradiction is believed. Chosen.
  private static let confirmation = 60.0
}

/// A floor that was known, and where.
private struct FloorTrack: Sendable {
  var floor: Int
  /// What ``FloorCounter`` had counted.
  var count: Int
  var place: Coordinate
  var time: Instant

  /// Whether the device is probably in the same building.
  func isValid(for fix: Fix, at now: Instant) -> Bool {
    now.seconds(since: time) <= Self.longest && place.distance(to: fix.coordinate) <= Self.reach
  }

  /// Seconds. Chosen.
  private static let longest = 3600.0
  /// Meters. Chosen: most buildings are smaller.
  private static let reach = 100.0
}
