import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("Polygons as fences")
struct FleetPolygonTests {
  private static let seeds = Array(1...40 as ClosedRange<UInt64>)
  private let name = FleetDeviceName(device: "truck-12")
  private let settings = FleetDevice.Settings()

  @Test(
    "FLEET-25: among polygons a device tells what it tells alone, stored after each fix or not",
    arguments: seeds)
  func amongPolygons(seed: UInt64) throws {
    let walk = try FleetWalk(seed: seed).amongPolygons()
    let fences = try walk.index()
    var alone = LoneDevice(walk.fences)
    var device = FleetDevice(name)
    var found: [FleetEvent] = []
    for fix in walk.fixes {
      alone.take(fix)
      found += device.take(fix, received: nil, fences, settings).events
      let bytes = device.stored(fences)
      device = try #require(FleetDevice(name, stored: bytes, fences))
      #expect(device.stored(fences) == bytes)
    }
    let texts = found.compactMap { LoneDevice.text($0) }
    #expect(texts.sorted() == alone.events.sorted())
    #expect(found.contains { $0.fence != nil })
  }

  @Test(
    "FLEET-25: a polygon with many corners on a circle tells what the circle tells",
    arguments: seeds)
  func asCircle(seed: UInt64) throws {
    let round = FleetWalk(seed: seed)
    var cornered = round
    for number in cornered.fences.indices {
      guard case .circle(let circle) = round.fences[number].area else { continue }
      let ring = (0...720).map {
        circle.center.moved(by: circle.radius, towards: Double($0 % 720) / 2)
      }
      cornered.fences[number].area = .polygon(try Polygon([[ring]]))
    }
    func crossings(_ walk: FleetWalk) throws -> [(text: String, time: UnixTime)] {
      try walk.events(of: name, settings).filter { $0.fence != nil }
        .map { ("\($0.kind) \($0.fence ?? "")", $0.time) }
    }
    let (expected, found) = (try crossings(round), try crossings(cornered))
    #expect(found.map(\.text) == expected.map(\.text))
    for (one, other) in zip(found, expected) {
      #expect(one.time.seconds(since: other.time).magnitude < 1)
    }
  }

  private func rectangle(east: Double, north: Double) throws -> Area {
    let corners = [(-east, -north), (east, -north), (east, north), (-east, north), (-east, -north)]
    let ring = corners.map { FleetWalk.place(east: $0.0 / 2, north: $0.1 / 2) }
    return .polygon(try Polygon([[ring]]))
  }

  @Test(
    "FLEET-25: a fix coarser than 200 m decides as about a circle with as much area",
    arguments: [(1200.0, 1200.0, true), (20_000, 20, false), (2000, 20, false)])
  func coarse(east: Double, north: Double, isFound: Bool) throws {
    var index = FleetFences()
    try index.insert(FleetFence(id: "area", rectangle(east: east, north: north)))
    var device = FleetDevice(name)
    var fixes = [
      Fix(
        coordinate: FleetWalk.place(east: 0, north: 3000), horizontalAccuracy: 8,
        time: FleetWalk.start)
    ]
    for step in 1..<200 {
      fixes.append(
        Fix(
          coordinate: FleetWalk.origin, horizontalAccuracy: 400,
          time: FleetWalk.start + .seconds(1000 + 10 * step)))
    }
    let found = fixes.flatMap { device.take($0, received: nil, index, settings).events }
    #expect(found.contains { $0.fence == "area" } == isFound)
  }

  @Test("FLEET-9: a polygon that grows around a device keeps its state")
  func grown() throws {
    var before = FleetFences()
    try before.insert(FleetFence(id: "area", rectangle(east: 300, north: 300)))
    var after = FleetFences()
    try after.insert(FleetFence(id: "area", revision: 2, rectangle(east: 600, north: 600)))
    var device = FleetDevice(name)
    var found: [FleetEvent] = []
    for step in 0..<120 {
      let fix = Fix(
        coordinate: FleetWalk.place(east: Double(max(step - 20, 0) * 10), north: 0),
        horizontalAccuracy: 8, time: FleetWalk.start + .seconds(5 * step))
      found += device.take(fix, received: nil, step < 10 ? before : after, settings).events
      guard step == 9 else { continue }
      device = try #require(FleetDevice(name, stored: device.stored(before), after))
    }
    let crossings = found.filter { $0.fence != nil }
    #expect(crossings.map(\.kind) == [.found, .exited])
    #expect(crossings.map(\.revision) == [1, 2])
  }

  @Test("FLEET-26: the edges of all polygons are counted")
  func manyEdges() throws {
    var index = FleetFences()
    let (center, corners) = (FleetWalk.origin, Polygon.mostPositions - 1)
    let ring = (0...corners).map {
      center.moved(by: 500, towards: Double($0 % corners) * 360 / Double(corners))
    }
    let area = Area.polygon(try Polygon([[ring]]))
    let most = FleetFences.mostEdges / corners
    for number in 0..<most { try index.insert(FleetFence(id: "\(number)", area)) }
    #expect(throws: FleetFence.Fault.tooManyEdges) {
      try index.insert(FleetFence(id: "last", area))
    }
    try index.insert(FleetFence(id: "circle", .circle(Circle(center: center, radius: 100))))
  }
}
