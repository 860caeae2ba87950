import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("One device of a fleet")
struct FleetDeviceTests {
  private static let seeds = Array(1...40 as ClosedRange<UInt64>)
  private let name = FleetDeviceName(device: "truck-12")
  private let settings = FleetDevice.Settings()

  @Test(
    "FLEET-1: a device of a fleet has the events that the same fixes cause on one device alone, bit for bit",
    arguments: seeds)
  func sameAsAlone(seed: UInt64) throws {
    let walk = FleetWalk(seed: seed)
    var alone = LoneDevice(walk.fences)
    for fix in walk.fixes { alone.take(fix) }
    let found = try walk.events(of: name, settings).compactMap { LoneDevice.text($0) }
    #expect(found.sorted() == alone.events.sorted())
    #expect(found.count > 3)
  }

  @Test(
    "FLEET-2: a device that is written and read between any two fixes goes on bit for bit",
    arguments: seeds)
  func storedAnywhere(seed: UInt64) throws {
    let walk = FleetWalk(seed: seed)
    let fences = try walk.index()
    let expected = try walk.events(of: name, settings)
    var random = SeededRandom(seed: seed)
    var device = FleetDevice(name)
    var found: [FleetEvent] = []
    for fix in walk.fixes {
      found += device.take(fix, received: nil, fences, settings).events
      guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
      let bytes = device.stored(fences)
      device = try #require(FleetDevice(name, stored: bytes, fences))
      #expect(device.stored(fences) == bytes)
    }
    #expect(found == expected)
  }

