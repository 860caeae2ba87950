import LocationModel
import TestSupport
import Testing

@testable import LocationGeocoding

@Suite("The coordinator of geocoding requests")
struct GeocodeCoordinatorTests {
  var bench = Bench(GeocodeCoordinator(), describe: Self.line)

  private static let london = Coordinate(latitude: 51.5, longitude: -0.12)

  private static func line(_ output: GeocodeCoordinator.Output) -> String? {
    switch output {
    case .lookUp(_, let request): "look up \(request)"
    case .abandon(let request): "abandon \(request)"
    case .complete(let request, .success(let places)): "\(request) found \(places.count)"
    case .complete(let request, .failure(let failure)): "\(request) failed: \(failure)"
    case .discarded(let request): "discard \(request)"
    }
  }

  private mutating func ask(_ request: Int, _ point: Coordinate = london, by geocoder: Int = 1) {
    bench.send(.submit(.reverse(point, .english), as: request, by: geocoder))
  }

  private mutating func answer(_ request: Int, at point: Coordinate = london) {
    bench.send(.answered(request, .success([Place(coordinate: point, source: .places)])))
  }

  @Test("GEO-1, GEO-2: completes a request once, and the geocoder is free by then")
  mutating func once() {
    ask(1)
    #expect(bench.machine.isGeocoding(1))
    answer(1)
    #expect(!bench.machine.isGeocoding(1))
    answer(1)
    #expect(
      bench.transcript == """
        00:00:00  look up 1
        00:00:00  1 found 1
        00:00:00  discard 1
        """)
  }

  @Test("GEO-3: cancels a second request to a busy geocoder and lets the first go on")
  mutating func busy() {
    ask(1)
    ask(2)
    ask(3, by: 2)
    answer(1)
    #expect(
      bench.transcript == """
        00:00:00  look up 1
        00:00:00  2 failed: cancelled
        00:00:00  look up 3
        00:00:00  1 found 1
        """)
  }

  @Test("GEO-4: ends a cancelled request at once, and an idle cancel does nothing")
  mutating func cancel() {
    bench.send(.cancel(1))
    ask(1)
    bench.send(.cancel(1))
    answer(1)
    #expect(
      bench.transcript == """
        00:00:00  look up 1
        00:00:00  abandon 1
        00:00:00  1 failed: cancelled
        00:00:00  discard 1
        """)
  }

  @Test("GEO-5: refuses the 51st request of a minute, and says when the next is allowed")
  mutating func budget() {
    for request in 0..<50 {
      bench.send(.submit(.forward("Paris", nil, .english), as: request, by: request))
    }
    bench.run(for: .seconds(20))
    #expect(bench.machine.remainingBudget(at: bench.now) == 0)
    ask(50, by: 50)
    #expect(
      bench.outputs.last?.output
        == .complete(50, .failure(.budgetSpent(retryAfter: .seconds(40)))))
    bench.run(for: .seconds(40))
    #expect(bench.machine.remainingBudget(at: bench.now) == 50)
    ask(51, by: 51)
    #expect(bench.outputs.last?.output == .lookUp(.reverse(Self.london, .english), 51))
  }

  @Test("GEO-16: finds nothing at an invalid coordinate, uncharged")
  mutating func invalid() {
    ask(1, Coordinate(latitude: 91, longitude: 0))
    #expect(bench.outputs.last?.output == .complete(1, .failure(.nothingFound)))
    #expect(bench.machine.remainingBudget(at: bench.now) == 50)
  }

  @Test("GEO-18: repeats an answer within 50 m and 60 s, uncharged, and no farther or later")
  mutating func memory() {
    let near = Coordinate(latitude: 51.5004, longitude: -0.12)  // 44 m
    let far = Coordinate(latitude: 51.5006, longitude: -0.12)  // 67 m
    ask(1)
    answer(1)
    ask(2, near)
    ask(3, far)
    answer(3, at: far)
    #expect(bench.machine.remainingBudget(at: bench.now) == 48)
    bench.run(for: .seconds(60))
    ask(4)
    #expect(
      bench.transcript == """
        00:00:00  look up 1
        00:00:00  1 found 1
        00:00:00  2 found 1
        00:00:00  look up 3
        00:00:00  3 found 1
        00:01:00  look up 4
        """)
  }

  @Test("GEO-12: an answer in another language is not the same answer")
  mutating func language() {
    ask(1)
    answer(1)
    bench.send(.submit(.reverse(Self.london, PlaceLocale("de")), as: 2, by: 1))
    #expect(bench.outputs.last?.output == .lookUp(.reverse(Self.london, PlaceLocale("de")), 2))
  }

  @Test("has no limit when configured so")
  mutating func unlimited() {
    bench = Bench(GeocodeCoordinator(budget: nil), describe: Self.line)
    for request in 0..<200 { ask(request, by: request) }
    #expect(bench.machine.remainingBudget(at: bench.now) == nil)
    #expect(bench.outputs.count == 200)
  }
}
