/// A day of the Gregorian calendar, also before its introduction.
package struct CivilDate: Hashable, Sendable {
  package var year: Int
  /// 1 is January.
  package var month: Int
  /// 1 is the first.
  package var day: Int

  /// `nil` when there is no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1,
      day <= Self.lengths[month - 1] + (month == 2 && Self.isLeap(year) ? 1 : 0)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days since 1970-01-01; negative before it.
  ///
  /// Years are counted from March, so that the leap day ends a year and a month's start is a
  /// linear function of its number (five months of 153 days).
  package var daysSince1970: Int {
    let marchYear = month < 3 ? year - 1 : year
    let (cycle, yearOfCycle) = floorDivide(marchYear, 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return cycle * Self.daysPerCycle + dayOfCycle - Self.daysFromMarch0To1970
  }

  package init(daysSince1970: Int) {
    let (cycle, day) = floorDivide(daysSince1970 + Self.daysFromMarch0To1970, Self.daysPerCycle)
    let leapDays = day / 1460 - day / 36_524 + day / 146_096
    let yearOfCycle = (day - leapDays) / 365
    let dayOfYear = day - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    self.day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = (monthFromMarch + 2) % 12 + 1
    year = cycle * 400 + yearOfCycle + (month < 3 ? 1 : 0)
  }

  private static let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  /// Days in 400 years, after which the calendar repeats.
  private static let daysPerCycle = 146_097
  /// Days from 0000-03-01 to 1970-01-01.
  private static let daysFromMarch0To1970 = 719_468

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }
}

/// Quotient and remainder, with a remainder that is never negative.
func floorDivide(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
  let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
