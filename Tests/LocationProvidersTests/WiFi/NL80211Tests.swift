import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("Messages of nl80211")
struct NL80211Tests {
  /// An access point as of linux/nl80211.h, written by hand: 00:11:22:33:44:02 on 2412 MHz at -55 dBm,
  /// heard 100 s after the start, of the network "cafe".
  private static let pinned: [UInt8] = [
    0x64, 0, 0, 0, 28, 0, 2, 0, 7, 0, 0, 0, 0, 0, 0, 0,  // length 100, type, flags, 7
    34, 1, 0, 0,  // NEW_SCAN_RESULTS
    8, 0, 3, 0, 3, 0, 0, 0,  // IFINDEX 3
    8, 0, 46, 0, 1, 0, 0, 0,  // GENERATION
    0x40, 0, 47, 0x80,  // BSS, nested
    10, 0, 1, 0, 0x00, 0x11, 0x22, 0x33, 0x44, 0x02, 0, 0,  // BSSID
    8, 0, 2, 0, 0x6c, 0x09, 0, 0,  // FREQUENCY 2412
    10, 0, 6, 0, 0, 4, 0x63, 0x61, 0x66, 0x65, 0, 0,  // SSID "cafe"
    8, 0, 7, 0, 0x84, 0xea, 0xff, 0xff,  // SIGNAL_MBM -5500
    12, 0, 15, 0, 0, 0xe8, 0x76, 0x48, 0x17, 0, 0, 0,  // LAST_SEEN_BOOTTIME
    8, 0, 10, 0, 9, 0, 0, 0,  // SEEN_MS_AGO
  ]

