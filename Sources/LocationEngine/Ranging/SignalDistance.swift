package import LocationModel

/// Estimates the distance of a radio from the strength of its signal.
///
/// Chosen (BEACON-14): a log-distance model on a trimmed mean. docs/decisions/0090 has its accuracy
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

  /// Returns the smoothed strength in dBm; `nil` without recent samples.
  package mutating func smoothed(at now: Instant) -> Double? {
    forget(before: now - Self.memory)
    return Self.trimmedMean(samples.map(\.rssi))
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

  /// Chosen (BEACON-14): half of what other libraries keep, so that an approach shows sooner.
  private static let memory = Duration.seconds(10)
  /// Meters. Observed (BEACON-13).
  private static let immediateLimit = 0.5
  /// Meters. Observed (BEACON-13).
  private static let nearLimit = 3.0
  /// Samples; ten seconds at sixty a second, twice the rate observed from a phone.
  private static let capacity = 600
}

/// How a signal fades with distance: the log-distance model.
package struct SignalPath: Hashable, Sendable {
  /// dBm.
  package var powerAtOneMeter: Double
  /// 2 in free space.
  package var exponent: Double

  package init(powerAtOneMeter: Double, exponent: Double = Self.freeSpace) {
    self.powerAtOneMeter = powerAtOneMeter
    self.exponent = exponent
  }

  /// Returns meters.
  package func distance(rssi: Double) -> Double {
    power(10, (powerAtOneMeter - rssi) / (10 * exponent))
  }

  /// Physics.
  package static let freeSpace = 2.0
}
