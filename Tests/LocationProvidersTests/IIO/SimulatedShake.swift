import LocationModel
import LocationProviders

/// What an accelerometer feels of what is done with its device, for tests: from a seed, at any time.
struct SimulatedShake {
  /// What is done with the device.
  enum Handling {
    /// Nothing; `knocks` is the strength of the knocks of somebody who types beside it, in meters per second squared.
    case lies(knocks: Double)
    case steps(Steps)
    /// A car's body sways, its wheels hop, its engine hums; meters per second squared each.
    case rides(sway: Double, hop: Double, hum: Double)
    /// A hand turns it about.
    case handled
  }

  struct Steps {
    /// In a second.
    var rate: Double
    /// Meters per second squared, of the swing at that rate.
    var strength: Double
    /// Shares of that strength: of the leg's own swing, and of the heel's knock.
    var stride = 0.3
    var heel = 0.35
  }

  var handling = Handling.lies(knocks: 0)
  /// The way up along the device's axes.
  var up = DeviceVector(x: 0, y: 0, z: 1)
  /// Meters per second squared, root mean square of each axis.
  var noise = 0.05
  /// What the chip makes of an acceleration: a wrong scale, and an offset.
  var scale = 1.0
  var offset = DeviceVector(x: 0, y: 0, z: 0)
  private var random: SeededRandom
  private var time = 0.0
  private var phase = 0.0
  private var swing = 1.0
  private var sway = Resonance(frequency: 1.4, damping: 0.25)
  private var hop = Resonance(frequency: 11, damping: 0.12)
  private var turn = DeviceVector(x: 0, y: 0, z: 0)

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  /// Meters per second squared along the device's axes, `seconds` after the one before.
  mutating func acceleration(after seconds: Double) -> DeviceVector {
    let steps = max(1, Int((seconds / Self.fineness).rounded()))
    var push = 0.0
    for _ in 0..<steps { push = pushed(for: seconds / Double(steps)) }
    let felt = up * (9.81 + push) + turn + noise(noise)
    return felt * scale + offset
  }

  private mutating func pushed(for seconds: Double) -> Double {
    time += seconds
    switch handling {
    case .lies(let knocks):
      turn = DeviceVector(x: 0, y: 0, z: 0)
      // Five keys in a second, each felt for a hundredth of one.
      return uniform() < 5 * 0.01 ? knocks * gaussian() : 0
    case .steps(let steps):
      phase += 2 * Double.pi * steps.rate * (1 + 0.1 * gaussian()) * seconds
      swing += (1 - swing) * seconds + 0.3 * gaussian() * seconds.squareRoot()
      turn = DeviceVector(x: 0.6 * sine(phase / 2), y: 0.8 * sine(phase / 2 + 1), z: 0)
      return swing * steps.strength
        * (sine(phase) + steps.heel * sine(2 * phase + 0.7) + steps.stride * sine(phase / 2 + 1.1)
          + 0.1 * sine(3 * phase + 2))
    case .rides(let swayed, let hopped, let hum):
      let force = gaussian() / seconds.squareRoot()
      turn = DeviceVector(x: 0, y: 0, z: 0)
      return swayed * sway.pushed(by: force, for: seconds)
        + hopped * hop.pushed(by: force, for: seconds)
        + hum * sine(2 * Double.pi * 26.7 * time)
    case .handled:
      turn = turn + noise(6 * seconds.squareRoot()) - turn * seconds
      return gaussian() * 0.3
    }
  }

  private mutating func noise(_ size: Double) -> DeviceVector {
    DeviceVector(x: gaussian(), y: gaussian(), z: gaussian()) * size
  }

  private mutating func uniform() -> Double { Double.random(in: 0..<1, using: &random) }

  /// Twelve uniform numbers add up to nearly a normal one.
  private mutating func gaussian() -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + uniform() }
  }

  /// Seconds between two steps of what is computed.
  private static let fineness = 0.01
}

/// A mass on a spring, pushed by chance: of strength 1, root mean square.
private struct Resonance {
  let frequency: Double
  let damping: Double
  private var place = 0.0
  private var speed = 0.0

  init(frequency: Double, damping: Double) {
    self.frequency = frequency
    self.damping = damping
  }

  mutating func pushed(by force: Double, for seconds: Double) -> Double {
    let turn = 2 * Double.pi * frequency
    let steps = 4
    for _ in 0..<steps {
      let part = seconds / Double(steps)
      speed += (force - 2 * damping * turn * speed - turn * turn * place) * part
      place += speed * part
    }
    // The variance of such a mass under white noise is 1 / (4 damping turn³).
    return place * (4 * damping * turn * turn * turn).squareRoot()
  }
}
