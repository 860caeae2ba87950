package import LocationModel

/// The acceleration of the last few seconds, and its statistics.
package struct AccelerationWindow: Hashable, Sendable {
  private var samples: [Sample] = []

  private struct Sample: Hashable {
    var acceleration: DeviceVector
    var at: Instant
  }

  package init() {}

  /// Adds a reading. After a gap the window begins anew, because older readings are not comparable.
  package mutating func take(_ acceleration: DeviceVector, at now: Instant) {
    if let last = samples.last, now.seconds(since: last.at) > Self.longestGap { samples = [] }
    samples.append(Sample(acceleration: acceleration, at: now))
    samples.removeAll { now.seconds(since: $0.at) > Self.length }
  }

  package var isFull: Bool {
    guard let first = samples.first, let last = samples.last else { return false }
    return last.at.seconds(since: first.at) > Self.length - Self.longestGap
  }

  /// Meters per second squared: gravity, and any acceleration that lasts.
  package var mean: DeviceVector { Self.mean(of: samples[...]) }

  /// Whether every reading is the same to the last bit, as from a chip that hangs.
  package var isFrozen: Bool { samples.allSatisfy { $0.acceleration == samples[0].acceleration } }

  /// Meters per second squared; the deviation of the readings from their mean, root mean square.
  package var stir: Double { Self.stir(of: samples[...]) }

  /// The lower stir of the two halves: small for a single knock.
  package var lastingStir: Double {
    let middle = samples.count / 2
    return min(Self.stir(of: samples[..<middle]), Self.stir(of: samples[middle...]))
  }

  /// The steps in the window; `nil` when nothing oscillates at a rate of steps.
  package var gait: Gait? {
    guard let first = samples.first else { return nil }
    return Gait(
      seconds: samples.map { $0.at.seconds(since: first.at) },
      accelerations: samples.map(\.acceleration.magnitude))
  }

  private static func mean(of samples: ArraySlice<Sample>) -> DeviceVector {
    let sum = samples.reduce(DeviceVector(x: 0, y: 0, z: 0)) { $0 + $1.acceleration }
    return sum * (1 / Double(max(samples.count, 1)))
  }

  private static func stir(of samples: ArraySlice<Sample>) -> Double {
    let mean = mean(of: samples)
    let squares = samples.reduce(0.0) { sum, sample in
      let error = sample.acceleration - mean
      return sum + error.dot(error)
    }
    return (squares / Double(max(samples.count, 1))).squareRoot()
  }

  /// Seconds. Chosen: six steps of a slow walk.
  private static let length = 4.0
  /// Seconds. Chosen: longer than the delay of a late reading, shorter than a step.
  private static let longestGap = 0.5
}
