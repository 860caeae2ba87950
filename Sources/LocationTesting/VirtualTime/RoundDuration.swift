import LocationModel

/// Finds the durations that people are likely to have written.
enum RoundDuration {
  /// Returns the roundest duration in the range: the multiple of the largest unit that lies in it.
  static func between(_ low: Duration, _ high: Duration) -> Duration {
    let (low, high) = (low.wholeNanoseconds, high.wholeNanoseconds)
    for unit in units {
      let multiple = high / unit * unit
      if multiple >= low { return .nanoseconds(max(0, multiple)) }
    }
    return .nanoseconds(max(0, high))
  }

  /// Units in nanoseconds, from an hour down.
  private static let units: [Int64] = [
    3_600_000_000_000, 60_000_000_000, 10_000_000_000, 1_000_000_000, 500_000_000, 100_000_000,
    50_000_000, 10_000_000, 5_000_000, 1_000_000, 100_000, 10_000, 1000, 1,
  ]
}
