import LocationModel
import Testing

@testable import LocationProviders

@Suite("The JSON scanner")
struct JSONScannerTests {
  private func members(_ text: String) throws(JSONFault) -> [String] {
    var scanner = JSONScanner(Array(text.utf8))
    var members: [String] = []
    try scanner.document { (name: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      let key = name.text
      if key.hasPrefix("n") {
        members.append("\(key)=\(try value.number().map { "\($0)" } ?? "none")")
      } else if key.hasPrefix("s") {
        members.append("\(key)=\(try value.string() ?? "none")")
      } else if key.hasPrefix("b") {
        members.append("\(key)=\(try value.boolean().map { "\($0)" } ?? "none")")
      } else {
        try value.skip()
      }
    }
    return members
  }

  @Test("reads numbers, strings, and truth values, and skips the rest")
  func values() throws {
    let text = """
      { "n1" : -12.5e2, "s1":"a\\"\\u00e9\\ud83d\\ude00\\n\\/", "b1":true, "b2":false,
        "x":[1,[2,{"y":null}],"z"], "n2":0 , "n3":null, "n4":"5", "s2":7, "b3":0, "x2":{} , "x3":[]}
      """
    #expect(
      try members(text) == [
        "n1=-1250.0", "s1=a\"é😀\n/", "b1=true", "b2=false", "n2=0.0", "n3=none", "n4=none",
        "s2=none", "b3=none",
      ])
    #expect(try members("{}") == [])
  }

  @Test("takes the not-a-number of older servers for no number")
  func notANumber() throws {
    #expect(
      try members(#"{"n1":nan,"n2":NaN,"n3":-nan,"n4":inf,"n5":-INF,"n6":1e999,"n7":1}"#)
        == [
          "n1=none", "n2=none", "n3=none", "n4=none", "n5=none", "n6=none", "n7=1.0",
        ])
  }

  @Test(
    "refuses what is not JSON, with the reason",
    arguments: [
      ("", .truncated), ("{", .truncated), (#"{"a"#, .truncated), (#"{"a":"#, .truncated),
      (#"{"a":1"#, .truncated), (#"{"a":"b\"#, .truncated), (#"{"a":"\u12"#, .truncated),
      ("[1]", .unexpected(byte: 0x5b, offset: 0)), ("x", .unexpected(byte: 0x78, offset: 0)),
      (#"{a:1}"#, .unexpected(byte: 0x61, offset: 1)),
      (#"{"a" 1}"#, .unexpected(byte: 0x31, offset: 5)),
      (#"{"a":1 "b":2}"#, .unexpected(byte: 0x22, offset: 7)),
      (#"{"a":1,}"#, .unexpected(byte: 0x7d, offset: 7)),
      (#"{"a":tru}"#, .unexpected(byte: 0x74, offset: 5)),
      (#"{"a":nil}"#, .unexpected(byte: 0x6e, offset: 5)),
      (#"{"a":+1}"#, .unexpected(byte: 0x2b, offset: 5)),
      (#"{"a":[1,]}"#, .unexpected(byte: 0x5d, offset: 8)),
      (#"{"a":01}"#, .badNumber(offset: 5)), (#"{"a":1.}"#, .badNumber(offset: 5)),
      (#"{"a":1e}"#, .badNumber(offset: 5)), (#"{"a":-}"#, .unexpected(byte: 0x7d, offset: 6)),
      (#"{"a":"\x"}"#, .badEscape(offset: 6)), (#"{"a":"\ud800"}"#, .badEscape(offset: 6)),
      (#"{"a":"\udc00"}"#, .badEscape(offset: 6)), (#"{"a":"\u00g0"}"#, .badEscape(offset: 6)),
      ("{\"a\":\"\n\"}", .unexpected(byte: 0x0a, offset: 6)),
      (#"{"a":1}x"#, .trailing(offset: 7)),
    ] as [(String, JSONFault)])
  func refusals(text: String, fault: JSONFault) {
    #expect(throws: fault) { try members(text) }
  }

  @Test("stops at a depth, so that no line exhausts the stack")
  func depth() {
    let text = "{\"a\":" + String(repeating: "[", count: 100_000)
    #expect(throws: JSONFault.tooDeep) { try members(text) }
  }

  @Test("converts numbers as the standard library does")
  func numbers() {
    for text in [
      "0", "-0.0", "1", "45.273518851", "-122.4072250", "0.1", "1e22", "1e23", "123456789012345678",
      "0.30000000000000004", "9007199254740993", "2.2250738585072014e-308", "5e-324", "1e-400",
      "38.92747367732227", "1.7976931348623157e308", "-77.02016168273985", "100000000000000000000",
    ] {
      var position = 0
      let bytes = Array(text.utf8)
      let number = scanDecimal(bytes, at: &position, before: bytes.count, .json)
      #expect(number?.bitPattern == Double(text)?.bitPattern, "\(text)")
      #expect(position == bytes.count)
    }
  }

  @Test("converts numbers of 16 to 18 digits as the standard library does")
  func longNumbers() {
    var random = SeededRandom(seed: 23)
    var texts = ["9007199254740993.5", "0.9007199254740995", "36028797018963970e-1"]
    let range: Range<UInt64> = 1_000_000_000_000_000..<1_000_000_000_000_000_000
    for places in 1...18 {
      for _ in 0..<500 {
        texts.append("\(UInt64.random(in: range, using: &random))e-\(places)")
      }
    }
    for text in texts {
      var position = 0
      let bytes = Array(text.utf8)
      let number = scanDecimal(bytes, at: &position, before: bytes.count, .json)
      #expect(number?.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }

  @Test("compares the names of members where they stand, and resolves their escapes")
  func keys() throws {
    let line = Array(#"{"speed":1,"\u0073peed":2,"spee":3,"speedy":4,"":5}"#.utf8)
    var scanner = JSONScanner(line)
    var (speeds, others): ([Double?], [String]) = ([], [])
    try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      switch key {
      case "speed": speeds.append(try value.number())
      default:
        others.append(key.text)
        try value.skip()
      }
    }
    #expect(speeds == [1, 2])
    #expect(others == ["spee", "speedy", ""])
  }

  @Test("allows XML's looser numbers only where they are allowed")
  func looseNumbers() {
    for (text, expected) in [("+5", 5.0), (".5", 0.5), ("5.", 5), ("007", 7), ("-.25e1", -2.5)] {
      var position = 0
      let bytes = Array(text.utf8)
      #expect(scanDecimal(bytes, at: &position, before: bytes.count, .lenient) == expected)
      position = 0
      #expect(scanDecimal(bytes, at: &position, before: bytes.count, .json) == nil)
    }
  }
}
