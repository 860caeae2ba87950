import Foundation
import TestSupport
import LocationHost
import LocationModel
import Testing

@Suite("A receiver that speaks NMEA", .serialized)
struct NMEATests {
  private func isHere(_ fix: Fix) -> Bool {
    abs(fix.coordinate.latitude - Receiver.latitude) < 1e-7
      && abs(fix.coordinate.longitude - Receiver.longitude) < 1e-7
  }

  @Test("is received through a serial port at its speed", arguments: [4800, 115_200])
  func serial(baud: Int) async throws {
    let terminal = try Terminal()
    let receiver = Receiver { terminal.write($0) }
    let client = try HostClient("nmea://\(terminal.path)?baud=\(baud)")
    #expect(isHere(try await client.fix()))
    #expect(terminal.speed == speed_t(baud == 4800 ? B4800 : B115200))
    withExtendedLifetime(receiver) {}
  }

  @Test("is received again when its cable was pulled and put back")
  func replugged() async throws {
    let folder = try TemporaryFolder()
    let link = folder.file("gps0")
    let (before, after) = (try Terminal(), try Terminal())
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: before.path)
    let receiver = Receiver {
      before.write($0)
      after.write($0)
    }
    let client = try HostClient("nmea://\(link)?baud=9600")
    #expect(isHere(try await client.fix()))
    before.unplug()
    let statuses = try await client.outage()
    #expect(statuses != [.working])
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: after.path)
    #expect(isHere(try await client.fix()))
    withExtendedLifetime(receiver) {}
  }

  @Test("at the wrong speed is called garbled")
  func wrongSpeed() async throws {
    let terminal = try Terminal()
    let noise = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 0x80) }
    let receiver = Receiver(sending: { _ in noise }, to: { terminal.write($0) })
    let client = try HostClient("nmea://\(terminal.path)?baud=4800")
    #expect(try await client.outage() == [.unavailable(.garbled)])
    withExtendedLifetime(receiver) {}
  }

  @Test("is received over TCP, and again after the other side hung up")
  func tcp() async throws {
    let server = try Server()
    try await receiveTwice("nmea+tcp://127.0.0.1:\(server.port)", from: server)
  }

  @Test("NET-5: is received from a socket of this machine, and again after the other side hung up")
  func socketOfThisMachine() async throws {
    let folder = try TemporaryFolder()
    let server = try Server(at: folder.file("gnss share.sock"))
    try await receiveTwice("nmea+unix://\(folder.path)/gnss%20share.sock", from: server)
  }

  /// Receives from a server, and again after it has hung up.
  private func receiveTwice(_ url: String, from server: Server) async throws {
    let receiver = Receiver { server.write($0) }
    let client = try HostClient(url)
    #expect(isHere(try await client.fix()))
    _ = try await server.arrivals.next()
    server.hangUp()
    _ = try await server.arrivals.next()
    #expect(isHere(try await client.fix()))
    withExtendedLifetime(receiver) {}
  }

  @Test("NET-5: a path without a socket, or with one that nobody serves, is named")
  func noSocketOfThisMachine() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("gnss.sock")
    let missing = try HostClient("nmea+unix://\(path)")
    guard case .unavailable(.missing(let reason))? = try await missing.outage().first else {
      Issue.record("a missing socket is not missing")
      return
    }
    #expect(reason.contains(path))
    close(try DaemonSocket.listen(at: path))
    let leftover = try HostClient("nmea+unix://\(path)")
    guard case .unavailable(.unreachable(let refused))? = try await leftover.outage().first else {
      Issue.record("a socket that nobody serves is reachable")
      return
    }
    #expect(refused.contains(path))
  }

  @Test("is received over UDP")
  func udp() async throws {
    let port = try Loopback.freePort(SOCK_DGRAM)
    let receiver = Receiver { sendDatagram($0, to: port) }
    let client = try HostClient("nmea+udp://127.0.0.1:\(port)")
    #expect(isHere(try await client.fix()))
    withExtendedLifetime(receiver) {}
  }

  @Test("is missing when there is no such port")
  func missing() async throws {
    let client = try HostClient("nmea:///nonexistent/gps0")
    let statuses = try await client.outage()
    guard case .unavailable(.missing(let reason))? = statuses.first else {
      Issue.record("\(statuses)")
      return
    }
    #expect(reason.contains("/nonexistent/gps0"))
  }

  @Test("is unreachable when nobody listens")
  func refused() async throws {
    let client = try HostClient("nmea+tcp://127.0.0.1:\(try Loopback.freePort())")
    let statuses = try await client.outage()
    guard case .unavailable(.unreachable)? = statuses.first else {
      Issue.record("\(statuses)")
      return
    }
  }

  /// Linux answers an attempt to connect to a multicast address as one without a network.
  @Test(
    "STD-33: fails with network when no network leads to it",
    arguments: ["nmea+tcp://224.0.0.1:10110", "gpsd://224.0.0.1"])
  func noNetwork(url: String) async throws {
    let client = try HostClient(url, "nmea:///nonexistent/gps0")
    let statuses = try await client.outage(.network)
    guard case .unavailable(.noNetwork)? = statuses.first else {
      Issue.record("\(statuses)")
      return
    }
  }

  @Test("is not to be opened without permission")
  func forbidden() async throws {
    let terminal = try Terminal()
    chmod(terminal.path, 0)
    let probe = try RunningProgram(
      BuiltProgram.path("HostProgram"), ["probe", "nmea://\(terminal.path)"])
    defer { probe.end() }
    let line = try await probe.lines.next { $0.contains("unavailable") }
    #expect(line.contains("noPermission") && line.contains(terminal.path))
  }
}
