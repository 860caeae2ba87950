import Foundation
import LocationFleet
import LocationModel
import LocationProviders
import Synchronization
import TestSupport
import Testing

/// A daemon that is a device of a fleet, its receiver, and an ingress with a real server.
private final class UplinkSite {
  let site: IngressSite
  let receiver: Server
  private(set) var daemon: RunningProgram?
  /// Where the daemon sends to.
  let port: Int
  private var second = 0

  /// With an authority the ingress speaks TLS, and the device comes by a certificate. `port` is that of
  /// something else in the ingress's place.
  init(
    accuracy: String = "full", password: String = IngressSite.password("dev-0"),
    authority: TestAuthority? = nil, at port: (IngressSite) throws -> Int = { $0.web }
  ) async throws {
    var more = ""
    if let authority {
      more = """
        ingress-certificate = \(authority.folder.file("server.pem"))
        ingress-certificate-key = \(authority.folder.file("server-key.pem"))
        device-authorities = \(authority.file)
        """
    }
    site = try await IngressSite(devices: 1, more: more)
    receiver = try Server()
    try site.write(password + "\n", to: "password")
    chmod(site.folder.file("password"), 0o600)
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var proof = "uplink-password-file = \(site.folder.file("password"))"
    if let authority {
      proof = """
        uplink-authority = \(authority.file)
        uplink-certificate = \(authority.folder.file("truck.pem"))
        uplink-key = \(authority.folder.file("truck-key.pem"))
        """
    }
    self.port = try port(site)
    try site.write(
      """
      uplink = \(authority == nil ? "http" : "https")://127.0.0.1:\(self.port)
      uplink-tenant = acme
      uplink-device = truck-0
      uplink-user = dev-0
      \(proof)
      uplink-accuracy = \(accuracy)
      uplink-interval = 0
      source = nmea+tcp://127.0.0.1:\(receiver.port)
      owner-program = \(own)

      """, to: "locationd.conf")
  }

  var app: String { "uplink:127.0.0.1:\(port)" }

  /// Waits until the receiver is read, unless nobody may.
  func startDaemon(reads: Bool = true) async throws {
    let program = try RunningProgram(
      BuiltProgram.path("locationd"),
      [
        "--config", site.folder.file("locationd.conf"), "--socket", site.folder.file("socket"),
        "--state", site.folder.file("state"),
      ])
    _ = try await program.lines.next { $0.contains("serving; its state is in") }
    daemon = program
    guard reads else { return }
    _ = try await receiver.arrivals.next(seconds: 30) { _ in true }
  }

  /// The receiver's next solution, whoever takes it.
  func pass() {
    second += 1
    receiver.write(Receiver.epoch(10 * second))
  }

  /// The receiver's next solutions, each when the uplink has taken the one before.
  func drive(_ count: Int) async throws {
    let program = try follow()
    defer { program.end() }
    var taken = try await program.lines.next { Self.taken($0) }
    for _ in 0..<count {
      let before = taken
      pass()
      taken = try await program.lines.next { line in
        Self.taken(line).flatMap { $0 > before ? $0 : nil }
      }
    }
  }

  /// The fixes that a line of the status has, wherever they are.
  private static func taken(_ line: String) -> Int? {
    uplink(line).map { found in
      ["sent", "queued", "dropped"].reduce(0) { $0 + (found[$1] as? Int ?? 0) }
    }
  }

  private func follow() throws -> RunningProgram {
    try RunningProgram(
      BuiltProgram.path("locationctl"), ["status", "--changes", "--json"],
      environment: ["LOCATIOND_SOCKET": site.folder.file("socket")])
  }

  func control(_ words: String...) async throws -> (lines: [String], status: String) {
    try await runToEnd(
      ["env", "LOCATIOND_SOCKET=\(site.folder.file("socket"))", BuiltProgram.path("locationctl")]
        + words)
  }

  /// What a line of the status says of the uplink.
  private static func uplink(_ line: String) -> [String: Any]? {
    let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return object?["uplink"] as? [String: Any]
  }

