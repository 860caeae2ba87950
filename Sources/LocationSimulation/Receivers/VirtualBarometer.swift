package import LocationModel

/// A barometer as in phones: the pressure at the device's altitude in the standard atmosphere, moved by
/// the weather, with noise.
package struct VirtualBarometer: Hashable, Sendable {
  /// Hectopascals at sea level, around which the weather moves it.
  package var pressureAtSea: Double
  private let seed: UInt64
  private var chance: NormalNoise
  /// `nil` while no sample is needed.
  private var interval: Duration?
  package private(set) var nextDeadline: Instant?

  /// - Parameters:
  ///   - pressureAtSea: hectopascals at sea level, in ``pressuresAtSea``.
  ///   - seed: the seed of the weather and the noise.
  package init(pressureAtSea: Double = Self.standard, seed: UInt64 = 1) {
    self.pressureAtSea = pressureAtSea
    self.seed = seed ^ 0xBA20_3E7E
    chance = NormalNoise(seed: self.seed)
  }

  /// Sets how often samples are needed; a changed interval begins with a sample at once, as that of
  /// the kernel's barometer does (`IIOBarometer`).
  ///
  /// - Parameters:
  ///   - interval: the longest time between two samples; `nil` for none.
  ///   - now: the present.
  package mutating func want(_ interval: Duration?, at now: Instant) {
    guard interval != self.interval else { return }
    self.interval = interval
    nextDeadline = interval.map { _ in now }
  }

  /// Returns the sample that is due now; `nil` between two, and where no device works.
  package mutating func wake(at now: Instant, altitude: Double) -> PressureSample? {
    guard let interval, let due = nextDeadline, due <= now else { return nil }
    nextDeadline = now + max(interval, Self.shortest)
    return sample(at: now, altitude: altitude)
  }

  /// Measures; `nil` where the air has a pressure that the kernel's barometers do not.
  package mutating func sample(at now: Instant, altitude: Double) -> PressureSample? {
    let measured = pressure(at: now, altitude: altitude) + Self.noise * chance.normal()
    // In steps of a tenth of a pascal.
    let pressure = (measured * 1000).rounded() / 1000
    return Self.possible.contains(pressure) ? PressureSample(hectopascals: pressure) : nil
  }

  /// The true pressure of the air in hectopascals at an altitude in meters.
  package func pressure(at now: Instant, altitude: Double) -> Double {
    let ratio = power(max(1 - altitude / 44_330.77, 0), 1 / 0.190_263)
    return (pressureAtSea + weather(at: now)) * ratio
  }

  /// Hectopascals: between values of every three hours, each of its own.
  private func weather(at now: Instant) -> Double {
    let time = now.seconds(since: .start) / Self.spell
    let begin = time.rounded(.down)
    func value(_ spell: Double) -> Double {
      var own = NormalNoise(seed: seed ^ UInt64(max(spell, 0)) << 20)
      return own.normal()
    }
    let (early, late) = (value(begin), value(begin + 1))
    return Self.weather * (early + (time - begin) * (late - early))
  }

  /// Of the standard atmosphere, at sea level.
  package static let standard = 1013.25
  /// Hectopascals at sea level that there have been on Earth, rounded outwards.
  package static let pressuresAtSea = 870.0...1085.0
  /// Hectopascals; the range of `PressureSample`.
  private static let possible = 300.0...1200.0
  /// As the kernel's barometer is read.
  private static let shortest = Duration.seconds(1)
  /// Hectopascals, one standard deviation: two pascals, as the chips' data sheets have it.
  private static let noise = 0.02
  /// Hectopascals, one standard deviation, and seconds over which it changes: a quarter of a
  /// hectopascal in an hour, half of what was measured in a night (docs/decisions/0095).
  private static let weather = 0.6
  private static let spell = 10_800.0
}
