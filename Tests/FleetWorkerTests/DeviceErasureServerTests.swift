import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import TestSupport
import Testing

@Suite(
  "A device that is erased on a real server", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct DeviceErasureServerTests {
  private static let name = FleetDeviceName(tenant: "acme", device: "secret van")
  /// As it stands in lines, and in subjects.
  private static let forms = ["secret van", "secret_20van"]

  private static func lines(_ walks: [FleetWalk], of name: FleetDeviceName?) -> String {
    walks.enumerated().map { number, walk in
      let name = name ?? FleetDeviceName(tenant: "acme", device: "truck \(number)")
      return walk.fixes.map { FleetWalk.line($0, of: name) + "\n" }.joined()
    }.joined()
  }

  /// Numbers that stand in the fixes of a way, and in no other.
  private static func payloads(_ walk: FleetWalk) -> [String] {
    stride(from: 0, to: walk.fixes.count, by: 97).map {
      "\"latitude\":\(walk.fixes[$0].coordinate.latitude)"
    }
  }

  @Test(
    "FLEET-62: no byte of its name, its fixes, or its events is left in any file of the store; others are as before"
  )
  func erases() async throws {
    let site = try await FleetSite(partitions: 1)
    let walk = FleetWalk(seed: 1, count: 2000)
    let others = (2...6 as ClosedRange<UInt64>).map { FleetWalk(seed: $0, count: 100) }
    try site.prepare(walk)
    let worker = try site.worker()
    try site.fleet(["publish"], input: Self.lines([walk], of: Self.name))
    try site.fleet(["publish"], input: Self.lines(others, of: nil))
    try site.waitUntilStored()
    let before = try site.fleet(["events"]).output.split(separator: "\n")
    let own = before.filter { $0.contains("secret van") }
    #expect(own.count > 10)
    #expect(!(try site.server.files(with: "secret_20van")).isEmpty)
    let run = try site.fleet(["erase", "acme", "secret van"])
    #expect(run.status == 0)
    #expect(run.output.contains("2000 messages of fixes and \(own.count) events overwritten"))
    let after = try site.fleet(["events"]).output.split(separator: "\n")
    #expect(after == before.filter { !$0.contains("secret van") })
    let noted = try site.fleet(["erasures"]).output
    #expect(noted.contains("\"fixes\":2000,\"events\":\(own.count),\"refused\":0}\n"))
    #expect(noted.contains("$argon2id$") && !noted.contains("secret"))
    for text in Self.forms + Self.payloads(walk) {
      #expect(try site.server.files(with: text, ending: ".blk").isEmpty, "\(text)")
    }
    // It is not there any more: a second request finds nothing, and a fix begins a new one.
    let again = try site.fleet(["erase", "acme", "secret van"])
    // FLEET-139: that says so.
    #expect(
      again.status == 0 && again.output.contains("no fix and no event was kept of this device"))
    worker.terminate()
    try site.server.end()
    for text in Self.forms + Self.payloads(walk) {
      #expect(try site.server.files(with: text).isEmpty, "\(text)")
    }
  }

  @Test("FLEET-107: with another number of partitions erase is refused, and doctor says so")
  func otherPartitions() async throws {
    let site = try await FleetSite(partitions: 2)
    try site.prepare(FleetWalk(seed: 1, count: 10))
    let address = try site.server.address
    for (count, fault) in [(1, "and there is FIX_1"), (3, "and FIX_2 is not there")] {
      let file = site.file("wrong.conf")
      try site.write("server = \(address)\nlease = 1\npartitions = \(count)\n", to: "wrong.conf")
      for words in [["erase", "acme", "secret van"], ["erase", "acme", "--all", "--yes"]] {
        let run = try FinishedProgram("locationfleet", words + ["--config", file])
        #expect(run.status == 2, "\(run.output)")
        #expect(run.error.contains("`partitions` is \(count), \(fault): nothing was erased; next:"))
      }
      let doctor = try FinishedProgram("locationfleet", ["doctor", "--config", file])
      #expect(doctor.error.contains("partitions_differ"), "\(doctor.error)")
      #expect(!doctor.error.contains("streams_missing"), "\(doctor.error)")
      #expect(doctor.output.contains("set `partitions` to 2 in"), "\(doctor.output)")
      // FLEET-157: nor does init make a stream beside those of the fleet.
      let made = try FinishedProgram("locationfleet", ["init", "--config", file])
      #expect(made.status == 2, "\(made.output)")
      #expect(made.error.contains("\(fault): no stream was made; next: set `partitions` to 2 in"))
    }
  }

  @Test(
    "FLEET-157: an init that was interrupted is carried to its end, and begun with no other number")
  func interrupted() async throws {
    let site = try await FleetSite(partitions: 2)
    let address = try site.server.address
    var broker = try NATSBroker(servers: [address], name: "test")
    _ = try broker.create(.fixes(1), NATSBroker.Storage())
    try site.write("server = \(address)\npartitions = 3\n", to: "wrong.conf")
    let other = try FinishedProgram("locationfleet", ["init", "--config", site.file("wrong.conf")])
    #expect(other.status == 2 && other.error.contains("set `partitions` to 2 in"), "\(other.error)")
    let doctor = try site.fleet(["doctor"])
    #expect(doctor.error.contains("streams_missing"), "\(doctor.error)")
    #expect(!doctor.error.contains("partitions_differ"), "\(doctor.error)")
    #expect(try site.fleet(["init"]).output == "2 partitions, 10 streams made\n")
  }

  @Test("FLEET-112: with another number of partitions no command and no program does anything")
  func otherPartitionsAnywhere() async throws {
    let site = try await FleetSite(partitions: 2)
    try site.prepare(FleetWalk(seed: 1, count: 10))
    let server = try site.server.address
    for (count, fault) in [(1, "and there is FIX_1"), (3, "and FIX_2 is not there")] {
      try site.write(
        """
        server = \(server)
        lease = 1
        partitions = \(count)
        tenant = acme keep-events-days=1
        mqtt-out = mqtt://127.0.0.1:1
        """, to: "wrong.conf")
      for (words, consequence) in [
        (["publish"], "published"), (["fences", site.file("fences.geojson")], "published"),
        (["events"], "printed"), (["expire"], "erased"),
        (["run"], "judged"), (["sink", "mqtt"], "handed on"),
      ] {
        let run = try FinishedProgram(
          "locationfleet", words + ["--config", site.file("wrong.conf")],
          input: Self.lines([FleetWalk(seed: 1, count: 2)], of: Self.name))
        #expect(run.status == 2, "\(words): \(run.output)")
        #expect(
          run.error.contains("`partitions` is \(count), \(fault): nothing")
            && run.error.contains("\(consequence); next: set `partitions` to 2 in"), "\(run.error)")
      }
    }
    for partition in 0..<2 {
      #expect(try site.all(.fixes(partition)).allSatisfy { $0.entry.subject.hasSuffix(".ctl") })
    }
  }

  @Test("FLEET-61: without a worker nothing is erased, and the command says so")
  func nobody() async throws {
    let site = try await FleetSite(partitions: 1)
    try site.prepare(FleetWalk(seed: 1, count: 10))
    try site.fleet(
      ["publish"], input: Self.lines([FleetWalk(seed: 1, count: 10)], of: Self.name))
    let run = try site.fleet(["erase", "acme", "secret van", "--wait", "1"])
    #expect(run.status == 1)
    #expect(run.error.contains("no worker has forgotten the device; its data is as it was"))
    let worker = try site.worker()
    let again = try site.fleet(["erase", "acme", "secret van"])
    #expect(again.status == 0, "\(again.error)")
    worker.terminate()
    #expect(try site.server.files(with: "secret_20van", ending: ".blk").isEmpty)
  }
}
