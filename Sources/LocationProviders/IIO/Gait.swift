internal import LocationModel

/// The steps in a few seconds of acceleration: a swing that keeps its rate.
///
/// Only the length of the acceleration is looked at, so that neither the attitude nor the mounting
/// matters; its mean and its trend are taken off, so that an offset does not either.
package struct Gait: Hashable, Sendable {
  /// Steps in a second.
  package var rate: Double
  /// Meters per second squared, root mean square of the swing.
  package var strength: Double
  /// The share of all that moves that belongs to the swing, in `0...1`.
  package var clarity: Double

  /// `nil` when nothing swings at a rate of steps.
  ///
  /// A leg swings at half the rate of the steps, and a heel is heard at twice of it: a step's share
  /// is that of all four lines of the spectrum. Takes time in proportion to the samples.
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

  /// Times the rate of the steps: the stride, the step, and the next of both.
  private static let lines = [0.5, 1, 1.5, 2]
  /// A share. Chosen: of a walk with the device in a trouser pocket.
  private static let ownShare = 0.2
  /// Steps in a second. Chosen: from a stroll to a sprint; a car's body sways slower.
  private static let slowest = 1.35
  private static let fastest = 3.6
  /// Chosen: over four seconds, the line at twice the rate is then met within a tenth of a turn.
  private static let step = 0.05
}

/// The lines of what was sampled at uneven times (Lomb 1976).
private struct Spectrum {
  private let seconds: [Double]
  /// Without mean and trend.
  private let values: [Double]
  private let power: Double
  /// The mean square of the values.
  var variance: Double { power / Double(values.count) }

  /// `nil` when nothing moves.
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

  /// How much of the power a sine of this frequency explains, in hertz, by least squares.
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
