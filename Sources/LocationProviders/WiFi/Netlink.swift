/// A message of netlink, by which the kernel speaks of its networks.
///
/// Numbers are in the byte order of the computer, which is little-endian wherever Swift runs.
package struct NetlinkMessage: Hashable, Sendable {
  package var type: UInt16
  package var flags: UInt16
  /// The number of the request that it answers; 0 in an event.
  package var sequence: UInt32
  package var payload: ArraySlice<UInt8>

  package init(
    type: UInt16, flags: UInt16, sequence: UInt32, payload: ArraySlice<UInt8>
  ) {
    self.type = type
    self.flags = flags
    self.sequence = sequence
    self.payload = payload
  }

  /// Splits what was read at once into messages; `isTorn` when the rest is none.
  package static func split(_ bytes: [UInt8]) -> (messages: [NetlinkMessage], isTorn: Bool) {
    var messages: [NetlinkMessage] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let length = rest.number(UInt32.self, at: 0), length >= headerLength,
        Int(length) <= rest.count, let type = rest.number(UInt16.self, at: 4),
        let flags = rest.number(UInt16.self, at: 6),
        let sequence = rest.number(UInt32.self, at: 8)
      else { return (messages, true) }
      let payload = rest.prefix(Int(length)).dropFirst(headerLength)
      messages.append(
        NetlinkMessage(type: type, flags: flags, sequence: sequence, payload: payload))
      rest = rest.dropFirst(aligned(Int(length)))
    }
    return (messages, false)
  }

  /// The error of an answer of type `error`; 0 for success, `nil` when it is torn or no error.
  package var errorCode: Int32? {
    guard let number = payload.number(UInt32.self, at: 0) else { return nil }
    return Int32(exactly: -Int64(Int32(bitPattern: number)))
  }

  /// The next multiple of four: messages and attributes begin at one.
  static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

  /// Bytes before the payload.
  static let headerLength = 16
  /// The types that are not of a family.
  package static let error: UInt16 = 2
  package static let done: UInt16 = 3
  /// Of a request; of one that asks for a list.
  static let request: UInt16 = 1
  static let dump: UInt16 = 0x300
  /// Of a part of a list that changed while it was read.
  package static let interrupted: UInt16 = 0x10
}

/// A field of a message: a type and a value.
struct NetlinkAttribute: Sendable {
  let type: UInt16
  let value: ArraySlice<UInt8>

  /// Splits a value into the attributes that it consists of; `nil` when it is torn.
  static func split(_ bytes: ArraySlice<UInt8>) -> [NetlinkAttribute]? {
    var attributes: [NetlinkAttribute] = []
    var rest = bytes
    while !rest.isEmpty {
      guard let length = rest.number(UInt16.self, at: 0), length >= headerLength,
        Int(length) <= rest.count, let type = rest.number(UInt16.self, at: 2)
      else { return nil }
      let value = rest.prefix(Int(length)).dropFirst(headerLength)
      // The two highest bits are marks.
      attributes.append(NetlinkAttribute(type: type & 0x3fff, value: value))
      rest = rest.dropFirst(NetlinkMessage.aligned(Int(length)))
    }
    return attributes
  }

  /// The value as a number; `nil` when it has another length.
  func number<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
    value.count == MemoryLayout<Number>.size ? value.number(type, at: 0) : nil
  }

  /// The value as text, up to its zero.
  var text: String { String(decoding: value.prefix { $0 != 0 }, as: UTF8.self) }

  private static let headerLength = 4
}

extension [NetlinkAttribute] {
  /// The first attribute of a type.
  subscript(type type: UInt16) -> NetlinkAttribute? { first { $0.type == type } }
}

/// A request of generic netlink: which command of which family, and attributes.
struct NetlinkRequest: Sendable {
  private let family: UInt16
  private let flags: UInt16
  private let command: UInt8
  private var attributes: [UInt8] = []

  init(family: UInt16, command: UInt8, asksForList: Bool = false) {
    self.family = family
    self.command = command
    flags = NetlinkMessage.request | (asksForList ? NetlinkMessage.dump : 0)
  }

  /// Adds an attribute.
  func with(_ type: UInt16, _ value: [UInt8]) -> NetlinkRequest {
    var request = self
    request.attributes.append(number: UInt16(value.count + 4))
    request.attributes.append(number: type)
    request.attributes += value
    let gap = NetlinkMessage.aligned(value.count) - value.count
    request.attributes += [UInt8](repeating: 0, count: gap)
    return request
  }

  /// The message, under a number that its answers repeat.
  func bytes(sequence: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: UInt32(NetlinkMessage.headerLength + 4 + attributes.count))
    bytes.append(number: family)
    bytes.append(number: flags)
    bytes.append(number: sequence)
    // The kernel knows the sender.
    bytes.append(number: UInt32(0))
    return bytes + [command, Self.version, 0, 0] + attributes
  }

  private static let version: UInt8 = 1
}

extension ArraySlice<UInt8> {
  /// The number at a place; `nil` when it reaches over the end.
  func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type, at offset: Int
  ) -> Number? {
    let size = MemoryLayout<Number>.size
    guard offset >= 0, count - offset >= size else { return nil }
    return self[(startIndex + offset)..<(startIndex + offset + size)].reversed().reduce(0) {
      $0 << 8 | Number($1)
    }
  }
}

extension [UInt8] {
  /// Appends a number in the byte order of the computer.
  mutating func append<Number: FixedWidthInteger & UnsignedInteger>(number: Number) {
    for place in 0..<MemoryLayout<Number>.size {
      append(UInt8(truncatingIfNeeded: number >> (8 * place)))
    }
  }
}
