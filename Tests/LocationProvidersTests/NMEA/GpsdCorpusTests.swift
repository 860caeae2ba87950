import Foundation
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite(
  "An NMEA receiver and gpsd",
  .enabled(if: !ReceiverLogs.all.isEmpty, "\(ReceiverLogs.areMissing)"))
struct GpsdCorpusTests {
  /// How a log compares with gpsd's reports of positions.
  private struct Comparison {
    var reports = 0
    /// Same time and place as one of our fixes.
    var matched = 0
    /// Same time and place as an observation that left as superseded: one that gave way to another
    /// of its epoch.
    var superseded = 0
    /// Last reports of a time that match one of our fixes, and those of them in the same mode.
    var epochs = 0
    var sameMode = 0

    var missed: Int { reports - matched - superseded }
  }

  private func compare(_ name: String, of logs: ReceiverLogs) throws -> Comparison {
    let bytes = try logs.bytes(name)
    let outputs = NMEAReceiver.outputs(bytes, at: try GpsdCorpus.moment(of: bytes))
    let superseded = outputs.compactMap { output -> Fix? in
      if case .superseded(let fix) = output { return fix }
      return nil
    }
    var comparison = Comparison()
    let rounds = logs.origin == .debian
    let reports = try GpsdCorpus.reports(name, of: logs).map {
      (report: $0, time: try $0.milliseconds)
    }
    for (index, (report, time)) in reports.enumerated() {
      comparison.reports += 1
      let modes = outputs.compactMap { output -> Int? in
        guard case .fix(let fix, let dimensions) = output else { return nil }
        return report.agrees(with: fix, at: time, rounds: rounds) ? dimensions.rawValue : nil
      }
      if !modes.isEmpty {
        comparison.matched += 1
      } else if superseded.contains(where: { report.agrees(with: $0, at: time, rounds: rounds) }) {
        comparison.superseded += 1
      }
      let isLast = index + 1 == reports.count || reports[index + 1].time != time
      guard let time, isLast, !modes.isEmpty, time >= 0 else { continue }
      comparison.epochs += 1
      if modes.contains(report.mode) { comparison.sameMode += 1 }
    }
    return comparison
  }

  /// What is known to differ in a collection, by log.
  private struct Differences {
    /// Reports with a position.
    var reports: Int
    /// Reports that we have no position for.
    var missed: [String: Int]
    /// Reports of an epoch that names two places: gpsd reports both, we make the better one the fix.
    var superseded: [String: Int]
    /// Epochs where we believe a GSA that says two dimensions with three satellites or fewer; gpsd
    /// says three because a height stands beside it.
    var otherMode: [String: Int]
  }

  private static func differences(_ origin: ReceiverLogs.Origin) -> Differences {
    switch origin {
    case .debian: ofDebian
    case .shared: ofSharedData
    }
  }

  private static let ofDebian = Differences(
    reports: 4836,
    missed: [
      // Simulators whose RMC and GLL say that there is no position; gpsd believes their GGA.
      "garmin-geko201.log": 3, "GPSmap-76S.log": 2,
      // A GGA of quality 0 or of none, no fix, whose coordinate gpsd still reports.
      "mtk-3301.log": 1, "tr737A+.log": 1, "myguide-3100.log": 2,
      // A GGA with the marks of gpsd's test in it, which gpsd takes out before it sends the log.
      "tcp-torture.log": 2,
      // An RMC whose date is `2208-1`.
      "april6_2019.log": 1,
      // The clock goes back from 15:25 to 14:33, and gpsd says the next day until RMC says which.
      "bt451.log": 2,
    ],
    superseded: [
      // RMC has a digit less than GGA, and gpsd reports GGA alone until RMC brings the date.
      "ac12.log": 2, "ac12_binary.log": 2, "tcp-test.log": 2, "udp-test.log": 2,
      // A ship's bus carries the position on between GLL and RMC of one second.
      "bundg_zeus_9.log": 916,
    ],
    otherMode: [
      "ac12_binary.log": 5, "foretrex-201.log": 6, "garmin-10x.log": 2, "garmin25lp.log": 9,
      "iTrek.log": 1, "mtk-3301.log": 1, "oncore.log": 6, "rgm3800.log": 1, "sl869.log": 3,
      "tomtom-mkII.log": 1, "ublox-lea-4h.log": 4,
      // RMC alone, which has no height; gpsd keeps the mode of the GGA before.
      "humminbird-M37.log": 22,
    ])

