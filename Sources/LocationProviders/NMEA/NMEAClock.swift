package import LocationModel

/// A date as a receiver sends it.
package struct NMEADate: Hashable, Sendable {
  /// In `1...31`.
  package var day: Int
  /// In `1...12`.
  package var month: Int
  /// The year, or its last two digits.
  package var year: Int
  /// Whether `year` has only two digits.
  package var isShort: Bool

  package init(day: Int, month: Int, yearOfCentury: Int) throws(NMEARejection) {
    self.day = day
    self.month = month
    year = yearOfCentury
    isShort = true
    try check()
  }

  package init(day: Int, month: Int, year: Int) throws(NMEARejection) {
    self.day = day
    self.month = month
    self.year = year
    isShort = false
    try check()
  }

  private func check() throws(NMEARejection) {
    // February has 29 days in every year here: a date that is wrong by a day is still read.
    let longest: InlineArray<13, Int> = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(month), (1...longest[month]).contains(day), (0...9999).contains(year)
    else { throw .malformedField }
  }

  /// Days since 1970-01-01; a two-digit year is the one nearest to the year of `today`, and never before
  /// 1980, when GPS time begins: where the clock was not set, today is in 1970.
  package func dayNumber(nearest today: Int64) -> Int64 {
    guard isShort else { return Self.dayNumber(year, month, day) }
    // A year has 365.2425 days.
    let thisYear = 1970 + Int(today * 10_000 / 3_652_425)
    var full = thisYear - thisYear % 100 + year
    if full - thisYear > 50 { full -= 100 }
    if full - thisYear < -50 || full < 1980 { full += 100 }
    return Self.dayNumber(full, month, day)
  }

  /// Days since 1970-01-01 in the Gregorian calendar.
  ///
  /// The year is counted from March, so that a leap day is its last day; 719,468 days lie between
  /// 0000-03-01 and 1970-01-01.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let daysBeforeMonth = (153 * ((month + 9) % 12) + 2) / 5
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + daysBeforeMonth + day - 1
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }
}

/// Turns a receiver's time of day into a date and time.
///
/// A sentence without a date gets the day that puts its time nearest to the expected time: the
/// receiver's last dated time plus the uptime since then, or the host's time while the receiver has
/// not sent a date (Chosen). So midnight needs no special case.
package struct NMEAClock: Hashable, Sendable {
  /// The last time with a date, and when it was received.
  private struct Dated: Hashable, Sendable {
    var time: UnixTime
    var arrival: Instant
  }

  private var dated: Dated?

  package init() {}

  /// Nanoseconds.
  package static let day: Int64 = 86_400_000_000_000
  /// Nanoseconds cannot represent dates outside the years 1679…2261.
  private static let days: ClosedRange<Int64> = -106_000...106_000

  /// Sets the date that the receiver has sent.
  package mutating func set(_ date: NMEADate, timeOfDay: Int64, at now: Moment) {
    let day = date.dayNumber(nearest: Self.split(now.unixTime).day)
    guard Self.days.contains(day) else { return }
    dated = Dated(
      time: UnixTime(nanoseconds: day * Self.day + timeOfDay), arrival: now.uptime)
  }

  /// Returns the date and time of `timeOfDay`, which is in nanoseconds.
  package func time(of timeOfDay: Int64, at now: Moment) -> UnixTime {
    var (day, passed) = Self.split(expected(at: now))
    let offset = timeOfDay - passed
    if offset > Self.day / 2 { day -= 1 }
    if offset < -Self.day / 2 { day += 1 }
    // The host's clock may be wrong by any time.
    day = min(max(day, Self.days.lowerBound), Self.days.upperBound)
    return UnixTime(nanoseconds: day * Self.day + timeOfDay)
  }

  private func expected(at now: Moment) -> UnixTime {
    guard let dated else { return now.unixTime }
    return dated.time + (now.uptime - dated.arrival)
  }

  /// The number of a time's day, and the nanoseconds since its beginning.
  private static func split(_ time: UnixTime) -> (day: Int64, timeOfDay: Int64) {
    let (number, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: day)
    return rest < 0 ? (number - 1, rest + day) : (number, rest)
  }
}
