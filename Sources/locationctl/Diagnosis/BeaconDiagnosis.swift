import LocationLink
import LocationProviders

/// What is known of the adapters that receive beacons, on which the judgement of proximity rests.
enum BeaconDiagnosis {
  /// The finding for sources with Bluetooth; none without, and where what is known cannot be read.
  static func findings(for sources: [Source]) -> [Finding] {
    guard sources.contains(.bluez), let adapters = try? CalibrationStore.find().adapters() else {
      return []
    }
    let calibrated = adapters.compactMap { adapter in
      adapter.offset.map { "\(adapter.address): \($0) dB" }
    }
    guard calibrated.isEmpty else {
      return [
        Finding(
          subject: "beacons", code: "calibrated", verdict: .good,
          message: "calibrated: " + calibrated.joined(separator: ", "), next: nil)
      ]
    }
    let learned = adapters.filter { $0.places >= 1 }.count
    let basis =
      learned == 0
      ? "every beacon counts as near until one has learned"
      : "how near beacons are is judged by what \(learned == 1 ? "one has" : "\(learned) have") learned"
    return [
      Finding(
        subject: "beacons", code: "not_calibrated", verdict: .doubtful,
        message: "no adapter is calibrated; \(basis)",
        next: "locationctl beacons calibrate UUID MAJOR MINOR")
    ]
  }
}
