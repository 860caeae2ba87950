import Foundation
import TestSupport
import LocationService
import LocationHost
import LocationModel
import LocationProviders
import Testing

/// Programs that listen where gpsd would.
@Suite("A gpsd that nobody has named", .serialized, .enabled(if: isRoot, "only root can be others"))
struct GpsdTrustTests {
  /// A program of another user that says what gpsd would, with a place.
  private func squatter(
    _ host: String, _ port: Int, user: Int = 65_534
  ) async throws -> RunningProgram {
    let program = try RunningProgram(
      "setpriv",
      [
        "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/python3", "-c",
        Self.squatter, host, "\(port)",
      ])
    _ = try await program.lines.next { $0 == "listens" }
    return program
  }

  private static let squatter = """
    import socket, sys, time
    family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((sys.argv[1], int(sys.argv[2])))
    listener.listen(16)
    print("listens", flush=True)
    while True:
        connection, _ = listener.accept()
        print("came", flush=True)
        try:
            connection.sendall(b'{"class":"VERSION","release":"3.22","rev":"3.22",'
                b'"proto_major":3,"proto_minor":14}\\n{"class":"DEVICES","devices":'
                b'[{"class":"DEVICE","path":"/dev/gps0","activated":"2026-08-04T12:00:00Z"}]}\\n')
            for second in range(50):
                connection.sendall(b'{"class":"TPV","device":"/dev/gps0","mode":3,"time":'
                    b'"2026-08-04T12:00:%02d.000Z","lat":1.5,"lon":2.5,"epx":1,"epy":1}\\n' % second)
        except OSError:
            pass
        kept = connection
    """

  @Test("border 8: is not believed when it is another user's, and the reason names that user")
  func refused() async throws {
    let port = try Loopback.freePort()
    let squatter = try await squatter("127.0.0.1", port)
    defer { squatter.end() }
    let client = HostClient(sources: [.localGpsd(port: UInt16(port))])
    guard case .unavailable(.noPermission(let reason))? = try await client.outage().first else {
      Issue.record("\(client.host.sourceReports())")
      return
    }
    #expect(reason.contains("port \(port) is served by user 65534 (nobody)"), "\(reason)")
    #expect(reason.contains("root or gpsd"))
    #expect(client.host.sourceReports().first?.fixes == 0)
    // It is tried again, and asked anew whose it is.
    _ = try await squatter.lines.next { $0 == "came" }
    _ = try await squatter.lines.next { $0 == "came" }
    #expect(client.host.sourceReports().first?.fixes == 0)
  }

  @Test("border 8: is believed all the same where somebody names it")
  func named() async throws {
    let port = try Loopback.freePort()
    let squatter = try await squatter("127.0.0.1", port)
    defer { squatter.end() }
    let fix = try await HostClient("gpsd://127.0.0.1:\(port)").fix()
    #expect(fix.coordinate.latitude == 1.5)
  }

  @Test("border 8: is believed as root's and as gpsd's own", arguments: ["root", "gpsd"])
  func believed(user: String) async throws {
    let entry = try #require(getpwnam(user), "there is no user \(user)")
    let port = try Loopback.freePort()
    let service = try await squatter("127.0.0.1", port, user: Int(entry.pointee.pw_uid))
    defer { service.end() }
    let fix = try await HostClient(sources: [.localGpsd(port: UInt16(port))]).fix()
    #expect(fix.coordinate.latitude == 1.5)
  }

  @Test(
    "border 8: is found behind a stranger on the other address",
    .enabled(if: Gpsd.isInstalled, "\(Gpsd.isMissing)"))
  func besideStranger() async throws {
    let port = try Loopback.freePort()
    let squatter = try await squatter("::1", port)
    defer { squatter.end() }
    let terminal = try Terminal()
    let receiver = Receiver { terminal.write($0) }
    let gpsd = try await Gpsd(port: port, devices: [terminal.path])
    defer { gpsd.stop() }
    let fix = try await HostClient(sources: [.localGpsd(port: UInt16(port))]).fix()
    #expect(abs(fix.coordinate.latitude - Receiver.latitude) < 1e-6)
    withExtendedLifetime(receiver) {}
  }
}

private let isRoot = geteuid() == 0
