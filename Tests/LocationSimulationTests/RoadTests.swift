import LocationModel
import LocationSimulation
import Testing

@Suite("A road")
struct RoadTests {
  let start = Coordinate(latitude: 52, longitude: 13)

  private func truths(of journey: Journey) -> [Truth] {
    (0...Int(journey.duration.inSeconds)).map { journey.truth(at: .seconds($0)) }
  }

  @Test("is left as fast as it may, taken slowly round corners, and braked for stops")
  func pace() {
    var road = Road(from: start, towards: 0, as: .drive)
    road.straight(500)
    road.turn(90)
    road.straight(300)
    road.stop(for: .seconds(20))
    road.straight(200)
    let journey = road.journey
    let truths = truths(of: journey)
    let fastest = truths.map(\.speed).max() ?? 0
    #expect(fastest > 13.5 && fastest <= 13.95)
    for (one, next) in zip(truths, truths.dropFirst()) {
      #expect(abs(next.speed - one.speed) < 3.5, "steps of 5 m at 2 m/s²")
    }
    let corner = truths.first { $0.course > 30 && $0.course < 60 }
    #expect((corner?.speed ?? 99) <= 4.1, "8 m at 2 m/s² to the side are 4 m/s")
    #expect(truths.filter { $0.speed == 0 }.count >= 20)
    #expect(abs(journey.length - (500 + 12.6 + 300 + 200)) < 1)
    #expect(abs(journey.truth(at: journey.duration - .seconds(1)).course - 90) < 0.1)
  }

  @Test("leads below ground in a tunnel, and only there")
  func tunnel() {
    var road = Road(from: start, towards: 45, as: .cycle)
    road.straight(200)
    road.tunnel(120)
    road.straight(200)
    let hidden = truths(of: road.journey).filter { $0.sky == .none }
    #expect((18...22).contains(hidden.count), "120 m at 6 m/s")
  }
}

@Suite("A built-in scenario")
struct BuiltInScenarioTests {
  @Test("SIM-9: has the name and the pace that simulators' users expect")
  func names() {
    #expect(
      BuiltInScenario.allCases.map(\.rawValue) == [
        "City Run", "City Bicycle Ride", "Freeway Drive", "Apple",
      ])
    let table = BuiltInScenario.allCases.map { scenario -> String in
      let journey = scenario.journey
      let fastest =
        stride(from: 0, to: journey.duration.inSeconds, by: 1)
        .map { journey.truth(at: .seconds($0)).speed }.max() ?? 0
      return "\(scenario.rawValue): \(Int(journey.length)) m, \(Int(journey.duration.inSeconds)) s,"
        + " at most \((fastest * 10).rounded() / 10) m/s"
    }
    #expect(
      table == [
        "City Run: 2796 m, 904 s, at most 3.2 m/s",
        "City Bicycle Ride: 5071 m, 936 s, at most 6.0 m/s",
        "Freeway Drive: 41558 m, 1436 s, at most 30.1 m/s",
        "Apple: 0 m, 0 s, at most 0.0 m/s",
      ])
  }

  @Test(
    "that goes round ends where it began", arguments: [BuiltInScenario.cityRun, .cityBicycleRide])
  func loop(scenario: BuiltInScenario) {
    let journey = scenario.journey
    let begin = journey.truth(at: .zero).coordinate
    #expect(begin.distance(to: journey.destination) < 30)
    let twice = journey.truth(at: journey.duration + journey.duration + .seconds(9)).coordinate
    #expect(twice.distance(to: journey.truth(at: .seconds(9)).coordinate) < 0.001)
  }
}

@Suite("The end of a way")
struct WayEndTests {
  let start = Coordinate(latitude: 52, longitude: 13)

  @Test("SIM-3: is held, begins again, or is the beginning of the way back")
  func ends() {
    var journey = Journey(from: start)
    journey.move(100, towards: 0, speed: 10)
    func meters(_ journey: Journey, _ second: Int) -> Double {
      start.distance(to: journey.truth(at: .seconds(second)).coordinate).rounded()
    }
    let loop = journey.repeated(backAndForth: false, for: .seconds(60))
    let reverse = journey.repeated(backAndForth: true, for: .seconds(60))
    #expect([5, 10, 13, 25].map { meters(journey, $0) } == [50, 100, 100, 100])
    #expect([5, 13, 25].map { meters(loop, $0) } == [50, 30, 50])
    #expect([5, 13, 25].map { meters(reverse, $0) } == [50, 70, 50])
  }
}
