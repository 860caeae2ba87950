import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationEngine

/// The owner's polygons, as conditions of the engine of one device.
@Suite("Polygons that the owner monitors")
struct PolygonConditionTests {
  private static let subscriber = SubscriberID(2)

  private static func square(
    west: Double, east: Double, half: Double = 200, around places: (Double, Double) -> Coordinate
  ) -> [Coordinate] {
    [(west, -half), (east, -half), (east, half), (west, half), (west, -half)]
      .map { places($0.0, $0.1) }
  }

  /// From -200 to 1000 m east, with a hole from 300 to 700.
  private static func yard() throws -> ConditionTarget {
    func at(_ east: Double, _ north: Double) -> Coordinate {
      let middle = place(east: east)
      return Coordinate(latitude: middle.latitude + north / 111_000, longitude: middle.longitude)
    }
    let rings = [
      square(west: -200, east: 1000, around: at),
      square(west: 300, east: 700, half: 150, around: at),
    ]
    return .polygon(try PolygonOutline([rings]))
  }

  @Test("ADMIN-7: a hole is outside, also after a restart, and a boundary is crossed once")
  func hole() throws {
    var world = ConditionsWorld()
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    _ = world.send(.add(ConditionsWorld.condition("yard"), try Self.yard(), assuming: .unknown))
    _ = world.next()
    #expect(words(world.stay(east: 0)) == ["yard satisfied"])
    _ = world.next()
    #expect(words(world.walk(from: 0, to: 500) + world.stay(east: 500)) == ["yard unsatisfied"])
    _ = world.next()
    world.restart()
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    _ = world.next()
    #expect(words(world.stay(east: 500)) == [])
    let record = world.bench.machine.record(of: "yard", in: ConditionsWorld.monitor)
    #expect(try record?.target == Self.yard())
    #expect(words(world.walk(from: 500, to: 850) + world.stay(east: 850)) == ["yard satisfied"])
    _ = world.next()
    #expect(words(world.walk(from: 850, to: 1200) + world.stay(east: 1200)) == ["yard unsatisfied"])
  }

  @Test("ADMIN-7: many corners on a circle tell what the circle tells, with the same evidence")
  func asCircle() throws {
    let circle = Circle(center: place(east: 0), radius: 150)
    let ring = (0...720).map {
      circle.center.moved(by: circle.radius, towards: Double($0 % 720) / 2)
    }
    func events(_ target: ConditionTarget) -> [ConditionEvent] {
      var world = ConditionsWorld()
      _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
      _ = world.send(.add(ConditionsWorld.condition("here"), target, assuming: .unknown))
      var outputs = world.next() + world.stay(east: 0) + world.next()
      outputs += world.walk(from: 0, to: 400) + world.stay(east: 400) + world.next()
      outputs += world.walk(from: 400, to: 20) + world.stay(east: 20)
      return outputs.compactMap { if case .event(_, _, let event) = $0 { event } else { nil } }
    }
    let (expected, found) = (
      events(.circle(circle)), events(.polygon(try PolygonOutline([[ring]])))
    )
    #expect(expected.count == 3 && found.count == 3)
    for (one, other) in zip(found, expected) {
      #expect((one.state, one.date) == (other.state, other.date))
      let (evidence, standard) = (try #require(one.evidence), try #require(other.evidence))
      #expect((evidence.distance - standard.distance).magnitude < 0.1)
      #expect(evidence.fixes == standard.fixes)
    }
  }

  @Test("ADMIN-7: a polygon waits for room as a circle does, and is watched once there is room")
  func surplus() throws {
    var world = ConditionsWorld(limits: Conditions.Limits(perApp: 1))
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    _ = world.send(
      .add(ConditionsWorld.condition("first"), ConditionsWorld.circle(), assuming: .unknown))
    _ = world.send(.add(ConditionsWorld.condition("yard"), try Self.yard(), assuming: .unknown))
    #expect(words(world.next()) == ["yard unmonitored"])
    _ = world.next()
    _ = world.send(.remove(ConditionsWorld.condition("first")))
    #expect(words(world.stay(east: 0)) == ["yard satisfied"])
  }

  @Test("ADMIN-7: a polygon with more area than the largest circle cannot be watched")
  func tooLarge() throws {
    let ring = [(0.0, 0.0), (60, 0), (60, 40), (0, 40), (0, 0)].map {
      Coordinate(latitude: $0.1, longitude: $0.0)
    }
    var world = ConditionsWorld()
    _ = world.send(.open(ConditionsWorld.monitor, opener: 1))
    let target = ConditionTarget.polygon(try PolygonOutline([[ring]]))
    _ = world.send(.add(ConditionsWorld.condition("ocean"), target, assuming: .unknown))
    #expect(words(world.next()) == ["ocean unmonitored"])
  }

  @Test("ADMIN-9: an app has no polygon monitored: it is of a kind that is not supported")
  func ofApp() throws {
    var bench = EngineBench()
    let yard = try Self.yard()
    bench.request(.monitor(Self.subscriber, .open(name: "places")))
    bench.request(
      .monitor(Self.subscriber, .add(identifier: "yard", yard, assuming: .unknown)))
    bench.request(.monitor(Self.subscriber, .next(after: .none)))
    let events = bench.deliveries.compactMap { delivery -> ConditionEvent? in
      if case .monitor(_, .event(_, let event)) = delivery { event } else { nil }
    }
    #expect(events.map(\.state) == [.unmonitored])
    #expect(events.first?.diagnostics == .conditionUnsupported)
    let region = RegionDescription(identifier: "yard", target: yard, notices: RegionNotices())
    bench.request(.region(EngineBench.manager, .start(region)))
    #expect(bench.deliveries.contains(.region(EngineBench.manager, region, .failed(.invalid))))
    #expect(bench.state.regions.isEmpty)
  }
}
