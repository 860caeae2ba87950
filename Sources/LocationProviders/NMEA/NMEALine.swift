import LocationModel

/// The text of one sentence between `$` and `*`, split into fields as it is read.
///
/// Field 0 is the address (`GPGGA`). The text is in a fixed buffer, so that reading and parsing a
/// sentence allocates nothing. A field that is empty or beyond the last one is absent: `nil`.
package struct NMEALine: Sendable {
  /// Bytes. The standard allows 82; proprietary sentences of real receivers reach 250.
  package static let maximumLength = 400
  /// The greatest number of fields. GSV, the longest sentence that is read, has 21.
  private static let maximumFields = 32

  private var text = [UInt8](repeating: 0, count: maximumLength)
  private var length = 0
  /// Where each field begins; the entry after the last field is one past its separator.
  private var starts = [Int16](repeating: 0, count: maximumFields + 1)
  private var lastField = 0

  package init() {}

  /// How many more bytes fit.
  package var room: Int { Self.maximumLength - length }
  package var fieldCount: Int { lastField + 1 }

  package mutating func removeAll() {
    length = 0
    lastField = 0
  }

  /// Appends more of the text, as much as fits.
  package mutating func append(_ bytes: ArraySlice<UInt8>) {
    text.replaceSubrange(length..<length + bytes.count, with: bytes)
    for byte in bytes {
      length += 1
      guard byte == UInt8(ascii: ","), lastField < Self.maximumFields - 1 else { continue }
      lastField += 1
      starts[lastField] = Int16(truncatingIfNeeded: length)
    }
  }

  /// Notes where the last field ends. Call it when the sentence is complete.
  package mutating func finish() {
    starts[lastField + 1] = Int16(truncatingIfNeeded: length + 1)
  }

  /// Appends the text to other bytes.
  func append(to bytes: inout [UInt8]) { bytes += text[..<length] }

  /// Returns the range of a field's bytes.
  private func range(_ field: Int) -> Range<Int> {
    guard field <= lastField else { return 0..<0 }
    return Int(starts[field])..<Int(starts[field + 1]) - 1
  }

  package func isAbsent(_ field: Int) -> Bool { range(field).isEmpty }
  package func length(of field: Int) -> Int { range(field).count }

  /// The byte at `offset` of a field, in upper case; zero beyond its end.
  package func byte(_ field: Int, _ offset: Int) -> UInt8 {
    let range = range(field)
    guard offset < range.count else { return 0 }
    let byte = text[range.lowerBound + offset]
    return byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte - 32 : byte
  }

  /// The first letter of a field, in upper case.
  package func letter(_ field: Int) -> UInt8? {
    isAbsent(field) ? nil : byte(field, 0)
  }
}

// MARK: - Numbers

extension NMEALine {
  /// A decimal number as it was written: `digits` × 10^-`places`.
  package struct Decimal: Sendable {
    package var digits: Int64
    /// How many of the digits stand after the point, in `0...9`.
    package var places: Int

    package var value: Double { Double(digits) / Double(NMEALine.powersOfTen[places]) }
  }

  /// 10^0 … 10^9.
  fileprivate static let powersOfTen: [Int64] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]

  /// Reads a decimal number; drops digits after the ninth decimal place.
  package func decimal(_ field: Int) throws(NMEARejection) -> Decimal? {
    let range = range(field)
    guard !range.isEmpty else { return nil }
    var index = range.lowerBound
    let sign = text[index]
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index += 1 }
    var number = Decimal(digits: 0, places: 0)
    var count = 0
    var isFraction = false
    while index < range.upperBound {
      let digit = text[index] &- UInt8(ascii: "0")
      index += 1
      if digit <= 9 {
        count += 1
        if isFraction && number.places == 9 { continue }
        // Nine digits after the point and eight before it fit; no field that is read has more.
        guard number.digits < 100_000_000_000_000_000 else { throw .malformedField }
        number.digits = number.digits * 10 + Int64(digit)
        if isFraction { number.places += 1 }
      } else if digit == UInt8(ascii: ".") &- UInt8(ascii: "0") && !isFraction {
        isFraction = true
      } else {
        throw .malformedField
      }
    }
    guard count > 0 else { throw .malformedField }
    if sign == UInt8(ascii: "-") { number.digits.negate() }
    return number
  }

  package func double(_ field: Int) throws(NMEARejection) -> Double? {
    try decimal(field)?.value
  }

  /// Reads a whole number of up to nine digits, not negative.
  package func integer(_ field: Int) throws(NMEARejection) -> Int? {
    let range = range(field)
    guard !range.isEmpty else { return nil }
    guard range.count <= 9 else { throw .malformedField }
    return try integer(range)
  }

  private func integer(_ range: Range<Int>) throws(NMEARejection) -> Int {
    var number = 0
    for index in range {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { throw .malformedField }
      number = number * 10 + Int(digit)
    }
    return number
  }
}

