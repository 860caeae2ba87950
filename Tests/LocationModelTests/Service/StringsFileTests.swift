import LocationModel
import Testing

@Suite("A file of texts in a language")
struct StringsFileTests {
  private func read(_ text: String) throws -> [String: String] {
    try StringsFile.read(Array(text.utf8))
  }

  @Test("AUTH-52: has texts by key, with comments, escapes, and words without quotes")
  func lines() throws {
    let text = """
      /* The reason. */
      "NSLocationWhenInUseUsageDescription" = "Um \\"nah\\" zu sein.\\n\\U00FC";
      // A name.
      CFBundleDisplayName = Weg;
      """
    #expect(
      try read(text) == [
        "NSLocationWhenInUseUsageDescription": "Um \"nah\" zu sein.\n\u{FC}",
        "CFBundleDisplayName": "Weg",
      ])
    #expect(try read("").isEmpty)
  }

  @Test("AUTH-52: may be in UTF-16, with a mark, or a property list")
  func forms() throws {
    let line = "a = \"ä\";"
    for isBig in [true, false] {
      let units = [0xFEFF] + Array(line.utf16)
      let bytes = units.flatMap { unit in
        let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        return isBig ? bytes : bytes.reversed()
      }
      #expect(try StringsFile.read(bytes) == ["a": "ä"])
    }
    #expect(try StringsFile.read([0xEF, 0xBB, 0xBF] + Array(line.utf8)) == ["a": "ä"])
    #expect(
      try read("<plist><dict><key>a</key><string>ä</string><key>b</key><true/></dict></plist>")
        == ["a": "ä"])
  }

  @Test(
    "that is damaged has a fault with its line",
    arguments: [
      ("a = b", 1), ("a = b;\n= c;", 2), ("\n\n\"a\" = \"b", 3), ("/* open", 1), ("a b;", 1),
      ("\"a\" = \"\\UD800\";", 1), ("\"a\" = \"\\U12\";", 1), ("\"\\", 1),
    ])
  func damaged(text: String, line: Int) {
    #expect(throws: StringsFile.Fault.malformed(line: line)) { try read(text) }
  }

  @Test("border 11: has the bounds of a property list for its values and for lists in lists")
  func bounds() throws {
    let limits = PropertyList.Limits()
    func lines(_ count: Int) -> String { (0..<count).map { "k\($0)=v;" }.joined() }
    #expect(try read(lines(limits.values / 2)).count == limits.values / 2)
    // A megabyte of keys, the same one or others.
    for text in [lines(limits.values / 2 + 1), String(repeating: "k=v;", count: 1 << 18)] {
      #expect(throws: StringsFile.Fault.list(.tooMany(limit: limits.values))) { try read(text) }
    }
    let nested = String(repeating: "<array>", count: 60_000)
    #expect(throws: StringsFile.Fault.list(.tooDeep(limit: limits.depth))) {
      try read("<plist>\(nested)")
    }
  }

  @Test(
    "border 11: of garbage, in UTF-8 or UTF-16, gives texts or a reason, and never traps",
    arguments: [[0xFF, 0xFE], [0xFE, 0xFF], [0xEF, 0xBB, 0xBF], []])
  func garbage(mark: [UInt8]) {
    var random = SeededRandom(seed: 7)
    let letters = Array("\"\\Uu0Dd8=;/* \n\0k".utf8) + [0xD8, 0xDC, 0xFF]
    for _ in 0..<1000 {
      let bytes = (0..<Int.random(in: 0..<60, using: &random)).compactMap { _ in
        letters.randomElement(using: &random)
      }
      _ = try? StringsFile.read(mark + bytes)
    }
  }

  @Test("border 11: of UTF-16 that ends in half a unit has the texts before it")
  func halfUnit() throws {
    let units = "k=v;".utf8.flatMap { byte -> [UInt8] in [byte, 0] }
    #expect(try StringsFile.read([0xFF, 0xFE] + units + [0x20]) == ["k": "v"])
  }

  @Test("border 11: of a megabyte of open comments or escapes is refused in one pass")
  func open() {
    let comments = String(repeating: "/* ", count: 349_000)
    let escapes = "\"" + String(repeating: "\\", count: (1 << 20) - 1)
    for text in [comments, escapes] {
      #expect(throws: StringsFile.Fault.malformed(line: 1)) { try read(text) }
    }
  }

  @Test("border 11: that is too long is refused")
  func long() {
    let limit = PropertyList.Limits().bytes
    #expect(throws: StringsFile.Fault.tooLong(limit: limit)) {
      try StringsFile.read([UInt8](repeating: 32, count: limit + 1))
    }
  }
}
