/// A value that can be encoded for the link.
///
/// Structures are objects whose unknown members are ignored and whose absent members are `nil`;
/// enumerations are objects with one member, named for the case, whose value has the associated
/// values. So messages of a peer of another version are understood as far as possible.
package protocol WireCodable {
  init(json: JSON) throws(LinkFault)
  var json: JSON { get }
}

extension JSON {
  /// Reads a member that is required.
  package func get<Value: WireCodable>(
    _ name: String, _: Value.Type = Value.self
  ) throws(LinkFault) -> Value {
    guard let value = self[name] else { throw .missing(name) }
    return try Self.read(value, name)
  }

  /// Reads a member that may be missing.
  package func find<Value: WireCodable>(
    _ name: String, _: Value.Type = Value.self
  ) throws(LinkFault) -> Value? {
    guard let value = self[name] else { return nil }
    return try Self.read(value, name)
  }

  /// Reads a member; an error names the member that has another type.
  private static func read<Value: WireCodable>(
    _ value: JSON, _ name: String
  ) throws(LinkFault) -> Value {
    do { return try Value(json: value) } catch {
      guard case .mismatch("") = error else { throw error }
      throw .mismatch(name)
    }
  }

  /// Returns the case of an enumeration, and its value.
  package func word() throws(LinkFault) -> (name: String, value: JSON) {
    guard case .object(let members) = self, let first = members.first else { throw .mismatch("") }
    return (first.name, first.value)
  }
}

extension Bool: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    guard case .bool(let flag) = json else { throw .mismatch("") }
    self = flag
  }

  package var json: JSON { .bool(self) }
}

extension String: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    guard case .string(let text) = json else { throw .mismatch("") }
    self = text
  }

  package var json: JSON { .string(self) }
}

extension Double: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    switch json {
    case .number(let number): self = number
    case .integer(let number): self = Double(number)
    case .null, .bool, .string, .array, .object, .written: throw .mismatch("")
    }
  }

  package var json: JSON { .number(self) }
}

extension WireCodable where Self: FixedWidthInteger {
  package init(json: JSON) throws(LinkFault) {
    guard case .integer(let number) = json, let value = Self(exactly: number) else {
      throw .mismatch("")
    }
    self = value
  }

  package var json: JSON { .integer(Int64(clamping: self)) }
}

extension Int: WireCodable {}
extension Int32: WireCodable {}
extension Int64: WireCodable {}
extension Int8: WireCodable {}
extension UInt16: WireCodable {}
extension UInt32: WireCodable {}
extension UInt64: WireCodable {}

extension Array: WireCodable where Element: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    guard case .array(let elements) = json else { throw .mismatch("") }
    self = []
    for element in elements { append(try Element(json: element)) }
  }

  package var json: JSON { .array(map(\.json)) }
}

/// Encodes an enumeration of plain names as a string.
extension WireCodable where Self: RawRepresentable, RawValue == String {
  package init(json: JSON) throws(LinkFault) {
    let name = try String(json: json)
    guard let value = Self(rawValue: name) else { throw .unknownWord(name) }
    self = value
  }

  package var json: JSON { .string(rawValue) }
}
