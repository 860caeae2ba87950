/// The bytes of which MQTT 3.1.1 consists.
package enum MQTTBytes {
  /// A text with its length before it.
  package static func text(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 255)] + Array(text.utf8)
  }

  /// A packet: its first byte, the length of its body, and that.
  package static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
    var (length, bytes) = (body.count, [first])
    repeat {
      bytes.append(UInt8(length & 0x7f) | (length > 0x7f ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return bytes + body
  }
}
