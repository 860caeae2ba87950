import Foundation
import LocationFleet
import LocationModel
import Synchronization
import TestSupport
import Testing

/// A daemon that is a device of a fleet, its receiver, and an ingress with a real server.
final class UplinkSite {
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
