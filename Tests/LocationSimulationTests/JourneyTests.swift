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

  @Test("SIM-3: climbs where it stands, and back and forth comes down again")
  func climb() {
    var journey = Journey(from: start, altitude: 100)
    journey.climb(by: 7, in: .seconds(10), sky: .none)
    journey.move(100, towards: 0, speed: 10)
    let there = journey.repeated(backAndForth: true, for: .seconds(40))
    let altitudes = [0, 5, 10, 20, 30, 35, 40].map { there.truth(at: .seconds($0)).altitude }
    #expect(altitudes == [100, 103.5, 107, 107, 107, 103.5, 100])
    #expect(there.truth(at: .seconds(5)).speed == 0)
    #expect(there.truth(at: .seconds(5)).sky == .none)
  }

  @Test("of a file with dates centuries apart takes as long as can be counted")
  func centuries() throws {
    let points = ["1700", "2200"].map {
      #"<wpt lat="1" lon="2"><time>\#($0)-01-01T00:00:00Z</time></wpt>"#
    }
    let journey = try Journey(gpx: Array("<gpx>\(points.joined())</gpx>".utf8))
    #expect(journey.duration == .nanoseconds(Int64.max))
  }

  @Test("SIM-25: is on another floor with each 3.5 m that it climbs, from the one where it begins")
  func floors() {
    let place = Coordinate(latitude: 52.52, longitude: 13.40)
    var journey = Journey(from: place, altitude: 41, floor: 1)
    journey.stay(for: .seconds(10))
    journey.climb(by: 7, in: .seconds(10))
    journey.climb(by: -14, in: .seconds(20))
    let floors = [0, 10, 15, 20, 25, 30, 40, 100].map { journey.truth(at: .seconds($0)).floor }
    #expect(floors == [1, 1, 2, 3, 2, 1, -1, -1])
    #expect(Journey(from: place, altitude: 41).truth(at: .zero).floor == nil)
    #expect(Journey(from: place, altitude: .infinity, floor: 1).truth(at: .zero).floor == nil)
  }

  @Test("SIM-4: has no sky between two segments of a track, where the receiver was off")
  func segments() throws {
    func segment(_ minutes: Int...) -> String {
      let points = minutes.map {
        #"<trkpt lat="\#($0)" lon="2"><time>2026-01-01T00:0\#($0):00Z</time></trkpt>"#
      }
      return "<trkseg>\(points.joined())</trkseg>"
    }
    let text = "<gpx><trk>\(segment(0, 1))\(segment(3, 4))</trk></gpx>"
    let journey = try Journey(gpx: Array(text.utf8))
    #expect(journey.duration == .seconds(240))
    let skies = [30, 90, 150, 210].map { journey.truth(at: .seconds($0)).sky }
    #expect(skies == [.open, .none, .none, .open])
  }

  @Test("SIM-28: leaves out what is not a place, a turn, or a climb, each with one warning")
  func faults() {
    let nowhere = Coordinate(latitude: 91, longitude: 13)
    var journey = Journey(from: nowhere)
    journey.stay(for: .seconds(10))
    #expect(!journey.isSomewhere && journey.duration == .zero)
    journey.move(to: start, speed: 5)
    #expect(journey.isSomewhere && journey.duration == .zero)
    for _ in 0..<2 {
      journey.move(to: nowhere, speed: 5)
      journey.move(.nan, towards: 0, speed: 5)
      journey.turn(by: .infinity)
      journey.climb(by: .nan, in: .seconds(10))
    }
    journey.stay(for: .seconds(-10))
    #expect(journey.duration == .zero && journey.heading == 0)
    #expect(journey.truth(at: .zero) == Truth(start))
    #expect(
      journey.warnings == [
        "latitude 91.0 is not a place", "nan m towards 0.0 degrees lead to no place",
        "inf degrees are not a turn", "nan m are not a climb",
      ])
  }
}
