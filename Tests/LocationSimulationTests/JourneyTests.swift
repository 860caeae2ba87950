import LocationModel
import LocationSimulation
import Testing

@Suite("A journey")
struct JourneyTests {
  let start = Coordinate(latitude: 52, longitude: 13)

  @Test("SIM-1: is travelled at constant speed, and its end is held")
  func constantSpeed() {
    var journey = Journey(from: start)
    journey.move(1000, towards: 90, speed: 10)
    journey.stay(for: .seconds(60), sky: .none)
    let halfway = journey.truth(at: .seconds(50))
    #expect(abs(start.distance(to: halfway.coordinate) - 500) < 0.01)
    #expect(abs(halfway.speed - 10) < 1e-9)
    #expect(journey.truth(at: .seconds(130)).sky == .none)
    let held = journey.truth(at: .seconds(9999))
    #expect(held.speed == 0)
    #expect(abs(start.distance(to: held.coordinate) - 1000) < 0.01)
  }

  @Test("of a file with dates centuries apart takes as long as can be counted")
  func centuries() throws {
    let points = ["1700", "2200"].map {
      #"<wpt lat="1" lon="2"><time>\#($0)-01-01T00:00:00Z</time></wpt>"#
    }
    let journey = try Journey(gpx: Array("<gpx>\(points.joined())</gpx>".utf8))
    #expect(journey.duration == .nanoseconds(Int64.max))
  }
}
