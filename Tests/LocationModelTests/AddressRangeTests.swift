import LocationModel
import Testing

@Suite("Addresses and their ranges")
struct AddressRangeTests {
  private static let v6 = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]

  @Test(
    "border 8: hold the addresses that begin alike",
    arguments: [
      ("192.168.1.20", [192, 168, 1, 20], true), ("192.168.1.20", [192, 168, 1, 21], false),
      ("10.0.0.0/8", [10, 200, 3, 4], true), ("10.0.0.0/8", [11, 0, 0, 0], false),
      ("192.168.1.128/25", [192, 168, 1, 127], false), ("0.0.0.0/0", [8, 8, 8, 8], true),
      ("fe80::1", v6, true), ("fe80::/10", v6, true), ("fe80::2", v6, false),
      ("::/0", [10, 0, 0, 1], false), ("10.0.0.1", v6, false),
      ("::ffff:10.0.0.1", [UInt8](repeating: 0, count: 10) + [255, 255, 10, 0, 0, 1], true),
      ("10.0.0.1", [UInt8](repeating: 0, count: 10) + [255, 255, 10, 0, 0, 1], true),
      ("10.0.0.1", [], false),
    ] as [(String, [UInt8], Bool)])
  func contains(text: String, address: [UInt8], isIn: Bool) throws {
    let range = try #require(AddressRange(text))
    #expect(range.contains(address) == isIn)
    #expect(range.description == text)
  }

  @Test(
    "border 8: are nothing else",
    arguments: [
      "", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/-1",
      "::1/129", "1::2::3", ":::", "12345::", "g::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
      "fe80::1%eth0", "+1.2.3.4", "1.2.3.4 ",
    ])
  func malformed(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test("border 8: tell the loopback")
  func loopback() {
    #expect(["127.0.0.1", "127.9.9.9", "::1"].allSatisfy { AddressRange($0)?.isLoopback == true })
    #expect(["0.0.0.0", "::", "128.0.0.1"].allSatisfy { AddressRange($0)?.isLoopback == false })
  }
}
