/// A structure whose members are listed once, for reading and for writing.
package protocol JSONStructure: JSONCodable {
  static var fields: JSONFields<Self> { get }
}

extension JSONStructure {
  package init(json: JSON) throws(CodingFault) { self = try Self.fields.read(json) }

  package var json: JSON { Self.fields.write(self) }
}

/// The members of a structure, in the order in which they are written.
package struct JSONFields<Value: Sendable>: Sendable {
  private let blank: Value
  private let fields: [JSONField<Value>]

  /// Creates the list; members that are not found keep their value in `blank`.
  package init(_ blank: Value, _ fields: JSONField<Value>...) {
    self.blank = blank
    self.fields = fields
  }

  package func read(_ json: JSON) throws(CodingFault) -> Value {
    var value = blank
    for field in fields { try field.read(json, &value) }
    return value
  }

  package func write(_ value: Value) -> JSON {
    .object(
      fields.compactMap { field in field.write(value).map { JSON.Member(field.name, $0) } })
  }
}

/// One member of a structure.
package struct JSONField<Value: Sendable>: Sendable {
  fileprivate let name: String
  fileprivate let read: @Sendable (JSON, inout Value) throws(CodingFault) -> Void
  /// Returns `nil` when the member is left out.
  fileprivate let write: @Sendable (Value) -> JSON?

  /// A member that is required.
  package static func get<Member: JSONCodable>(
    _ name: String, _ path: any WritableKeyPath<Value, Member> & Sendable
  ) -> Self {
    Self(name: name) { (json, value) throws(CodingFault) in
      value[keyPath: path] = try json.get(name)
    } write: {
      $0[keyPath: path].json
    }
  }

  /// A member that may be missing.
  package static func find<Member: JSONCodable>(
    _ name: String, _ path: any WritableKeyPath<Value, Member> & Sendable
  ) -> Self {
    Self(name: name) { (json, value) throws(CodingFault) in
      if let member: Member = try json.find(name) { value[keyPath: path] = member }
    } write: {
      $0[keyPath: path].json
    }
  }

  /// A member that is left out when it is `nil`.
  package static func find<Member: JSONCodable>(
    _ name: String, _ path: any WritableKeyPath<Value, Member?> & Sendable
  ) -> Self {
    Self(name: name) { (json, value) throws(CodingFault) in
      value[keyPath: path] = try json.find(name)
    } write: {
      $0[keyPath: path]?.json
    }
  }

  /// A number that need not be finite, and is NaN when it is missing.
  package static func number(
    _ name: String, _ path: any WritableKeyPath<Value, Double> & Sendable
  ) -> Self {
    Self(name: name) { (json, value) throws(CodingFault) in
      value[keyPath: path] = try json.number(name)
    } write: {
      $0[keyPath: path].json
    }
  }

  /// A member that is left out unless it is true.
  package static func flag(
    _ name: String, _ path: any WritableKeyPath<Value, Bool> & Sendable
  ) -> Self {
    Self(name: name) { (json, value) throws(CodingFault) in
      value[keyPath: path] = try json.find(name) ?? false
    } write: {
      $0[keyPath: path] ? .bool(true) : nil
    }
  }
}
