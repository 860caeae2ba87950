import Foundation
import LocationHost
import LocationModel
import LocationProviders
import LocationWeb
import TestSupport
import Testing

@Suite("A location service on the network", .enabled(if: Service.isThere), .serialized)
struct IchnaeaTests {
  @Test("RADIO-42, RADIO-43: places what a radio receives, and gets no name of a network")
  func place() async throws {
    let service = try await Service()
    let client = try HostClient(service.radio, service.url(key: "k1&contact=owner@example.org"))
    let fix = try await client.fix()
    #expect(fix.coordinate == Coordinate(latitude: 48.137, longitude: 11.575))
    #expect(fix.horizontalAccuracy == 30 && fix.origin.method == .service)
    let asked = try await service.line()
    #expect(asked.hasPrefix("asked {\"considerIp\":false"))
    #expect(asked.contains("00:11:22:33:46:00") && !asked.contains("home"))
    #expect(asked.hasSuffix("Meridian/\(Release.version) (+owner@example.org)"))
  }

  @Test("RADIO-46: each failure of a service has its answer, and none is a place")
  func failures() async throws {
    let service = try await Service()
    let answers: [(key: String, status: Int)] = [
      ("unknown", 404), ("invalid", 400), ("limit", 403), ("busy", 503),
    ]
    for (key, status) in answers {
      guard case .response(status, _, let pause) = service.answer(key) else {
        Issue.record("\(key): \(service.answer(key))")
        continue
      }
      #expect(pause == (key == "busy" ? .seconds(120) : nil))
    }
    #expect(service.answer("large") == .unreachable("the server's answer is too long"))
    for key in ["silent", "torn"] {
      guard case .unreachable = service.answer(key, timeout: .milliseconds(300)) else {
        Issue.record("\(key) was answered")
        continue
      }
    }
    let gone = service.answer("k1", at: "http://127.0.0.1:1/v1/geolocate")
    guard case .unreachable = gone else {
      Issue.record("\(gone)")
      return
    }
  }

  @Test("RADIO-47: a redirect is followed to the same server, and to no other")
  func redirects() async throws {
    let service = try await Service()
    guard case .response(200, _, _) = service.answer("itself") else {
      Issue.record("not followed: \(service.answer("itself"))")
      return
    }
    guard case .refused(let reason) = service.answer("elsewhere") else {
      Issue.record("\(service.answer("elsewhere"))")
      return
    }
    #expect(reason.contains("another server") && !reason.contains("key"))
  }

  @Test("RADIO-42: no packet is sent while no server is named", .enabled(if: Service.hasNetworks))
  func silence() throws {
    let packets = try Service.packets(sentBy: [
      "wifi:", "modem:", "zone:", "geoip:/none.mmdb", "iio:",
    ])
    #expect(packets == 0)
    #expect(try Service.packets(sentBy: ["nmea+tcp://127.0.0.1:1"]) ?? 0 > 0, "nothing is counted")
  }
}

/// The service in Python, and a radio beside it.
private final class Service: Sendable {
  private let program: RunningProgram
  private let port: Int
  private let radioPort: Int

  static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
  /// Networks of their own are made by root.
  static let hasNetworks =
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare")

  init() async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "service.py")
    program = try RunningProgram("/usr/bin/python3", [script.path])
    let ports = try await program.lines.next { $0 }.split(separator: " ").compactMap { Int($0) }
    (port, radioPort) = (try #require(ports.first), try #require(ports.last))
  }

  var radio: String { "scans+tcp://127.0.0.1:\(radioPort)" }

  func url(key: String) -> String { "ichnaea:http://127.0.0.1:\(port)?key=\(key)" }

  /// The next request as the service saw it.
  func line() async throws -> String { try await program.lines.next { $0 } }

  func answer(
    _ key: String, timeout: Duration = .seconds(5), at url: String? = nil
  ) -> WebAnswer {
    let server = url ?? "http://127.0.0.1:\(port)/v1/geolocate"
    let body = """
      {"wifiAccessPoints":[{"macAddress":"00:11:22:33:44:00"},{"macAddress":"00:11:22:33:44:01"}]}
      """
    return WebTransport.answer(
      to: WebRequest(
        server + "?key=\(key)", of: WebServer(server), body: Array(body.utf8), userAgent: "test",
        timeout: timeout))
  }

  /// How many packets leave a network of its own while `locationctl` asks these sources for a place.
  static func packets(sentBy sources: [String]) throws -> Int? {
    let script = """
      import fcntl, socket, struct, subprocess, sys
      s = socket.socket()
      fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x41))
      subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
      rows = [line.split(":")[1].split() for line in open("/proc/net/dev") if ":" in line]
      print(sum(int(row[9]) for row in rows))
      """
    let program = BuiltProgram.path("locationctl")
    let words =
      ["--net", "/usr/bin/python3", "-c", script, program, "once", "--timeout", "2"]
      + sources.flatMap { ["--source", $0] }
    return Int(try FinishedProgram("/usr/bin/unshare", words).output.filter(\.isNumber))
  }
}
