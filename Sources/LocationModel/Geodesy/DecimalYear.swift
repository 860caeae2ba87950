extension UnixTime {
  /// The Gregorian year in UTC, with the part of it that has passed: 2025.5 is the second of July.
  package var decimalYear: Double {
    let secondsPerDay = 86_400.0
    let days = seconds / secondsPerDay
    let estimate = 1970 + Int((days / 365.2425).rounded(.down))
    let year = (estimate - 1...estimate + 1).last { Self.firstDay(of: $0) <= days } ?? estimate
    let (first, next) = (Self.firstDay(of: year), Self.firstDay(of: year + 1))
    return Double(year) + (days - first) / (next - first)
  }

  /// Days from 1970-01-01 to the first of January of a year after 1600.
  private static func firstDay(of year: Int) -> Double {
    let before = year - 1
    let leapDays = before / 4 - before / 100 + before / 400
    return Double(365 * (year - 1970) + leapDays - 477)
  }
}