  @Test("FLEET-2: bytes that are damaged are not believed, and nothing traps")
  func damaged() throws {
    let walk = FleetWalk(seed: 3, count: 60)
    let fences = try walk.index()
    var device = FleetDevice(name)
    for fix in walk.fixes { _ = device.take(fix, received: nil, fences, settings) }
    let bytes = device.stored(fences)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x40
      #expect(FleetDevice(name, stored: damaged, fences) == nil)
      #expect(FleetDevice(name, stored: Array(bytes[..<place]), fences) == nil)
    }
  }

  @Test("accuracies as large as numbers can be give a place of rest that is one, and nothing traps")
  func withoutAccuracy() throws {
    let home = Coordinate(latitude: 48.05, longitude: 9.05)
    var fences = FleetFences()
    try fences.insert(FleetFence(id: "home", .circle(Circle(center: home, radius: 500))))
    let far = Coordinate(latitude: 10, longitude: 10)
    let near = Coordinate(latitude: 48.2, longitude: 9.05)
    let fixes: [(Double, Coordinate, Double)] = [
      (0, far, 5), (10, home, 1e200), (20, home, 1e200), (80, home, 5), (90, home, 90),
      (100, near, 5),
    ]
    var device = FleetDevice(name)
    var found: [FleetEvent] = []
    for (seconds, place, accuracy) in fixes {
      let fix = Fix(
        coordinate: place, horizontalAccuracy: accuracy,
        time: UnixTime(seconds: 1_767_225_600 + seconds))
      found += device.take(fix, received: nil, fences, settings).events
    }
    found += device.pass(until: UnixTime(seconds: 1_767_312_000), fences, settings)
    #expect(found.map(\.kind) == [.moved, .moved])
    #expect(FleetDevice(name, stored: device.stored(fences), fences) != nil)
  }

  @Test("FLEET-3: the devices of a fleet do not depend on each other, nor on which are awake")
  func independent() throws {
    let walks = (1...6 as ClosedRange<UInt64>).map { FleetWalk(seed: $0, count: 200) }
    let fences = try walks[0].index()
    var mixed = Fleet(fences, mostAwake: 2)
    var found: [String: [FleetEvent]] = [:]
    for step in 0..<200 {
      for (number, walk) in walks.enumerated() {
        let name = FleetDeviceName(device: "\(number)")
        found["\(number)", default: []] += mixed.take(walk.fixes[step], of: name)?.events ?? []
      }
    }
    for (number, walk) in walks.enumerated() {
      var alone = Fleet(fences)
      let name = FleetDeviceName(device: "\(number)")
      let expected = walk.fixes.flatMap { alone.take($0, of: name)?.events ?? [] }
      #expect(found["\(number)"] == expected)
    }
    #expect(mixed.names.map(\.device) == ["0", "1", "2", "3", "4", "5"])
  }

  @Test("FLEET-125: of far more devices than fit few are awake, and the events are the same")
  func awake() throws {
    let walks = (1...8 as ClosedRange<UInt64>).map { FleetWalk(seed: $0, count: 40) }
    let fences = try walks[0].index()
    func run(mostAwake: Int, buckets: Int) -> [[FleetEvent]] {
      var fleet = Fleet(fences, buckets: buckets, mostAwake: mostAwake)
      var events = [[FleetEvent]](repeating: [], count: 200)
      for step in 0..<40 {
        for number in events.indices {
          let name = FleetDeviceName(device: "\(number)")
          events[number] += fleet.take(walks[number % 8].fixes[step], of: name)?.events ?? []
        }
      }
      #expect(fleet.mostAwake == (mostAwake == 200 ? 200 : 1))
      #expect(fleet.awakeCount <= fleet.mostAwake && fleet.count == 200)
      let stored = (0..<buckets).flatMap { fleet.stored(in: $0) }
      #expect(stored.map(\.name).sorted() == fleet.names)
      return events
    }
    let expected = run(mostAwake: 200, buckets: 1)
    #expect(run(mostAwake: 32, buckets: 7) == expected)
    #expect(!expected.joined().isEmpty)
  }

  private func standing(_ device: inout FleetDevice, _ fences: FleetFences) -> [FleetEvent] {
    (0..<60).flatMap { step in
      let fix = Fix(
        coordinate: FleetWalk.origin, horizontalAccuracy: 8,
        time: FleetWalk.start + .seconds(10 * step))
      return device.take(fix, received: nil, fences, settings).events
    }
  }

  private func fences(_ fences: [FleetFence]) throws -> FleetFences {
    var index = FleetFences()
    for fence in fences { try index.insert(fence) }
    return index
  }

  private func depot(
    revision: UInt64 = 1, radius: Double = 150, dwell: Duration? = nil, east: Double = 0,
    _ audience: FleetFence.Audience = .everyone
  ) -> FleetFence {
    FleetFence(
      id: "depot", revision: revision,
      .circle(Circle(center: FleetWalk.place(east: east, north: 0), radius: radius)),
      audience: audience, dwell: dwell)
  }

  @Test("FLEET-108: the places of each tenant are as many as its devices, whatever is done")
  func places() {
    var fleet = Fleet(FleetFences(), mostDevices: 12, mostOfTenant: 9, mostAwake: 3)
    let fixes = FleetWalk(seed: 3, count: 300).fixes
    var (random, surplus) = (17 as UInt64, 0)
    for fix in fixes {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Int(random >> 33)
      let tenant = ["a", "a", "a", "b", ""][number % 5]
      let name = FleetDeviceName(tenant: tenant, device: "d\(number / 5 % 14)")
      switch number / 70 % 12 {
      case 0: fleet.forget(name)
      case 1: _ = fleet.end(name)
      case 2: if let first = fleet.stored().first { fleet.restore(first.name, stored: first.bytes) }
      case 3: fleet.rest()
      case 4 where number / 840 % 8 == 0: _ = fleet.forget(tenant: tenant)
      default: if fleet.take(fix, of: name) == nil { surplus += 1 }
      }
      let expected = Dictionary(grouping: fleet.names) { ExactName($0.tenant) }
      #expect(fleet.places == expected.mapValues(\.count))
      #expect(fleet.count <= 12 && fleet.places["a", default: 0] <= 9)
    }
    #expect(surplus > 10 && surplus == fleet.counts.surplus)
  }

  @Test(
    "FLEET-124: a first place that is left before its arrival is reported has none",
    arguments: [60, 900])
  func firstPlace(seconds: Int) throws {
    var device = FleetDevice(name)
    var visits: [FleetEvent] = []
    for second in 0..<seconds + 600 {
      let way = 1.4 * Double(max(second - seconds, 0))
      var fix = Fix(
        coordinate: FleetWalk.place(east: way, north: 0), horizontalAccuracy: 8,
        time: FleetWalk.start + .seconds(second))
      fix.speed = way > 0 ? 1.4 : 0
      visits += device.take(fix, received: nil, FleetFences(), settings).events
        .filter { $0.visit != nil }
    }
    let isReported = seconds > 600
    #expect(visits.map(\.kind) == (isReported ? [.arrived, .departed] : [.departed]))
    #expect(visits.map(\.visit?.arrival) == visits.map { _ in isReported ? FleetWalk.start : nil })
    let line = FleetEventLine.encoded(try #require(visits.last), of: name)
    #expect(String(decoding: line, as: UTF8.self).contains(#""arrival_date":null"#) != isReported)
  }

  @Test("FLEET-7: a dwell is reported once, when it is over, with the first state inside as found")
  func dwell() throws {
    var device = FleetDevice(name)
    let found = standing(&device, try fences([depot(dwell: .seconds(300))]))
      .filter { $0.fence != nil }
    #expect(found.map(\.kind) == [.found, .dwelled])
    #expect(found.last?.time == FleetWalk.start + .seconds(300))
  }

  @Test(
    "FLEET-8: only the audience of a fence has events of it",
    arguments: [
      (FleetFence.Audience.tenant("acme"), true), (.tenant("other"), false),
      (.group(tenant: "acme", "trucks"), true), (.group(tenant: "acme", "cars"), false),
      (.device(tenant: "acme", "truck-12"), true), (.device(tenant: "other", "truck-12"), false),
    ])
  func audience(audience: FleetFence.Audience, isTold: Bool) throws {
    var device = FleetDevice(
      FleetDeviceName(tenant: "acme", device: "truck-12"), group: "trucks")
    let found = standing(&device, try fences([depot(audience)]))
    #expect(found.contains { $0.kind == .found } == isTold)
  }

  @Test("FLEET-9: a fence that grows keeps its state, one that goes ends, one that comes is sought")
  func changedFences() throws {
    var device = FleetDevice(name)
    let before = try fences([depot()])
    _ = standing(&device, before)
    let bytes = device.stored(before)
    func next(_ fences: FleetFences) throws -> [FleetEvent.Kind] {
      var device = try #require(FleetDevice(name, stored: bytes, fences))
      let fix = Fix(
        coordinate: FleetWalk.origin, horizontalAccuracy: 8,
        time: FleetWalk.start + .seconds(600))
      return device.take(fix, received: nil, fences, settings).events
        .filter { $0.fence == "depot" }.map(\.kind)
    }
    #expect(try next(fences([depot(revision: 2, radius: 300)])) == [])
    #expect(try next(fences([])) == [.ended])
    #expect(try next(fences([depot(revision: 2, east: 5000)])) == [])
  }

  @Test(
    "FLEET-9: an exit from a fence that has changed is dated as if it had always been as it is",
    arguments: [false, true])
  func changedFence(isPolygon: Bool) throws {
    let corners = [(-300.0, -300.0), (300, -300), (300, 300), (-300, 300), (-300, -300)].map {
      FleetWalk.place(east: $0.0, north: $0.1)
    }
    let before = try fences([depot()])
    // Nobody has to give an area that is drawn anew another revision.
    let after = try fences([
      isPolygon
        ? FleetFence(id: "depot", .polygon(try Polygon([[corners]])))
        : depot(revision: 2, radius: 300)
    ])
    var (old, same) = (FleetDevice(name), FleetDevice(name))
    _ = standing(&old, before)
    _ = standing(&same, after)
    var grown = try #require(FleetDevice(name, stored: old.stored(before), after))
    func drive(_ device: inout FleetDevice) -> [FleetEvent] {
      (0..<20).flatMap { step in
        let fix = Fix(
          coordinate: FleetWalk.place(east: 500 + 150 * Double(step), north: 0),
          horizontalAccuracy: 8, time: FleetWalk.start + .seconds(640 + 10 * step))
        return device.take(fix, received: nil, after, settings).events
          .filter { $0.fence == "depot" }
      }
    }
    let exits = drive(&same)
    #expect(exits.map(\.kind) == [.exited])
    #expect(drive(&grown) == exits)
  }
}
