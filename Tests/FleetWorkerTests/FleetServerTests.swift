import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import TestSupport
import Testing

@Suite(
  "A fleet's worker on a real server", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct FleetServerTests {
  private static let walks = (1...24 as ClosedRange<UInt64>).map { FleetWalk(seed: $0, count: 250) }

  private static func name(_ number: Int) -> FleetDeviceName {
    FleetDeviceName(tenant: number.isMultiple(of: 2) ? "acme" : "", device: "truck \(number)")
  }

  private static func lines(
    _ steps: Range<Int>, _ walks: [FleetWalk] = Self.walks
  ) -> String {
    steps.flatMap { step in
      walks.enumerated().map { FleetWalk.line($1.fixes[step], of: name($0)) + "\n" }
    }.joined()
  }

  private func replay(_ site: FleetSite, _ lines: String) throws -> String {
    let run = try FinishedProgram(
      "locationctl", ["fleet", "replay", "--fences", site.file("fences.geojson")], input: lines)
    #expect(run.status == 0)
    return run.output
  }

  /// How often the worker is killed; `Scripts/fleet_kills.sh` says more.
  private static var kills: Int {
    ProcessInfo.processInfo.environment["FLEET_KILLS"].flatMap { Int($0) } ?? 3
  }

  @Test(
    "FLEET-20: workers that are killed under load lose and repeat nothing: what they leave is what replay prints, byte for byte"
  )
  func killed() async throws {
    let site = try await FleetSite()
    let steps = 250 * (Self.kills / 8 + 1)
    let walks = (1...24 as ClosedRange<UInt64>).map { FleetWalk(seed: $0, count: steps) }
    try site.prepare(walks[0])
    let lines = Self.lines(0..<steps, walks)
    var rest = lines.split(separator: "\n")[...]
    let share = rest.count / (Self.kills + 1) + 1
    var random = SeededRandom(seed: 20)
    for number in 1...Self.kills {
      let before = try site.events(0)
      let worker = try site.worker()
      let part = rest.prefix(share).joined(separator: "\n")
      rest = rest.dropFirst(share)
      #expect(try site.fleet(["publish"], input: part).status == 0)
      // It is in the midst of what has come.
      try site.waitForEvents(Int(before) + .random(in: 1...6, using: &random))
      worker.end(with: SIGKILL)
      if number.isMultiple(of: 50) { print("\(number) of \(Self.kills) kills") }
    }
    try site.fleet(["publish"], input: rest.joined(separator: "\n"))
    let last = try site.worker()
    try site.waitUntilStored()
    last.terminate()
    let found = try site.fleet(["events"]).output
    #expect(found == (try replay(site, lines)))
    #expect(found.split(separator: "\n").count > 300)
  }

  @Test(
    "FLEET-14: when a worker is killed, another has its partitions within two leases and a second")
  func takesOver() async throws {
    let site = try await FleetSite(partitions: 1)
    try site.prepare(Self.walks[0])
    let first = try site.worker()
    try site.fleet(["publish"], input: Self.lines(0..<100))
    try site.waitUntilStored()
    let second = try site.worker("other.conf")
    _ = second
    try site.fleet(["publish"], input: Self.lines(100..<120))
    try site.waitUntilStored()
    let before = try site.events(0)
    first.end(with: SIGKILL)
    let begin = ContinuousClock.now
    try site.fleet(["publish"], input: Self.lines(120..<250))
    try site.waitForEvents(Int(before) + 1)
    #expect(ContinuousClock.now - begin < .seconds(3))
    try site.waitUntilStored()
    #expect(try site.fleet(["events"]).output == replay(site, Self.lines(0..<250)))
  }

  @Test("FLEET-98: what comes while an answer is awaited is not slept over")
  func news() async throws {
    let server = try await NATSServer()
    var reader = try NATSBroker(servers: [server.address], name: "reader")
    var writer = try NATSBroker(servers: [server.address], name: "writer")
    for log in NATSBroker.logs(partitions: 1) { _ = try writer.create(log, NATSBroker.Storage()) }
    #expect(try reader.read(.fixes(0), from: 1, most: 10).messages.isEmpty)
    let entry = LogEntry(subject: "fix.0._.van", bytes: [1])
    _ = try writer.append([entry], to: .fixes(0), expecting: nil)
    // The message comes with one of the answers.
    for _ in 0..<20 { _ = try reader.last(of: .events(0), key: nil) }
    let begin = ContinuousClock.now
    reader.wait(.seconds(60))
    #expect(ContinuousClock.now - begin < .seconds(1))
    #expect(try reader.read(.fixes(0), from: 1, most: 10).messages.map(\.entry.bytes) == [[1]])
  }

  @Test("FLEET-17: SIGTERM hands over: everything is stored, and the leases are free")
  func drains() async throws {
    let site = try await FleetSite()
    try site.prepare(Self.walks[0])
    let worker = try site.worker()
    try site.fleet(["publish"], input: Self.lines(0..<60))
    try site.waitUntilStored()
    worker.signal(SIGTERM)
    for partition in 0..<2 {
      _ = try await worker.lines.next { $0.contains("handed partition \(partition) over") }
    }
    worker.end(with: SIGTERM)
    for partition in 0..<2 {
      #expect(try site.lease(partition).hasPrefix(#"{"worker":"","#))
    }
  }

  @Test("FLEET-16: input that is none is counted by its reason, and others are unharmed")
  func badInput() async throws {
    let site = try await FleetSite(partitions: 1)
    try site.prepare(Self.walks[0])
    let name = Self.name(0)
    let good = FleetWalk.line(Self.walks[0].fixes[0], of: name)
    let late = good.replacing("\"latitude\":", with: "\"latitude\":nan,\"unused\":")
    try site.append("{\"device\":\"truck 0\",", of: name)
    try site.append(late, of: name)
    try site.append(good.replacing("\"date\":\"2026", with: "\"date\":\"2099"), of: name)
    try site.append(good.replacing("truck 0", with: "truck 1"), of: name)
    try site.append(Array(repeating: "{}", count: 1001).joined(separator: "\n"), of: name)
    #expect(throws: BrokerFault.self) {
      try site.append(String(repeating: " ", count: 70_000) + good, of: name)
    }
    try site.append(good, of: name)
    try site.fleet(["publish"], input: Self.lines(1..<50))
    let worker = try site.worker()
    try site.waitUntilStored()
    let status = try FinishedProgram(
      "locationctl", ["fleet", "status", "--port", "\(site.port)", "--json"])
    #expect(status.status == 0)
    for (reason, count) in [
      ("malformed", 1), ("coordinate", 1), ("future", 1), ("device", 1001), ("tooMany", 1),
    ] {
      #expect(
        status.output.contains("\"tenant\":\"acme\",\"result\":\"\(reason)\",\"count\":\(count)}"),
        "\(reason)")
    }
    worker.terminate()
    #expect(
      try site.fleet(["events"]).output == replay(site, good + "\n" + Self.lines(1..<50)))
  }

  @Test("FLEET-21: figures are served at the loopback, and no device is named in them")
  func figures() async throws {
    let site = try await FleetSite(partitions: 1)
    try site.prepare(Self.walks[0])
    try site.fleet(["publish"], input: Self.lines(0..<30))
    let worker = try site.worker()
    try site.waitUntilStored()
    let text = try site.metrics()
    #expect(text.contains("meridian_fleet_devices{partition=\"0\"} 24\n"))
    #expect(text.contains("meridian_fleet_fixes_total{tenant=\"acme\",result=\"accepted\"} 360\n"))
    #expect(text.contains("# TYPE meridian_fleet_lag_messages gauge\n"))
    #expect(!text.contains("truck"))
    let status = try FinishedProgram("locationctl", ["fleet", "status", "--port", "\(site.port)"])
    #expect(status.output.contains("24 devices"))
    worker.terminate()
    let gone = try FinishedProgram("locationctl", ["fleet", "status", "--port", "\(site.port)"])
    #expect(gone.status == 1)
  }

  @Test("FLEET-22: streams are made once, by init, and never by a worker")
  func initialize() async throws {
    let site = try await FleetSite()
    let worker = try site.worker()
    let said = try await worker.lines.next { $0.contains("stream not found") }
    #expect(said.contains("next: locationfleet init makes what is missing"), "\(said)")
    worker.terminate()
    #expect(try site.fleet(["init"]).output == "2 partitions, 11 streams made\n")
    #expect(try site.fleet(["init"]).output == "2 partitions, 0 streams made\n")
  }

  @Test("FLEET-104: a file with a fence that has moved under its revision is not published")
  func movedFences() async throws {
    let site = try await FleetSite(partitions: 2)
    let walk = Self.walks[0]
    try site.prepare(walk)
    for revision in 1...2 {
      let file = walk.fenceFile(shift: 0.004, revision: revision)
      try site.write(String(decoding: file, as: UTF8.self), to: "moved.geojson")
      let run = try site.fleet(["fences", site.file("moved.geojson")])
      #expect(run.status == (revision == 1 ? 2 : 0), "\(run.error)")
      #expect(run.error.contains("give it another \"revision\"") == (revision == 1))
    }
  }
}
