import Foundation
import LocationSimulation
import TestSupport
import LocationProviders
import LocationService
import LocationHost
import LocationModel
import Testing

@Suite("A receiver that sends datagrams", .serialized)
struct DatagramTests {
  private func isHere(_ fix: Fix) -> Bool {
    abs(fix.coordinate.latitude - Receiver.latitude) < 1e-7
  }

  private func rejections(_ client: HostClient) -> [String: Int] {
    let all = client.host.sourceReports().flatMap(\.rejections)
    return Dictionary(all.map { ($0.reason, $0.count) }) { $1 }
  }

  /// The local addresses of the sockets with this port, as the kernel writes them.
  private func bound(_ port: Int) throws -> Set<String> {
    let tables = try ["udp", "udp6"].map {
      try String(contentsOfFile: "/proc/self/net/\($0)", encoding: .utf8)
    }
    let ends = tables.joined().split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0.count > 1 }.map { $0[1] }
    let hexadecimal = ":" + String(format: "%04X", port)
    return Set(ends.filter { $0.hasSuffix(hexadecimal) }.map { String($0.dropLast(5)) })
  }

  @Test("border 8: an empty datagram ends nothing")
  func empty() async throws {
    let port = try Loopback.freePort(SOCK_DGRAM)
    let receiver = Receiver { bytes in
      sendDatagram([], to: port)
      sendDatagram(bytes, to: port)
      sendDatagram([], to: port)
    }
    let client = try HostClient("nmea+udp://:\(port)")
    var times: [Int64] = []
    for _ in 0..<6 { times.append(try await client.fix().time.nanoseconds) }
    // A source that is opened again receives nothing for a second.
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 == 100_000_000 }, "\(gaps)")
    withExtendedLifetime(receiver) {}
  }

  @Test("border 8: receives the loopback alone, unless an address is named")
  func loopback() async throws {
    let port = try Loopback.freePort(SOCK_DGRAM)
    let receiver = Receiver { sendDatagram($0, to: port) }
    var client: HostClient? = try HostClient("nmea+udp://:\(port)")
    _ = try await client?.fix()
    let own: Set = ["0100007F", "00000000000000000000000001000000"]
    let found = try bound(port)
    #expect(found.contains("0100007F") && found.isSubset(of: own), "\(found)")
    client = nil
    let other = try Loopback.freePort(SOCK_DGRAM)
    let second = Receiver { sendDatagram($0, to: other) }
    client = try HostClient("nmea+udp://0.0.0.0:\(other)")
    _ = try await client?.fix()
    #expect(try bound(other) == ["00000000"])
    withExtendedLifetime((receiver, second)) {}
  }

  @Test("border 8: receives only the senders that from= names, and counts the others")
  func senders() async throws {
    let port = try Loopback.freePort(SOCK_DGRAM)
    let receiver = Receiver { bytes in
      sendDatagram(Self.elsewhere(bytes), to: port, from: 2)
      sendDatagram(bytes, to: port, from: 9)
    }
    let client = try HostClient("nmea+udp://:\(port)?from=10.0.0.0/8,127.0.0.8/29")
    for _ in 0..<5 { #expect(isHere(try await client.fix())) }
    let counts = rejections(client)
    #expect(counts["datagrams of senders that from= does not name", default: 0] >= 4, "\(counts)")
    withExtendedLifetime(receiver) {}
  }

  @Test("border 8: a torn sentence does not go on in another datagram")
  func torn() async throws {
    let port = try Loopback.freePort(SOCK_DGRAM)
    let receiver = Receiver { bytes in
      for sentence in Self.elsewhere(bytes).split(separator: 10) {
        sendDatagram(Array(sentence.prefix(30)), to: port, from: 2)
        sendDatagram(Array(sentence.dropFirst(30)) + [10], to: port, from: 3)
      }
      sendDatagram(bytes, to: port)
    }
    let client = try HostClient("nmea+udp://:\(port)")
    for _ in 0..<5 { #expect(isHere(try await client.fix())) }
    let counts = rejections(client)
    #expect(counts["interrupted", default: 0] >= 8, "\(counts)")
    withExtendedLifetime(receiver) {}
  }

  /// The same epoch, ten degrees further north.
  private static func elsewhere(_ bytes: [UInt8]) -> [UInt8] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").flatMap { line in
      NMEAWriter.sentence(
        String(line.dropFirst().prefix { $0 != "*" }).replacing("4807.038", with: "5807.038"))
    }
  }
}
