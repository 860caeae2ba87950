import Foundation
import LocationModel
import LocationProviders
import MachineTesting
import Testing

@Suite(
  "The client of gpsd, with what gpsd makes of real receivers",
  .enabled(if: SharedData.folder != nil, "\(SharedData.isMissing)"))
struct GpsdRecordingTests {
  private static let folder = "gps-receivers/gpsd"

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

  private func reports(_ name: String) throws -> [Substring] {
    try SharedData.lines("\(Self.folder)/\(name)").filter { $0.first == "{" }
  }

  private static let names: [String] =
    (try? SharedData.names(in: folder).filter { $0.hasSuffix(".chk.gz") }) ?? []

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

  @Test("reads every report, and gives each epoch one fix or one reason", arguments: names)
  func recording(name: String) throws {
    let reports = try reports(name)
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
    let unheard = Set(solutions.map { $0[0] }).subtracting(times.map(\.iso8601))
    let excuses = outputs.count { output in
      guard case .rejected(let reason, _) = output else { return false }
      return reason != .repeatedEpoch
    }
    #expect(unheard.count <= excuses, "an epoch has vanished without a reason")
  }

  @Test("says the same wherever the bytes are cut")
  func cutting() throws {
    let lines = try reports("bu303-climbing.log.chk.gz").prefix(60)
    let bytes = Array(lines.joined(separator: "\n").utf8) + [0x0a]
    let whole = outputs(of: bytes, cutEvery: bytes.count)
    #expect(whole.count > 10)
    for size in [1, 2, 3, 7, 64, 1000] {
      #expect(outputs(of: bytes, cutEvery: size) == whole)
    }
  }
}
