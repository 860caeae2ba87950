import LocationModel
import LocationSimulation
import Testing

@Suite("A virtual barometer")
struct VirtualBarometerTests {
  private func instant(_ seconds: Double) -> Instant { .start + .seconds(seconds) }

  @Test("SIM-20: measures the standard atmosphere at the device's altitude, with 2 Pa of noise")
  func noise() throws {
    var barometer = VirtualBarometer(seed: 3)
    for altitude in [0.0, 120, 3000] {
      let truth = barometer.pressure(at: instant(60), altitude: altitude)
      let errors = try (0..<2000).map { _ in
        let sample = barometer.sample(at: instant(60), altitude: altitude)
        return try #require(sample).pressure - truth
      }
      let mean = errors.reduce(0, +) / 2000
      let deviation = (errors.reduce(0) { $0 + $1 * $1 } / 2000).squareRoot()
      #expect(abs(mean) < 0.002 && abs(deviation - 0.02) < 0.002, "\(mean) and \(deviation)")
    }
    // 8.4 m for each hectopascal at the ground.
    let low = barometer.pressure(at: .start, altitude: 0)
    let high = barometer.pressure(at: .start, altitude: 84)
    #expect(abs(low - high - 10) < 0.2)
    let airliner = barometer.sample(at: .start, altitude: 12_000)
    #expect(airliner == nil)
  }

  @Test("SIM-20: the weather moves it slowly, differently for each seed, and never by much")
  func weather() {
    func sea(_ hours: Double, _ seed: UInt64 = 1) -> Double {
      VirtualBarometer(pressureAtSea: 1000, seed: seed)
        .pressure(at: instant(hours * 3600), altitude: 0)
    }
    let day = (0...240).map { sea(Double($0) / 10) }
    let steps = zip(day, day.dropFirst()).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < 0.15, "in six minutes")
    #expect(steps.reduce(0, +) > 1)
    #expect(day.allSatisfy { abs($0 - 1000) < 3 })
    #expect(sea(7) == sea(7) && sea(7) != sea(7, 2))
  }

  @Test("SIM-20: samples come as often as they are needed, at most once a second, and then no more")
  func interval() {
    var barometer = VirtualBarometer()
    func comes(at seconds: Double) -> Bool {
      barometer.wake(at: instant(seconds), altitude: 0) != nil
    }
    #expect(barometer.nextDeadline == nil)
    barometer.want(.milliseconds(100), at: .start)
    #expect(barometer.nextDeadline == .start)
    #expect(comes(at: 0))
    #expect(!comes(at: 0.5))
    #expect(barometer.nextDeadline == instant(1))
    barometer.want(.milliseconds(100), at: instant(0.5))
    #expect(barometer.nextDeadline == instant(1), "the same need is no new one")
    barometer.want(.seconds(30), at: instant(0.5))
    #expect(comes(at: 0.5))
    #expect(barometer.nextDeadline == instant(30.5))
    barometer.want(nil, at: instant(2))
    #expect(barometer.nextDeadline == nil)
    #expect(!comes(at: 60))
  }
}
