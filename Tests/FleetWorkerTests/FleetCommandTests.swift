import Foundation
import TestSupport
import Testing

@Suite("What commands of locationfleet print and read")
struct FleetCommandTests {
  /// Runs it with its standard streams as a shell makes them.
  private func shell(_ words: String, input: String = "") throws -> FinishedProgram {
    let program = BuiltProgram.path("locationfleet")
    return try FinishedProgram("/bin/sh", ["-c", "exec '\(program)' \(words)"], input: input)
  }

  private func check(_ folder: TemporaryFolder, _ text: String) throws -> FinishedProgram {
    let path = folder.file("fleet.conf")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try FinishedProgram("locationfleet", ["--check", "--config", path])
  }

  @Test(
    "FLEET-134: what standard output does not take ends with 1 and the cause",
    arguments: ["--help", "seed", "sink postgis --schema", "--check", "password"])
  func refusedOutput(words: String) throws {
    // Open for reading alone: as on a full disk nothing can be written, and that needs no device.
    let run = try shell("\(words) 1< /dev/null", input: "0123456789abcdef0123456789\n")
    #expect(run.status == 1)
    #expect(
      run.error.hasPrefix("locationfleet: standard output: Bad file descriptor"), "\(run.error)")
  }

  @Test("FLEET-134: standard input that cannot be read is no end of it")
  func unreadable() throws {
    let run = try shell("password < /etc")
    #expect(run.status == 1)
    #expect(run.error == "locationfleet: standard input: Is a directory\n")
  }

  @Test(
    "FLEET-136: --check and doctor name a certificate that has ended, or ends soon",
    .enabled(if: TestAuthority.isPossible, "openssl is not installed"))
  func certificates() throws {
    let folder = try TemporaryFolder()
    func openssl(_ words: String) throws {
      let run = try FinishedProgram(
        "/usr/bin/openssl", words.split(separator: " ").map(String.init), in: folder.path)
      #expect(run.status == 0, "\(run.error)")
    }
    try openssl(
      "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out ca.csr "
        + "-subj /CN=ca")
    let text = "server = nats://127.0.0.1:1\nauthorities = \(folder.file("ca.pem"))\n"
    for (days, words) in [(-1, "has ended at"), (5, "ends at"), (60, nil)] {
      try openssl("x509 -req -in ca.csr -signkey key.pem -days \(days) -out ca.pem")
      let run = try check(folder, text)
      #expect(run.status == (days < 0 ? 2 : 0), "\(run.error)")
      #expect(run.output.contains("no faults") == (days > 0))
      guard let words else {
        #expect(run.error.isEmpty)
        continue
      }
      #expect(run.error.contains("`authorities` \(folder.file("ca.pem")) \(words)"), "\(run.error)")
    }
    try openssl("x509 -req -in ca.csr -signkey key.pem -days -1 -out ca.pem")
    let doctor = try FinishedProgram(
      "locationfleet", ["doctor", "--config", folder.file("fleet.conf")])
    #expect(doctor.status == 1 && doctor.error.contains("certificate_ended"), "\(doctor.text)")
  }

  @Test("FLEET-137: a folder in place of a configuration is named with the cause")
  func folder() throws {
    let run = try FinishedProgram("locationfleet", ["--check", "--config", "/etc"])
    #expect(run.status == 2 && run.error.contains("/etc cannot be read: Is a directory"))
  }

  @Test("FLEET-137: --check names ports that collide, and what is wrong in no line has none")
  func whole() throws {
    let folder = try TemporaryFolder()
    let ports = try check(folder, "port = 9000\ningress-port = 9000\n")
    #expect(ports.status == 2 && ports.error.contains("`ingress-port` is 9000"), "\(ports.error)")
    let server = try check(folder, "server = nats://example.com:4222\n")
    #expect(server.status == 2 && !server.error.contains(":0:"), "\(server.error)")
    #expect(server.error.contains("fleet.conf: nats://example.com:4222 is not on this computer"))
    let sink = try FinishedProgram(
      "locationfleet", ["sink", "webhook", "--check", "--config", folder.file("fleet.conf")])
    #expect(sink.status == 2)
    _ = try check(folder, "port = 9000\n")
    let missing = try FinishedProgram(
      "locationfleet", ["sink", "webhook", "--check", "--config", folder.file("fleet.conf")])
    #expect(
      missing.error
        == "locationfleet: \(folder.file("fleet.conf")): sink webhook: there is no `webhook`\n")
    #expect(
      try shell("sink bogus").error.contains(
        "sink bogus: a sink is webhook, postgis, mqtt, or nats"))
  }

  @Test("FLEET-137: --check reads each key of a tenant, and looks at who may read it")
  func keys() throws {
    let folder = try TemporaryFolder()
    let keys = folder.file("keys")
    try FileManager.default.createDirectory(
      atPath: keys, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
    let text = "tenant-keys = \(keys)\n"
    let good = String(repeating: "0a", count: 32) + "\n"
    try good.write(toFile: "\(keys)/acme", atomically: true, encoding: .utf8)
    chmod("\(keys)/acme", 0o640)
    #expect(try check(folder, text).status == 0)
    chmod("\(keys)/acme", 0o644)
    let open = try check(folder, text)
    #expect(open.status == 2 && open.error.contains("/acme has mode 644"), "\(open.error)")
    try "abc".write(toFile: "\(keys)/acme", atomically: true, encoding: .utf8)
    chmod("\(keys)/acme", 0o640)
    chmod(keys, 0o755)
    let bad = try check(folder, text)
    #expect(bad.status == 2 && bad.error.contains("/acme is no key"), "\(bad.error)")
    #expect(bad.error.contains("chmod 750 \(keys)"))
  }
}