// MARK: - Places and times

extension NMEALine {
  /// Reads latitude, hemisphere, longitude, hemisphere from four fields in a row.
  ///
  /// Returns `nil` when any of the four is absent.
  package func place(_ field: Int) throws(NMEARejection) -> NMEAPlace? {
    guard
      let latitude = try degrees(field, limit: 90),
      let longitude = try degrees(field + 2, limit: 180),
      let isSouth = try hemisphere(field + 1, "N", "S"),
      let isWest = try hemisphere(field + 3, "E", "W")
    else { return nil }
    return NMEAPlace(
      coordinate: Coordinate(
        latitude: isSouth ? -latitude.value : latitude.value,
        longitude: isWest ? -longitude.value : longitude.value),
      resolution: max(latitude.resolution, longitude.resolution))
  }

  /// Converts `dddmm.mmm` to degrees, rounded once: the division is the only inexact step.
  private func degrees(
    _ field: Int, limit: Int64
  ) throws(NMEARejection) -> (value: Double, resolution: Double)? {
    guard let number = try decimal(field) else { return nil }
    let one = Self.powersOfTen[number.places]
    let (whole, minutes) = number.digits.quotientAndRemainder(dividingBy: 100 * one)
    guard number.digits >= 0, whole <= limit, minutes < 60 * one else { throw .malformedField }
    let scaled = whole * 60 * one + minutes
    guard scaled <= limit * 60 * one else { throw .malformedField }
    return (Double(scaled) / Double(60 * one), 1 / Double(60 * one))
  }

  /// Whether the hemisphere is the negative one.
  private func hemisphere(
    _ field: Int, _ positive: Unicode.Scalar, _ negative: Unicode.Scalar
  ) throws(NMEARejection) -> Bool? {
    guard let letter = letter(field) else { return nil }
    if letter == UInt8(ascii: positive) { return false }
    if letter == UInt8(ascii: negative) { return true }
    throw .malformedField
  }

  /// Reads nanoseconds since midnight UTC from `hhmmss.sss`.
  ///
  /// Second 60 of a leap second is accepted: it is the first of the next minute, as in Unix time.
  package func timeOfDay(_ field: Int) throws(NMEARejection) -> Int64? {
    guard let number = try decimal(field) else { return nil }
    let one = Self.powersOfTen[number.places]
    let seconds = number.digits % (100 * one)
    let minutes = number.digits / (100 * one) % 100
    let hours = number.digits / (10_000 * one)
    guard number.digits >= 0, length(of: field) >= 6, hours < 24, minutes < 60, seconds < 61 * one
    else { throw .malformedField }
    return (hours * 3600 + minutes * 60) * 1_000_000_000 + seconds * (1_000_000_000 / one)
  }

  /// Reads a date from `ddmmyy`, without a century.
  package func shortDate(_ field: Int) throws(NMEARejection) -> NMEADate? {
    let range = range(field)
    guard !range.isEmpty else { return nil }
    guard range.count == 6 else { throw .malformedField }
    let start = range.lowerBound
    return try NMEADate(
      day: integer(start..<start + 2), month: integer(start + 2..<start + 4),
      yearOfCentury: integer(start + 4..<start + 6))
  }
}
