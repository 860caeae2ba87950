import Foundation
import LocationFleet
import LocationFleetNATS
import LocationSecrets
import TestSupport
import Testing

@Suite("The way of a fleet's programs to their servers")
struct BrokerAccessTests {
  private static func seed(_ number: UInt64) -> String {
    NATSSeed.text(of: SecretKey(seed: number))
  }

  @Test("FLEET-63: a seed is read as it was made, and a letter that differs is noticed")
  func seeds() throws {
    // From the manual of NATS; its public key as OpenSSL derives it.
    let known = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    #expect(
      try NATSSeed.publicKey(of: known)
        == "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4")
    let own = Self.seed(7)
    #expect(own.count == 58 && own.hasPrefix("SU"))
    #expect(try NATSSeed.publicKey(of: own).hasPrefix("U"))
    for (place, letter) in own.enumerated() where letter != "A" && place > 1 {
      var text = Array(own)
      text[place] = "A"
      #expect(throws: NATSSeed.Fault.self) { try NATSSeed.publicKey(of: String(text)) }
    }
    for text in ["", "SU", own + "A", own.lowercased(), String(own.dropLast())] {
      #expect(throws: NATSSeed.Fault.self) { try NATSSeed.publicKey(of: text) }
    }
  }

  @Test("FLEET-63: --check names what is wrong with each file of the way to the servers")
  func files() throws {
    let folder = try TemporaryFolder()
    func write(_ text: String, _ name: String, _ mode: mode_t = 0o600) throws {
      try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
      chmod(folder.file(name), mode)
    }
    try write(Self.seed(1), "seed")
    try write(Self.seed(1), "open-seed", 0o644)
    try write(Self.seed(1).replacing("A", with: "B"), "damaged-seed")
    try write("SAAB", "account-seed")
    try write("nothing", "nothing")
    try write("-----BEGIN CERTIFICATE-----\n", "torn", 0o644)
    func check(_ settings: String) throws -> FinishedProgram {
      try write("server = tls://127.0.0.1:1\n" + settings, "fleet.conf", 0o644)
      return try FinishedProgram(
        "locationfleet", ["--check", "--config", folder.file("fleet.conf")])
    }
    for (key, file, words) in [
      ("nkey-seed", "absent", "No such file"), ("nkey-seed", "open-seed", "others can read"),
      ("nkey-seed", "damaged-seed", "damaged"), ("nkey-seed", "account-seed", "no SU"),
      ("credentials", "nothing", "no -----BEGIN NATS USER JWT"),
      ("authorities", "nothing", "no -----BEGIN CERTIFICATE"),
      ("authorities", "torn", "Error loading"),
    ] {
      let run = try check("\(key) = \(folder.file(file))\n")
      #expect(run.status == 2, "\(file)")
      #expect(run.error.contains("`\(key)` \(folder.file(file))"), "\(run.error)")
      #expect(run.error.contains(words), "\(run.error)")
      #expect(!run.error.contains(Self.seed(1)))
    }
    #expect(try check("nkey-seed = \(folder.file("seed"))\n").status == 0)
    let both = try check("nkey-seed = /a\ncredentials = /b\n")
    #expect(both.error.contains("exclude each other"))
  }

  @Test("FLEET-110: answers come to an inbox of the user, or to the one of the setting")
  func inbox() {
    var access = BrokerAccess()
    #expect(access.inboxPrefix == "_INBOX")
    access.publicKey = "UAB"
    #expect(access.inboxPrefix == "_INBOX_UAB")
    for (line, cause) in [
      ("inbox = fix", "must begin with _INBOX"), ("inbox = _INBOX.>", "must begin with _INBOX"),
      ("inbox = $KV.LEASES", "must begin with _INBOX"),
      ("inbox = _INBOX\(String(repeating: "a", count: 128))", "must begin with _INBOX"),
    ] {
      var faults: [FleetConfiguration.Fault] = []
      _ = FleetConfiguration(line, &faults)
      #expect(faults.count == 1 && faults.first?.cause.contains(cause) == true, "\(line)")
    }
    var faults: [FleetConfiguration.Fault] = []
    access.inbox = FleetConfiguration("inbox = _INBOX_worker", &faults).access.inbox
    #expect(faults.isEmpty && access.inboxPrefix == "_INBOX_worker")
  }

  @Test(
    "FLEET-110: with the setting it works at a server without permissions, too",
    .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
  func inboxAnywhere() async throws {
    let server = try await NATSServer()
    var access = BrokerAccess(servers: [server.address])
    access.inbox = "_INBOX_worker"
    var broker = try NATSBroker(access, name: "test")
    #expect(try broker.create(.fixes(0), NATSBroker.Storage()))
    let entry = LogEntry(subject: "fix.0.acme.truck", bytes: [1])
    #expect(try broker.append([entry], to: .fixes(0), expecting: 0) == 1)
    #expect(try broker.read(.fixes(0), from: 1, most: 1).messages.count <= 1)
    #expect(try broker.last(of: .fixes(0), key: nil).last == 1)
  }

  @Test("FLEET-64: a server that is not on this computer is refused without TLS")
  func plain() throws {
    for server in [
      "nats://127.0.0.1:4222", "nats://localhost:4222", "nats://[::1]:4222", "nats://a:b@127.1.2.3",
    ] { #expect(BrokerAccess(servers: [server]).exposed == nil, "\(server)") }
    for server in [
      "nats://10.0.0.5:4222", "nats://127.example.org", "nats://[fe80::1]:4222",
      "nats://127.0.0.1@example.org:4222", "nats://localhost.example.org",
    ] {
      var access = BrokerAccess(servers: ["nats://127.0.0.1:4222", server])
      #expect(access.exposed == server)
      #expect(throws: BrokerFault.self) { try NATSBroker(access, name: "test") }
      access.authorities = "/a"
      #expect(access.exposed == nil)
    }
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.conf")
    try "server = nats://10.0.0.5:4222\n".write(toFile: path, atomically: true, encoding: .utf8)
    let run = try FinishedProgram("locationfleet", ["--check", "--config", path])
    #expect(run.status == 2)
    #expect(run.error.contains("nats://10.0.0.5:4222 is not on this computer: it needs tls://"))
    try "server = tls://10.0.0.5:4222\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try FinishedProgram("locationfleet", ["--check", "--config", path]).status == 0)
  }

  /// Starts what answers each connection with one line after the other, and hangs up unless that is PONG.
  private static func server(answering answers: String...) async throws -> (RunningProgram, Int) {
    let script = """
      import socket, sys
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      for answer in sys.argv[1:]:
        client, _ = server.accept()
        client.sendall(b'INFO {"max_payload":1048576,"headers":true}\\r\\n')
        client.recv(4096)
        client.sendall(answer.encode() + b"\\r\\n")
        if answer != "PONG": client.close()
      print("served", flush=True)
      if answer == "PONG":
        while client.recv(4096): pass
      """
    let server = try RunningProgram("python3", ["-c", script] + answers)
    return (server, try await server.lines.next { Int($0) })
  }

  @Test("FLEET-65: what a server says when it lets nobody in is named as the cause")
  func turnedAway() async throws {
    let (server, port) = try await Self.server(answering: "-ERR 'Authentication Timeout'")
    let fault = #expect(throws: BrokerFault.self) {
      _ = try NATSBroker(BrokerAccess(servers: ["nats://127.0.0.1:\(port)"]), name: "test")
    }
    #expect(fault.map { "\($0)" }?.contains("no answer: Authentication Timeout") == true)
    withExtendedLifetime(server) {}
  }

  @Test("FLEET-65: who is not let in as the library has left the signature out tries again")
  func secondAttempt() async throws {
    let (server, port) = try await Self.server(
      answering: "-ERR 'Authorization Violation'", "PONG")
    let access = BrokerAccess(servers: ["nats://127.0.0.1:\(port)"])
    let broker = try NATSBroker(access, name: "test")
    _ = try await server.lines.next { $0 == "served" }
    withExtendedLifetime(broker) {}
  }
}
