/// A value with an encoding: the same on the wire, in the state, and in recordings.
///
/// Structures are objects whose unknown members are ignored and whose absent members are `nil`;
/// enumerations are objects with one member, named for the case, whose value has the associated
/// values. So values of a program of another version are understood as far as possible.
package protocol JSONCodable: Sendable {
  init(json: JSON) throws(CodingFault)
  var json: JSON { get }
}

extension JSON {
  /// Reads a member that is required.
  package func get<Value: JSONCodable>(
    _ name: String, _: Value.Type = Value.self
  ) throws(CodingFault) -> Value {
    guard let value = self[name] else { throw .missing(name) }
    return try Self.read(value, name)
  }

  /// Reads a member that may be missing.
  package func find<Value: JSONCodable>(
    _ name: String, _: Value.Type = Value.self
  ) throws(CodingFault) -> Value? {
    guard let value = self[name] else { return nil }
    return try Self.read(value, name)
  }

  /// Reads a number that need not be finite; NaN when it is missing.
  package func number(_ name: String) throws(CodingFault) -> Double {
    guard case .string(let text) = self[name] else { return try find(name) ?? .nan }
    let numbers = [Double.infinity, -.infinity, .nan]
    guard let number = numbers.first(where: { "\($0)" == text }) else { throw .mismatch(name) }
    return number
  }

  /// Reads a member; an error names the member that has another type.
  private static func read<Value: JSONCodable>(
    _ value: JSON, _ name: String
  ) throws(CodingFault) -> Value {
    do { return try Value(json: value) } catch {
      guard case .mismatch("") = error else { throw error }
      throw .mismatch(name)
    }
  }

  /// Returns the case of an enumeration, and its value.
  package func word() throws(CodingFault) -> (name: String, value: JSON) {
    guard case .object(let members) = self, let first = members.first else { throw .mismatch("") }
    return (first.name, first.value)
  }
}

extension Bool: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    guard case .bool(let flag) = json else { throw .mismatch("") }
    self = flag
  }

  package var json: JSON { .bool(self) }
}

extension String: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    guard case .string(let text) = json else { throw .mismatch("") }
    self = text
  }

  package var json: JSON { .string(self) }
}

extension Double: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    switch json {
    case .number(let number): self = number
    case .integer(let number): self = Double(number)
    case .unsigned(let number): self = Double(number)
    case .null, .bool, .string, .array, .object, .written: throw .mismatch("")
    }
  }

  package var json: JSON { .number(self) }
}

extension JSONCodable where Self: FixedWidthInteger {
  package init(json: JSON) throws(CodingFault) {
    let value: Self? =
      switch json {
      case .integer(let number): Self(exactly: number)
      case .unsigned(let number): Self(exactly: number)
      default: nil
      }
    guard let value else { throw .mismatch("") }
    self = value
  }

  package var json: JSON {
    Int64(exactly: self).map { .integer($0) } ?? .unsigned(UInt64(clamping: self))
  }
}

extension Int: JSONCodable {}
extension Int32: JSONCodable {}
extension Int64: JSONCodable {}
extension Int8: JSONCodable {}
extension UInt16: JSONCodable {}
extension UInt32: JSONCodable {}
extension UInt64: JSONCodable {}

extension Array: JSONCodable where Element: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    guard case .array(let elements) = json else { throw .mismatch("") }
    self = []
    for element in elements { append(try Element(json: element)) }
  }

  package var json: JSON { .array(map(\.json)) }
}

/// Encodes an enumeration of plain names as a string.
extension JSONCodable where Self: RawRepresentable, RawValue == String {
  package init(json: JSON) throws(CodingFault) {
    let name = try String(json: json)
    guard let value = Self(rawValue: name) else { throw .unknownWord(name) }
    self = value
  }

  package var json: JSON { .string(rawValue) }
}
