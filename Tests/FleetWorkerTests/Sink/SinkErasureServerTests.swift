import Foundation
import LocationFleet
import LocationModel
import TestSupport
import Testing

@Suite(
  "A device that is erased while a sink has its events, on a real server", .serialized,
  .enabled(
    if: NATSServer.isInstalled && isInstalled("python3"),
    "nats-server or python3 is not installed"))
struct SinkErasureServerTests {
  private static func lines(_ walk: FleetWalk, of device: String) -> String {
    let name = FleetDeviceName(tenant: "acme", device: device)
    return walk.fixes.map { FleetWalk.line($0, of: name) + "\n" }.joined()
  }

  @Test(
    "FLEET-49: no byte of it is left in any file of the store, also of what a sink has set aside, and others' events stay set aside"
  )
  func erases() async throws {
    let site = try await FleetSite(partitions: 1)
    let walk = FleetWalk(seed: 1, count: 500)
    try site.prepare(walk)
    let worker = try site.worker()
    try site.fleet(["publish"], input: Self.lines(walk, of: "secret van"))
    try site.fleet(["publish"], input: Self.lines(FleetWalk(seed: 1, count: 400), of: "truck"))
    try site.waitUntilStored()
    let webhook = try await TestWebhook(plan: "410")
    let other = try String(contentsOfFile: site.file("other.conf"), encoding: .utf8)
    try site.write(other + webhook.settings(), to: "sink.conf")
    let sink = try RunningProgram(
      BuiltProgram.path("locationfleet"), ["sink", "webhook", "--config", site.file("sink.conf")])
    _ = try await sink.lines.next { $0.contains("waits: it refuses everything") }
    func refused(_ name: String) throws -> Int {
      try site.fleet(["refused"]).output.split(separator: "\n").count { $0.contains(name) }
    }
    _ = try await sink.lines.next { $0.contains("aside: status 410") }
    let trucks = try refused("truck")
    #expect(try refused("secret van") > 3 && trucks > 3)
    let run = try site.fleet(["erase", "acme", "secret van"])
    #expect(run.status == 0 && run.output.contains(" that sinks had set aside"), "\(run)")
    #expect(try refused("secret van") == 0 && refused("truck") >= trucks)
    sink.terminate()
    worker.terminate()
    try site.server.end()
    for text in ["secret van", "secret_20van"] {
      #expect(try site.server.files(with: text).isEmpty, "\(text)")
    }
  }
}
