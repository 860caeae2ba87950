package import LocationModel

/// Estimates the distance of a radio from the strength of its signal.
///
/// Chosen (BEACON-14): a log-distance model on a trimmed mean. docs/decisions/0024 has its accuracy
/// on real bodies and phones, and the alternatives.
package struct SignalDistance: Sendable {
  /// dBm with the time of each, oldest first; none older than `memory` after a `mean`.
  private var samples: [(at: Instant, rssi: Int)] = []

  /// The samples since the last report; the sum in dBm.
  private var unreported = (sum: 0, count: 0)

  package init() {}

  package mutating func add(_ rssi: Int, at now: Instant) {
    if samples.count == Self.capacity { samples.removeFirst(Self.capacity / 4) }
    samples.append((now, rssi))
    unreported = (unreported.sum + rssi, unreported.count + 1)
  }

  /// Returns meters; `nil` without recent samples.
  package mutating func distance(measuredPower: Int, at now: Instant) -> Double? {
    forget(before: now - Self.memory)
    guard let smoothed = Self.trimmedMean(samples.map(\.rssi)) else { return nil }
    return Self.distance(rssi: smoothed, measuredPower: Double(measuredPower))
  }

  /// Returns the mean in dBm of the samples since the last call; `nil` without any.
  package mutating func takeMean() -> Int? {
    defer { unreported = (0, 0) }
    guard unreported.count > 0 else { return nil }
    return Int((Double(unreported.sum) / Double(unreported.count)).rounded())
  }

  private mutating func forget(before oldest: Instant) {
    samples.removeFirst(samples.prefix { $0.at < oldest }.count)
  }

  /// Returns meters, by the log-distance model.
  package static func distance(rssi: Double, measuredPower: Double) -> Double {
    power(10, (measuredPower - rssi) / (10 * pathLossExponent))
  }

  /// Returns the mean without the top and the bottom tenth; `nil` of nothing.
  package static func trimmedMean(_ values: [Int]) -> Double? {
    let cut = values.count / 10
    let kept = values.sorted()[cut..<(values.count - cut)]
    return kept.isEmpty ? nil : Double(kept.reduce(0, +)) / Double(kept.count)
  }

  package static func proximity(_ distance: Double) -> Proximity {
    if distance < immediateLimit { return .immediate }
    return distance < nearLimit ? .near : .far
  }

  /// How the signal fades with distance; 2 in free space. Chosen (BEACON-14).
  private static let pathLossExponent = 2.0
  /// Chosen (BEACON-14): half of what other libraries keep, so that an approach shows sooner.
  private static let memory = Duration.seconds(10)
  /// Meters. Observed (BEACON-13).
  private static let immediateLimit = 0.5
  /// Meters. Observed (BEACON-13).
  private static let nearLimit = 3.0
  /// Samples; ten seconds at sixty a second, twice the rate observed from a phone.
  private static let capacity = 600
}
