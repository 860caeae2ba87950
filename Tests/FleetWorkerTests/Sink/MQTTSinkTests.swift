import Foundation
import TestSupport
import Testing

/// Mosquitto as a broker of a test's own: on the loopback, with its store in a temporary folder.
final class Mosquitto {
  let port: Int
  let folder: TemporaryFolder
  private var program: RunningProgram?

  static var isInstalled: Bool {
    TestSupport.isInstalled("mosquitto") && TestSupport.isInstalled("mosquitto_sub")
      && TestSupport.isInstalled("mosquitto_passwd")
  }

  /// Starts one with further lines of configuration.
  init(in folder: TemporaryFolder, _ more: [String] = ["allow_anonymous true"]) async throws {
    self.folder = folder
    port = try Loopback.freePort()
    let lines =
      [
        "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(folder.path)/",
        "log_dest stderr", "max_queued_messages 0",
      ] + (getuid() == 0 ? ["user root"] : []) + more
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: folder.file("mosquitto.conf"), atomically: true, encoding: .utf8)
    try await start()
  }

  func start() async throws {
    let program = try RunningProgram(
      "mosquitto", ["-c", folder.file("mosquitto.conf")],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    _ = try await program.lines.next { $0.hasSuffix("running") }
    self.program = program
  }

  /// Ends it; it keeps what its subscribers have not taken.
  func stop() { program?.terminate() }

  /// Somebody who subscribes, and is known to the broker when it is away.
  func subscribe(_ more: [String] = []) async throws -> RunningProgram {
    let program = try RunningProgram(
      // What it says of itself is not flushed.
      "stdbuf",
      [
        "-oL", "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(port)", "-t", "fleet/#", "-q",
        "1", "-i", "friend",
        "-c",
        "-d", "-F", "%t %p",
      ] + more)
    _ = try await program.lines.next { $0.hasPrefix("Subscribed") }
    return program
  }

  /// Takes transitions until so many different ones are there.
  static func receive(
    _ count: Int, _ seen: inout [String: [String]], by friend: RunningProgram
  ) async throws {
    while seen.values.reduce(0, { $0 + $1.count }) < count {
      let (topic, payload) = try await friend.lines.next { line -> (String, String)? in
        guard line.hasPrefix("fleet/"), let blank = line.firstIndex(of: " ") else { return nil }
        return (String(line[..<blank]), String(line[line.index(after: blank)...]))
      }
      let object = try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
      #expect(object?["_type"] as? String == "transition" && object?["desc"] as? String == "depot")
      #expect(object?["lat"] as? Double == 46.5 && object?["acc"] as? Double == 8)
      let id = try #require(object?["_id"] as? String)
      guard seen[topic]?.contains(id) != true else { continue }
      seen[topic, default: []].append(id)
    }
  }
}

@Suite(
  "A fleet's sink and a real broker of MQTT", .serialized,
  .enabled(
    if: NATSServer.isInstalled && Mosquitto.isInstalled && isInstalled("openssl"),
    "nats-server, mosquitto, mosquitto-clients, or openssl is not installed"))
struct MQTTSinkTests {
  private func expectAll(
    _ seen: [String: [String]], _ site: SinkSite, _ numbers: Range<Int>, _ devices: Int
  ) {
    #expect(seen.count == devices)
    for device in 0..<devices {
      let topic = "fleet/acme/truck-\(device)/event"
      #expect(seen[topic] == site.identifiers(numbers, of: device), "\(topic)")
    }
  }

  @Test(
    "FLEET-47: entries and exits reach a subscriber as transitions, in the order of their device, also when sink and broker end again and again"
  )
  func reaches() async throws {
    let mosquitto = try await Mosquitto(in: try TemporaryFolder())
    let site = try await SinkSite("mqtt-out = mqtt://127.0.0.1:\(mosquitto.port)")
    let friend = try await mosquitto.subscribe()
    try site.add(0..<3, devices: 2, kind: "arrived")
    var seen: [String: [String]] = [:]
    var count = 0
    for life in 0..<4 {
      let numbers = (life * 30)..<(life * 30 + 30)
      if life.isMultiple(of: 2) { count += try site.add(numbers, devices: 4) }
      let sink = try await site.start("mqtt")
      if life.isMultiple(of: 2) {
        try await Mosquitto.receive(count - 60, &seen, by: friend)
        sink.end(with: SIGKILL)
      } else {
        mosquitto.stop()
        // Whatever was handed on before, these are not.
        count += try site.add(numbers, devices: 4)
        _ = try await sink.lines.next { $0.contains("waits: ") }
        try await mosquitto.start()
        try await Mosquitto.receive(count, &seen, by: friend)
        sink.terminate()
      }
    }
    expectAll(seen, site, 0..<120, 4)
    #expect(try site.refused().isEmpty)
  }

  @Test(
    "FLEET-47: over TLS, with user and password; a broker whose certificate is another's gets nothing"
  )
  func encrypted() async throws {
    let folder = try TemporaryFolder()
    for name in ["authorities", "strangers"] { try TestCertificates.makeAuthority(folder, name) }
    try TestCertificates.make(folder, "server", by: "authorities", for: "DNS:localhost")
    for name in ["good", "bad"] {
      try "secret-\(name)\n".write(toFile: folder.file(name), atomically: true, encoding: .utf8)
      chmod(folder.file(name), 0o600)
    }
    let made = try RunningProgram(
      "mosquitto_passwd", ["-c", "-b", folder.file("users"), "fleet", "secret-good"])
    while (try? await made.lines.next()) != nil {}
    chmod(folder.file("users"), 0o600)
    let mosquitto = try await Mosquitto(
      in: folder,
      [
        "allow_anonymous false", "password_file \(folder.file("users"))",
        "certfile \(folder.file("server.pem"))", "keyfile \(folder.file("server-key.pem"))",
      ])
    func settings(_ host: String, _ authorities: String, _ password: String) -> String {
      """
      mqtt-out = mqtts://\(host):\(mosquitto.port)
      mqtt-out-authorities = \(folder.file(authorities)).pem
      mqtt-out-user = fleet
      mqtt-out-password = \(folder.file(password))
      """
    }
    for (wrong, reason) in [
      (settings("localhost", "strangers", "good"), "certificate"),
      (settings("127.0.0.1", "authorities", "good"), "certificate"),
      (settings("localhost", "authorities", "bad"), "does not "),
    ] {
      let site = try await SinkSite(wrong)
      try site.add(0..<1, devices: 1)
      let sink = try await site.start("mqtt")
      let said = try await sink.lines.next { $0.contains("waits: ") }
      #expect(said.contains(reason), "\(said)")
      sink.terminate()
    }
    let site = try await SinkSite(settings("localhost", "authorities", "good"))
    let friend = try await mosquitto.subscribe(
      [
        "-h", "localhost", "--cafile", folder.file("authorities.pem"), "-u", "fleet", "-P",
        "secret-good",
      ])
    try site.add(0..<5, devices: 2)
    let sink = try await site.start("mqtt")
    var seen: [String: [String]] = [:]
    try await Mosquitto.receive(10, &seen, by: friend)
    expectAll(seen, site, 0..<5, 2)
    sink.terminate()
  }
}
