import Foundation
import LocationFleet
import LocationModel
import LocationProviders
import TestSupport
import Testing

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

  @Test("UPLINK-3: where nothing can be stored, fixes are sent all the same, and not again later")
  func unstored() async throws {
    let uplink = try await UplinkSite()
    try await uplink.startDaemon()
    try await uplink.drive(1)
    try await uplink.settle { $0["sent"] as? Int == 1 }
    let state = uplink.site.folder.file("state") + "/state.sqlite"
    let locker = try RunningProgram(BuiltProgram.path("HostProgram"), ["lock", state])
    _ = try await locker.lines.next { $0 == "locked" }
    try await uplink.drive(3)
    try await uplink.settle { $0["sent"] as? Int == 4 }
    locker.end()
    // It stores what it has before it ends.
    uplink.daemon?.end(with: SIGTERM)
    try await uplink.startDaemon()
    let found = try await uplink.settle { $0["queued"] != nil }
    #expect(found["queued"] as? Int == 0 && found["dropped"] as? Int == 0)
    #expect(try uplink.kept() == Array(1...4))
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
