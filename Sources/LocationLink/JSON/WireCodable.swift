/// A value that travels over the link.
///
/// Structures are objects whose unknown members are ignored and whose absent members are `nil`;
/// enumerations are objects with one member, named for the case, whose value holds what the case
/// carries. So a peer of another version is understood as far as possible.
package protocol LinkWord {
  init(json: JSON) throws(LinkFault)
  var json: JSON { get }
}

extension JSON {
  /// A member that must be there.
  package func get<Value: LinkWord>(
    _ name: String, _: Value.Type = Value.self
  ) throws(LinkFault) -> Value {
    guard let value = self[name] else { throw .missing(name) }
    return try Self.read(value, name)
  }

  /// A member that may be missing.
  package func find<Value: LinkWord>(
    _ name: String, _: Value.Type = Value.self
  ) throws(LinkFault) -> Value? {
    guard let value = self[name] else { return nil }
    return try Self.read(value, name)
  }

  /// Names the member in which something is of another kind.
  private static func read<Value: LinkWord>(
    _ value: JSON, _ name: String
  ) throws(LinkFault) -> Value {
    do { return try Value(json: value) } catch {
      guard case .mismatch("") = error else { throw error }
      throw .mismatch(name)
    }
  }

  /// The case of an enumeration, and what it carries.
  package func word() throws(LinkFault) -> (name: String, value: JSON) {
    guard case .object(let members) = self, let first = members.first else { throw .mismatch("") }
    return (first.name, first.value)
  }
}

extension Bool: LinkWord {
  package init(json: JSON) throws(LinkFault) {
    guard case .bool(let flag) = json else { throw .mismatch("") }
    self = flag
  }

  package var json: JSON { .bool(self) }
}

extension String: LinkWord {
  package init(json: JSON) throws(LinkFault) {
    guard case .string(let text) = json else { throw .mismatch("") }
    self = text
  }

  package var json: JSON { .string(self) }
}

extension Double: LinkWord {
  package init(json: JSON) throws(LinkFault) {
    switch json {
    case .number(let number): self = number
    case .integer(let number): self = Double(number)
    case .null, .bool, .string, .array, .object, .written: throw .mismatch("")
    }
  }

  package var json: JSON { .number(self) }
}

extension LinkWord where Self: FixedWidthInteger {
  package init(json: JSON) throws(LinkFault) {
    guard case .integer(let number) = json, let value = Self(exactly: number) else {
      throw .mismatch("")
    }
    self = value
  }

  package var json: JSON { .integer(Int64(clamping: self)) }
}

extension Int: LinkWord {}
extension Int64: LinkWord {}
extension Int8: LinkWord {}
extension UInt16: LinkWord {}
extension UInt64: LinkWord {}

extension Array: LinkWord where Element: LinkWord {
  package init(json: JSON) throws(LinkFault) {
    guard case .array(let elements) = json else { throw .mismatch("") }
    self = []
    for element in elements { append(try Element(json: element)) }
  }

  package var json: JSON { .array(map(\.json)) }
}

/// An enumeration of plain names travels as a string.
extension LinkWord where Self: RawRepresentable, RawValue == String {
  package init(json: JSON) throws(LinkFault) {
    let name = try String(json: json)
    guard let value = Self(rawValue: name) else { throw .unknownWord(name) }
    self = value
  }

  package var json: JSON { .string(rawValue) }
}
