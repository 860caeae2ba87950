import CSystemd
import LocationModel
import LocationProviders

/// Reads the values of a message, one after the other.
struct BusReader {
  private let message: OpaquePointer
  private let budget = Budget()

  /// How much more may be read of one message.
  private final class Budget {
    /// Values, and sixteen bytes of text each. Chosen: several thousand devices of `bluetoothd`.
    var rest = 262_144

    func take(bytes: Int = 0) { rest -= 1 + bytes / 16 }
  }

  init(_ message: OpaquePointer) {
    self.message = message
  }

  /// Returns all values of the message, up to the first one that cannot be read; `nil` if there are
  /// too many.
  func all() -> [BusValue]? {
    let values = values()
    return budget.rest > 0 ? values : nil
  }

  private func values() -> [BusValue] {
    var values: [BusValue] = []
    while let value = next() { values.append(value) }
    return values
  }

  private func next() -> BusValue? {
    guard budget.rest > 0 else { return nil }
    budget.take()
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
    switch UInt8(bitPattern: type) {
    case UInt8(ascii: "b"): return basic(type, of: Int32.self).map { .boolean($0 != 0) }
    case UInt8(ascii: "y"): return basic(type, of: UInt8.self).map { .byte($0) }
    case UInt8(ascii: "n"): return basic(type, of: Int16.self).map { .int16($0) }
    case UInt8(ascii: "q"): return basic(type, of: UInt16.self).map { .uint16($0) }
    case UInt8(ascii: "i"): return basic(type, of: Int32.self).map { .int32($0) }
    case UInt8(ascii: "u"): return basic(type, of: UInt32.self).map { .uint32($0) }
    case UInt8(ascii: "x"): return basic(type, of: Int64.self).map { .int64($0) }
    case UInt8(ascii: "t"): return basic(type, of: UInt64.self).map { .uint64($0) }
    case UInt8(ascii: "d"): return basic(type, of: Double.self).map { .double($0) }
    case UInt8(ascii: "o"): return text(type).map { .objectPath($0) }
    case UInt8(ascii: "s"), UInt8(ascii: "g"): return text(type).map { .string($0) }
    case UInt8(ascii: "a"): return array(contents)
    case UInt8(ascii: "v"): return within(type, contents) { next().map { .variant($0) } }
    case UInt8(ascii: "r"): return within(type, contents) { .structure(values()) }
    // File handles are not supported; none of the services in use sends one.
    default: return nil
    }
  }

  private func basic<Value: FixedWidthInteger>(_ type: CChar, of: Value.Type) -> Value? {
    var value: Value = 0
    return sd_bus_message_read_basic(message, type, &value) > 0 ? value : nil
  }

  private func basic(_ type: CChar, of: Double.Type) -> Double? {
    var value = 0.0
    return sd_bus_message_read_basic(message, type, &value) > 0 ? value : nil
  }

  private func text(_ type: CChar) -> String? {
    var value: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, type, &value) > 0, let value else { return nil }
    let text = String(cString: value)
    budget.take(bytes: text.utf8.count)
    return text
  }

  private func array(_ contents: UnsafePointer<CChar>?) -> BusValue? {
    guard let contents else { return nil }
    let element = String(cString: contents)
    if element == "y" { return bytes() }
    let type = CChar(bitPattern: UInt8(ascii: "a"))
    guard element.hasPrefix("{") else {
      return within(type, contents) { .array(of: element, values()) }
    }
    let inner = element.dropFirst().dropLast()
    return within(type, contents) {
      .dictionary(key: String(inner.prefix(1)), value: String(inner.dropFirst()), entries())
    }
  }

  private func bytes() -> BusValue? {
    var start: UnsafeRawPointer?
    var count = 0
    let type = CChar(bitPattern: UInt8(ascii: "y"))
    guard sd_bus_message_read_array(message, type, &start, &count) >= 0 else { return nil }
    budget.take(bytes: count)
    guard budget.rest > 0 else { return nil }
    return .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
  }

  private func entries() -> [BusEntry] {
    var entries: [BusEntry] = []
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    while sd_bus_message_peek_type(message, &type, &contents) > 0 {
      guard sd_bus_message_enter_container(message, type, contents) > 0 else { break }
      if let key = next(), let value = next() { entries.append(BusEntry(key: key, value: value)) }
      guard sd_bus_message_exit_container(message) >= 0 else { break }
    }
    return entries
  }

  private func within(
    _ type: CChar, _ contents: UnsafePointer<CChar>?, _ read: () -> BusValue?
  ) -> BusValue? {
    guard sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
    let value = read()
    guard sd_bus_message_exit_container(message) >= 0 else { return nil }
    return value
  }
}
