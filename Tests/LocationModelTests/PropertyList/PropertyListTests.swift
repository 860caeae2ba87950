import Foundation
import LocationModel
import TestSupport
import Testing

@Suite("A property list")
struct PropertyListTests {
  private static var rich: [String: Any] {
    [
      "CFBundleIdentifier": "org.example.Walk", "CFBundleName": "Spazieren – öffentlich & <frei>",
      "NSLocationDefaultAccuracyReduced": true, "Number": 42, "Negative": -7, "Off": false,
      "UIBackgroundModes": ["location", "audio"], "Date": Date(timeIntervalSince1970: 5),
      "Data": Data([1, 2, 3]), "Real": 1.5,
      "Deep": ["a": ["b": ["c", ["d": "e"]]]] as [String: Any],
    ]
  }

  private static let wanted: [String: ManifestValue] = [
    "CFBundleIdentifier": .string("org.example.Walk"),
    "CFBundleName": .string("Spazieren – öffentlich & <frei>"),
    "NSLocationDefaultAccuracyReduced": .bool(true), "Number": .integer(42),
    "Negative": .integer(-7), "Off": .bool(false),
    "UIBackgroundModes": .array([.string("location"), .string("audio")]),
    "Deep": .dictionary([
      "a": .dictionary(["b": .array([.string("c"), .dictionary(["d": .string("e")])])])
    ]),
  ]

  static func bytes(_ list: Any, _ format: PropertyListSerialization.PropertyListFormat) throws
    -> [UInt8]
  {
    [UInt8](try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
  }

  static func xml(_ body: String) -> [UInt8] {
    [UInt8]("<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\(body)</plist>".utf8)
  }

  private func fault(_ bytes: [UInt8]) -> PropertyList.Fault? {
    do throws(PropertyList.Fault) { _ = try PropertyList.read(bytes) } catch { return error }
    return nil
  }

  @Test("is read in the XML and the binary form as Foundation writes them")
  func forms() throws {
    #expect(try PropertyList.read(Self.bytes(Self.rich, .xml)) == Self.wanted)
    #expect(try PropertyList.read(Self.bytes(Self.rich, .binary)) == Self.wanted)
  }

  @Test("may have comments, CDATA, references to characters, and empty lists")
  func grammar() throws {
    let body = """
      <!-- </dict> --><dict><key>a</key><!-- <key> --><string>x<![CDATA[</string>&amp;]]>&#x41;&#66;</string>
      <key>b</key><array/><key >c</key ><dict/><key>d</key><true/><key>e</key><string/></dict>
      """
    #expect(
      try PropertyList.read(Self.xml(body)) == [
        "a": .string("x</string>&amp;AB"), "b": .array([]), "c": .dictionary([:]),
        "d": .bool(true), "e": .string(""),
      ])
  }

  @Test(
    "border 11: lists in lists have a bound, whatever comments or sections show",
    arguments: [33, 10_000])
  func depth(_ depth: Int) {
    let deep = PropertyList.Fault.tooDeep(limit: 32)
    let plain = Self.xml(String(repeating: "<array>", count: 60_000))
    #expect(fault(plain) == deep)
    func nested(_ open: String, _ close: String) -> [UInt8] {
      Self.xml(
        String(repeating: open, count: depth) + String(repeating: close, count: depth))
    }
    #expect(fault(nested("<array>", "</array>")) == deep)
    #expect(fault(nested("<array><!-- </array> -->", "</array>")) == deep)
    #expect(fault(nested("<array><string><![CDATA[</array>]]></string>", "</array>")) == deep)
    #expect(fault(nested("<dict><key>k</key>", "</dict>")) == deep)
    #expect(fault(nested("<array><dict><key>k</key>", "</dict></array>")) == deep)
    #expect(fault([UInt8]("<plist>".utf8) + nested("<array>", "")) != nil)
    #expect(fault(Self.binary((0..<depth).map { .array([min($0 + 1, depth - 1)]) })) == deep)
    #expect(fault(Self.binary((0..<depth).map { .dictionary([depth], [$0 + 1]) } + [.key])) == deep)
    var fits = String(repeating: "<array>", count: 32)
    fits += String(repeating: "</array>", count: 32)
    #expect(fault(Self.xml(fits)) == nil)
  }

  @Test("border 11: that holds itself, or shares lists until they are billions, is refused")
  func shared() {
    #expect(fault(Self.binary([.array([0])])) == .tooDeep(limit: 32))
    #expect(fault(Self.binary([.array([1]), .array([0])])) == .tooDeep(limit: 32))
    // Each of thirty lists holds the next one four times.
    let laughs = (0..<30).map { Piece.array([$0 + 1, $0 + 1, $0 + 1, $0 + 1]) } + [.key]
    #expect(fault(Self.binary(laughs)) == .tooMany(limit: 10_000))
    let wide = (0..<30).map { number in Piece.array(Array(repeating: number + 1, count: 200)) }
    #expect(fault(Self.binary(wide + [.key])) == .tooMany(limit: 10_000))
    let text = Piece.text(String(repeating: "t", count: 500_000))
    #expect(fault(Self.binary([.array([1, 1, 1]), text])) == .tooMuchText(limit: 1 << 20))
  }

