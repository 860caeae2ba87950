import LocationModel
import Testing

@testable import LocationEngine

@Suite("Recent reports of a motion sensor")
struct ActivityTrackTests {
  private var track = ActivityTrack()

  private func share(at seconds: Double) -> Double {
    (track.share(at: .start + .seconds(seconds)) * 1e6).rounded() / 1e6
  }

  private mutating func tell(
    _ kind: MotionActivity.Kind, _ confidence: MotionActivity.Confidence = .high,
    at seconds: Double
  ) {
    track.take(MotionActivity(kind, confidence), at: .start + .seconds(seconds))
  }

  @Test("knows nothing before the sensor says anything")
  func silent() {
    #expect(share(at: 1000) == 0 && !track.isOnTheWay && !track.isResting)
  }

  @Test(
    "a minute on the way is enough",
    arguments: [MotionActivity.Kind.walking, .running, .cycling, .automotive])
  mutating func minute(of kind: MotionActivity.Kind) {
    tell(kind, at: 100)
    #expect(track.isOnTheWay)
    #expect(share(at: 130) == 0.5)
    #expect(share(at: 160) == 1 && share(at: 1000) == 1)
  }

  @Test("what has no name takes away a little")
  mutating func pauses() {
    tell(.walking, at: 0)
    tell(.unknown, at: 30)
    #expect(share(at: 50) == 0.4 && track.isOnTheWay)
    track.pass(to: .start + .seconds(80))
    #expect(share(at: 80) == 0.25 && track.isOnTheWay)
    track.pass(to: .start + .seconds(110))
    #expect(!track.isOnTheWay)
  }

  @Test("rest takes it away fast")
  mutating func rests() {
    tell(.walking, at: 26)
    tell(.unknown, at: 50)
    tell(.walking, at: 50)
    #expect(share(at: 62) == 0.6)
    tell(.stationary, at: 62)
    #expect(share(at: 71) == 0.3 && share(at: 80) == 0)
    #expect(track.isResting && !track.isOnTheWay && track.pause > 0)
  }

  @Test("a sensor that is not sure says nothing")
  mutating func unsure() {
    tell(.walking, .low, at: 0)
    #expect(share(at: 60) == 0 && !track.isOnTheWay)
    tell(.stationary, .low, at: 60)
    #expect(!track.isResting)
  }

  @Test("a clock that goes back takes nothing away")
  mutating func clock() {
    tell(.walking, at: 100)
    #expect(share(at: 40) == 0)
    tell(.walking, at: 40)
    #expect(share(at: 70) == 0.5)
  }
}
