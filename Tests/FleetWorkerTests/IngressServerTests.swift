import Foundation
import LocationFleet
import LocationModel
import TestSupport
import Testing

@Suite(
  "A fleet's ingress on a real server", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct IngressServerTests {
  /// How often the ingress and the server are killed; `Scripts/fleet_kills.sh` says more.
  private static var kills: Int {
    ProcessInfo.processInfo.environment["INGRESS_KILLS"].flatMap { Int($0) } ?? 10
  }

  private static func topic(_ device: Int) -> String { "in/acme/truck-\(device)" }

  @Test(
    "FLEET-36: what was acknowledged to a device is in the stream, whatever was killed meanwhile")
  func killed() async throws {
    let site = try await IngressSite(devices: 4)
    var random = SeededRandom(seed: 36)
    // What is the next second of each device that is not acknowledged.
    var next = [0, 0, 0, 0]
    for kill in 0..<Self.kills {
      var devices = try (0..<4).map { try site.device($0) }
      defer { for device in devices { device.close() } }
      for index in devices.indices {
        for second in next[index]..<(next[index] + 300) {
          try devices[index].publish(IngressSite.report(second), to: Self.topic(index))
        }
      }
      for index in devices.indices {
        let wanted = Int.random(in: 1...200, using: &random)
        try devices[index].waitForAcknowledgements(wanted)
      }
      let isIngress = kill.isMultiple(of: 2)
      (isIngress ? site.ingress : site.server)?.end(with: SIGKILL)
      if !isIngress { try await site.startServer() }
      for index in devices.indices {
        // Until the connection is gone, or everything is acknowledged.
        try? devices[index].waitForAcknowledgements(300)
        next[index] += devices[index].acknowledged
      }
      if isIngress { try await site.startIngress() }
    }
    let kept = try site.kept()
    for index in next.indices {
      let found = Set(kept["truck-\(index)"] ?? [])
      #expect(next[index] >= Self.kills && (0..<next[index]).allSatisfy { found.contains($0) })
    }
  }

  @Test("FLEET-36: without the server nothing is acknowledged, and devices try again")
  func noServer() async throws {
    let site = try await IngressSite(devices: 1)
    var device = try site.device(0)
    site.server?.end(with: SIGKILL)
    try device.publish(IngressSite.report(1), to: Self.topic(0))
    let isClosed = device.isClosed()
    #expect(isClosed && device.acknowledged == 0)
    device.close()
    let auth = ["-u", "dev-0:\(IngressSite.password("dev-0"))"]
    let query = "/?id=truck-0&lat=46.5&lon=6.6&timestamp=1780000002"
    #expect(try await site.ask(auth, path: query) == "503")
    try await site.startServer()
    var again = try site.device(0)
    try again.publish(IngressSite.report(1), to: Self.topic(0))
    try again.waitForAcknowledgements(1)
    again.close()
    #expect(try await site.ask(auth, path: query) == "200")
    #expect(Set(try site.kept()["truck-0"] ?? []) == [1, 2])
  }

  @Test("FLEET-37: SIGTERM acknowledges what has come before it ends")
  func drains() async throws {
    let site = try await IngressSite(devices: 1)
    var device = try site.device(0)
    for second in 0..<60 {
      try device.publish(IngressSite.report(second), to: Self.topic(0))
    }
    try device.waitForAcknowledgements(1)
    site.ingress?.signal(SIGTERM)
    try? device.waitForAcknowledgements(60)
    #expect(try #require(site.kept()["truck-0"]).count >= device.acknowledged)
    let line = try await site.ingress?.lines.next { $0.contains("ended: ") }
    #expect(line?.hasSuffix(" 0 not") == true)
    device.close()
  }

  @Test("FLEET-33: a device that publishes as another one is disconnected and counted")
  func foreign() async throws {
    let site = try await IngressSite(devices: 2)
    var device = try site.device(0)
    try device.publish(IngressSite.report(1), to: Self.topic(1))
    let isClosed = device.isClosed()
    #expect(isClosed)
    device.close()
    #expect(throws: MQTTDevice.Gone.self) {
      try MQTTDevice(port: site.mqtt, user: "dev-0", password: "wrong")
    }
    #expect(throws: MQTTDevice.Gone.self) {
      try MQTTDevice(port: site.mqtt, user: "nobody", password: "wrong")
    }
    site.ingress?.signal(SIGTERM)
    _ = try await site.ingress?.lines.next { $0.contains("ended: ") }
    #expect(try site.kept().isEmpty)
  }

  @Test(
    "FLEET-38: Mosquitto's client publishes, with acknowledgement, and may not subscribe",
    .enabled(if: isInstalled("mosquitto_pub"), "mosquitto-clients is not installed"))
  func mosquitto() async throws {
    let site = try await IngressSite(devices: 1)
    let words = [
      "-h", "127.0.0.1", "-p", "\(site.mqtt)", "-u", "dev-0", "-P", IngressSite.password("dev-0"),
      "-d", "-q", "1",
    ]
    for (topic, second) in [(Self.topic(0), 1), ("owntracks/dev-0/truck-0", 2)] {
      let client = try RunningProgram(
        "mosquitto_pub", words + ["-t", topic, "-m", IngressSite.report(second)])
      _ = try await client.lines.next { $0.contains("received PUBACK") }
      client.end()
    }
    #expect(try site.kept() == ["truck-0": [1, 2]])
    let listener = try RunningProgram("mosquitto_sub", words + ["-t", "#"])
    _ = try await listener.lines.next { $0.contains("Subscribed (mid: 1): 128") }
    listener.end()
    let second = try RunningProgram(
      "mosquitto_pub", words + ["-q", "2", "-t", Self.topic(0), "-m", "{}"])
    _ = try await second.lines.next { $0.contains("The connection was lost") }
    second.end()
  }

  @Test(
    "FLEET-38: HTTP answers 200 when the fix is kept, and else says what is wrong",
    .enabled(if: isInstalled("curl"), "curl is not installed"))
  func web() async throws {
    let site = try await IngressSite(devices: 1)
    let auth = ["-u", "dev-0:\(IngressSite.password("dev-0"))"]
    let place = "lat=46.5&lon=6.6&timestamp=178000000"
    let traccar =
      #"{"device_id":"truck-0","location":{"timestamp":"2026-05-28T20:26:45Z","coords":{"latitude":46.5,"longitude":6.6}}}"#
    let long = site.folder.file("long")
    try site.write(String(repeating: " ", count: 70_000) + IngressSite.report(9), to: "long")
    func json(_ text: String) -> [String] { ["-H", "Content-Type: application/json", "-d", text] }
    for (words, path, status) in [
      (auth, "/?id=truck-0&\(place)1", "200"), (auth + ["-X", "POST"], "/?\(place)2", "200"),
      ([], "/?user=gate&password=\(IngressSite.password("gate"))&id=truck-0&\(place)3", "200"),
      (auth + ["-H", "X-Limit-D: truck-0"] + json(IngressSite.report(4)), "/pub", "200"),
      (auth + json(traccar), "/", "200"), (auth + json(#"{"_type":"lwt"}"#), "/pub", "200"),
      (auth + json("{"), "/", "400"), (auth, "/?id=truck-0&lat=nan&lon=1&timestamp=1", "400"),
      ([], "/?\(place)1", "401"), (["-u", "dev-0:wrong"], "/?\(place)1", "401"),
      (auth, "/?id=truck-1&\(place)1", "403"), (auth + ["-X", "PUT"], "/?\(place)1", "405"),
      (auth + ["-H", "X-Limit-U: dev-1"] + json(IngressSite.report(4)), "/pub", "403"),
      (auth + ["--data-binary", "@\(long)"], "/", "413"),
    ] {
      #expect(try await site.ask(words, path: path) == status, "\(words) \(path)")
    }
    #expect(Set(try #require(site.kept()["truck-0"])) == [1, 2, 3, 4, 5])
    site.ingress?.signal(SIGTERM)
    _ = try await site.ingress?.lines.next { $0.contains("ended: 5 messages kept, 0 not") }
  }

  /// What comes back on a connection of HTTP, to the end of a head or of the connection.
  private static func answer(_ descriptor: Int32) -> String {
    var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let count = recv(descriptor, &chunk, 1, 0)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "FLEET-111: who sends a body is known before a byte of it is read",
    arguments: ["", "Expect: 100-continue\r\n"])
  func beforeBody(expect: String) async throws {
    let site = try await IngressSite(devices: 1)
    func ask(_ credentials: String?, length: Int) throws -> Int32 {
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = socket(AF_INET, kind, 0)
      var limit = timeval(tv_sec: 30, tv_usec: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      #expect(Loopback.connect(descriptor, port: site.web))
      let basic = credentials.map {
        "Authorization: Basic \(Data($0.utf8).base64EncodedString())\r\n"
      }
      let head =
        "POST / HTTP/1.1\r\nHost: ingress\r\n\(basic ?? "")Content-Length: \(length)\r\n\(expect)\r\n"
      #expect(Loopback.send(Array(head.utf8), descriptor))
      return descriptor
    }
    for credentials in [nil, "nobody:wrong", "dev-0:wrong"] {
      let descriptor = try ask(credentials, length: 10_000_000)
      defer { close(descriptor) }
      // Nothing of the body is sent, and it does not wait for it.
      #expect(Self.answer(descriptor).hasPrefix("HTTP/1.1 401 "), "\(credentials ?? "none")")
    }
    let body = Array(IngressSite.report(1).utf8)
    let descriptor = try ask("dev-0:\(IngressSite.password("dev-0"))", length: body.count)
    defer { close(descriptor) }
    if !expect.isEmpty { #expect(Self.answer(descriptor).hasPrefix("HTTP/1.1 100 ")) }
    #expect(Loopback.send(body, descriptor))
    #expect(Self.answer(descriptor).hasPrefix("HTTP/1.1 200 "))
    #expect(try site.kept()["truck-0"] == [1])
  }

  @Test(
    "FLEET-158: devices of a tenant without a key are refused, by MQTT and HTTP, until there is one",
    .enabled(if: isInstalled("curl"), "curl is not installed"))
  func withoutKey() async throws {
    let keys = try TemporaryFolder()
    let folder = keys.file("keys")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
    // An ingress looks only whether there is a file.
    try "".write(toFile: "\(folder)/acme", atomically: true, encoding: .utf8)
    let site = try await IngressSite(
      devices: 1, others: ["newco"], more: "tenant-keys = \(folder)\n")
    let check = try FinishedProgram(
      "locationfleet", ["ingress", "--check", "--config", site.folder.file("fleet.conf")])
    #expect(
      check.status == 0 && check.output.hasSuffix("no faults, 3 accounts\n"), "\(check.error)")
    #expect(check.error.contains("tenant newco has no key"), "\(check.error)")
    #expect(!check.error.contains("tenant acme"), "\(check.error)")
    #expect(throws: MQTTDevice.Gone.self) { try site.device("newco") }
    let ask = [
      "curl", "-s", "-w", "%{http_code}", "-u", "newco:\(IngressSite.password("newco"))",
      "http://127.0.0.1:\(site.web)/?lat=46.5&lon=6.6&timestamp=1780000000",
    ]
    let refused = try await runToEnd(ask).lines
    #expect(refused.last == "403" && refused.first?.contains("not let in yet") == true)
    var acme = try site.device(0)
    try acme.publish(IngressSite.report(1), to: Self.topic(0))
    try acme.waitForAcknowledgements(1)
    #expect(try site.kept() == ["truck-0": [1]])
    #expect(
      try await site.metrics().contains {
        $0.hasSuffix(#"fixes_total{tenant="newco",result="key"} 2"#)
      })
    let made = try FinishedProgram(
      "locationfleet", ["tenant-key", "newco", "--config", site.folder.file("fleet.conf")])
    #expect(made.status == 0, "\(made.error)")
    #expect(try await runToEnd(ask).lines.last == "[]200")
    try site.device("newco").close()
    acme.close()
  }

  @Test("FLEET-112: an ingress with another number of partitions than the fleet has takes nothing")
  func otherPartitions() async throws {
    let site = try await IngressSite(devices: 1)
    let text = try String(contentsOfFile: site.folder.file("fleet.conf"), encoding: .utf8)
    for (count, fault) in [(3, "and there is FIX_3"), (5, "and FIX_4 is not there")] {
      try site.write(
        text.replacing("partitions = 4", with: "partitions = \(count)"), to: "wrong.conf")
      let run = try FinishedProgram(
        "locationfleet", ["ingress", "--config", site.folder.file("wrong.conf")])
      #expect(run.status == 2, "\(run.output)")
      #expect(
        run.error.contains("`partitions` is \(count), \(fault): nothing is taken; next: set"))
    }
  }

  @Test("FLEET-34: a hash is another one each time, and costs little for a long password alone")
  func hashes() throws {
    func hash(_ password: String) throws -> String {
      try FinishedProgram("locationfleet", ["password"], input: password + "\n").output
    }
    let long = IngressSite.password("u")
    #expect(try hash(long).hasPrefix("$argon2id$v=19$m=8,"))
    #expect(try hash(long) != hash(long))
    #expect(try hash("secret").hasPrefix("$argon2id$v=19$m=65536,"))
    #expect(try FinishedProgram("locationfleet", ["password"], input: "\n").status == 2)
  }

  @Test("FLEET-34: SIGHUP reads the accounts again, and keeps those it has where there are faults")
  func reload() async throws {
    let site = try await IngressSite(devices: 1)
    let path = site.folder.file("accounts")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let other = text.replacing("\ndev-0 ", with: "\ndev-9 ")
    try site.write("nonsense\n", to: "accounts")
    chmod(path, 0o600)
    site.ingress?.signal(SIGHUP)
    _ = try await site.ingress?.lines.next { $0.contains("keeps the accounts it has") }
    try site.device(0).close()
    try site.write(other, to: "accounts")
    chmod(path, 0o600)
    site.ingress?.signal(SIGHUP)
    _ = try await site.ingress?.lines.next { $0.contains("read the accounts again") }
    #expect(throws: MQTTDevice.Gone.self) { try site.device(0) }
  }

  @Test(
    "FLEET-103: SIGHUP ends the connections whose account is gone or another one, and no others")
  func accountsEnd() async throws {
    let site = try await IngressSite(devices: 3)
    let path = site.folder.file("accounts")
    var devices = try (0..<3).map { try site.device($0) }
    defer { for device in devices { device.close() } }
    func publish(_ number: Int, _ second: Int) throws {
      try devices[number].publish(IngressSite.report(second), to: "in/acme/truck-\(number)")
      let count = devices[number].acknowledged + 1
      try devices[number].waitForAcknowledgements(count)
    }
    for number in 0..<3 { try publish(number, 1) }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n").map { String($0) }
      .filter { !$0.hasPrefix("dev-0 ") }
      .map { $0.hasPrefix("dev-1 ") ? $0.replacing(" - ", with: " vans ") : $0 }
    try site.write(lines.joined(separator: "\n") + "\n", to: "accounts")
    chmod(path, 0o600)
    site.ingress?.signal(SIGHUP)
    _ = try await site.ingress?.lines.next { $0.contains("read the accounts again; ended 2") }
    for number in 0..<2 {
      #expect(throws: MQTTDevice.Gone.self, "\(number)") { try publish(number, 2) }
    }
    try publish(2, 2)
    // It comes again as what it is now.
    try site.device(1).close()
    let kept = try site.kept().mapValues(Set.init)
    #expect(kept == ["truck-0": [1], "truck-1": [1], "truck-2": [1, 2]])
  }

  @Test("FLEET-35: an ingress without accounts, or with a fault in them, does not start")
  func check() throws {
    let folder = try TemporaryFolder()
    let (path, accounts) = (folder.file("fleet.conf"), folder.file("accounts"))
    func outcome(_ text: String) throws -> FinishedProgram {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return try FinishedProgram("locationfleet", ["ingress", "--check", "--config", path])
    }
    #expect(try outcome("mqtt-port = 1883\n").error.contains("no `accounts`"))
    let text = "mqtt-port = 1883\naccounts = \(accounts)\n"
    #expect(try outcome(text).status == 2)
    try "u acme d - plain\n".write(toFile: accounts, atomically: true, encoding: .utf8)
    #expect(try outcome(text).error.contains("\(accounts):1: "))
    try "u acme d - $argon2id$x\n".write(toFile: accounts, atomically: true, encoding: .utf8)
    #expect(try outcome(text).output.hasSuffix("no faults, 1 accounts\n"))
    chmod(accounts, 0o666)
    #expect(try outcome(text).error.contains("others than its owner can write it"))
    #expect(
      try outcome("mqtt-port = 0\nhttp-port = x\naccounts = a\nconnections = 0\n").status == 2)
  }
}
