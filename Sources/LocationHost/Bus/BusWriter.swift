import CSystemd
import LocationModel
import LocationProviders

/// Writes values into a message, one after the other.
struct BusWriter {
  private let message: OpaquePointer

  init(_ message: OpaquePointer) {
    self.message = message
  }

  func append(_ values: [BusValue]) throws(BusFault) {
    for value in values { try append(value) }
  }

  func append(_ value: BusValue) throws(BusFault) {
    switch value {
    case .boolean(let flag): try basic("b", Int32(flag ? 1 : 0))
    case .byte(let number): try basic("y", number)
    case .int16(let number): try basic("n", number)
    case .uint16(let number): try basic("q", number)
    case .int32(let number): try basic("i", number)
    case .uint32(let number): try basic("u", number)
    case .int64(let number): try basic("x", number)
    case .uint64(let number): try basic("t", number)
    case .double(let number): try basic("d", number)
    case .string(let text): try append(text, "s")
    case .objectPath(let text): try append(text, "o")
    case .bytes(let bytes): try append(bytes)
    case .array(let element, let values):
      try within("a", element) { () throws(BusFault) in try append(values) }
    case .dictionary(let key, let value, let entries):
      try within("a", "{\(key)\(value)}") { () throws(BusFault) in
        for entry in entries {
          try within("e", key + value) { () throws(BusFault) in
            try append([entry.key, entry.value])
          }
        }
      }
    case .structure(let values):
      let contents = values.map(\.signature).joined()
      try within("r", contents) { () throws(BusFault) in try append(values) }
    case .variant(let inner):
      try within("v", inner.signature) { () throws(BusFault) in try append(inner) }
    }
  }

  private func basic<Value: BitwiseCopyable>(
    _ type: Unicode.Scalar, _ value: Value
  ) throws(BusFault) {
    let code = withUnsafePointer(to: value) {
      sd_bus_message_append_basic(message, Self.code(type), $0)
    }
    try BusFault.check(code)
  }

  private func append(_ text: String, _ type: Unicode.Scalar) throws(BusFault) {
    try BusFault.check(
      text.withCString { sd_bus_message_append_basic(message, Self.code(type), $0) })
  }

  private func append(_ bytes: [UInt8]) throws(BusFault) {
    let code = bytes.withUnsafeBytes {
      sd_bus_message_append_array(message, Self.code("y"), $0.baseAddress, $0.count)
    }
    try BusFault.check(code)
  }

  private func within(
    _ type: Unicode.Scalar, _ contents: String, _ write: () throws(BusFault) -> Void
  ) throws(BusFault) {
    try BusFault.check(sd_bus_message_open_container(message, Self.code(type), contents))
    try write()
    try BusFault.check(sd_bus_message_close_container(message))
  }

  private static func code(_ type: Unicode.Scalar) -> CChar { CChar(type.value) }
}

/// An error of sd-bus.
package struct BusFault: Error, Hashable {
  /// The system's error number, positive.
  package var code: Int32

  /// Throws if the result is negative; otherwise returns it.
  @discardableResult
  static func check(_ result: Int32) throws(BusFault) -> Int32 {
    guard result >= 0 else { throw BusFault(code: -result) }
    return result
  }
}
