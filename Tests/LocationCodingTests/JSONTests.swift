import Foundation
import LocationCoding
import LocationModel
import TestSupport
import Testing

@Suite("JSON")
struct JSONTests {
  @Test("refuses what is no JSON, and says where")
  func grammar() {
    let cases: [(String, Int)] = [
      ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\" 1}", 5), ("01", 0), ("1.", 2), ("-", 1), ("1e", 2),
      ("\"a", 2), ("\"\u{1}\"", 1), ("\"\\x\"", 2), ("\"\\ud800\"", 7), ("nul", 0), ("1 2", 2),
      ("1e999", 0),
    ]
    for (text, offset) in cases {
      #expect(throws: CodingFault.grammar(offset: offset), "\(text)") {
        try JSON(parsing: text.utf8)
      }
    }
    #expect(throws: CodingFault.grammar(offset: 2)) { try JSON(parsing: [0x22, 0xff, 0x22]) }
  }

  @Test("refuses what is nested too deep")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSON(parsing: nested(JSON.maximumDepth).utf8)
    #expect(throws: CodingFault.tooDeep) { try JSON(parsing: nested(JSON.maximumDepth + 1).utf8) }
    #expect(throws: CodingFault.tooDeep) { try JSON(parsing: nested(60_000).utf8) }
  }

  @Test("never fails otherwise on bytes that were cut, damaged, or made up")
  func noise() {
    var samples = Samples(seed: 9)
    for _ in 0..<300 {
      for delivery in samples.deliveries() {
        var bytes = delivery.json.bytes
        let place = samples.pick(bytes.count)
        if samples.flag() { bytes.removeSubrange(place...) }
        if place < bytes.count { bytes[place] = UInt8(samples.pick(256)) }
        if let json = try? JSON(parsing: bytes) { _ = try? Delivery(json: json) }
      }
    }
  }

  @Test("is the JSON that others read and write")
  func foreign() throws {
    var samples = Samples(seed: 10)
    for delivery in samples.deliveries() {
      let json = delivery.json
      let foreign = try JSONSerialization.jsonObject(with: Data(json.bytes))
      let again = try JSONSerialization.data(withJSONObject: foreign)
      #expect(try Delivery(json: JSON(parsing: again)) == delivery)
    }
  }
}
