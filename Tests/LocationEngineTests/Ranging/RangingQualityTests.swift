import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The quality of ranging")
struct RangingQualityTests {
  // The same table, with what it means, stands in docs/decisions/0024-ranging.md.
  @Test(
    "is what the decision states, on every shared set",
    .enabled(if: SharedData.folder != nil, "\(SharedData.isMissing)"))
  func table() throws {
    let rows = try RecordedSet.all.map { try RangingQuality(of: $0).row }
    #expect(
      rows.joined(separator: "\n") == """
        mit-matrix: 452 | 56 | 56 | 48 | 47 | 63 | 65
        pact-range-angle: 1447 | 39 | 39 | 34 | 34 | 79 | 79
        HH: 1693 | 25 | 22 | 69 | 71 | 68 | 82
        HP: 1564 | 22 | 21 | 72 | 78 | 65 | 84
        PB: 2126 | 18 | 16 | 59 | 65 | 63 | 65
        """)
  }
}

/// How often the proximity class is right, in percent of the reports of one set.
private struct RangingQuality {
  /// What one report said, beside the truth.
  private struct Verdict {
    var truth: Proximity
    /// Meters, for a beacon that claims −59 dBm.
    var distance: Double?
    /// dBm, the mean of the last second.
    var rssi: Int?
    /// What a beacon calibrated at one meter would claim more than −59 dBm, as a factor.
    var factor: Double
  }

  private var name: String
  private var verdicts: [Verdict] = []

  init(of set: RecordedSet) throws {
    name = set.name
    let recordings = try set.recordings()
    for recording in recordings where !set.isCalibration(recording) {
      let measured = set.measuredPower(for: recording, among: recordings)
      let factor = power(10, (measured + 59) / 20)
      verdicts += Self.reports(of: recording).map { beacon in
        Verdict(
          truth: SignalDistance.proximity(recording.distance), distance: beacon?.accuracy,
          rssi: beacon?.rssi, factor: factor)
      }
    }
  }

  var row: String {
    let shares = [
      share { $0.rssi.map { SignalDistance.distance(rssi: Double($0), measuredPower: -59) } },
      share { $0.distance },
      share { verdict in
        verdict.rssi.map { SignalDistance.distance(rssi: Double($0), measuredPower: -59) }
          .map { $0 * verdict.factor }
      },
      share { verdict in verdict.distance.map { $0 * verdict.factor } },
      share { _ in 1 },
      percent(ceiling),
    ]
    return "\(name): \(verdicts.count) | " + shares.map(String.init).joined(separator: " | ")
  }

  private func share(_ distance: (Verdict) -> Double?) -> Int {
    percent(
      verdicts.count { verdict in
        distance(verdict).map(SignalDistance.proximity) == verdict.truth
      })
  }

  /// What the two best limits give that hindsight can choose for this very set.
  private var ceiling: Int {
    let received = verdicts.filter { $0.distance != nil }
    let ordered = received.sorted {
      ($0.distance ?? 0) * $0.factor < ($1.distance ?? 0) * $1.factor
    }
    var best = (immediate: 0, near: 0, far: 0)
    for verdict in ordered {
      let hit = { (class: Proximity) in verdict.truth == `class` ? 1 : 0 }
      best.far = max(best.far, best.near, best.immediate) + hit(.far)
      best.near = max(best.near, best.immediate) + hit(.near)
      best.immediate += hit(.immediate)
    }
    return max(best.immediate, best.near, best.far)
  }

  private func percent(_ count: Int) -> Int {
    Int((100 * Double(count) / Double(verdicts.count)).rounded())
  }

  /// Every report from the tenth second on; the last one of a shorter recording.
  private static func reports(of recording: Recording) -> [RangedBeacon?] {
    let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1)
    var bench = Bench(BeaconRanger())
    bench.send(.range(BeaconConstraint(uuid: identity.uuid)))
    for sample in recording.samples {
      let at = Instant(nanoseconds: Int64(sample.seconds * 1e9))
      bench.run(for: at - bench.now.uptime)
      bench.send(
        .sample(
          BeaconSample(
            identity: identity, address: BluetoothAddress(bits: 1), measuredPower: -59,
            rssi: sample.rssi, time: bench.now.unixTime)))
    }
    bench.run(for: .milliseconds(999))
    let reports = bench.outputs.compactMap { entry -> (at: Instant, beacon: RangedBeacon?)? in
      guard case .report(_, let beacons) = entry.output else { return nil }
      return (entry.at, beacons.first)
    }
    let whole = reports.filter { $0.at >= .start + .seconds(10) }
    return (whole.isEmpty ? reports.suffix(1) : whole).map(\.beacon)
  }
}
