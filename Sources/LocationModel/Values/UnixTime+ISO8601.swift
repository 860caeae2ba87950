extension UnixTime {
  /// Reads a date and time of ISO 8601, such as `2024-01-01T01:00:00.25+01:00`.
  ///
  /// Accepted: the extended and the basic form, `T`, `t`, or a space between date and time, a
  /// fraction of any length behind a point or a comma (digits beyond nanoseconds are ignored), a
  /// leap second, `Z`, `±HH`, `±HHMM`, or `±HH:MM`, and white space around it all. A time without
  /// zone is UTC, as GPX and gpsd mean it. `nil` for everything else, and for years outside
  /// 1678–2261, which nanoseconds do not reach.
  package init?(iso8601 text: String) {
    self.init(iso8601: text.utf8.span)
  }

  /// The same, from UTF-8 bytes.
  package init?(iso8601 bytes: Span<UInt8>) {
    if let time = Self(usual: bytes) {
      self = time
      return
    }
    var cursor = DateCursor()
    guard let time = cursor.time(in: bytes) else { return nil }
    self = time
  }

  /// Reads the one form that nearly all lines have, with or without its fraction:
  /// `2024-01-01T00:00:00.250Z`; `nil` for any other, which may be a date.
  private init?(usual bytes: Span<UInt8>) {
    let last = bytes.count - 1
    guard last == 19 || last == 23, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), bytes[last] == UInt8(ascii: "Z"),
      last == 19 || bytes[19] == UInt8(ascii: ".")
    else { return nil }
    guard let year = bytes.number(0..<4), let month = bytes.number(5..<7),
      let dayOfMonth = bytes.number(8..<10), let hour = bytes.number(11..<13),
      let minute = bytes.number(14..<16), let second = bytes.number(17..<19),
      let milliseconds = last == 23 ? bytes.number(20..<23) : 0,
      hour < 24, minute < 60, second < 60, (1700..<2200).contains(year),
      let day = CivilDate(year: year, month: month, day: dayOfMonth)
    else { return nil }
    let seconds = ((day.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
    self.init(nanoseconds: Int64(seconds * 1000 + milliseconds) * 1_000_000)
  }

  /// The date and time in UTC, rounded to milliseconds: `2024-01-01T00:00:00.250Z`.
  package var iso8601: String {
    String(unsafeUninitializedCapacity: Self.lengthOfText) { writeText($0) }
  }

  /// Writes what ``iso8601`` is, and returns how many bytes that has.
  fileprivate func writeText(_ text: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let (floor, rest) = floorDivide(Int(nanoseconds), 1_000_000)
    let (day, millisecond) = floorDivide(rest < 500_000 ? floor : floor + 1, 86_400_000)
    let date = CivilDate(daysSince1970: day)
    let second = millisecond / 1000
    var end = 0
    func put(_ number: Int, digits: Int, _ mark: Unicode.Scalar) {
      var rest = number
      for place in stride(from: end + digits - 1, through: end, by: -1) {
        text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      end += digits + 1
      text[end - 1] = UInt8(ascii: mark)
    }
    put(date.year, digits: 4, "-")
    put(date.month, digits: 2, "-")
    put(date.day, digits: 2, "T")
    put(second / 3600, digits: 2, ":")
    put(second / 60 % 60, digits: 2, ":")
    put(second % 60, digits: 2, ".")
    put(millisecond % 1000, digits: 3, "Z")
    return end
  }

  fileprivate static let lengthOfText = 24
}

extension [UInt8] {
  /// Appends a date as ``UnixTime/iso8601``.
  package mutating func append(iso8601 time: UnixTime) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UnixTime.lengthOfText) { text in
      let count = time.writeText(text)
      append(contentsOf: UnsafeBufferPointer(start: text.baseAddress, count: count))
    }
  }
}

/// Walks over the bytes of one date.
private struct DateCursor {
  private var position = 0

