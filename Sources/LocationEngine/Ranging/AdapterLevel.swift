package import LocationCoding
package import LocationModel

/// What one adapter of this computer usually receives, in dB over what beacons claim for one meter.
///
/// Chosen (BEACON-26, docs/decisions/0090): the mean and spread of the levels heard, after an
/// assumption that counts as one place. Beacons are near unless their level is unusual by more than
/// what is still unknown of the adapter; so an adapter that has heard little calls all of them
/// near.
package struct AdapterLevel: Hashable, Sendable {
  /// How many places the mean rests on; the assumption counts as one.
  package private(set) var weight: Double
  /// dB over the claim.
  package private(set) var mean: Double
  /// dB², the sum of the squared differences from the mean.
  private var squares: Double
  /// When it learned last, or was calibrated.
  package private(set) var used: UnixTime
  /// dB over the claim at one meter, measured by a person; `nil` until then.
  package var offset: Int?

  /// The adapter of which nothing is known.
  package init() {
    (weight, mean, offset, used) = (1, Self.assumedMean, nil, UnixTime(nanoseconds: 0))
    squares = Self.assumedSpread * Self.assumedSpread * (1 + Self.assumedDegrees)
  }

  /// Counts the level of one more place.
  package mutating func learn(_ level: Double, at time: UnixTime) {
    guard level.isFinite else { return }
    let level = min(max(level, Self.plausible.lowerBound), Self.plausible.upperBound)
    let difference = level - mean
    squares += difference * difference * weight / (weight + 1)
    weight += 1
    mean += difference / weight
    used = max(used, time)
    guard weight > Self.mostWeight else { return }
    squares *= (Self.mostWeight + Self.assumedDegrees) / (weight + Self.assumedDegrees)
    weight = Self.mostWeight
  }

  /// Stores what a person has measured at one meter.
  mutating func calibrate(_ offset: Int, at time: UnixTime) {
    self.offset = offset
    used = max(used, time)
  }

  /// dB over the claim: what is usual.
  package var center: Double { offset.map(Double.init) ?? mean }

  /// dB, one standard deviation of what is heard.
  package var spread: Double {
    let shift = center - mean
    return ((squares + weight * shift * shift) / (weight + Self.assumedDegrees)).squareRoot()
  }

  /// dB, one standard deviation of the center.
  private var uncertainty: Double { offset == nil ? spread / weight.squareRoot() : 0 }

  /// Returns how the signal of a beacon fades on its way to this adapter, so that the limits of the
  /// classes (BEACON-13) lie where a level is unusually strong or weak.
  package func path(measuredPower: Int) -> SignalPath {
    let doubt = Self.deviations * uncertainty
    let strong = Self.unusuallyStrong * spread + doubt
    let weak = Self.unusuallyWeak + doubt
    let decade = (strong + weak) / Self.decades
    return SignalPath(
      powerAtOneMeter: Double(measuredPower) + center + strong - decade * Self.decadesToImmediate,
      exponent: decade / 10)
  }

  /// dB over the claim; the median of five recorded sets, to 4 dB.
  private static let assumedMean = -16.0
  /// dB; the median of the same sets.
  private static let assumedSpread = 8.0
  /// Chosen: degrees of freedom of the assumed spread beyond the weight, four in all.
  private static let assumedDegrees = 3.0
  /// Places. Chosen: older ones fade, so that an antenna that was changed is learned again.
  private static let mostWeight = 100.0
  /// Standard deviations above the usual level where immediate begins. Chosen (BEACON-26).
  private static let unusuallyStrong = 2.0
  /// dB below the usual level where far begins: four times the distance. Chosen (BEACON-26).
  private static let unusuallyWeak = 12.0
  /// Standard deviations of what is unknown of the adapter. Chosen (BEACON-26).
  private static let deviations = 3.0
  /// From 0.5 m to 3 m, in powers of ten.
  private static let decades = 0.778_151_250_383_643_6
  /// From 0.5 m to 1 m, in powers of ten.
  private static let decadesToImmediate = 0.301_029_995_663_981_2
  /// dB over the claim: the range in which a level counts.
  private static let plausible = -80.0...60.0
}

extension AdapterLevel: JSONStructure {
  package static let fields = JSONFields(
    AdapterLevel(), .get("weight", \.weight), .get("mean", \.mean), .get("squares", \.squares),
    .get("used", \.used), .find("offset", \.offset))

  /// Whether the numbers can have been stored by this type.
  var isPlausible: Bool {
    (1...Self.mostWeight).contains(weight) && Self.plausible.contains(mean)
      && (0...1e7).contains(squares) && offset.map(AdapterLevels.offsets.contains) ?? true
  }
}
