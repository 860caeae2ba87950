package import LocationModel

/// The last few seconds of acceleration, and what they amount to.
package struct AccelerationWindow: Hashable, Sendable {
  private var samples: [Sample] = []

  private struct Sample: Hashable {
    var acceleration: DeviceVector
    var at: Instant
  }

  package init() {}

  /// A gap begins the window anew: what lies before it is another time.
  package mutating func take(_ acceleration: DeviceVector, at now: Instant) {
    if let last = samples.last, now.seconds(since: last.at) > Self.longestGap { samples = [] }
    samples.append(Sample(acceleration: acceleration, at: now))
    samples.removeAll { now.seconds(since: $0.at) > Self.length }
  }

  package var isFull: Bool {
    guard let first = samples.first, let last = samples.last else { return false }
    return last.at.seconds(since: first.at) > Self.length - Self.longestGap
  }

  /// Meters per second squared; gravity, and what pulls for long.
  package var mean: DeviceVector { Self.mean(of: samples[...]) }

  /// Whether every reading is the same to the last bit, as a chip that hangs has it.
  package var isFrozen: Bool { samples.allSatisfy { $0.acceleration == samples[0].acceleration } }

  /// Meters per second squared; how far the readings lie from their mean, root mean square.
  package var stir: Double { Self.stir(of: samples[...]) }

  /// The lesser stir of the two halves: small when it was a single knock.
  package var lastingStir: Double {
    let middle = samples.count / 2
    return min(Self.stir(of: samples[..<middle]), Self.stir(of: samples[middle...]))
  }

  /// The steps that are in it; `nil` when there is no swing of a rate at which people step.
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
  /// Seconds. Chosen: longer than a reading that comes late, shorter than a step.
  private static let longestGap = 0.5
}
