/// A value on D-Bus, with its type.
package enum BusValue: Hashable, Sendable {
  case boolean(Bool)
  case byte(UInt8)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  /// An array of bytes, the most frequent kind of array.
  case bytes([UInt8])
  /// The signature of one element, and the elements.
  case array(of: String, [BusValue])
  /// The signatures of key and value, and the entries in their order on the wire.
  case dictionary(key: String, value: String, [BusEntry])
  case structure([BusValue])
  indirect case variant(BusValue)

  /// Returns properties by name: `a{sv}`.
  package static func properties(_ entries: KeyValuePairs<String, BusValue>) -> BusValue {
    .dictionary(
      key: "s", value: "v",
      entries.map { BusEntry(key: .string($0.key), value: .variant($0.value)) })
  }

  /// The signature of this value in a message.
  package var signature: String {
    switch self {
    case .boolean: "b"
    case .byte: "y"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .dictionary(let key, let value, _): "a{\(key)\(value)}"
    case .structure(let values): "(" + values.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }

  /// The value inside any number of variants.
  package var content: BusValue {
    guard case .variant(let inner) = self else { return self }
    return inner.content
  }

  package var boolean: Bool? {
    guard case .boolean(let value) = content else { return nil }
    return value
  }

  /// The value of any integer type.
  package var integer: Int? {
    switch content {
    case .byte(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int64(let value): Int(value)
    case .uint64(let value): Int(exactly: value)
    case .boolean, .double, .string, .objectPath, .bytes, .array, .dictionary, .structure,
      .variant:
      nil
    }
  }

  package var double: Double? {
    guard case .double(let value) = content else { return nil }
    return value
  }

  /// The text of a string or an object path.
  package var text: String? {
    switch content {
    case .string(let value), .objectPath(let value): value
    case .boolean, .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .bytes,
      .array, .dictionary, .structure, .variant:
      nil
    }
  }

  package var bytes: [UInt8]? {
    guard case .bytes(let value) = content else { return nil }
    return value
  }

  package var elements: [BusValue]? {
    guard case .array(_, let values) = content else { return nil }
    return values
  }

  package var entries: [BusEntry]? {
    guard case .dictionary(_, _, let entries) = content else { return nil }
    return entries
  }

  /// The value with a name, in a dictionary with names as keys.
  package subscript(name: String) -> BusValue? {
    entries?.first { $0.key.text == name }?.value.content
  }
}

/// One entry of a dictionary on D-Bus.
package struct BusEntry: Hashable, Sendable {
  package var key: BusValue
  package var value: BusValue

  package init(key: BusValue, value: BusValue) {
    self.key = key
    self.value = value
  }
}