@Suite(
  "What commands of locationfleet do, on a real server", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct FleetCommandServerTests {
  private static let line =
    #"{"device":"a","date":"2026-01-05T08:00:00Z","latitude":46.52,"longitude":6.63}"#

  @Test("FLEET-135: publish of nothing that can be used ends with 1, and names each line")
  func garbage() async throws {
    let site = try await FleetSite(partitions: 1)
    #expect(try site.fleet(["init"]).status == 0)
    let bad = try site.fleet(["publish"], input: "\n\u{1f}garbage\n{}\n")
    #expect(bad.status == 1)
    #expect(bad.error.contains("line 2: malformed: ") && bad.error.contains("line 3: device: "))
    #expect(bad.error.contains("0 fixes kept; rejected: device 1, malformed 1"))
    let good = try site.fleet(["publish"], input: "garbage\n\(Self.line)\n")
    #expect(good.status == 0 && good.error.contains("1 fixes kept; rejected: malformed 1"))
    let program = BuiltProgram.path("locationfleet")
    let folder = try FinishedProgram(
      "/bin/sh", ["-c", "exec '\(program)' publish --config '\(site.file("fleet.conf"))' < /etc"])
    #expect(folder.status == 1 && folder.error.contains("standard input: Is a directory"))
  }

  @Test("FLEET-135: SIGINT ends publish behind a line, with what came before it kept")
  func interrupted() async throws {
    let site = try await FleetSite(partitions: 1)
    #expect(try site.fleet(["init"]).status == 0)
    let pipe = site.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let program = BuiltProgram.path("locationfleet")
    // Open for writing as well: it has no end.
    let run = try RunningProgram(
      "/bin/sh",
      ["-c", "exec '\(program)' publish --config '\(site.file("fleet.conf"))' <> '\(pipe)'"])
    let writer = try #require(FileHandle(forUpdatingAtPath: pipe))
    try writer.write(contentsOf: Data("\(Self.line)\ngarbage\n".utf8))
    _ = try await run.lines.next { $0.contains("line 2: malformed") }
    run.signal(SIGINT)
    let last = try await run.lines.next { $0.contains("ended by a signal") }
    #expect(last.contains("behind line 2; 1 fixes kept; rejected: malformed 1"), "\(last)")
    run.terminate()
  }

  @Test("FLEET-138: fences say what they change, and none in place of some needs --yes")
  func fences() async throws {
    let site = try await FleetSite(partitions: 1)
    let walk = FleetWalk(seed: 1, count: 10)
    try site.prepare(walk)
    let same = try site.fleet(["fences", site.file("fences.geojson")])
    #expect(same.output.contains(" in force; 0 new, 0 changed, 0 of "), "\(same.output)")
    try site.write(#"{"type":"FeatureCollection","features":[]}"#, to: "none.geojson")
    let refused = try site.fleet(["fences", site.file("none.geojson")])
    #expect(refused.status == 2 && refused.error.contains("needs --yes"), "\(refused.error)")
    let done = try site.fleet(["fences", site.file("none.geojson"), "--yes"])
    #expect(done.status == 0 && done.output.contains(": 0 in force; 0 new"), "\(done.text)")
    #expect(try site.fleet(["fences", site.file("none.geojson")]).status == 0)
  }

  @Test(
    "FLEET-165: the streams are printed, also those of more partitions than the configuration has")
  func streams() async throws {
    let site = try await FleetSite(partitions: 2)
    try site.prepare(FleetWalk(seed: 1, count: 10))
    let text = try String(contentsOfFile: site.file("fleet.conf"), encoding: .utf8)
    try site.write(text.replacing("partitions = 2", with: "partitions = 1"), to: "fleet.conf")
    let run = try site.fleet(["streams"])
    #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
    let names = run.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(
      names == [
        "stream", "KV_LEASES", "KV_FENCES", "ERASED", "KV_SINKS", "REFUSED", "FIX_0", "EVT_0",
        "STATE_0", "FIX_1", "EVT_1", "STATE_1",
      ])
    #expect(!run.output.contains("not there"))
  }

  @Test("FLEET-161: fences --check publishes nothing, and most of the fences go with --yes alone")
  func checkedFences() async throws {
    let site = try await FleetSite(partitions: 1)
    try site.prepare(FleetWalk(seed: 1, count: 10))
    let other = """
      {"type":"FeatureCollection","features":[{"type":"Feature","id":"other","geometry":{"type":\
      "Point","coordinates":[6,46]},"properties":{"radius":150,"dwel":60}}]}
      """
    try site.write(other, to: "other.geojson")
    let check = try site.fleet(["fences", "--check", site.file("other.geojson")])
    #expect(check.status == 0, "\(check.error)")
    #expect(check.output.contains(": 1 would be in force; 1 new, 0 changed, "), "\(check.output)")
    #expect(check.output.contains("1 new (other)") && check.output.contains("needs --yes"))
    #expect(check.error.contains(#"property "dwel" is passed over; did you mean "dwell"?"#))
    let refused = try site.fleet(["fences", site.file("other.geojson")])
    #expect(refused.status == 2 && refused.error.contains("needs --yes"), "\(refused.error)")
    let same = try site.fleet(["fences", site.file("fences.geojson")])
    #expect(same.output.contains(" in force; 0 new, 0 changed, 0 of "), "\(same.output)")
    #expect(try site.fleet(["fences", site.file("other.geojson"), "--yes"]).status == 0)
  }
}
