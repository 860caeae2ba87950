import LocationModel
import LocationProviders
import Testing

@Suite("Which access points may be used")
struct WiFiFilterTests {
  private let now = Instant.start + .seconds(100)

  private func refusal(
    _ name: String, address: UInt64 = 0x0011_2233_4402, age: Double? = 2, _ isPoint: Bool = true
  ) -> WiFiFilter.Refusal? {
    let station = WiFiStation(
      address: BSSID(address), level: -60, heard: age.map { .at(now - .seconds($0)) },
      name: Array(name.utf8), isAccessPoint: isPoint)
    return WiFiFilter.refusal(of: station, at: now)
  }

  @Test(
    "RADIO-4: hidden networks, and those of owners who opted out, are not used",
    arguments: [
      ("", WiFiFilter.Refusal.hidden), ("home_nomap", .optedOut), ("home_NOMAP", .optedOut),
      ("a_optout_b", .optedOut), ("x_nomap_guest", .optedOut),
    ])
  func optedOut(name: String, expected: WiFiFilter.Refusal) {
    #expect(refusal(name) == expected)
  }

  @Test(
    "RADIO-4: phones, vehicles, and Wi-Fi Direct are not used",
    arguments: [
      ("Anna's iPhone", WiFiFilter.Refusal.mobile), ("AndroidAP_1234", .mobile),
      ("Galaxy S21", .mobile), ("My VW 4711", .mobile), ("BLACKVUE-7", .mobile),
      ("DIRECT-ab-Printer", .noAccessPoint),
    ])
  func mobile(name: String, expected: WiFiFilter.Refusal) {
    #expect(refusal(name) == expected)
  }

  @Test("RADIO-4: addresses of groups, none, and all are not used")
  func groups() {
    #expect(refusal("cafe", address: 0x0100_5e90_1000) == .group)
    #expect(refusal("cafe", address: 0) == .group)
    #expect(refusal("cafe", address: 0xffff_ffff_ffff) == .group)
  }

  @Test("RADIO-4: ad hoc networks and meshes are not used")
  func kinds() {
    #expect(refusal("cafe", age: 2, false) == .noAccessPoint)
  }

  @Test("RADIO-3: what was not heard for 30 seconds, or at an unknown time, is not used")
  func stale() {
    #expect(refusal("cafe", age: 30) == nil)
    #expect(refusal("cafe", age: 30.1) == .stale)
    #expect(refusal("cafe", age: nil) == .stale)
  }

  @Test("RADIO-4: a locally administered address is no reason against an access point")
  func local() {
    #expect(refusal("office", address: 0x0611_2233_4402) == nil)
  }
}
