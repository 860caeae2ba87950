import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import TestSupport
import Testing

@Suite(
  "Events that a tenant keeps no longer, on a real server", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct RetentionServerTests {
  private static func lines(_ walk: FleetWalk, of tenant: String) -> String {
    let name = FleetDeviceName(tenant: tenant, device: "truck")
    return walk.fixes.map { FleetWalk.line($0, of: name) + "\n" }.joined()
  }

  @Test(
    "FLEET-77: no byte of them is left in the store, the other tenant's are as they were, and the worker goes on"
  )
  func expires() async throws {
    let site = try await FleetSite(partitions: 1)
    let walk = FleetWalk(seed: 1, count: 400)
    try site.prepare(walk)
    let worker = try site.worker()
    try site.fleet(["publish"], input: Self.lines(FleetWalk(seed: 2, count: 200), of: "other"))
    try site.fleet(["publish"], input: Self.lines(walk, of: "acme"))
    try site.waitUntilStored()
    let before = try site.fleet(["events"]).output.split(separator: "\n")
    let own = before.filter { $0.contains("\"acme\"") }
    #expect(own.count > 3 && own.count < before.count)
    var broker = try NATSBroker(servers: [site.server.address], name: "retention")
    // As it will be when they are old.
    var retention = TenantRetention(of: "acme", before: UnixTime(seconds: 4e9))
    try retention.pass(0, &broker)
    // The last one is what says which inputs are judged.
    #expect(retention.isBlocked && retention.erased == own.count - 1)
    try TenantRetention.askForMark(0, &broker)
    try site.waitForEvents(before.count + 1)
    try retention.pass(0, &broker)
    #expect(!retention.isBlocked && retention.erased == own.count)
    let after = try site.fleet(["events"]).output.split(separator: "\n")
    #expect(after == before.filter { !$0.contains("\"acme\"") })
    #expect(try site.server.files(with: "evt.0.acme", ending: ".blk").isEmpty)
    // A successor judges what was not stored anew, and repeats none of them.
    worker.end(with: SIGKILL)
    let next = try site.worker()
    try site.fleet(["publish"], input: Self.lines(FleetWalk(seed: 3, count: 200), of: "third"))
    try site.waitUntilStored()
    let last = try site.fleet(["events"]).output.split(separator: "\n")
    #expect(last.filter { !$0.contains("\"third\"") } == after)
    next.terminate()
  }

  @Test("FLEET-77: the command erases what the configuration says, and says how much")
  func command() async throws {
    let site = try await FleetSite(partitions: 2)
    #expect(try site.fleet(["init"]).status == 0)
    #expect(try site.fleet(["expire"]).output == "no tenant has `keep-events-days`\n")
    let text = try String(contentsOfFile: site.file("fleet.conf"), encoding: .utf8)
    try site.write(
      text + "\ntenant = acme keep-events-days=7\ntenant = - keep-events-days=1\n",
      to: "fleet.conf")
    let run = try site.fleet(["expire"])
    #expect(run.status == 0, "\(run.error)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.map { $0.prefix { $0 != "b" } } == ["-: 0 events ", "acme: 0 events "])
    #expect(lines.allSatisfy { $0.hasSuffix(" erased") })
    // One more partition than there is (FLEET-112).
    try site.write(
      text.replacing("partitions = 2", with: "partitions = 3")
        + "\ntenant = acme keep-events-days=7\ntenant = - keep-events-days=1\n",
      to: "fleet.conf")
    let wrong = try site.fleet(["expire"])
    #expect(wrong.status == 2 && wrong.output.isEmpty, "\(wrong.output)")
    #expect(wrong.error.contains("FIX_2 is not there: nothing was erased"), "\(wrong.error)")
  }
}
