/// Why a connection of MQTT was ended.
package enum MQTTEnd: String, CaseIterable, Comparable, Error, Sendable {
  /// The device said that it goes.
  case disconnected
  /// The device, or the network, closed it.
  case gone
  /// A packet that breaks the grammar of MQTT 3.1.1.
  case malformed
  /// A packet with more bytes than may be.
  case tooLong
  /// Another protocol, or another version of it.
  case version
  /// The first packet is none to connect, a second one is, or one that only a server sends.
  case unexpected
  /// A topic with a wildcard.
  case wildcard
  /// QoS 2.
  case quality
  /// No packet within one and a half of the time that the device had named, or none to connect.
  case silent
  /// TLS was not agreed on, the certificate names no device, or others are believed from now on.
  case security
  /// No user, an unknown one, or a wrong password; or its account is gone, or another one, since it came in.
  case password
  /// A topic of another device.
  case device
  /// A topic of no device.
  case topic
  /// What was sent could not be kept; the device sends it again.
  case unavailable
  /// More connections than may be, in all or of its tenant.
  case surplus
  /// More fixes than its device or its tenant may send, and for too long.
  case rate

  package static func < (left: MQTTEnd, right: MQTTEnd) -> Bool { left.rawValue < right.rawValue }
}

/// A packet of MQTT 3.1.1 that a device sends.
package enum MQTTPacket: Hashable, Sendable {
  package struct Connect: Hashable, Sendable {
    package var client = ""
    package var isClean = true
    /// Seconds; 0 for none.
    package var keepAlive = 0
    package var user: String?
    package var password: [UInt8]?
  }

  package struct Publish: Hashable, Sendable {
    package var topic: String
    /// `nil` for QoS 0.
    package var number: UInt16?
    package var payload: [UInt8]
  }

  case connect(Connect)
  case publish(Publish)
  /// The number, and how many filters there are.
  case subscribe(UInt16, filters: Int)
  case unsubscribe(UInt16)
  case ping
  case disconnect
}

/// Cuts bytes into packets.
package struct MQTTReader: Hashable, Sendable {
  /// Bytes of a packet behind its length.
  package static let longest = DeviceReport.longest + 1024
  package static let longestConnect = 2048

  private var bytes: [UInt8] = []
  /// Where the next packet begins.
  private var start = 0

  package init() {}

  /// Bytes that wait for the rest of their packet.
  package var waiting: Int { bytes.count - start }

  package mutating func take(_ more: [UInt8]) {
    bytes = waiting == 0 ? more : Array(bytes[start...]) + more
    start = 0
  }

  /// Returns the next packet; `nil` while it is not whole.
  package mutating func next(limit: Int) throws(MQTTEnd) -> MQTTPacket? {
    guard start < bytes.count else { return nil }
    // The length: seven bits in each byte, the lowest first, four bytes at most.
    var (length, count) = (0, 0)
    while true {
      guard count < 4 else { throw .malformed }
      count += 1
      guard start + count < bytes.count else { return nil }
      let byte = bytes[start + count]
      length |= Int(byte & 0x7f) << (7 * (count - 1))
      if byte & 0x80 == 0 { break }
    }
    guard length <= limit else { throw .tooLong }
    let begin = start + 1 + count
    guard bytes.count >= begin + length else { return nil }
    var cursor = MQTTCursor(bytes[begin..<(begin + length)])
    let packet = try cursor.packet(bytes[start])
    start = begin + length
    // A connection at rest keeps no room.
    if start == bytes.count { (bytes, start) = ([], 0) }
    return packet
  }
}

/// Walks over the bytes of one packet.
private struct MQTTCursor {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func packet(_ first: UInt8) throws(MQTTEnd) -> MQTTPacket {
    switch (first >> 4, first & 15) {
    case (1, 0): return try connect()
    case (3, let flags): return try publish(flags)
    case (8, 2): return try subscribe()
    case (10, 2): return try unsubscribe()
    case (12, 0): return try empty(.ping)
    case (14, 0): return try empty(.disconnect)
    case (2, 0), (4, 0), (5, 0), (6, 2), (7, 0), (9, 0), (11, 0), (13, 0): throw .unexpected
    default: throw .malformed
    }
  }

  private func empty(_ packet: MQTTPacket) throws(MQTTEnd) -> MQTTPacket {
    guard rest.isEmpty else { throw .malformed }
    return packet
  }

  private mutating func connect() throws(MQTTEnd) -> MQTTPacket {
    let name = try text()
    guard name == "MQTT", try byte() == 4 else { throw .version }
    let flags = try byte()
    var packet = MQTTPacket.Connect()
    packet.keepAlive = Int(try number())
    packet.client = try text()
    packet.isClean = flags & 2 != 0
    let (hasWill, quality) = (flags & 4 != 0, flags >> 3 & 3)
    guard flags & 1 == 0, quality < 3, hasWill || flags & 0x38 == 0,
      flags & 0x80 != 0 || flags & 0x40 == 0
    else { throw .malformed }
    if hasWill {
      _ = try text()
      _ = try data()
    }
    if flags & 0x80 != 0 { packet.user = try text() }
    if flags & 0x40 != 0 { packet.password = Array(try data()) }
    return try empty(.connect(packet))
  }

  private mutating func publish(_ flags: UInt8) throws(MQTTEnd) -> MQTTPacket {
    let quality = flags >> 1 & 3
    guard quality != 3, quality != 0 || flags & 8 == 0 else { throw .malformed }
    guard quality != 2 else { throw .quality }
    let topic = try text()
    guard !topic.isEmpty else { throw .malformed }
    guard !topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") })
    else { throw .wildcard }
    let number = quality == 1 ? try number() : nil
    guard number != 0 else { throw .malformed }
    return .publish(MQTTPacket.Publish(topic: topic, number: number, payload: Array(rest)))
  }

  private mutating func subscribe() throws(MQTTEnd) -> MQTTPacket {
    let number = try number()
    var count = 0
    while !rest.isEmpty {
      _ = try text()
      guard try byte() < 3 else { throw .malformed }
      count += 1
    }
    guard number != 0, count > 0 else { throw .malformed }
    return .subscribe(number, filters: count)
  }

  private mutating func unsubscribe() throws(MQTTEnd) -> MQTTPacket {
    let number = try number()
    guard number != 0, !rest.isEmpty else { throw .malformed }
    while !rest.isEmpty { _ = try text() }
    return .unsubscribe(number)
  }

  private mutating func byte() throws(MQTTEnd) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .malformed }
    return byte
  }

  private mutating func number() throws(MQTTEnd) -> UInt16 {
    let high = try byte()
    return UInt16(high) << 8 | UInt16(try byte())
  }

  private mutating func data() throws(MQTTEnd) -> ArraySlice<UInt8> {
    let count = Int(try number())
    guard rest.count >= count else { throw .malformed }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func text() throws(MQTTEnd) -> String {
    let bytes = try data()
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformed
    }
    return text
  }
}
