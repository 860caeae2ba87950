package import LocationModel

/// One JSON object on one line; keys in the order in which they are added.
///
/// A value that is not known is left out: a missing field is unknown.
package struct JSONLine {
  /// All but its last mark.
  private var bytes: [UInt8] = []
  /// Where its first mark and its type end.
  private let head: Int

  package init(type: String) {
    bytes.reserveCapacity(512)
    bytes.append(contentsOf: #"{"type":"#.utf8)
    bytes.appendQuoted(type)
    head = bytes.count
  }

  package var text: String { String(decoding: encoded, as: UTF8.self) }

  /// The text as UTF-8.
  package var encoded: [UInt8] {
    var line = bytes
    line.append(UInt8(ascii: "}"))
    guard !line.span.isASCIIWithoutDelete else { return line }
    return Array(String(decoding: line, as: UTF8.self).escapedInJSON.utf8)
  }

  package mutating func add(_ key: String, _ text: String?) {
    guard let text else { return }
    put(key)
    bytes.appendQuoted(text)
  }

  /// A date of ISO 8601.
  package mutating func add(_ key: String, _ date: UnixTime?) {
    guard let date else { return }
    put(key)
    append(date)
  }

  package mutating func add(_ key: String, _ number: Double?) {
    guard let number, number.isFinite else { return }
    put(key)
    bytes.append(contentsOf: (Int(exactly: number).map(String.init) ?? number.description).utf8)
  }

  package mutating func add(_ key: String, _ number: Int?) {
    guard let number else { return }
    add(key, json: String(number))
  }

  package mutating func add(_ key: String, flag: Bool) {
    add(key, json: flag ? "true" : "false")
  }

  package mutating func add(_ key: String, texts: [String]) {
    put(key, texts) { $0.bytes.appendQuoted($1) }
  }

  /// Of an object, its members; its type is left out.
  package mutating func add(_ key: String, object: JSONLine) {
    put(key)
    append(object)
  }

  /// A value that is JSON already.
  package mutating func add(_ key: String, json: String) {
    put(key)
    bytes.append(contentsOf: json.utf8)
  }

  /// An array of objects; their types are left out.
  package mutating func add(_ key: String, objects: [JSONLine]) {
    put(key, objects) { $0.append($1) }
  }

  /// A value that is known to be none is `null`.
  package mutating func addOrNull(_ key: String, _ date: UnixTime?) {
    put(key)
    if let date { append(date) } else { bytes.append(contentsOf: "null".utf8) }
  }

  private mutating func put(_ key: String) {
    bytes.append(UInt8(ascii: ","))
    bytes.appendQuoted(key)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ date: UnixTime) {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(iso8601: date)
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func put<Value>(
    _ key: String, _ values: [Value], _ append: (inout JSONLine, Value) -> Void
  ) {
    put(key)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(&self, value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func append(_ object: JSONLine) {
    bytes.append(UInt8(ascii: "{"))
    // Behind its type stands a comma.
    bytes.append(contentsOf: object.bytes[object.head...].dropFirst())
    bytes.append(UInt8(ascii: "}"))
  }
}

extension [UInt8] {
  fileprivate mutating func appendQuoted(_ text: String) {
    append(UInt8(ascii: "\""))
    defer { append(UInt8(ascii: "\"")) }
    // Nearly every text is plain, and a day in virtual time has a million of them.
    guard text.utf8.span.firstMarkOfJSON(from: 0) != nil else {
      return append(contentsOf: text.utf8)
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(contentsOf: [UInt8(ascii: "\\"), byte])
      case UInt8(ascii: "\n"): append(contentsOf: #"\n"#.utf8)
      case UInt8(ascii: "\r"): append(contentsOf: #"\r"#.utf8)
      case UInt8(ascii: "\t"): append(contentsOf: #"\t"#.utf8)
      case 0..<0x20:
        append(contentsOf: (byte < 0x10 ? #"\u000"# : #"\u001"#).utf8)
        append(contentsOf: String(byte & 15, radix: 16).utf8)
      default: append(byte)
      }
    }
  }
}
