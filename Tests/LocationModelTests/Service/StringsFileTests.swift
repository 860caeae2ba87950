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

  @Test("that is too long is refused")
  func long() {
    let limit = PropertyList.Limits().bytes
    #expect(throws: StringsFile.Fault.tooLong(limit: limit)) {
      try StringsFile.read([UInt8](repeating: 32, count: limit + 1))
    }
  }
}
