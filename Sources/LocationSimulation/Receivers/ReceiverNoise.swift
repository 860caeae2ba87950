import LocationModel

/// How a receiver's position strays from the truth: an error that changes slowly, with a little
/// that is new each second, and now and then an outlier.
///
/// The standard figures are chosen by what receivers' data sheets say; they are not fitted to
/// recordings yet.
package struct ReceiverNoise: Hashable, Sendable {
  /// Standard deviation of the slow error on one axis; meters.
  package var deviation: Double
  /// Seconds after which the slow error has forgotten all but a third of itself.
  package var memory: Double
  /// Standard deviation on one axis of what is new each second; meters.
  package var jitter: Double
  /// The share of epochs that are far off, in `0...1`.
  package var outliers: Double
  /// Meters by which an outlier is off, about.
  package var outlierDistance: Double
  /// The share of epochs without a fix, in `0...1`.
  package var loss: Double

  package init(
    deviation: Double, memory: Double, jitter: Double, outliers: Double = 0,
    outlierDistance: Double = 0, loss: Double = 0
  ) {
    self.deviation = deviation
    self.memory = memory
    self.jitter = jitter
    self.outliers = outliers
    self.outlierDistance = outlierDistance
    self.loss = loss
  }

  /// No error at all.
  package static let exact = ReceiverNoise(deviation: 0, memory: 1, jitter: 0)

  /// What a receiver of a phone or a car shows under this sky; `nil` where none has a fix.
  package static func standard(under sky: Sky) -> ReceiverNoise? {
    switch sky {
    case .open: ReceiverNoise(deviation: 2, memory: 60, jitter: 0.3)
    case .street:
      ReceiverNoise(
        deviation: 8, memory: 25, jitter: 1, outliers: 0.01, outlierDistance: 60, loss: 0.02)
    case .indoors:
      ReceiverNoise(
        deviation: 20, memory: 40, jitter: 3, outliers: 0.03, outlierDistance: 150, loss: 0.6)
    case .none: nil
    }
  }

  /// The standard deviation of one axis that an honest receiver claims; meters.
  var claim: Double { max(0.5, hypotenuse(deviation, jitter)) }
}

/// The error of one receiver as it goes on (a Gauss-Markov process on two axes).
struct ErrorWalk: Hashable, Sendable {
  private(set) var east = 0.0
  private(set) var north = 0.0
  private var random: SeededRandom
  private var spare: Double?
  private var isFirst = true

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  /// The error after so many more seconds.
  mutating func step(_ noise: ReceiverNoise, seconds: Double) -> (east: Double, north: Double) {
    let keep = isFirst ? 0 : exponential(-seconds / noise.memory)
    let fresh = noise.deviation * (1 - keep * keep).squareRoot()
    isFirst = false
    east = east * keep + fresh * normal()
    north = north * keep + fresh * normal()
    var error = (east: east + noise.jitter * normal(), north: north + noise.jitter * normal())
    if chance(noise.outliers) {
      error.east += noise.outlierDistance * normal()
      error.north += noise.outlierDistance * normal()
    }
    return error
  }

  mutating func chance(_ share: Double) -> Bool {
    share > 0 && uniform() < share
  }

  /// In `0..<1`.
  private mutating func uniform() -> Double {
    Double(random.next() >> 11) * 0x1p-53
  }

  /// Of mean 0 and standard deviation 1 (Box and Muller's method gives two at once).
  private mutating func normal() -> Double {
    if let spare {
      self.spare = nil
      return spare
    }
    let radius = (-2 * logarithm(1 - uniform())).squareRoot()
    let angle = 2 * Double.pi * uniform()
    spare = radius * sine(angle)
    return radius * cosine(angle)
  }
}
