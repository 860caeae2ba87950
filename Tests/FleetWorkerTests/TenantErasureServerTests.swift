import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import TestSupport
import Testing

@Suite(
  "A tenant that is erased on a real server, and its key", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct TenantErasureServerTests {
  private static func lines(_ walks: [FleetWalk], of tenant: String, _ device: String) -> String {
    walks.enumerated().map { number, walk in
      let name = FleetDeviceName(tenant: tenant, device: "\(device) \(number)")
      return walk.fixes.map { FleetWalk.line($0, of: name) + "\n" }.joined()
    }.joined()
  }

  /// Numbers that stand in the fixes of ways, and in no other.
  private static func payloads(_ walks: [FleetWalk]) -> [String] {
    walks.flatMap { walk in
      stride(from: 0, to: walk.fixes.count, by: 61).map {
        "\"latitude\":\(walk.fixes[$0].coordinate.latitude)"
      }
    }
  }

  /// A fence of the tenant's own among those of a way.
  private static func publishFences(_ site: FleetSite, _ walk: FleetWalk) throws {
    let fence = """
      {"type":"Feature","id":"hidden depot","geometry":{"type":"Point","coordinates":\
      [6.6300123,46.5200456]},"properties":{"radius":500,"tenant":"acme"}},
      """
    let text = String(decoding: walk.fenceFile(), as: UTF8.self)
      .replacing("\"features\":[", with: "\"features\":[" + fence)
    try site.write(text, to: "fences.geojson")
    #expect(try site.fleet(["fences", site.file("fences.geojson")]).status == 0)
  }

  private static func makeKeys(_ site: FleetSite, _ tenants: [String]) throws {
    let folder = site.file("keys")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
    for name in ["fleet.conf", "other.conf"] {
      let text = try String(contentsOfFile: site.file(name), encoding: .utf8)
      try site.write(text + "\ntenant-keys = \(folder)\n", to: name)
    }
    for tenant in tenants {
      let made = try site.fleet(["tenant-key", tenant])
      #expect(made.status == 0, "\(made.error)")
    }
  }

  @Test(
    "FLEET-84: no name of its devices, no latitude of its fixes, and no fence of it is left in any file of the store; others are as before",
    arguments: [false, true])
  func erases(hasKeys: Bool) async throws {
    let site = try await FleetSite(partitions: 2)
    let own = (1...4 as ClosedRange<UInt64>).map { FleetWalk(seed: $0, count: 300) }
    let others = (5...8 as ClosedRange<UInt64>).map { FleetWalk(seed: $0, count: 100) }
    if hasKeys { try Self.makeKeys(site, ["acme", "zeta"]) }
    try site.prepare(own[0])
    try Self.publishFences(site, own[0])
    let worker = try site.worker()
    try site.fleet(["publish"], input: Self.lines(own, of: "acme", "hidden van"))
    try site.fleet(["publish"], input: Self.lines(others, of: "zeta", "truck"))
    try site.waitUntilStored()
    let before = try site.fleet(["events"]).output.split(separator: "\n")
    let kept = before.filter { !$0.contains("hidden van") }
    #expect(kept.count > 10 && before.count - kept.count > 10)
    #expect(!(try site.server.files(with: "hidden_20van")).isEmpty)
    #expect(!(try site.server.files(with: "hidden depot")).isEmpty)
    let refused = try site.fleet(["erase", "acme", "--all"])
    #expect(refused.status == 2 && refused.error.contains("--yes"))
    let run = try site.fleet(["erase", "acme", "--all", "--yes"])
    #expect(run.status == 0, "\(run.error)")
    #expect(
      run.output.hasPrefix(
        "acme: all devices are forgotten; 1200 messages of fixes, \(before.count - kept.count) events"
      ), "\(run.output)")
    #expect(run.output.contains("1 versions of fences") && run.error.contains("2 of 2 partitions"))
    #expect(run.output.contains("and its key here") == hasKeys)
    #expect(FileManager.default.fileExists(atPath: site.file("keys/acme")) == false)
    #expect(try site.fleet(["events"]).output.split(separator: "\n") == kept)
    #expect(try site.fleet(["erasures"]).output.contains("\"erased\":\"all devices of acme\""))
    let texts = ["hidden van", "hidden_20van", "hidden depot", "6.6300123"] + Self.payloads(own)
    for text in texts {
      #expect(try site.server.files(with: text, ending: ".blk").isEmpty, "\(text)")
    }
    // Others go on, also by a successor, which finds the fences that it needs.
    worker.end(with: SIGKILL)
    let next = try site.worker()
    try site.fleet(["publish"], input: Self.lines([others[0]], of: "zeta", "later"))
    try site.waitUntilStored()
    let after = try site.fleet(["events"]).output.split(separator: "\n")
    #expect(after.filter { !$0.contains("later") } == kept && after.count > kept.count)
    let again = try site.fleet(["erase", "acme", "--all", "--yes"])
    #expect(again.output.contains("no fix, no event, and no fence was kept"), "\(again.error)")
    next.terminate()
    try site.server.end()
    for text in texts { #expect(try site.server.files(with: text).isEmpty, "\(text)") }
  }

  @Test(
    "FLEET-155, FLEET-156: a successor whose key of a tenant is another one says it and stores nothing, and after the tenant's erasure a new key is made"
  )
  func another() async throws {
    let site = try await FleetSite(partitions: 2)
    let walk = FleetWalk(seed: 1, count: 100)
    try Self.makeKeys(site, ["acme"])
    try site.prepare(walk)
    let worker = try site.worker()
    try site.fleet(["publish"], input: Self.lines([walk], of: "acme", "van"))
    try site.waitUntilStored()
    worker.terminate()
    rename(site.file("keys/acme"), site.file("copy"))
    try site.write(String(repeating: "a", count: 64) + "\n", to: "keys/acme")
    chmod(site.file("keys/acme"), 0o640)
    let next = try site.worker()
    try site.fleet(["publish"], input: Self.lines([walk], of: "acme", "cab"))
    let said = try await next.lines.next { $0.contains("tenant acme cannot be opened") }
    #expect(
      said.contains("another") && said.contains("bring the right file back"), "\(said)")
    let erased = try site.fleet(["erase", "acme", "--all", "--yes"])
    #expect(erased.status == 0, "\(erased.error)")
    let made = try site.fleet(["tenant-key", "acme"])
    #expect(made.status == 0, "\(made.error)")
    next.terminate()
  }

  @Test(
    "FLEET-83: without a tenant's key the worker says which one is missing and how it is made, and goes on with it"
  )
  func missing() async throws {
    let site = try await FleetSite(partitions: 1)
    let walk = FleetWalk(seed: 1, count: 100)
    try Self.makeKeys(site, [])
    try site.prepare(walk)
    let worker = try site.worker()
    try site.fleet(["publish"], input: Self.lines([walk], of: "acme", "van"))
    let said = try await worker.lines.next { $0.contains("tenant acme cannot be opened") }
    #expect(said.contains("locationfleet tenant-key acme"), "\(said)")
    let made = try site.fleet(["tenant-key", "acme"])
    #expect(made.output == site.file("keys/acme") + "\n", "\(made.error)")
    try site.waitUntilStored()
    // Never a second one over it, and none of a folder that others can write in.
    let key = try String(contentsOfFile: site.file("keys/acme"), encoding: .utf8)
    #expect(key.utf8.count == 65)
    let second = try site.fleet(["tenant-key", "acme"])
    #expect(second.status == 1 && second.error.contains("would not open"))
    #expect(try String(contentsOfFile: site.file("keys/acme"), encoding: .utf8) == key)
    // Moved away it is made no second time, and the worker says that it is to be brought back.
    rename(site.file("keys/acme"), site.file("copy"))
    let lost = try site.fleet(["tenant-key", "acme"])
    #expect(lost.status == 1 && lost.error.contains("bring the file back"), "\(lost.error)")
    #expect(!FileManager.default.fileExists(atPath: site.file("keys/acme")))
    let other = try site.fleet(["tenant-key", "other"])
    #expect(other.status == 0, "\(other.error)")
    rename(site.file("copy"), site.file("keys/acme"))
    chmod(site.file("keys"), 0o777)
    let check = try site.fleet(["--check"])
    #expect(check.status == 2 && check.error.contains("others can write in it"), "\(check.error)")
    worker.terminate()
  }

  @Test(
    "FLEET-84: a tenant is not erased by a word that is missing or empty",
    arguments: [
      ["erase", "acme"], ["erase", "--all", "--yes"], ["erase", "", "--all", "--yes"],
      ["erase", "acme", "truck", "--all", "--yes"], ["erase", "acme", "truck", "--yes"],
      ["erase", "acme", "-"], ["erase", "-", "truck"], ["events", "--all"], ["tenant-key"],
      ["erase", "acme", "--all"], ["tenant-key", "acme"],
    ])
  func words(words: [String]) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.conf")
    try "server = nats://127.0.0.1:1\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try FinishedProgram("locationfleet", words + ["--config", path]).status == 2)
  }
}
