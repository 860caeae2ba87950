/// A JSON value: the form of every value on the wire, in the state, and in recordings.
///
/// Integers stay integers, so that nanoseconds keep their precision; members keep their order, so
/// that equal values always have the same bytes.
package indirect enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer above the greatest signed one.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([Member])
  /// A value that is already encoded; never the result of parsing.
  case written([UInt8])

  /// One member of an object.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSON

    package init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The deepest nesting of arrays and objects; our own values need 9.
  package static let maximumDepth = 32

  /// Creates an object of these members; a member without a value is left out.
  package static func fields(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.compactMap { name, value in value.map { Member(name, $0) } })
  }

  /// Creates one case of an enumeration: an object with a single member.
  package static func word(_ name: String, _ value: JSON = .object([])) -> JSON {
    .object([Member(name, value)])
  }

  /// Returns this object with one more member, if there is a value.
  package func adding(_ name: String, _ value: JSON?) -> JSON {
    guard case .object(let members) = self, let value else { return self }
    return .object(members + [Member(name, value)])
  }

  /// The value of a member; `nil` if it is missing, `null`, or this is no object.
  package subscript(name: String) -> JSON? {
    guard case .object(let members) = self,
      let value = members.first(where: { $0.name == name })?.value, value != .null
    else { return nil }
    return value
  }

  /// The text of this value, in UTF-8. JSON has no infinity and no NaN: they become `null`.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes, isExact: false)
    return bytes
  }

  /// The same with infinities and NaN as text. Not for the wire: older peers expect `null`.
  package var exactBytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes, isExact: true)
    return bytes
  }

  private func write(to bytes: inout [UInt8], isExact: Bool) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .integer(let number): bytes += "\(number)".utf8
    case .unsigned(let number): bytes += "\(number)".utf8
    case .number(let number) where number.isFinite: bytes += "\(number)".utf8
    case .number(let number): bytes += (isExact ? "\"\(number)\"" : "null").utf8
    case .string(let text): Self.write(text, to: &bytes)
    case .written(let text): bytes += text
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes, isExact: isExact)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes, isExact: isExact)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += "\\u00".utf8
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
