import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("The detector of stillness")
struct StillnessDetectorTests {
  typealias Timeouts = StillnessDetector.Timeouts

  var bench = Self.bench(.seconds(180))

  static func bench(_ timeout: Duration?) -> Bench<StillnessDetector> {
    Bench(StillnessDetector(timeout: timeout)) { output in
      switch output {
      case .stationary: "stationary"
      case .moving(let fix): fix == nil ? "moving, no fix" : "moving"
      }
    }
  }

  private mutating func stay(_ seconds: Int, east: (Int) -> Double = { _ in 0 }) {
    for second in 0..<seconds {
      let time = bench.now.unixTime.seconds - 1_700_000_000
      bench.send(.fix(fix(east: east(second), at: time)))
      bench.run(for: .seconds(1))
    }
  }

  @Test("LIVE-23, LIVE-24: says once that the device stands, and once that it moves")
  mutating func standsAndMoves() {
    stay(600)
    #expect(bench.machine.isStationary)
    stay(60) { 1.4 * Double($0) }
    #expect(!bench.machine.isStationary)
    #expect(bench.transcript == "00:03:00  stationary\n00:10:13  moving")
  }

  @Test("LIVE-29: noise within the radius, and one stray fix, are no movement")
  mutating func noise() {
    var random = SeededRandom(seed: 3)
    stay(400) { second in second == 300 ? 60 : 4 * gaussian(&random) }
    #expect(bench.transcript == "00:03:00  stationary")
  }

  @Test("a walk is no stillness")
  mutating func walk() {
    stay(1000) { 1.2 * Double($0) }
    #expect(bench.outputs.isEmpty)
  }

  @Test("LIVE-25: a lost position ends stillness")
  mutating func lost() {
    stay(200)
    bench.send(.positionLost)
    #expect(bench.transcript == "00:03:00  stationary\n00:03:20  moving, no fix")
  }

  @Test("LIVE-24: after minutes without a fix, the first one elsewhere is movement")
  mutating func gap() {
    stay(200)
    bench.run(for: .seconds(170))
    stay(1) { _ in 200 }
    #expect(bench.machine.isStationary, "one stray fix")
    bench.run(for: .seconds(200))
    stay(1)
    #expect(bench.machine.isStationary, "where it was")
    bench.run(for: .seconds(200))
    stay(1) { _ in 200 }
    #expect(!bench.machine.isStationary)
  }

  @Test("stillness needs no more fixes than a device at rest gives, but some")
  mutating func silence() {
    stay(130)
    bench.run(for: .seconds(100))
    #expect(bench.transcript == "00:03:00  stationary")
    bench = Self.bench(.seconds(180))
    stay(100)
    bench.run(for: .seconds(1000))
    #expect(bench.outputs.isEmpty)
  }

  @Test("LIVE-5, STD-22, STD-45: timeout follows the activity, and may be endless")
  mutating func timeout() {
    #expect(Timeouts.liveUpdates(.fitness) == .seconds(120))
    #expect(Timeouts.liveUpdates(.automotiveNavigation) == .seconds(300))
    #expect(Timeouts.pause(.other) == .seconds(900))
    #expect(Timeouts.pause(.airborne) == nil)
    bench = Self.bench(nil)
    stay(1000)
    #expect(bench.outputs.isEmpty)
  }
}
