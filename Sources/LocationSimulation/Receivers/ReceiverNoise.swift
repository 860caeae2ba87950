import LocationModel

/// How a receiver's position strays from the truth: an error that changes slowly, with a little
/// that is new each second, and now and then a reflection that is taken for the satellite itself.
///
/// Where the standard figures come from: docs/decisions/0026-receiver-noise.md.
package struct ReceiverNoise: Hashable, Sendable {
  /// Standard deviation of the slow error on one axis; meters.
  package var deviation: Double
  /// Seconds after which the slow error has forgotten all but a third of itself.
  package var memory: Double
  /// Standard deviation on one axis of what is new each second; meters.
  package var jitter: Double
  /// The share of time in which the position is far off, in `0..<1`.
  package var outliers: Double
  /// Standard deviation on one axis of how far; meters.
  package var outlierDistance: Double
  /// Seconds that it lasts, on average, at one place beside the truth.
  package var outlierLength: Double
  /// The share of epochs without a fix, in `0...1`.
  package var loss: Double

  /// Standard deviation of one axis that is claimed in place of the true one; meters.
  package var claimed: Double?
  /// The motion that is reported in place of the true one; meters per second, and degrees from true
  /// north.
  package var claimedMotion: Motion?

  package struct Motion: Hashable, Sendable {
    package var speed: Double
    package var course: Double?
  }

  package init(
    deviation: Double, memory: Double, jitter: Double, outliers: Double = 0,
    outlierDistance: Double = 0, outlierLength: Double = 1, loss: Double = 0
  ) {
    self.deviation = deviation
    self.memory = memory
    self.jitter = jitter
    self.outliers = outliers
    self.outlierDistance = outlierDistance
    self.outlierLength = outlierLength
    self.loss = loss
  }

  /// No error at all.
  package static let exact = ReceiverNoise(deviation: 0, memory: 1, jitter: 0)

  /// The position that a simulator sets (SIM-7): exact, with a claim of so many meters at 68 %, and
  /// of a motion that there need not be (SIM-10).
  package static func simulator(
    accuracy: Double, speed: Double? = nil, course: Double? = nil
  ) -> ReceiverNoise {
    var noise = exact
    noise.claimed = accuracy / 1.5096
    noise.claimedMotion = speed.map { Motion(speed: $0, course: course) }
    return noise
  }

  /// What a receiver of a phone or a car shows under this sky; `nil` where none has a fix.
  package static func standard(under sky: Sky) -> ReceiverNoise? {
    switch sky {
    // Fitted: bicycling in a suburb.
    case .open: ReceiverNoise(deviation: 3.2, memory: 40, jitter: 1.2)
    // Fitted: streets, and a car in town for the outliers; the loss is chosen.
    case .street:
      ReceiverNoise(
        deviation: 5.9, memory: 40, jitter: 1.7, outliers: 0.048, outlierDistance: 49,
        outlierLength: 3, loss: 0.02)
    // Chosen but for the outliers' share and length, which are those of trains below ground: no
    // shared recording was made in a building.
    case .indoors:
      ReceiverNoise(
        deviation: 20, memory: 40, jitter: 3, outliers: 0.033, outlierDistance: 150,
        outlierLength: 7, loss: 0.6)
    case .none: nil
    }
  }

  /// The standard deviation of one axis that an honest receiver claims; meters.
  var claim: Double { claimed ?? max(0.5, hypotenuse(deviation, jitter)) }
}

/// The error of one receiver as it goes on (a Gauss-Markov process on two axes).
struct ErrorWalk: Hashable, Sendable {
  private(set) var east = 0.0
  private(set) var north = 0.0
  private var noise: NormalNoise
  private var isFirst = true
  /// The reflection that is taken for the satellite now.
  private var outlier: Offset?

  private struct Offset: Hashable, Sendable {
    var east: Double
    var north: Double
  }

  init(seed: UInt64) {
    noise = NormalNoise(seed: seed)
  }

  /// The error after so many more seconds.
  mutating func step(_ model: ReceiverNoise, seconds: Double) -> (east: Double, north: Double) {
    let keep = isFirst ? 0 : exponential(-seconds / model.memory)
    let fresh = model.deviation * (1 - keep * keep).squareRoot()
    isFirst = false
    east = east * keep + fresh * noise.normal()
    north = north * keep + fresh * noise.normal()
    let fresher = (east: model.jitter * noise.normal(), north: model.jitter * noise.normal())
    reflect(model, seconds: seconds)
    return (
      east + fresher.east + (outlier?.east ?? 0), north + fresher.north + (outlier?.north ?? 0)
    )
  }

  /// A reflection begins, stays, or ends.
  private mutating func reflect(_ model: ReceiverNoise, seconds: Double) {
    guard outlier == nil else {
      if chance(seconds / max(model.outlierLength, seconds)) || model.outliers == 0 {
        outlier = nil
      }
      return
    }
    let beginnings = model.outliers / (1 - model.outliers) / max(model.outlierLength, seconds)
    guard chance(beginnings * seconds) else { return }
    outlier = Offset(
      east: model.outlierDistance * noise.normal(), north: model.outlierDistance * noise.normal())
  }

  mutating func chance(_ share: Double) -> Bool { noise.happens(share) }
}