  @Test("border 11: has bounds for its bytes, its values, and its texts")
  func sizes() {
    #expect(fault([UInt8](repeating: 0x20, count: (1 << 20) + 1)) == .tooLong(limit: 1 << 20))
    let many = "<array>" + String(repeating: "<true/>", count: 10_001) + "</array>"
    #expect(fault(Self.xml(many)) == .tooMany(limit: 10_000))
    #expect(
      fault(Self.binary([.array(Array(repeating: 1, count: 10_001)), .key]))
        == .tooMany(limit: 10_000))
  }

  @Test("border 11: of another form, with declarations, or with entities of its own is refused")
  func otherForms() {
    let doctype = "<!DOCTYPE plist [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
    #expect(fault([UInt8]("\(doctype)<plist><string>&b;</string></plist>".utf8)) == .declarations)
    #expect(
      fault([UInt8]("<!DOCTYPE plist SYSTEM '[' [<!ENTITY a SYSTEM '/etc/passwd'>]><plist/>".utf8))
        == .declarations)
    #expect(fault(Self.xml("<string>&lol;</string>")) == .unknownEntity)
    #expect(fault(Self.xml("<string>&#xd800;</string>")) == .unknownEntity)
    #expect(fault([UInt8]("{ a = { b = c; }; }".utf8)) == .unknownForm)
    #expect(fault([UInt8](String(repeating: "(", count: 60_000).utf8)) == .unknownForm)
    #expect(fault([UInt8]("{\"a\": 1}".utf8)) == .unknownForm)
    #expect(fault([0xff, 0xfe, 0x3c, 0]) == .unknownForm)
    #expect(fault([]) == .unknownForm)
  }

  @Test("border 11: whose trailer lies about counts and offsets is damaged", arguments: 0..<40)
  func trailer(_ place: Int) throws {
    var bytes = Self.binary([.dictionary([1], [2]), .key, .text("value")])
    #expect(try PropertyList.read(bytes) == ["k": .string("value")])
    let begin = bytes.count - 40 + place
    for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] where begin >= 8 {
      bytes[begin] = value
      _ = fault(bytes)
    }
    let full = bytes.prefix(bytes.count - 24) + [UInt8](repeating: 0xff, count: 24)
    #expect(fault(Array(full)) != nil)
  }

  @Test(
    "border 11: that was damaged at random gives a value or a reason, and never traps",
    arguments: 1...8)
  func mutations(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let sources = [
      try Self.bytes(Self.rich, .xml), try Self.bytes(Self.rich, .binary),
      Self.binary((0..<20).map { .array([$0 + 1, $0 + 1]) } + [.key]),
      Self.xml("<!-- x --><dict><key>a</key><string><![CDATA[b]]>&amp;</string></dict>"),
    ]
    for round in 0..<1000 {
      var bytes = sources[round % sources.count]
      for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0 ... .max, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 5))
        case 2: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
        default: bytes = Array(bytes.prefix(place))
        }
      }
      _ = fault(bytes)
    }
  }
}

extension PropertyListTests {
  /// An object of a binary list, by the numbers of those it refers to.
  enum Piece {
    case array([Int])
    case dictionary([Int], [Int])
    /// The string `k`.
    case key
    case text(String)
  }

  /// Writes objects as they are, sensible or not, with references of four bytes.
  static func binary(_ pieces: [Piece]) -> [UInt8] {
    func word(_ number: Int, _ size: Int = 4) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: number >> ((size - 1 - $0) * 8)) }
    }
    func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0x0f, 0x12] + word(count)
    }
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for piece in pieces {
      offsets.append(bytes.count)
      switch piece {
      case .array(let all): bytes += marker(0xa, all.count) + all.flatMap { word($0) }
      case .dictionary(let keys, let values):
        bytes += marker(0xd, keys.count) + (keys + values).flatMap { word($0) }
      case .key: bytes += marker(5, 1) + [UInt8(ascii: "k")]
      case .text(let text): bytes += marker(5, text.utf8.count) + Array(text.utf8)
      }
    }
    let table = bytes.count
    bytes += offsets.flatMap { word($0) } + [0, 0, 0, 0, 0, 0, 4, 4]
    return bytes + word(pieces.count, 8) + word(0, 8) + word(table, 8)
  }
}
