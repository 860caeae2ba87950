import Foundation
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite(
  "The client of gpsd, with what gpsd makes of real receivers",
  .enabled(if: !ReceiverLogs.all.isEmpty, "\(ReceiverLogs.areMissing)"))
struct GpsdRecordingTests {
  /// What the client makes of reports that arrive in pieces of `size` bytes.
  private func outputs(of reports: [UInt8], cutEvery size: Int) -> [GpsdClient.Output] {
    var bench = Bench(GpsdClient())
    bench.run(for: .zero)
    bench.send(.connected)
    bench.send(.bytes(Array("{\"class\":\"VERSION\",\"proto_major\":3}\n".utf8)))
    for start in stride(from: 0, to: reports.count, by: size) {
      bench.send(.bytes(Array(reports[start..<min(start + size, reports.count)])))
    }
    bench.run(for: .seconds(1))
    return bench.outputs.map(\.output)
  }

  private func reports(_ name: String, of logs: ReceiverLogs) throws -> [Substring] {
    String(decoding: try logs.reports(name), as: UTF8.self).split(whereSeparator: \.isNewline)
      .filter { $0.first == "{" }
  }

  /// The time and place of every solution in the reports, by Foundation's reckoning.
  private func solutions(_ reports: [Substring]) throws -> Set<[String]> {
    var solutions: Set<[String]> = []
    for report in reports where report.contains("\"TPV\"") {
      let members = try #require(
        try JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any])
      guard let mode = members["mode"] as? Int, mode >= 2, let time = members["time"] as? String,
        let latitude = members["lat"] as? Double, let longitude = members["lon"] as? Double
      else { continue }
      solutions.insert([time, "\(latitude)", "\(longitude)"])
    }
    return solutions
  }

  /// Every log of every collection; gpsd reports nothing at all of two.
  private static let recordings = ReceiverLogs.all.flatMap { logs in
    logs.names.filter { !["ntrip_sourcetable.log", "skytraq-err.log"].contains($0) }
      .map { Recording(logs: logs, name: $0) }
  }

  struct Recording: CustomTestStringConvertible {
    var logs: ReceiverLogs
    var name: String

    var testDescription: String { "\(name) of \(logs)" }
  }

  @Test(
    "reads every report, and gives each epoch one fix or one reason",
    arguments: recordings)
  func recording(_ recording: Recording) throws {
    let reports = try reports(recording.name, of: recording.logs)
    try #require(!reports.isEmpty)
    let bytes = Array(reports.joined(separator: "\r\n").utf8) + [0x0a]
    let outputs = outputs(of: bytes, cutEvery: 4096)
    let solutions = try solutions(reports)
    var times: Set<UnixTime> = []
    for output in outputs {
      switch output {
      case .fix(let fix, _):
        let place = [
          fix.time.iso8601, "\(fix.coordinate.latitude)", "\(fix.coordinate.longitude)",
        ]
        #expect(solutions.contains(place))
        #expect(fix.horizontalAccuracy > 0 && fix.horizontalAccuracy.isFinite)
        times.insert(fix.time)
      case .rejected(let reason, _):
        switch reason {
        case .malformed, .unclassified, .lineTooLong: Issue.record("\(reason)")
        default: break
        }
      default: break
      }
    }
    let unread = Set(solutions.map { $0[0] }).subtracting(times.map(\.iso8601))
    let excuses = outputs.count { output in
      guard case .rejected(let reason, _) = output else { return false }
      return reason != .repeatedEpoch
    }
    #expect(unread.count <= excuses, "an epoch has vanished without a reason")
  }

  @Test("says the same wherever the bytes are cut")
  func cutting() throws {
    let logs = try #require(ReceiverLogs.all.first)
    let lines = try reports("bu303-climbing.log", of: logs).prefix(60)
    let bytes = Array(lines.joined(separator: "\n").utf8) + [0x0a]
    let whole = outputs(of: bytes, cutEvery: bytes.count)
    #expect(whole.count > 10)
    for size in [1, 2, 3, 7, 64, 1000] {
      #expect(outputs(of: bytes, cutEvery: size) == whole)
    }
  }
}
