import Foundation
import LocationFleet
import LocationModel
import TestSupport
import Testing

@Suite("The command line of locationfleet")
struct FleetOptionsTests {
  @Test("FLEET-23: --check names file, line, and cause of each fault, and connects to nothing")
  func check() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.conf")
    try """
    # a comment
    server = http://example.org
    partitions = 0
    lease = soon
    replicas = 2
    visits = maybe
    credentials = here
    nonsense
    color = red
    port = 70000
    """.write(toFile: path, atomically: true, encoding: .utf8)
    let run = try FinishedProgram("locationfleet", ["--check", "--config", path])
    #expect(run.status == 2)
    for (line, words) in [
      (2, "`server`"), (3, "`partitions`"), (4, "`lease`"), (5, "`replicas`"), (6, "`visits`"),
      (7, "`credentials`"), (8, "key = value"), (9, "unknown key `color`"), (10, "`port`"),
    ] { #expect(run.error.contains("\(path):\(line): ") && run.error.contains(words), "\(line)") }
    try "server = nats://127.0.0.1:1\nport = 9999 # loopback\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let good = try FinishedProgram("locationfleet", ["--check", "--config", path])
    #expect(good.status == 0)
    #expect(good.output == "\(path): no faults\n")
  }

  @Test("says its version and its help, with dashes and as words")
  func version() throws {
    for word in ["version", "--version"] {
      let run = try FinishedProgram("locationfleet", [word])
      #expect(run.status == 0 && run.output == "locationfleet \(Release.version)\n")
    }
    let help = try FinishedProgram("locationfleet", ["help"])
    #expect(help.status == 0 && help.output.hasPrefix("usage: locationfleet"))
  }

  @Test(
    "FLEET-23: what is typed wrongly ends with 2",
    arguments: [
      "--nonsense", "fences", "fences --check", "fences --check a --yes", "run init", "--config",
      "--name a.b", "--config /nonexistent",
      "erase acme", "erase acme truck --wait 0", "sink", "sink kafka", "sink mqtt --schema",
      "run --schema", "sink webhook mqtt", "events --json", "doctor --nonsense",
      "forget-sink", "forget-sink a.b",
    ])
  func usage(words: String) throws {
    let words = words.split(separator: " ").map(String.init)
    #expect(try FinishedProgram("locationfleet", words).status == 2)
  }

  @Test("FLEET-23: a server that cannot be reached ends the worker with 1 and its address")
  func noServer() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.conf")
    try "server = nats://127.0.0.1:1\n".write(toFile: path, atomically: true, encoding: .utf8)
    let run = try FinishedProgram("locationfleet", ["run", "--config", path])
    #expect(run.status == 1)
    #expect(run.error.contains("nats://127.0.0.1:1"))
  }

  @Test(
    "FLEET-90: no dynamic user of a unit has the name of a group, as systemd starts nothing then")
  func units() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appending(path: "systemd")
    let groups = try String(
      contentsOf: folder.appending(path: "locationfleet.sysusers.conf"), encoding: .utf8
    ).split(separator: "\n").filter { $0.hasPrefix("g ") }.map { $0.split(separator: " ")[1] }
    #expect(groups == ["locationfleet"])
    let units = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("locationfleet") && $0.hasSuffix(".service") }
    #expect(units.count > 3)
    for unit in units {
      let lines = try String(contentsOf: folder.appending(path: unit), encoding: .utf8)
        .split(separator: "\n")
      guard lines.contains("DynamicUser=yes") else { continue }
      let named = lines.first { $0.hasPrefix("User=") }?.dropFirst("User=".count)
      #expect(!groups.contains(named ?? unit.prefix { $0 != "@" && $0 != "." }), "\(unit)")
    }
  }

  @Test("FLEET-100: the unit of a worker gives it a name that it takes, also of a host with dots")
  func name() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let unit = try String(
      contentsOf: root.appending(path: "systemd/locationfleet@.service"), encoding: .utf8)
    let line = try #require(
      unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") && $0.contains("--name") })
    // As systemd does for an instance 1 on depot-7.example.org.
    let words = line.split(separator: " ").dropFirst().map {
      String($0).replacing("%H", with: "depot-7.example.org").replacing("%l", with: "depot-7")
        .replacing("%i", with: "1").replacing("${CONFIG}", with: "/nonexistent")
    }
    #expect(words.contains("depot-7-1"))
    let run = try FinishedProgram("locationfleet", words)
    #expect(run.status == 2)
    #expect(run.error.contains("/nonexistent") && !run.error.contains("--name"), "\(run.error)")
  }

  @Test("FLEET-23: every key of the configuration is documented in the manual")
  func manual() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "docs/man/locationfleet.8"), encoding: .utf8
    )
    .replacing("\\-", with: "-")
    for key in FleetConfiguration.keys + IngressConfiguration.keys + SinkConfiguration.keys {
      #expect(text.contains("\n.B \(key)\n"), "\(key)")
    }
    let help = try FinishedProgram("locationfleet", ["--help"]).output
    for option in [
      "--config", "--name", "--check", "init", "streams", "fences", "publish", "events", "ingress",
      "password",
      "erase", "erasures", "--wait", "seed", "expire", "sink", "refused", "--schema",
      "--all", "--yes", "tenant-key", "doctor", "--json",
    ] {
      #expect(help.contains(option) && text.contains(option), "\(option)")
    }
  }
}
