extension BSSID: CustomStringConvertible {
  /// Reads an address of 12 hexadecimal digits, with colons, dashes, or nothing between them; `nil`
  /// for another text, and for the address of a group.
  package init?(address text: String) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "-") }
    guard digits.count == 12, text.utf8.count <= 17,
      let bits = UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return nil }
    self.init(bits)
    if isGroup { return nil }
  }

  /// Six octets with colons, in lower case.
  package var description: String {
    (0..<6).map { place in
      let octet = bits >> UInt64(40 - 8 * place) & 255
      return (octet < 16 ? "0" : "") + String(octet, radix: 16)
    }.joined(separator: ":")
  }
}