  /// Follows the status until it is as wanted.
  @discardableResult
  func settle(_ isWanted: @escaping @Sendable ([String: Any]) -> Bool) async throws -> [String: Any]
  {
    let program = try follow()
    defer { program.end() }
    let last = Mutex("nothing")
    do {
      let line = try await program.lines.next { line in
        last.withLock { $0 = line }
        return Self.uplink(line).map(isWanted) ?? false
      }
      return Self.uplink(line) ?? [:]
    } catch {
      Issue.record("\(last.withLock { $0 })")
      throw error
    }
  }

  /// The seconds of all fixes in the stream, in its order.
  func kept() throws -> [Int] {
    let noon = UnixTime(iso8601: "2026-08-04T12:00:00Z")?.seconds(since: UnixTime(seconds: 1.78e9))
    return try (site.kept()["truck-0"] ?? []).map { $0 - Int(noon ?? 0) }
  }

  /// The seconds that a worker would judge, in the order of the stream; what it would not, is a repetition.
  func judged() throws -> [Int] {
    var order = FixOrder()
    var judged: [Int] = []
    for second in try kept() {
      let fix = Fix(
        coordinate: Coordinate(latitude: 1, longitude: 1), horizontalAccuracy: 5,
        time: UnixTime(seconds: 1.78e9 + Double(second)))
      for output in order.take(fix, received: nil, limit: fix.time, window: 0) {
        switch output {
        case .fix: judged.append(second)
        case .rejected(let reason): #expect(reason == .duplicate || reason == .late)
        case .setBack: Issue.record("set back at \(second)")
        }
      }
    }
    return judged
  }

  /// The seconds until each timer of the daemon that goes on while the computer sleeps.
  var timers: [Int] {
    get throws {
      let folder = "/proc/\(try #require(daemon).pid)/fdinfo"
      return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
        let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
        guard text.contains("clockid: \(CLOCK_BOOTTIME)\n") else { return nil }
        let value = text.split(separator: "\n").first { $0.hasPrefix("it_value:") }
        return value?.split { !$0.isNumber }.first.flatMap { Int($0) }
      }
    }
  }
}

@Suite(
  "The uplink of a real daemon", .serialized,
  .enabled(
    if: NATSServer.isInstalled && isInstalled("curl"), "nats-server or curl is not installed"))
struct UplinkServerTests {
  @Test(
    "UPLINK-6, UPLINK-9: every fix is in the stream once and in order, across kill -9 of the daemon and of the ingress"
  )
  func kills() async throws {
    let uplink = try await UplinkSite()
    try await uplink.startDaemon()
    try await uplink.drive(3)
    try await uplink.settle { $0["sent"] as? Int == 3 }
    uplink.site.ingress?.end(with: SIGKILL)
    try await uplink.drive(3)
    let waiting = try await uplink.settle { $0["queued"] as? Int == 3 }
    #expect(waiting["state"] as? String == "waiting")
    let doctor = try await uplink.control("doctor").lines.joined(separator: "\n")
    #expect(doctor.contains("3 wait") && doctor.contains("IPAddressAllow"), "\(doctor)")
    uplink.daemon?.end(with: SIGKILL)
    try await uplink.startDaemon()
    try await uplink.drive(2)
    try await uplink.site.startIngress()
    try await uplink.drive(2)
    let end = try await uplink.settle { $0["queued"] as? Int == 0 }
    #expect(end["state"] as? String == "good" && end["dropped"] as? Int == 0)
    #expect(try uplink.kept() == Array(1...10))
  }

  /// Where the daemon, or the ingress, is killed: when something is seen, and before it goes on.
  enum KillPoint: Sendable, CaseIterable {
    /// The ingress has not got the request; it has kept it, and its answer has not come.
    case requested, answered
    /// The server has kept it, and the ingress does not know.
    case appended
  }

