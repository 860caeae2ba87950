import LocationModel

/// Writes the sentences of a receiver, in NMEA 0183.
package struct NMEAWriter: Sendable {
  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(256)
  }

  /// Returns a sentence with this text between `$` and the checksum.
  package static func sentence(_ text: String) -> [UInt8] {
    var writer = NMEAWriter()
    writer.frame { $0.bytes.append(contentsOf: text.utf8) }
    return writer.bytes
  }

  mutating func sentence(_ kind: StaticString, _ fields: (inout NMEAWriter) -> Void) {
    frame { writer in
      kind.withUTF8Buffer { writer.bytes.append(contentsOf: $0) }
      fields(&writer)
    }
  }

  private mutating func frame(_ text: (inout NMEAWriter) -> Void) {
    bytes.append(UInt8(ascii: "$"))
    let start = bytes.count
    text(&self)
    let sum = bytes[start...].reduce(0) { $0 ^ $1 }
    bytes.append(UInt8(ascii: "*"))
    bytes.append(Self.hex(sum >> 4))
    bytes.append(Self.hex(sum & 15))
    bytes.append(13)
    bytes.append(10)
  }

  mutating func text(_ text: StaticString) {
    bytes.append(UInt8(ascii: ","))
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func empty() { bytes.append(UInt8(ascii: ",")) }

  /// A number with so many decimals, and at least so many digits before them; an empty field for one
  /// that is not finite, or too large to write.
  mutating func number(_ value: Double, decimals: Int, digits: Int = 1) {
    bytes.append(UInt8(ascii: ","))
    append(value, decimals: decimals, digits: digits)
  }

  mutating func number(_ value: Double?, decimals: Int) {
    guard let value else { return empty() }
    number(value, decimals: decimals, digits: 1)
  }

  /// `DDMM.MMMMMM,N`; empty fields for an angle that is none.
  mutating func angle(
    _ degrees: Double, digits: Int, positive: StaticString, negative: StaticString
  ) {
    // Microminutes: about two millimeters.
    guard let total = Int64(exactly: (degrees.magnitude * 60_000_000).rounded()) else {
      empty()
      return empty()
    }
    bytes.append(UInt8(ascii: ","))
    append(whole: total / 60_000_000, digits: digits)
    append(whole: total / 1_000_000 % 60, digits: 2)
    bytes.append(UInt8(ascii: "."))
    append(whole: total % 1_000_000, digits: 6)
    text(degrees < 0 ? negative : positive)
  }

  /// `HHMMSS.ss`
  mutating func time(of date: UnixTime) {
    bytes.append(UInt8(ascii: ","))
    let hundredths = date.nanoseconds / 10_000_000
    let seconds = hundredths / 100 % 86_400
    append(whole: seconds / 3600, digits: 2)
    append(whole: seconds / 60 % 60, digits: 2)
    append(whole: seconds % 60, digits: 2)
    bytes.append(UInt8(ascii: "."))
    append(whole: hundredths % 100, digits: 2)
  }

  /// `DDMMYY`
  mutating func date(of date: UnixTime) {
    bytes.append(UInt8(ascii: ","))
    let day = CivilDate(daysSince1970: Int(date.nanoseconds / 86_400_000_000_000))
    append(whole: Int64(day.day), digits: 2)
    append(whole: Int64(day.month), digits: 2)
    append(whole: Int64(day.year % 100), digits: 2)
  }

  private mutating func append(_ value: Double, decimals: Int, digits: Int) {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    guard let total = Int64(exactly: (value.magnitude * scale).rounded()) else { return }
    if value < 0, total > 0 { bytes.append(UInt8(ascii: "-")) }
    append(whole: total / Int64(scale), digits: digits)
    guard decimals > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    append(whole: total % Int64(scale), digits: decimals)
  }

  private mutating func append(whole value: Int64, digits: Int) {
    var power: Int64 = 1
    var count = 1
    while count < digits || value / power >= 10 {
      power *= 10
      count += 1
    }
    while power > 0 {
      bytes.append(UInt8(48 + value / power % 10))
      power /= 10
    }
  }

  private static func hex(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? 48 + nibble : 55 + nibble
  }
}
