import LocationEngine
import LocationModel

/// How often the proximity class of a set's reports is right, against "near, always".
///
/// One report a second, each over the last ten seconds; the last report of a shorter recording. A
/// second without a signal has no class (BEACON-10), for no rule, and is only counted.
package struct RangingQuality: Sendable {
  /// What is known of the receivers.
  package enum Knowledge: Hashable, Sendable {
    /// An ideal receiver with the limits of free space: what shipped before the decision 0090.
    case ideal
    /// Nothing at the start of the set: what ships.
    case learned
    /// Each receiver was calibrated at one meter.
    case calibrated
  }

  /// The verdict on one report.
  private struct Verdict {
    var truth: Proximity
    var said: Proximity
  }

  private var verdicts: [Verdict] = []
  /// Reports of seconds without a signal.
  package private(set) var silent = 0

  /// Replays a set in the order of time, or in another one.
  package init(
    of set: RecordedSet, _ recordings: [RangedRecording], _ knowledge: Knowledge,
    order: [Int]? = nil
  ) {
    let identities = Self.numbers(recordings.map { $0.sender + "/" + $0.session })
    let receivers = Self.numbers(recordings.map(\.receiver))
    var bench = Bench(BeaconRanger())
    bench.send(.range(BeaconConstraint(uuid: Self.uuid)))
    for index in order ?? Array(recordings.indices) {
      let recording = recordings[index]
      let receiver = BluetoothAddress(bits: UInt64(receivers[index]))
      if knowledge == .calibrated,
        let power = set.powerAtOneMeter(for: recording, among: recordings)
      {
        Self.calibrate(receiver, power - Self.claim, in: &bench)
      }
      let reports = Self.replay(
        recording, BeaconIdentity(uuid: Self.uuid, major: 1, minor: identities[index]),
        by: knowledge == .ideal ? nil : receiver, in: &bench)
      guard !set.isCalibration(recording) else { continue }
      let truth = SignalDistance.proximity(recording.distance)
      for report in reports {
        guard let report, report.rssi != nil else {
          silent += 1
          continue
        }
        verdicts.append(Verdict(truth: truth, said: report.proximity))
      }
    }
  }

  /// Reports with a signal.
  package var reports: Int { verdicts.count }

  /// Percent of the reports with the right class.
  package var right: Double { percent(verdicts.count { $0.said == $0.truth }) }

  /// Percent of the reports that are right if all of them say near.
  package var alwaysNear: Double { percent(verdicts.count { $0.truth == .near }) }

  /// Reports that are right where near was wrong.
  package var wins: Int { verdicts.count { $0.said == $0.truth && $0.truth != .near } }

  /// Reports that are wrong where near was right.
  package var losses: Int { verdicts.count { $0.said != .near && $0.truth == .near } }

  private func percent(_ count: Int) -> Double { 100 * Double(count) / Double(verdicts.count) }

  private static func calibrate(
    _ receiver: BluetoothAddress, _ offset: Int, in bench: inout Bench<BeaconRanger>
  ) {
    var adapters = bench.machine.adapters
    guard (try? adapters.calibrate(receiver, offset, at: bench.now.unixTime)) != nil else { return }
    bench.send(.adapters(adapters))
  }

  /// Replays one recording after a silence that ends every earlier one, and returns its reports.
  private static func replay(
    _ recording: RangedRecording, _ identity: BeaconIdentity, by receiver: BluetoothAddress?,
    in bench: inout Bench<BeaconRanger>
  ) -> [RangedBeacon?] {
    let silence = Int64(bench.now.uptime.nanoseconds / 1_000_000_000 + 15) * 1_000_000_000
    let start = Instant(nanoseconds: silence)
    bench.run(for: start - bench.now.uptime)
    let before = bench.outputs.count
    for sample in recording.samples {
      let at = start + .nanoseconds(Int64(sample.seconds * 1e9))
      bench.run(for: at - bench.now.uptime)
      bench.send(
        .sample(
          BeaconSample(
            identity: identity, address: BluetoothAddress(bits: 1), measuredPower: claim,
            rssi: sample.rssi, time: bench.now.unixTime, adapter: receiver)))
    }
    bench.run(for: .milliseconds(999))
    let reports = bench.outputs[before...].compactMap {
      entry -> (at: Instant, beacon: RangedBeacon?)? in
      guard case .report(_, let beacons) = entry.output else { return nil }
      return (entry.at, beacons.first)
    }
    let whole = reports.filter { $0.at >= start + .seconds(10) }
    return (whole.isEmpty ? reports.suffix(1) : whole).map(\.beacon)
  }

  /// Numbers different words from 1, in the order in which they come.
  private static func numbers(_ words: [String]) -> [UInt16] {
    var known: [String: UInt16] = [:]
    return words.map { word in
      let number = known[word, default: UInt16(known.count + 1)]
      known[word] = number
      return number
    }
  }

  private static let uuid = BeaconUUID(high: 1, low: 2)
  /// dBm: what a beacon claims that was not measured (BEACON-2).
  private static let claim = -59
}

/// The three replays of one set.
package struct RangingComparison: Sendable {
  package var name: String
  package var ideal: RangingQuality
  package var learned: RangingQuality
  package var calibrated: RangingQuality
  /// Percent over "near, always", learned in other orders of the recordings.
  package var otherOrders: [Double]

  /// Replays a set, and a number of times in another order.
  package init(of set: RecordedSet, otherOrders count: Int) throws {
    name = set.name
    let recordings = try set.recordings()
    ideal = RangingQuality(of: set, recordings, .ideal)
    learned = RangingQuality(of: set, recordings, .learned)
    calibrated = RangingQuality(of: set, recordings, .calibrated)
    otherOrders = (0..<count).map { seed in
      var random = SeededRandom(seed: UInt64(seed + 1))
      let order = recordings.indices.shuffled(using: &random)
      let quality = RangingQuality(of: set, recordings, .learned, order: order)
      return quality.right - quality.alwaysNear
    }
  }
}
