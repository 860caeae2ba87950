import Foundation
import TestSupport
import LocationModel
import Testing

@Suite("A real gpsd", .serialized, .enabled(if: Gpsd.isInstalled, "\(Gpsd.isMissing)"))
struct GpsdTests {
  private func url(_ port: Int) -> String { "gpsd://127.0.0.1:\(port)" }

  @Test(
    "gives the positions that gpspipe prints, at the same times",
    .enabled(if: !ReceiverLogs.all.isEmpty, "\(ReceiverLogs.areMissing)"))
  func gpsfake() async throws {
    let folder = try TemporaryFolder()
    let log = folder.file("receiver.log")
    try Data(ReceiverLogs.bytes("bu303-climbing.log"))
      .write(to: URL(fileURLWithPath: log))
    let port = try Loopback.freePort()
    let fake = try RunningProgram(
      "gpsfake", ["-c", "0.02", "-P", "\(port)", log], environment: Gpsd.environment)
    defer { fake.terminate() }
    // A first client shows that gpsd is up.
    let first = try HostClient(url(port))
    _ = try await first.fix()

    let pipe = try RunningProgram("gpspipe", ["-w", "127.0.0.1:\(port)"])
    defer { pipe.end() }
    _ = try await pipe.lines.next(where: Self.hasPosition)
    let client = try HostClient(url(port))
    for _ in 0..<20 {
      let fix = try await client.fix()
      let report = try await pipe.lines.next { line in
        let report = Report(line)
        return report?.time == fix.time ? report : nil
      }
      #expect(abs(fix.coordinate.latitude - report.latitude) < 1e-7)
      #expect(abs(fix.coordinate.longitude - report.longitude) < 1e-7)
    }
  }

  @Test("without a device is named as such, and its device is received once it is plugged in")
  func withoutDevice() async throws {
    let gpsd = try await Gpsd(port: try Loopback.freePort())
    defer { gpsd.stop() }
    let client = try HostClient(url(gpsd.port))
    #expect(try await client.outage() == [.unavailable(.noDevice)])

    let terminal = try Terminal()
    let receiver = Receiver { terminal.write($0) }
    defer { withExtendedLifetime(receiver) {} }
    try gpsd.plugIn(terminal.path)
    let fix = try await client.fix()
    #expect(abs(fix.coordinate.latitude - Receiver.latitude) < 1e-6)
  }

  @Test("is found again after it was restarted")
  func restarted() async throws {
    let terminal = try Terminal()
    let receiver = Receiver { terminal.write($0) }
    defer { withExtendedLifetime(receiver) {} }
    let port = try Loopback.freePort()
    let before = try await Gpsd(port: port, devices: [terminal.path])
    let client = try HostClient(url(port))
    let last = try await client.fix()
    before.stop()
    let statuses = try await client.outage()
    guard case .unavailable(.unreachable)? = statuses.first else {
      Issue.record("\(statuses)")
      return
    }
    let after = try await Gpsd(port: port, devices: [terminal.path])
    defer { after.stop() }
    let next = try await client.fix()
    #expect(next.time > last.time)
  }

  @Test("loses its device and gets it back")
  func unplugged() async throws {
    let port = try Loopback.freePort()
    let terminal = try Terminal()
    var receiver: Receiver? = Receiver { terminal.write($0) }
    let gpsd = try await Gpsd(port: port, devices: [terminal.path])
    defer { gpsd.stop() }
    let client = try HostClient(url(port))
    _ = try await client.fix()
    withExtendedLifetime(receiver) {}
    receiver = nil
    terminal.unplug()
    try? gpsd.unplug(terminal.path)
    _ = try await client.outage()

    let replacement = try Terminal()
    receiver = Receiver { replacement.write($0) }
    try gpsd.plugIn(replacement.path)
    let fix = try await client.fix()
    withExtendedLifetime(receiver) {}
    #expect(abs(fix.coordinate.longitude - Receiver.longitude) < 1e-6)
  }

  private static func hasPosition(_ line: String) -> Bool { Report(line) != nil }

  /// A TPV with position, as gpspipe prints it.
  private struct Report {
    var time: UnixTime
    var latitude: Double
    var longitude: Double

    init?(_ line: String) {
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
        let report = object as? [String: Any], report["class"] as? String == "TPV",
        let latitude = report["lat"] as? Double, let longitude = report["lon"] as? Double,
        let text = report["time"] as? String,
        let date = try? Date(
          text,
          strategy: .iso8601.year().month().day().time(
            includingFractionalSeconds: true))
      else { return nil }
      let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
      time = UnixTime(milliseconds: Int64(milliseconds))
      self.latitude = latitude
      self.longitude = longitude
    }
  }
}
