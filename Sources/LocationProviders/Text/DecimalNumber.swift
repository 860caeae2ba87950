/// How strictly a number must be written.
enum DecimalGrammar {
  /// JSON: no plus sign, no leading zeros, digits on both sides of the point.
  case json
  /// XML Schema's `decimal` and `double`: `+5`, `.5`, `5.`, and leading zeros are allowed.
  case lenient
}

/// A decimal number, collected digit by digit.
///
/// Up to 18 digits with a small exponent, which is what receivers and files write, convert without
/// a string and correctly rounded: an integer below 2^53 times or over an exact power of ten, or a larger
/// one over a power of ten that is divided with 128 bits. Anything longer goes through the standard library.
private struct DecimalDigits {
  var mantissa: UInt64 = 0
  var exponent = 0
  var isExact = true

  /// Appends the digits from a place on, and moves past them; returns how many there are.
  mutating func append(_ text: Span<UInt8>, at cursor: inout Int) -> Int {
    let first = cursor
    while cursor < text.count, let digit = decimalDigit(text[cursor]) {
      cursor += 1
      if mantissa < 100_000_000_000_000_000 {
        mantissa = mantissa &* 10 &+ UInt64(digit)
      } else {
        isExact = false
      }
    }
    return cursor - first
  }

  /// The number; `nil` when the digits are too many for exact conversion.
  var value: Double? {
    guard isExact, exponent.magnitude <= 22 else { return nil }
    guard mantissa < 1 << 53 else { return divided }
    let power = Self.powers[Int(exponent.magnitude)]
    return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
  }

  /// The quotient of a large mantissa and a power of ten: 64 bits of it, and whether anything is left,
  /// decide how it is rounded to 53.
  private var divided: Double? {
    guard (-18..<0).contains(exponent) else { return nil }
    let power = UInt64(Self.powers[-exponent])
    // Both with the highest bit set, so that the quotient is above a half and below two.
    let dividend = mantissa << mantissa.leadingZeroBitCount
    let divisor = power << power.leadingZeroBitCount
    let isLess = dividend < divisor
    let (quotient, rest) = divisor.dividingFullWidth(
      isLess ? (dividend, 0) : (dividend >> 1, dividend << 63))
    var (bits, tail) = (quotient >> 11, quotient & 0x7ff)
    if tail == 0x400 { tail += rest > 0 ? 1 : bits & 1 }
    if tail > 0x400 { bits += 1 }
    let places = power.leadingZeroBitCount - mantissa.leadingZeroBitCount - (isLess ? 64 : 63)
    return Double(sign: .plus, exponent: places + 11, significand: Double(bits))
  }

  /// The powers of ten that a `Double` holds exactly.
  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}

/// Reads a decimal number at `position` and moves past it; `nil` when there is none.
func scanDecimal(
  _ bytes: [UInt8], at position: inout Int, before end: Int, _ grammar: DecimalGrammar
) -> Double? {
  let text = bytes.span.extracting(first: end)
  var cursor = position
  let isNegative = text.has(UInt8(ascii: "-"), at: cursor)
  if isNegative || (grammar == .lenient && text.has(UInt8(ascii: "+"), at: cursor)) { cursor += 1 }
  var digits = DecimalDigits()
  let firstDigit = cursor
  var count = digits.append(text, at: &cursor)
  if grammar == .json {
    guard count > 0, count == 1 || text[firstDigit] != UInt8(ascii: "0") else { return nil }
  }
  if text.has(UInt8(ascii: "."), at: cursor) {
    cursor += 1
    let fraction = digits.append(text, at: &cursor)
    guard grammar == .lenient || fraction > 0 else { return nil }
    digits.exponent -= fraction
    count += fraction
  }
  guard count > 0 else { return nil }
  if text.has(UInt8(ascii: "e"), at: cursor) || text.has(UInt8(ascii: "E"), at: cursor) {
    cursor += 1
    guard let exponent = scanExponent(text, at: &cursor) else { return nil }
    digits.exponent += exponent
  }
  let start = position
  position = cursor
  if let magnitude = digits.value { return isNegative ? -magnitude : magnitude }
  return Double(String(decoding: bytes[start..<cursor], as: UTF8.self))
}

/// Reads the number after an `e`; more than four digits count as 9999.
private func scanExponent(_ text: Span<UInt8>, at cursor: inout Int) -> Int? {
  let isNegative = text.has(UInt8(ascii: "-"), at: cursor)
  if isNegative || text.has(UInt8(ascii: "+"), at: cursor) { cursor += 1 }
  let first = cursor
  var exponent = 0
  while cursor < text.count, let digit = decimalDigit(text[cursor]) {
    exponent = min(exponent * 10 + Int(digit), 9999)
    cursor += 1
  }
  guard cursor > first else { return nil }
  return isNegative ? -exponent : exponent
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func has(_ byte: UInt8, at place: Int) -> Bool {
    place < count && self[place] == byte
  }
}

func decimalDigit(_ byte: UInt8) -> UInt8? {
  let digit = byte &- UInt8(ascii: "0")
  return digit < 10 ? digit : nil
}
