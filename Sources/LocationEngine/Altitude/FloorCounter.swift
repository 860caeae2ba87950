package import LocationModel

/// Counts the floors that the device climbs and descends, by the barometer.
///
/// A change of the height that ends in rest is a change of floors; doors, trains, and the shafts of
/// lifts move the pressure, too, but back again. Which floor the device is on, this does not know.
package struct FloorCounter: Sendable {
  package enum Finding: Hashable, Sendable {
    case none
    /// So many floors up, or down if negative.
    case changed(Int)
    /// Samples were missing while the height changed, so that floors may be missing, too.
    case interrupted
  }

  /// The floors counted so far, up less down.
  package private(set) var count = 0
  /// The height at rest, in meters; `nil` before the first rest.
  private var level: Double?
  /// The newest samples, oldest first.
  private var window: [(height: Double, time: Instant)] = []
  /// Meters from floor to floor, as far as is known.
  private var story = FloorCounter.usualStory

  package init() {}

  /// Takes the height by the standard atmosphere, in meters.
  package mutating func take(_ height: Double, at now: Instant) -> Finding {
    if let last = window.last, now.seconds(since: last.time) > Self.longestGap {
      window = [(height, now)]
      guard let level, (height - level).magnitude > Self.sameFloor else { return .none }
      self.level = nil
      return .interrupted
    }
    window.append((height, now))
    while let first = window.first, now.seconds(since: first.time) > Self.rest {
      window.removeFirst()
    }
    guard let first = window.first, now.seconds(since: first.time) >= Self.rest - Self.tolerance,
      isAtRest
    else { return .none }
    let mean = window.reduce(0) { $0 + $1.height } / Double(window.count)
    guard let level else {
      self.level = mean
      return .none
    }
    let climb = mean - level
    guard climb.magnitude > Self.leastClimb else {
      // The weather moves the level slowly.
      self.level = level + Self.following * climb
      return .none
    }
    self.level = mean
    let floors = max(1, (climb.magnitude / story).rounded())
    learn(climb.magnitude / floors)
    let signed = climb < 0 ? -Int(floors) : Int(floors)
    count += signed
    return .changed(signed)
  }

  /// Whether the height did not change over the window. Two halves are compared, because single
  /// samples are noisy.
  private var isAtRest: Bool {
    let half = window.count / 2
    guard half > 0 else { return false }
    let early = window[..<half].reduce(0) { $0 + $1.height } / Double(half)
    let late = window[half...].reduce(0) { $0 + $1.height } / Double(window.count - half)
    return (late - early).magnitude < Self.still / 2
  }

  private mutating func learn(_ height: Double) {
    guard Self.stories.contains(height) else { return }
    story += Self.learning * (height - story)
  }

  /// Seconds over which the height is compared.
  private static let rest = 6.0
  /// Seconds by which samples may be late.
  private static let tolerance = 1.5
  /// Meters within that time.
  private static let still = 0.35
  /// Meters: less is no change of floors.
  private static let leastClimb = 1.7
  /// Seconds without a sample after which a climb may have been missed. Chosen.
  private static let longestGap = 3.0
  /// Meters within which it is still the same floor. Chosen.
  private static let sameFloor = 1.0
  /// Meters. Chosen: floors of dwellings are 2.5 to 3 m, of offices 3.5 to 4 m.
  private static let usualStory = 3.0
  /// Meters in which a floor may be high.
  private static let stories = 2.4...4.6
  /// The share by which each change counts.
  private static let learning = 0.3
  /// The share of a difference that is followed at each sample at rest. Chosen: 20 seconds.
  private static let following = 0.05
}
