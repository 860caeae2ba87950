import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationProviders
import TestSupport

/// An ingress on a real server: both are programs of their own, which a test may kill and start again.
final class IngressSite {
  let folder: TemporaryFolder
  let partitions = 4
  let mqtt, web, figures: Int
  let natsPort: Int
  private let addresses: [String]
  private(set) var server: RunningProgram?
  private(set) var ingress: RunningProgram?

  /// Of passwords that are long, a hash is made at once.
  static func password(_ user: String) -> String { "\(user)-0123456789abcdef0123456789" }

  /// `others` are users of other tenants, each with the name of its tenant for one device.
  init(
    devices: Int, others: [String] = [], more: String = "", on cluster: NATSCluster? = nil
  ) async throws {
    folder = try TemporaryFolder()
    natsPort = try Loopback.freePort()
    addresses = cluster?.addresses ?? ["nats://127.0.0.1:\(natsPort)"]
    mqtt = try Loopback.freePort()
    web = try Loopback.freePort()
    figures = try Loopback.freePort()
    var accounts = "# user tenant device group hash\n"
    for number in 0..<devices {
      let hash = try FinishedProgram(
        "locationfleet", ["password"], input: Self.password("dev-\(number)") + "\n")
      accounts += "dev-\(number) acme truck-\(number) - \(hash.output)"
    }
    for user in others {
      let hash = try FinishedProgram(
        "locationfleet", ["password"], input: Self.password(user) + "\n")
      accounts += "\(user) \(user) \(user) - \(hash.output)"
    }
    let gate = try FinishedProgram(
      "locationfleet", ["password"], input: Self.password("gate") + "\n")
    try write(accounts + "gate acme * - \(gate.output)", to: "accounts")
    chmod(folder.file("accounts"), 0o600)
    try write(
      """
      \(addresses.map { "server = \($0)" }.joined(separator: "\n"))
      replicas = \(addresses.count)
      partitions = \(partitions)
      mqtt-port = \(mqtt)
      http-port = \(web)
      ingress-port = \(figures)
      acknowledge-within = 1
      accounts = \(folder.file("accounts"))
      \(more)
      """, to: "fleet.conf")
    if cluster == nil { try await startServer() }
    _ = try FinishedProgram("locationfleet", ["init", "--config", folder.file("fleet.conf")])
    try await startIngress()
  }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
  }

  func startServer() async throws {
    let program = try RunningProgram(
      "nats-server",
      ["-a", "127.0.0.1", "-p", "\(natsPort)", "-js", "-sd", folder.file("store")],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    _ = try await program.lines.next { $0.contains("Server is ready") }
    server = program
  }

  /// `port` is that of a relay to the server of NATS, if there is one.
  func startIngress(through port: Int? = nil) async throws {
    var file = "fleet.conf"
    if let port {
      file = "relayed.conf"
      let text = try String(contentsOfFile: folder.file("fleet.conf"), encoding: .utf8)
      try write(text.replacing("127.0.0.1:\(natsPort)", with: "127.0.0.1:\(port)"), to: file)
    }
    let program = try RunningProgram(
      BuiltProgram.path("locationfleet"), ["ingress", "--config", folder.file(file)])
    _ = try await program.lines.next { $0.contains("takes fixes at mqtt 127.0.0.1:") }
    ingress = program
  }

  func device(_ number: Int) throws -> MQTTDevice { try device("dev-\(number)") }

  func device(_ user: String) throws -> MQTTDevice {
    try MQTTDevice(port: mqtt, user: user, password: Self.password(user))
  }

  /// The ingress's figures, one on a line.
  func metrics() async throws -> [String] {
    try await runToEnd(["curl", "-s", "http://127.0.0.1:\(figures)/metrics"]).lines
  }

  /// What OwnTracks sends of a second.
  static func report(_ second: Int) -> String {
    #"{"_type":"location","lat":46.5,"lon":6.6,"acc":8,"tst":\#(1_780_000_000 + second)}"#
  }

  /// The dates of all fixes that are kept, by device.
  func kept() throws -> [String: [Int]] {
    var found: [String: [Int]] = [:]
    for line in try lines() {
      guard let fix = try FleetLine(line) else { continue }
      let second = fix.fix.time.seconds(since: UnixTime(seconds: 1.78e9))
      found[fix.device, default: []].append(Int(second))
    }
    return found
  }

  func broker() throws -> NATSBroker { try NATSBroker(servers: addresses, name: "test") }

  /// All lines that are kept.
  func lines() throws -> [[UInt8]] {
    var broker = try broker()
    var found: [[UInt8]] = []
    for partition in 0..<partitions {
      try broker.forEach(.fixes(partition), waiting: { $0.wait(.seconds(1)) }) { message in
        found += message.entry.bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }
      }
    }
    return found
  }

  /// The status that curl gets.
  func ask(_ words: [String], path: String) async throws -> String {
    let curl = try RunningProgram(
      "curl",
      ["-s", "-o", "/dev/null", "-w", "%{http_code}\\n", "--max-time", "30"] + words
        + ["http://127.0.0.1:\(web)\(path)"])
    let status = try await curl.lines.next()
    curl.end()
    return status
  }
}

/// Runs a program to its end: what it says, and its status.
func runToEnd(_ words: [String]) async throws -> (lines: [String], status: String) {
  let quoted = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
  let command = quoted + "; status=$?; echo; echo status $status"
  let program = try RunningProgram("/bin/sh", ["-c", command])
  defer { program.end() }
  var lines: [String] = []
  while true {
    let line = try await program.lines.next()
    if line.hasPrefix("status ") { return (lines, String(line.dropFirst(7))) }
    lines.append(line)
  }
}
