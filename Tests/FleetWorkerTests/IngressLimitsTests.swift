import Foundation
import LocationFleet
import TestSupport
import Testing

@Suite(
  "The limits of a fleet's ingress on a real server", .serialized,
  .enabled(
    if: NATSServer.isInstalled && isInstalled("curl"), "nats-server or curl is not installed"))
struct IngressLimitsTests {
  private static func topic(_ device: Int) -> String { "in/acme/truck-\(device)" }

  @Test(
    "FLEET-75: a tenant that sends more than its share is slowed and loses nothing, and another one's fixes are acknowledged meanwhile"
  )
  func greedy() async throws {
    let site = try await IngressSite(
      devices: 4, others: ["calm"],
      more: """
        device-rate = 0
        tenant = acme rate=500 burst=100
        """)
    var greedy = try (0..<4).map { try site.device($0) }
    var calm = try site.device("calm")
    defer { for device in greedy + [calm] { device.close() } }
    let begin = ContinuousClock.now
    for index in greedy.indices {
      for second in 0..<250 {
        try greedy[index].publish(IngressSite.report(second), to: Self.topic(index))
      }
    }
    for second in 0..<50 {
      try calm.publish(IngressSite.report(second), to: "in/calm/calm")
      try calm.waitForAcknowledgements(second + 1)
    }
    let metrics = try await site.metrics()
    let kept = metrics.first { $0.hasPrefix("meridian_fleet_ingress_messages_kept_total ") }
    #expect(Int(kept?.split(separator: " ").last ?? "") ?? 1050 < 1050, "\(kept ?? "")")
    let slowed = metrics.filter { $0.hasPrefix("meridian_fleet_ingress_limited_total{") }
    #expect(slowed.count == 1)
    #expect(slowed.first?.contains(#"{tenant="acme",limit="tenant",action="slowed"}"#) == true)
    for index in greedy.indices { try greedy[index].waitForAcknowledgements(250) }
    // 1,000 fixes, 100 of them at once.
    #expect(ContinuousClock.now - begin >= .seconds(1.75))
    let all = try site.kept()
    for index in 0..<4 { #expect(all["truck-\(index)"].map(Set.init) == Set(0..<250)) }
    #expect(all["calm"]?.count == 50)
  }

  @Test("FLEET-75: who would have to wait too long is refused: 429 with the time, or no PUBACK")
  func refused() async throws {
    let site = try await IngressSite(
      devices: 2, more: "device-rate = 0.01\ndevice-burst = 1\ntenant-rate = 0\n")
    let auth = ["-u", "dev-0:\(IngressSite.password("dev-0"))", "-s", "-D", "-"]
    func ask(_ second: Int) async throws -> [String] {
      let query = "?lat=46.5&lon=6.6&timestamp=\(1_780_000_000 + second)"
      return try await runToEnd(["curl"] + auth + ["http://127.0.0.1:\(site.web)/\(query)"]).lines
    }
    for second in 0..<2 { #expect(try await ask(second)[0].contains(" 200 ")) }
    let answer = try await ask(2)
    #expect(answer[0].contains(" 429 "))
    let after = answer.first { $0.hasPrefix("Retry-After: ") }?.dropFirst(13)
      .filter(\.isNumber)
    #expect((90...101).contains(Int(after ?? "") ?? 0), "\(answer)")
    #expect(answer.contains { $0.contains("more fixes than this device may send") })
    // What the tenant reads of itself; a device is not for all of it.
    let address = "http://127.0.0.1:\(site.web)/figures"
    let gate = "gate:\(IngressSite.password("gate"))"
    let own = try await runToEnd(["curl", "-s", "-u", gate, address]).lines
    #expect(
      own.contains(
        #"meridian_fleet_ingress_limited_total{tenant="acme",limit="device",action="refused"} 1"#))
    let results = own.filter { $0.hasPrefix("meridian_fleet_ingress_fixes_total") }
    #expect(results.count == 2 && results[0].hasSuffix(#"result="accepted"} 2"#))
    #expect(results.last?.hasSuffix(#"result="rate"} 1"#) == true)
    let denied = try await runToEnd(["curl"] + auth + [address]).lines
    #expect(denied[0].contains(" 403 "))
    var device = try site.device(1)
    for second in 0..<3 { try device.publish(IngressSite.report(second), to: Self.topic(1)) }
    try device.waitForAcknowledgements(2)
    let isClosed = device.isClosed()
    #expect(isClosed)
    device.close()
    #expect(try site.kept().mapValues(\.count) == ["truck-0": 2, "truck-1": 2])
    let metrics = try await site.metrics()
    #expect(
      metrics.contains(
        #"meridian_fleet_ingress_limited_total{tenant="acme",limit="device",action="refused"} 2"#))
    #expect(metrics.contains(#"meridian_fleet_ingress_closed_total{reason="rate"} 1"#))
  }

  @Test(
    "FLEET-75: what waits is not lost where its device goes, or the ingress ends",
    arguments: [false, true])
  func held(goes: Bool) async throws {
    let site = try await IngressSite(
      devices: 1, more: "device-rate = 0.05\ndevice-burst = 1\ntenant-rate = 0\n")
    var device = try site.device(0)
    if goes {
      try device.publish(IngressSite.report(0), to: Self.topic(0))
      try device.waitForAcknowledgements(1)
      // It awaits no word of the second one, which would have to wait.
      try device.publishAndGo(IngressSite.report(1), to: Self.topic(0))
      let isClosed = device.isClosed()
      #expect(isClosed)
    } else {
      try device.publish((0..<2).map(IngressSite.report), to: Self.topic(0))
      try device.waitForAcknowledgements(1)
    }
    site.ingress?.signal(SIGTERM)
    if !goes { try device.waitForAcknowledgements(2) }
    device.close()
    _ = try await site.ingress?.lines.next { $0.contains("ended: 2 messages kept, 0 not") }
    #expect(try site.kept()["truck-0"] == [0, 1])
  }

  @Test("FLEET-74: a tenant has its connections, and a message its size; others have theirs")
  func connections() async throws {
    let site = try await IngressSite(
      devices: 2, others: ["calm"], more: "message-bytes = 1024\ntenant = acme connections=2\n")
    let first = try site.device(0)
    var second = try site.device(1)
    #expect(throws: MQTTDevice.Gone.self) { try site.device(0) }
    try site.device("calm").close()
    try second.publish(String(repeating: " ", count: 3000), to: Self.topic(1))
    let isClosed = second.isClosed()
    #expect(isClosed)
    second.close()
    // Its place is free again.
    try site.device(1).close()
    first.close()
    try site.write(String(repeating: " ", count: 1025), to: "long")
    let auth = ["-u", "dev-0:\(IngressSite.password("dev-0"))"]
    #expect(
      try await site.ask(auth + ["--data-binary", "@\(site.folder.file("long"))"], path: "/")
        == "413")
    let metrics = try await site.metrics()
    for limit in ["connections", "size"] {
      let label = "{tenant=\"acme\",limit=\"\(limit)\",action=\"refused\"} 1"
      #expect(metrics.contains("meridian_fleet_ingress_limited_total\(label)"), "\(limit)")
    }
  }

  @Test("FLEET-72: those who try passwords by HTTP keep nobody out who comes by MQTT")
  func passwords() async throws {
    let site = try await IngressSite(devices: 1)
    // The hash of a short password costs much.
    let hash = try FinishedProgram("locationfleet", ["password"], input: "secret\n").output
    let path = site.folder.file("accounts")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try site.write(text + "\nshort acme truck-9 - \(hash)", to: "accounts")
    chmod(path, 0o600)
    site.ingress?.signal(SIGHUP)
    _ = try await site.ingress?.lines.next { $0.contains("read the accounts again") }
    let request = "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic c2hvcnQ6bm8=\r\n\r\n"
    let callers = try (0..<600).map { _ in try Caller(port: site.web, request) }
    defer { for caller in callers { caller.close() } }
    // What is asked after them all is answered before them: they are in the line.
    let last = try Caller(port: site.web, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
    #expect(last.isAnswered(wait: true))
    last.close()
    try site.device(0).close()
    let answered = callers.count { $0.isAnswered(wait: false) }
    #expect(answered < 100, "\(answered) of 600 passwords were looked at before")
  }

  @Test("FLEET-23: faults in the settings of tenants are reported with their lines")
  func settings() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.conf")
    try """
    tenant = acme rate=fast
    tenant = acme_2 rate=1
    tenant = acme color=red
    tenant = acme rate
    tenant = twice rate=1
    tenant = twice rate=2
    tenant = acme keep-events-days=0
    device-rate = -1
    tenant-connections = 0
    message-bytes = 100
    tenant = - rate=1 burst=2 device-rate=3 device-burst=4 connections=5 keep-events-days=6
    """.write(toFile: path, atomically: true, encoding: .utf8)
    let run = try FinishedProgram("locationfleet", ["--check", "--config", path])
    #expect(run.status == 2)
    for (line, words) in [
      (1, "`rate` must be"), (2, "must begin with a name"), (3, "unknown key `color`"),
      (4, "expected KEY=VALUE"), (6, "there already"), (7, "`keep-events-days`"),
      (8, "`device-rate`"), (9, "`tenant-connections`"), (10, "`message-bytes`"),
    ] {
      let line = run.error.split(separator: "\n").first { $0.contains("\(path):\(line): ") }
      #expect(line?.contains(words) == true, "\(words)")
    }
    #expect(!run.error.contains("\(path):5: ") && !run.error.contains("\(path):11: "))
  }

  /// How often the first thread of a process has gone to sleep.
  private static func sleeps(_ process: Int32) throws -> Int {
    let path = "/proc/\(process)/task/\(process)/status"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
    return Int(line?.split(separator: "\t").last ?? "") ?? -1
  }

  @Test(
    "FLEET-76: an ingress to which nothing comes does not wake up, also while devices are there"
  )
  func idle() async throws {
    let site = try await IngressSite(devices: 1)
    var device = try site.device(0)
    defer { device.close() }
    try device.publish(IngressSite.report(1), to: Self.topic(0))
    try device.waitForAcknowledgements(1)
    _ = try await site.metrics()
    let process = try #require(site.ingress?.pid)
    // Work of other programs, which takes its time: four hashes of a chosen password.
    func work() throws {
      for _ in 0..<4 { _ = try FinishedProgram("locationfleet", ["password"], input: "secret\n") }
    }
    try work()
    let begin = ContinuousClock.now
    let before = try Self.sleeps(process)
    try work()
    let (after, time) = (try Self.sleeps(process), ContinuousClock.now - begin)
    #expect(before > 0 && after == before, "\(after - before) in \(time)")
    #expect(time > .milliseconds(100))
    // It hears what comes all the same.
    try device.publish(IngressSite.report(2), to: Self.topic(0))
    try device.waitForAcknowledgements(2)
    site.ingress?.signal(SIGTERM)
    _ = try await site.ingress?.lines.next { $0.contains("ended: 2 messages kept") }
  }
}

/// A client of HTTP that has sent something.
private struct Caller {
  private let descriptor: Int32

  init(port: Int, _ text: String) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard Loopback.connect(descriptor, port: port) else { throw MQTTDevice.Gone() }
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func isAnswered(wait: Bool) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, wait ? 30_000 : 0) > 0
  }

  func close() { Glibc.close(descriptor) }
}