  mutating func time(in bytes: Span<UInt8>) -> UnixTime? {
    skipSpace(in: bytes)
    guard let days = date(in: bytes), let nanoseconds = timeOfDay(in: bytes),
      let offset = zone(in: bytes)
    else { return nil }
    skipSpace(in: bytes)
    guard position == bytes.count else { return nil }
    let (midnight, dayOverflow) = (Int64(days) * 86_400 - offset)
      .multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = midnight.addingReportingOverflow(nanoseconds)
    return dayOverflow || overflow ? nil : UnixTime(nanoseconds: sum)
  }

  /// Days since 1970, and the mark between date and time.
  private mutating func date(in bytes: Span<UInt8>) -> Int? {
    guard let year = number(digits: 4, in: bytes) else { return nil }
    let isExtended = skip("-", in: bytes)
    guard let month = number(digits: 2, in: bytes), skip("-", in: bytes) == isExtended,
      let day = number(digits: 2, in: bytes),
      skip("T", in: bytes) || skip("t", in: bytes) || skip(" ", in: bytes)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)?.daysSince1970
  }

  /// Nanoseconds since midnight. Second 60 is a leap second and counts into the next minute.
  private mutating func timeOfDay(in bytes: Span<UInt8>) -> Int64? {
    guard let hour = number(digits: 2, in: bytes), hour <= 24 else { return nil }
    let isExtended = skip(":", in: bytes)
    guard let minute = number(digits: 2, in: bytes), minute < 60,
      skip(":", in: bytes) == isExtended,
      let second = number(digits: 2, in: bytes), second <= 60,
      let fraction = fraction(in: bytes)
    else { return nil }
    let total = Int64(hour * 3600 + minute * 60 + second) * 1_000_000_000 + fraction
    return hour == 24 && total > 86_400_000_000_000 ? nil : total
  }

  /// Nanoseconds below a second; 0 when there is no fraction.
  private mutating func fraction(in bytes: Span<UInt8>) -> Int64? {
    guard skip(".", in: bytes) || skip(",", in: bytes) else { return 0 }
    var fraction: Int64 = 0
    var unit: Int64 = 100_000_000
    let start = position
    while let digit = digit(in: bytes) {
      fraction += digit * unit
      unit /= 10
    }
    return position > start ? fraction : nil
  }

  /// Seconds east of UTC; 0 when there is no zone.
  private mutating func zone(in bytes: Span<UInt8>) -> Int64? {
    if skip("Z", in: bytes) || skip("z", in: bytes) { return 0 }
    let isEast = skip("+", in: bytes)
    guard isEast || skip("-", in: bytes) else { return 0 }
    guard let hours = number(digits: 2, in: bytes), hours < 24 else { return nil }
    let hasMinutes = skip(":", in: bytes)
    guard let minutes = number(digits: 2, in: bytes) ?? (hasMinutes ? nil : 0), minutes < 60 else {
      return nil
    }
    let offset = Int64(hours * 3600 + minutes * 60)
    return isEast ? offset : -offset
  }

  private mutating func number(digits: Int, in bytes: Span<UInt8>) -> Int? {
    let start = position
    var number: Int64 = 0
    while position < start + digits {
      guard let digit = digit(in: bytes) else {
        position = start
        return nil
      }
      number = number * 10 + digit
    }
    return Int(number)
  }

  private mutating func digit(in bytes: Span<UInt8>) -> Int64? {
    guard position < bytes.count else { return nil }
    let value = bytes[position] &- UInt8(ascii: "0")
    guard value < 10 else { return nil }
    position += 1
    return Int64(value)
  }

  private mutating func skip(_ mark: Unicode.Scalar, in bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace(in bytes: Span<UInt8>) {
    while skip(" ", in: bytes) || skip("\n", in: bytes) || skip("\r", in: bytes)
      || skip("\t", in: bytes)
    {}
  }
}

extension Span<UInt8> {
  /// The number that the digits at some places make; `nil` if others are among them.
  fileprivate func number(_ places: Range<Int>) -> Int? {
    var number = 0
    for place in places {
      let digit = self[place] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + Int(digit)
    }
    return number
  }
}