  @Test(
    "UPLINK-9: kill -9 between a fix, what is kept, and the answer loses nothing; what is there twice, a worker removes",
    arguments: KillPoint.allCases)
  func killsBetween(_ moment: KillPoint) async throws {
    let (relays, uplink) = try await relayed()
    try await uplink.startDaemon()
    try await uplink.drive(2)
    try await uplink.settle { $0["sent"] as? Int == 2 }
    let relay = moment == .appended ? relays.broker : relays.ingress
    let killed = try #require(moment == .appended ? uplink.site.ingress : uplink.daemon)
    relay.hold { way, bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      let isSeen =
        switch moment {
        case .requested: way == .there && text.contains("POST ")
        case .answered: way == .back && text.contains("HTTP/1.1 200")
        case .appended: way == .back && text.contains(#""stream":"#) && text.contains(#""seq":"#)
        }
      // Before anything else can come on that way.
      if isSeen { killed.signal(SIGKILL) }
      return isSeen
    }
    uplink.pass()
    _ = try await relay.held.next()
    relay.hold(nil)
    killed.end()
    #expect(try uplink.kept() == (moment == .requested ? [1, 2] : [1, 2, 3]))
    if moment == .appended {
      let found = try await uplink.settle { $0["state"] as? String == "waiting" }
      #expect(found["queued"] as? Int == 1 && found["sent"] as? Int == 2)
      try await uplink.site.startIngress()
    } else {
      try await uplink.startDaemon()
    }
    try await uplink.drive(1)
    try await uplink.settle { $0["queued"] as? Int == 0 }
    #expect(try uplink.judged() == [1, 2, 3, 4])
  }

  /// With a relay before the ingress, and one between that and its server.
  private func relayed() async throws -> (
    relays: (ingress: Relay, broker: Relay), uplink: UplinkSite
  ) {
    var ingress: Relay?
    let uplink = try await UplinkSite {
      let relay = try Relay(to: $0.web)
      ingress = relay
      return relay.port
    }
    let broker = try Relay(to: uplink.site.natsPort)
    uplink.site.ingress?.end()
    try await uplink.site.startIngress(through: broker.port)
    return ((try #require(ingress), broker), uplink)
  }

  @Test("UPLINK-7: a retry is due by a clock that goes on while the computer sleeps")
  func sleeps() async throws {
    let ingress = try Server()
    let uplink = try await UplinkSite { _ in ingress.port }
    try await uplink.startDaemon()
    try await uplink.drive(1)
    _ = try await ingress.arrivals.next()
    let answer = "HTTP/1.1 503 Not now\r\nRetry-After: 3000\r\nContent-Length: 0\r\n\r\n"
    ingress.write(Array(answer.utf8))
    try await uplink.settle { $0["state"] as? String == "waiting" }
    let timers = try uplink.timers
    #expect(timers.contains { (2900...3000).contains($0) }, "\(timers)")
  }

  @Test(
    "UPLINK-2, UPLINK-4, UPLINK-11: it is an app that the owner lists, sees in the access log, and stops; then nothing of it is left"
  )
  func owner() async throws {
    let uplink = try await UplinkSite()
    try await uplink.startDaemon()
    try await uplink.drive(2)
    try await uplink.settle { $0["sent"] as? Int == 2 }
    let apps = try await uplink.control("apps").lines.joined(separator: "\n")
    #expect(apps.contains(uplink.app), "\(apps)")
    let access = try await uplink.control("data", "access").lines.joined(separator: "\n")
    #expect(access.contains(uplink.app), "\(access)")
    uplink.site.ingress?.end(with: SIGKILL)
    try await uplink.drive(2)
    try await uplink.settle { $0["queued"] as? Int == 2 }
    let list = try await uplink.control("data", "list").lines.joined(separator: "\n")
    #expect(list.contains("uplink"), "\(list)")
    #expect(try await uplink.control("authorize", uplink.app, "never").status == "0")
    let stopped = try await uplink.settle { $0["queued"] as? Int == 0 }
    #expect(stopped["state"] as? String == "forbidden")
    uplink.pass()
    try await uplink.site.startIngress()
    let doctor = try await uplink.control("doctor").lines.joined(separator: "\n")
    #expect(doctor.contains("locationctl authorize \(uplink.app) always"), "\(doctor)")
    // The owner's word counts for another run, too.
    uplink.daemon?.end(with: SIGTERM)
    try await uplink.startDaemon(reads: false)
    let again = try await uplink.settle { $0["state"] != nil }
    #expect(again["state"] as? String == "forbidden" && again["queued"] as? Int == 0)
    #expect(try uplink.kept() == [1, 2])
  }

  @Test("UPLINK-4: location services that are switched off stop it, and switched on let it go on")
  func services() async throws {
    let uplink = try await UplinkSite()
    try await uplink.startDaemon()
    try await uplink.drive(1)
    try await uplink.settle { $0["sent"] as? Int == 1 }
    _ = try await uplink.control("services", "off")
    try await uplink.settle { $0["state"] as? String == "forbidden" }
    uplink.pass()
    _ = try await uplink.control("services", "on")
    try await uplink.settle { $0["state"] as? String == "good" }
    _ = try await uplink.receiver.arrivals.next(seconds: 30) { _ in true }
    try await uplink.drive(2)
    try await uplink.settle { $0["queued"] as? Int == 0 && $0["sent"] as? Int ?? 0 >= 2 }
    #expect(try !uplink.kept().contains(2))
    #expect(try uplink.kept().last == 4)
  }

  @Test(
    "UPLINK-12: over TLS it is known by its certificate, and a server of another authority gets nothing",
    .enabled(if: TestAuthority.isPossible, "openssl is not installed"))
  func certificates() async throws {
    let folder = try TemporaryFolder()
    let owners = try TestAuthority("owners", in: folder)
    try owners.sign("server", "/CN=ingress", usage: "serverAuth")
    try owners.sign("truck", "/O=acme/CN=truck-0")
    let uplink = try await UplinkSite(authority: owners)
    try await uplink.startDaemon()
    try await uplink.drive(2)
    try await uplink.settle { $0["sent"] as? Int == 2 }
    #expect(try uplink.kept() == [1, 2])
    uplink.daemon?.end(with: SIGTERM)
    // Another authority has the same name from now on.
    let other = try TestAuthority("others", in: folder)
    try FileManager.default.removeItem(atPath: owners.file)
    try FileManager.default.copyItem(atPath: other.file, toPath: owners.file)
    try await uplink.startDaemon()
    try await uplink.drive(1)
    let found = try await uplink.settle { $0["state"] as? String == "waiting" }
    #expect(found["queued"] as? Int == 1)
    #expect((found["reason"] as? String)?.contains("is not accepted") == true, "\(found)")
    #expect(try uplink.kept() == [1, 2])
  }

  @Test("UPLINK-2: what is reduced is coarse on its way")
  func reduced() async throws {
    let uplink = try await UplinkSite(accuracy: "reduced")
    try await uplink.startDaemon()
    try await uplink.drive(1)
    try await uplink.settle { $0["sent"] as? Int ?? 0 >= 1 }
    for line in try uplink.site.lines() {
      let text = String(decoding: line, as: UTF8.self)
      let fix = try #require(try FleetLine(line)?.fix)
      // It may lie anywhere around, also at one of the two by chance; where it is, three digits say.
      for degrees in [fix.coordinate.latitude, fix.coordinate.longitude] {
        #expect((degrees * 1000 - (degrees * 1000).rounded()).magnitude < 1e-6, "\(text)")
      }
      #expect(!text.contains("48.1173") && !text.contains("11.5166"), "\(text)")
      #expect(fix.horizontalAccuracy > 1000)
    }
  }

  @Test("UPLINK-12: a file that others can read is read again once that is corrected")
  func corrected() async throws {
    let uplink = try await UplinkSite()
    let file = uplink.site.folder.file("password")
    chmod(file, 0o644)
    try await uplink.startDaemon()
    try await uplink.drive(1)
    let found = try await uplink.settle { $0["state"] as? String == "faulty" }
    #expect((found["reason"] as? String)?.contains("chmod 600") == true, "\(found)")
    chmod(file, 0o600)
    try await uplink.settle { $0["sent"] as? Int == 1 && $0["state"] as? String == "good" }
    #expect(try uplink.kept() == [1])
  }

  @Test("UPLINK-8: a wrong password is said in the log and by the doctor, and nothing is lost")
  func wrongPassword() async throws {
    let uplink = try await UplinkSite(password: "not this one at all, whatever")
    try await uplink.startDaemon()
    try await uplink.drive(2)
    let found = try await uplink.settle { $0["state"] as? String == "refused" }
    #expect(found["queued"] as? Int == 2 && found["dropped"] as? Int == 0)
    let doctor = try await uplink.control("doctor")
    let text = doctor.lines.joined(separator: "\n")
    #expect(doctor.status == "1" && text.contains("uplink-password-file"), "\(text)")
    #expect(!text.contains("not this one"))
  }
}