  private static let ofSharedData = Differences(
    reports: 3538,
    missed: [
      // gpsd adds 7 × 1,024 weeks to the receiver's date, 2015, and says 2034.
      "neo-m8n.log": 22,
      // A simulator whose RMC and GLL say that there is no position; gpsd believes its GGA.
      "garmin-geko201.log": 2,
      // One GGA of quality 0, no fix, whose coordinate gpsd still reports.
      "mtk-3301.log": 1, "tr737A+.log": 1,
    ],
    superseded: [
      // RMC has a digit less than GGA, and gpsd reports GGA alone until RMC brings the date.
      "ac12.log": 2, "tcp-test.log": 2, "udp-test.log": 2,
      // A ship's bus carries the position on between GLL and RMC of one second.
      "bundg_zeus_9.log": 352,
    ],
    otherMode: [
      "ac12_binary.log": 4, "garmin25lp.log": 10, "iTrek.log": 1, "mtk-3301.log": 1,
      "oncore.log": 6, "rgm3800.log": 1, "tomtom-mkII.log": 1, "ublox-lea-4h.log": 4,
    ])

  @Test(
    "agree on 98 % of the positions in all NMEA logs, and every difference is known",
    arguments: ReceiverLogs.all)
  func agree(logs: ReceiverLogs) throws {
    var total = Comparison()
    var missed: [String: Int] = [:]
    var superseded: [String: Int] = [:]
    var otherMode: [String: Int] = [:]
    for name in try logs.names.filter(logs.isNMEA) {
      let log = try compare(name, of: logs)
      total.reports += log.reports
      total.matched += log.matched
      total.superseded += log.superseded
      total.epochs += log.epochs
      total.sameMode += log.sameMode
      missed[name] = log.missed > 0 ? log.missed : nil
      superseded[name] = log.superseded > 0 ? log.superseded : nil
      otherMode[name] = log.sameMode < log.epochs ? log.epochs - log.sameMode : nil
    }
    print(
      "\(logs), NMEA: of \(total.reports) positions \(total.matched) are fixes and",
      "\(total.superseded) gave way within their epoch, \(total.missed) are missed;",
      "of \(total.epochs) epochs \(total.sameMode) are in the same mode")
    let known = Self.differences(logs.origin)
    #expect(total.reports == known.reports)
    #expect(Double(total.matched + total.superseded) >= 0.98 * Double(total.reports))
    #expect(missed == known.missed)
    #expect(superseded == known.superseded)
    #expect(otherMode == known.otherMode)
  }

  @Test("every fix of every log, binary ones included, is whole and in range")
  func inRange() throws {
    for (name, bytes) in try ReceiverLogs.distinct() + GpsdCorpus.otherLogs() {
      try Self.check(NMEAReceiver.outputs(bytes), name)
    }
  }

  @Test("no damage makes a fix that is out of range", arguments: 1...4 as ClosedRange<UInt64>)
  func damaged(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var rejected = 0
    for name in ["skytraq-fixB.log", "ublox-lea-4h.log", "polarx2.log", "beidou-gb.log"] {
      var bytes = try ReceiverLogs.bytes(name)
      // Without sums, so that damaged fields are read at all.
      bytes = bytes.map { $0 == UInt8(ascii: "*") ? UInt8(ascii: "\n") : $0 }
      for _ in 0..<bytes.count / 200 {
        let byte = Array("0123456789.,-$*NSEWAV\n".utf8).randomElement(using: &random)
        bytes[Int.random(in: bytes.indices, using: &random)] = byte ?? 0
      }
      let outputs = NMEAReceiver.outputs(bytes)
      #expect(outputs.contains { $0.fix != nil })
      rejected += outputs.count { $0 == .rejected(.malformedField) }
      try Self.check(outputs, "\(name), seed \(seed)")
    }
    #expect(rejected > 0)
  }

  private static func check(_ outputs: [NMEAReceiver.Output], _ name: String) throws {
    for fix in outputs.compactMap(\.fix) {
      let isWhole =
        fix.coordinate.isValid && fix.horizontalAccuracy > 0 && fix.horizontalAccuracy.isFinite
        && (fix.verticalAccuracy ?? 1) > 0 && (fix.altitude == nil) == (fix.verticalAccuracy == nil)
        && (fix.speed ?? 0) >= 0 && (0..<360).contains(fix.course ?? 0)
        && (0...180).contains(fix.courseAccuracy ?? 0)
      #expect(isWhole, "\(name)")
    }
  }
}
