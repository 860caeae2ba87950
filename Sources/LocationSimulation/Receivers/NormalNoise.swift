import LocationModel

/// Chance with a seed: uniform numbers, and normal ones.
struct NormalNoise: Hashable, Sendable {
  private var random: SeededRandom
  private var spare: Double?

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  /// The chance of one thing at one time, whatever else is drawn and when.
  ///
  /// - Parameters:
  ///   - thing: the seed, and what sets the thing apart from others.
  ///   - time: when.
  init(of thing: UInt64, at time: Instant) {
    var random = SeededRandom(seed: thing)
    self.init(seed: random.next() ^ UInt64(bitPattern: time.nanoseconds))
  }

  mutating func happens(_ share: Double) -> Bool {
    share > 0 && uniform() < share
  }

  /// In `0..<1`.
  mutating func uniform() -> Double {
    Double(random.next() >> 11) * 0x1p-53
  }

  /// Of mean 0 and standard deviation 1 (Box and Muller's method gives two at once).
  mutating func normal() -> Double {
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
