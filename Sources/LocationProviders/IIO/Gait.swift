internal import LocationModel

/// The steps in a few seconds of acceleration: an oscillation with a constant rate.
///
/// Only the magnitude of the acceleration is used, so that neither the attitude nor the mounting
/// matters; its mean and its trend are removed, so that an offset does not matter either.
package struct Gait: Hashable, Sendable {
  /// Steps per second.
  package var rate: Double
  /// Meters per second squared, root mean square of the oscillation.
  package var strength: Double
  /// The share of all movement that belongs to the oscillation, in `0...1`.
  package var clarity: Double

  /// Finds the steps; `nil` when nothing oscillates at a rate of steps.
  ///
  /// A leg swings at half the rate of the steps, and a heel adds a line at twice their rate: the
  /// share is that of all four lines of the spectrum. Takes time in proportion to the samples.
  init?(seconds: [Double], accelerations: [Double]) {
    guard let spectrum = Spectrum(seconds: seconds, values: accelerations) else { return nil }
    var best: (rate: Double, share: Double)?
    for rate in stride(from: Self.slowest, through: Self.fastest, by: Self.step)
    where spectrum.share(at: rate) >= Self.ownShare {
      let share = Self.lines.reduce(0) { $0 + spectrum.share(at: rate * $1) }
      if share > best?.share ?? 0 { best = (rate, share) }
    }
    guard let best else { return nil }
    rate = best.rate
    clarity = min(best.share, 1)
    strength = (clarity * spectrum.variance).squareRoot()
  }

  /// Multiples of the step rate: the stride, the step, and one more line of each.
  private static let lines = [0.5, 1, 1.5, 2]
  /// The share of the step's own lines. Chosen: of a walk with the device in a trouser pocket.
  private static let ownShare = 0.2
  /// Steps per second. Chosen: from a stroll to a sprint; a car's body oscillates more slowly.
  private static let slowest = 1.35
  private static let fastest = 3.6
  /// Chosen: over four seconds, the line at twice the rate is met within a tenth of a cycle.
  private static let step = 0.05
}

/// The spectrum of values sampled at uneven times (Lomb 1976).
private struct Spectrum {
  private let seconds: [Double]
  /// The values, without mean and trend.
  private let values: [Double]
  private let power: Double
  /// The mean square of the values.
  var variance: Double { power / Double(values.count) }

  /// Removes mean and trend from the values; returns `nil` when nothing moves.
  init?(seconds: [Double], values: [Double]) {
    guard values.count == seconds.count, values.count > 8 else { return nil }
    let count = Double(values.count)
    let middle = seconds.reduce(0, +) / count
    let mean = values.reduce(0, +) / count
    let times = seconds.map { $0 - middle }
    let rests = values.map { $0 - mean }
    let length = times.reduce(0) { $0 + $1 * $1 }
    guard length > 0 else { return nil }
    let slope = zip(times, rests).reduce(0) { $0 + $1.0 * $1.1 } / length
    self.seconds = times
    self.values = zip(times, rests).map { $0.1 - slope * $0.0 }
    power = self.values.reduce(0) { $0 + $1 * $1 }
    guard power > 1e-9 else { return nil }
  }

  /// Returns how much of the power a sine of this frequency, in hertz, explains by least squares.
  func share(at frequency: Double) -> Double {
    var (cc, ss, cs, xc, xs) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (time, value) in zip(seconds, values) {
      let turn = Angle(radians: 2 * Double.pi * frequency * time)
      let (c, s) = (cos(turn), sin(turn))
      cc += c * c
      ss += s * s
      cs += c * s
      xc += value * c
      xs += value * s
    }
    let determinant = cc * ss - cs * cs
    guard determinant > 1e-9 else { return 0 }
    return (xc * xc * ss - 2 * xc * xs * cs + xs * xs * cc) / determinant / power
  }
}
