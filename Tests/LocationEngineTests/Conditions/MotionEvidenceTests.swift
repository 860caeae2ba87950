import LocationModel
import Testing

@testable import LocationEngine

@Suite("Seconds of travel")
struct MotionEvidenceTests {
  private var meter = MotionEvidence()
  private var seconds = 0.0

  /// Travels east for so long, and says how many seconds of travel that gave.
  private mutating func travel(
    for duration: Double, at speed: Double, every interval: Double = 1, measured: Double? = nil,
    pace: Double? = nil
  ) -> Double {
    let before = meter.seconds
    let end = seconds + duration
    let start = seconds
    while seconds < end {
      seconds += interval
      let fix = fix(east: speed * (seconds - start), at: seconds, speed: measured)
      meter.observe(GeocentricPoint(fix.coordinate), spread: 10, of: fix, pace: pace)
    }
    return meter.seconds - before
  }

  @Test("a second counts once, twice with a measured speed, three times with steps")
  mutating func credits() {
    #expect((14...20).contains(travel(for: 30, at: 1.4)))
    meter = MotionEvidence()
    #expect((28...40).contains(travel(for: 30, at: 1.4, measured: 1.4)))
    meter = MotionEvidence()
    #expect((42...60).contains(travel(for: 30, at: 1.4, pace: 3)))
  }

  @Test("steps do not confirm a drift that is faster than walking")
  mutating func drift() {
    #expect(travel(for: 20, at: 10, pace: 3) <= 20)
  }

  @Test("steps that are felt now do not speak for a gap")
  mutating func gap() {
    #expect(travel(for: 60, at: 1.4, every: 30, pace: 3) < MotionEvidence.enough)
  }

  @Test(
    "a device that lies still travels only with a measured speed, or farther than receivers err")
  mutating func still() {
    #expect(travel(for: 40, at: 8, pace: 0) == 0)
    meter = MotionEvidence()
    #expect(travel(for: 40, at: 8, measured: 8, pace: 0) > 40)
    meter = MotionEvidence()
    #expect(travel(for: 120, at: 25, every: 60, pace: 0) >= 30)
  }
}