  @Test("RADIO-1: an access point is read with address, frequency, level, age, and name")
  func pinned() throws {
    let (messages, isTorn) = NetlinkMessage.split(Self.pinned)
    #expect(!isTorn)
    let message = try NL80211.message(try #require(messages.first))
    let expected = WiFiStation(
      address: BSSID(0x0011_2233_4402), frequency: 2412, level: -55,
      heard: .at(.start + .seconds(100)), name: Array("cafe".utf8))
    #expect(message == .station(expected))
  }

  @Test("RADIO-1: a kernel without Wi-Fi answers as Linux 6.1 did, which is read as no such family")
  func recorded() throws {
    let bytes: [UInt8] = [
      0x34, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0x68, 0x62, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x20, 0, 0,
      0, 0x10, 0, 1, 0, 7, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0x0c, 0, 2, 0, 0x6e, 0x6c, 0x38, 0x30,
      0x32, 0x31, 0x31, 0,
    ]
    let message = try #require(NetlinkMessage.split(bytes).messages.first)
    #expect(message.type == NetlinkMessage.error)
    #expect(message.sequence == 7)
    #expect(message.errorCode == 2)
  }

  /// The rules of no country as of linux/nl80211.h, written by hand in the form in which Linux 6.1
  /// answers: channels 1 to 11 at 2.4 GHz, and from 5170 to 5250 MHz only to listen.
  private static let rules: [UInt8] = [
    0x64, 0, 0, 0, 28, 0, 2, 0, 9, 0, 0, 0, 0, 0, 0, 0,  // length 100, type, flags, 9
    31, 1, 0, 0,  // GET_REG
    7, 0, 33, 0, 0x30, 0x30, 0, 0,  // REG_ALPHA2 "00"
    0x48, 0, 34, 0,  // REG_RULES
    0x20, 0, 0, 0,  // the first
    8, 0, 1, 0, 0, 0, 0, 0,  // REG_RULE_FLAGS
    8, 0, 2, 0, 0xd0, 0xa6, 0x24, 0,  // FREQ_RANGE_START 2402000
    8, 0, 3, 0, 0x40, 0xb8, 0x25, 0,  // FREQ_RANGE_END 2472000
    4, 0, 9, 0,  // of another kind
    0x24, 0, 1, 0,  // the second
    8, 0, 1, 0, 0x80, 8, 0, 0,  // NO_IR, AUTO_BW
    8, 0, 2, 0, 0x50, 0xe3, 0x4e, 0,  // 5170000
    8, 0, 3, 0, 0xd0, 0x1b, 0x50, 0,  // 5250000
    8, 0, 4, 0, 0x80, 0x38, 1, 0,  // FREQ_RANGE_MAX_BW 80000
  ]

  @Test(
    "RADIO-91: the rules of a radio are read: its country, where it only listens, what is closed")
  func rules() throws {
    let message = try #require(NetlinkMessage.split(Self.rules).messages.first)
    let expected = WiFiRules(country: "00", quiet: [.five], closed: [.six])
    #expect(try NL80211.message(message) == .rules(expected))
  }

  @Test("RADIO-91: rules of a radio alone, of its firmware, and of what is no country")
  func ownRules() throws {
    var rules = KernelWiFi.Rules("DE", radio: 2, [(2400, 2483, 0), (5150, 5350, 0x10)])
    rules.isOfFirmware = true
    let expected = WiFiRules(radio: 2, country: "DE", isOfFirmware: true, closed: [.six])
    #expect(try read(rules) == .rules(expected))
    for country in ["", "d", "DEU", "\n\n", "D0"] {
      rules.country = country
      #expect(try read(rules) == .other)
    }
  }

  private func read(_ rules: KernelWiFi.Rules) throws -> NL80211.Message {
    let bytes = KernelWiFi.rules(rules, sequence: 1)
    return try NL80211.message(try #require(NetlinkMessage.split(bytes).messages.first))
  }

  @Test("every beginning of a message, and every byte of it replaced, is read or refused")
  func damage() {
    for whole in [Self.pinned, Self.rules] {
      for length in whole.indices {
        read(Array(whole.prefix(length)))
        for byte: UInt8 in [0, 1, 3, 0x7f, 0x80, 0xff] {
          var bytes = whole
          bytes[length] = byte
          read(bytes)
        }
      }
    }
    #expect(NetlinkMessage.split(Array(Self.pinned.prefix(99))).isTorn)
  }

  private func read(_ bytes: [UInt8]) {
    for message in NetlinkMessage.split(bytes).messages { _ = try? NL80211.message(message) }
  }

  @Test("an error whose number has no negative is torn, and ends nothing")
  func leastError() {
    func code(_ bytes: [UInt8]) -> Int32? {
      NetlinkMessage(type: NetlinkMessage.error, flags: 0, sequence: 0, payload: bytes[...])
        .errorCode
    }
    #expect(code([0xfe, 0xff, 0xff, 0xff]) == 2)
    #expect(code([1, 0, 0, 0x80]) == .max)
    #expect(code([0, 0, 0, 0x80]) == nil)
  }

  @Test("attributes that are longer than their message are torn")
  func long() throws {
    var bytes = Self.pinned
    bytes[36] = 0xff
    let message = try #require(NetlinkMessage.split(bytes).messages.first)
    #expect(throws: NL80211.Fault.torn) { try NL80211.message(message) }
  }

  @Test("RADIO-1: no level, an age in place of a time, and zeros for a name are understood")
  func variants() throws {
    var point = AccessPoint("\0\0\0", last: 3, dBm: nil, heardAt: nil)
    point.age = 1500
    #expect(try station(point)?.level == nil)
    #expect(try station(point)?.heard == .ago(.milliseconds(1500)))
    #expect(try station(point)?.name == [])
    point.capability = 2
    #expect(try station(point)?.isAccessPoint == false)
    point.level = 3000
    #expect(try station(point)?.level == nil)
    point.heardAt = -1
    #expect(try station(point)?.heard == .ago(.milliseconds(1500)))
    point.address = [1, 2, 3]
    #expect(throws: NL80211.Fault.noAddress) { try station(point) }
  }

  private func station(_ point: AccessPoint) throws -> WiFiStation? {
    let bytes = NetlinkWriter.message(
      28, 34, NetlinkWriter.attribute(3, 3, count: 4) + point.attributes, sequence: 1)
    let message = try NL80211.message(try #require(NetlinkMessage.split(bytes).messages.first))
    guard case .station(let station) = message else { return nil }
    return station
  }
}
