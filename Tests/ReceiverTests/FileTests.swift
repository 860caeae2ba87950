import Foundation
import TestSupport
import LocationModel
import Testing

@Suite("A file of positions", .serialized)
struct FileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func write(_ text: String, to name: String) throws -> String {
    let path = folder.file(name)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("of recorded fixes is played")
  func fixes() async throws {
    let path = try write(
      #"{"type":"update","date":"2026-08-04T12:00:00.000Z","latitude":1.5,"longitude":2.5}"#
        + "\n", to: "fixes.jsonl")
    let fix = try await HostClient("fixes://\(path)").fix()
    #expect(fix.coordinate == Coordinate(latitude: 1.5, longitude: 2.5))
  }

  @Test("in GPX is played")
  func gpx() async throws {
    let path = try write(
      """
      <gpx version="1.1" creator="test"><trk><trkseg>
      <trkpt lat="1" lon="2"><time>2026-08-04T12:00:00Z</time></trkpt>
      <trkpt lat="1.001" lon="2"><time>2026-08-04T12:00:10Z</time></trkpt>
      </trkseg></trk></gpx>
      """, to: "track.gpx")
    let client = try HostClient("gpx://\(path)?speed=10")
    let fix = try await client.fix { $0.coordinate.latitude > 1.0005 }
    #expect(fix.coordinate.longitude == 2)
  }

  @Test("recorded from a receiver is played")
  func log() async throws {
    let bytes = (0..<5).flatMap { Receiver.epoch($0 * 10) }
    let path = try write(String(decoding: bytes, as: UTF8.self), to: "receiver.log")
    let fix = try await HostClient("log://\(path)?rate=10").fix()
    #expect(abs(fix.coordinate.latitude - Receiver.latitude) < 1e-7)
  }

  @Test("that is none says where and why")
  func malformed() async throws {
    let path = try write("<gpx version=\"1.1\"><trk><", to: "broken.gpx")
    let statuses = try await HostClient("gpx://\(path)").outage()
    guard case .unavailable(.malformed(let reason))? = statuses.first else {
      Issue.record("\(statuses)")
      return
    }
    #expect(reason.hasPrefix(path))
  }

  @Test("that is not there is missing")
  func missing() async throws {
    let statuses = try await HostClient("fixes://\(folder.file("none"))").outage()
    guard case .unavailable(.missing)? = statuses.first else {
      Issue.record("\(statuses)")
      return
    }
  }

  @Test("gives way to a receiver, and both agree on one current position")
  func besideReceiver() async throws {
    let terminal = try Terminal()
    let receiver = Receiver { terminal.write($0) }
    let client = try HostClient("fixed:10,10,1", "nmea://\(terminal.path)")
    let fix = try await client.fix { abs($0.coordinate.latitude - Receiver.latitude) < 1e-6 }
    #expect(fix.horizontalAccuracy > 1)
    withExtendedLifetime(receiver) {}
  }
}
