package import LocationModel

/// Simulates a device at rest: one fix at its first wake, then one each second (SIM-7).
package struct FixedPosition: Machine {
  package enum Input: MachineInput {
    case wake
  }

  package enum Output: Sendable, Hashable {
    case fix(Fix)
  }

  /// The time between two fixes.
  package static let interval = Duration.seconds(1)

  private let coordinate: Coordinate
  private let accuracy: Double
  private var due = Instant.start

  /// `accuracy` is in meters, greater than zero.
  package init(_ coordinate: Coordinate, accuracy: Double) {
    self.coordinate = coordinate
    self.accuracy = accuracy
  }

  package var nextDeadline: Instant? { due }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    guard now.uptime >= due else { return [] }
    due = now.uptime + Self.interval
    return [
      .fix(
        Fix(
          coordinate: coordinate, horizontalAccuracy: accuracy, time: now.unixTime,
          origin: Fix.Origin(isSimulated: true)))
    ]
  }
}
