import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("A database in the form of MaxMind")
struct MaxMindDatabaseTests {
  private static let four: [UInt8] = [81, 2, 69, 142]
  private static let six: [UInt8] = [0x2A, 0x02, 0x82, 0x08] + [UInt8](repeating: 1, count: 12)

  private func answer(_ bytes: [UInt8], _ addresses: [UInt8]...) -> GeoIPAnswer {
    GeoIPLookUp(path: "", addresses: addresses).answer(from: bytes)
  }

  private static func entry(
    _ latitude: Double, _ longitude: Double, _ kilometers: Double?
  ) -> GeoIPEntry {
    .place(latitude: latitude, longitude: longitude, kilometers: kilometers)
  }

  @Test(
    "RADIO-61: has addresses of both kinds, in records of each size",
    arguments: [24, 28, 32])
  func records(bits: Int) {
    var writer = MaxMindWriter(recordBits: bits)
    writer.add([81, 2, 69, 0], 24, MaxMindWriter.city(51.5, -0.1, kilometers: 20))
    writer.add(Self.six, 32, MaxMindWriter.city(52.5, 13.4, kilometers: 500))
    writer.add([81, 2, 70, 0], 24, MaxMindWriter.city(-33.9, 151.2))
    #expect(
      answer(writer.bytes, Self.four, Self.six, [81, 2, 70, 1], [8, 8, 8, 8])
        == .entries([
          Self.entry(51.5, -0.1, 20), Self.entry(52.5, 13.4, 500), Self.entry(-33.9, 151.2, nil),
          .unknown,
        ]))
  }

  @Test("RADIO-61: one of IPv4 alone has no address of IPv6")
  func fourAlone() {
    var writer = MaxMindWriter(version: 4)
    writer.add([81, 2, 69, 0], 24, MaxMindWriter.city(51.5, -0.1, kilometers: 20))
    #expect(
      answer(writer.bytes, Self.four, Self.six) == .entries([Self.entry(51.5, -0.1, 20), .unknown]))
  }

  @Test("RADIO-61: a value may stand elsewhere, and a number be of any type")
  func pointers() {
    var writer = MaxMindWriter()
    writer.add([1, 0, 0, 0], 8, .map([("latitude", .float(1.5)), ("longitude", .number(7))]))
    writer.add(
      [81, 2, 0, 0], 16,
      .map(
        [("a", .pointer(0)), ("b", .text(String(repeating: "x", count: 70_000)))]
          + [("location", .pointer(0))]))
    #expect(answer(writer.bytes, Self.four) == .entries([Self.entry(1.5, 7, nil)]))
  }

  @Test("RADIO-62: one of countries or networks has no coordinates")
  func unplaced() {
    var writer = MaxMindWriter()
    writer.add([81, 0, 0, 0], 8, .map([("country", .map([("iso_code", .text("GB"))]))]))
    writer.add([82, 0, 0, 0], 8, .text("AS1234"))
    #expect(answer(writer.bytes, Self.four, [82, 1, 1, 1]) == .entries([.unplaced, .unplaced]))
  }

  @Test("RADIO-62: words in place of numbers are no place")
  func words() {
    var writer = MaxMindWriter()
    let words: [(String, MaxMindWriter.Value)] = [
      ("latitude", .text("51.5")), ("longitude", .text("-0.1")),
    ]
    writer.add([81, 0, 0, 0], 8, .map([("location", .map(words))]))
    #expect(answer(writer.bytes, Self.four) == .entries([.impossible]))
  }

  @Test("RADIO-62: what is no such database is said to be none")
  func foreign() {
    var writer = MaxMindWriter()
    writer.add([81, 0, 0, 0], 8, MaxMindWriter.city(1, 2))
    let good = writer.bytes
    writer.metadata = [("binary_format_major_version", .small(3))]
    let newer = writer.bytes
    writer.metadata = [("node_count", .text("many"))]
    for bytes in [[], [0], Array("GeoIP".utf8), newer, writer.bytes, Array(good.prefix(100))] {
      #expect(answer(bytes, Self.four) == .foreign)
    }
    #expect(
      answer(Array(good.prefix(while: { $0 != 0xAB })), Self.four) == .foreign,
      "without its metadata")
  }

  @Test("RADIO-62: one that contradicts itself is damaged")
  func damaged() {
    // Each is an array of one, which libmaxminddb 1.7.1 descends into without an end.
    let deep = Array(repeatElement([UInt8(1), 4], count: 100_000).joined())
    let faults: [MaxMindWriter.Value] = [
      .pointer(4_000_000_000), .raw([0xE3]), .raw([0x00, 0xFF]),
      .map([("a", .raw(deep)), ("location", .map([]))]),
      .map([("a", .raw([0x1F, 0x04, 0xFF, 0xFF, 0xFF]))]),
      .map([("location", .map([("latitude", .raw([0x68, 1, 2])), ("longitude", .double(1))]))]),
    ]
    for (index, fault) in faults.enumerated() {
      var writer = MaxMindWriter()
      writer.add([81, 0, 0, 0], 8, fault)
      #expect(answer(writer.bytes, Self.four) == .damaged, "\(index)")
    }
    var writer = MaxMindWriter()
    writer.add([81, 0, 0, 0], 8, MaxMindWriter.city(1, 2))
    for (name, value) in [("node_count", 0xFFFF_FFFF), ("record_size", 25), ("ip_version", 5)] {
      writer.metadata = [(name, .number(UInt64(value)))]
      #expect(answer(writer.bytes, Self.four) == .damaged, "\(name)")
    }
  }

  @Test("RADIO-62: bytes that were altered, cut, or are none give an answer or a reason")
  func noise() {
    var writer = MaxMindWriter()
    writer.add([81, 2, 0, 0], 16, MaxMindWriter.city(51.5, -0.1, kilometers: 20))
    writer.add(Self.six, 32, MaxMindWriter.city(52.5, 13.4))
    let good = writer.bytes
    var random = SeededRandom(seed: 60)
    for _ in 0..<2000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = answer(bytes, Self.four, Self.six)
    }
    let metadata = good.lastIndex(of: 0xAB) ?? 0
    for count in 0..<good.count {
      let cut = answer(Array(good.prefix(count)), Self.four)
      #expect(count > metadata + 13 || cut == .foreign)
      _ = answer(Array(good.suffix(count)), Self.four, Self.six)
    }
  }
}
