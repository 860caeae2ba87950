import LocationModel
import LocationProviders
import LocationService
import Testing

@testable import locationctl

@Suite("What doctor says of radios")
struct RadioDiagnosisTests {
  private func findings(
    _ rules: WiFiRules?, obstacle: ScanObstacle? = nil, knowsCountries: Bool = true
  ) -> [Finding] {
    var evidence = SourceEvidence()
    evidence.adapters = [
      WiFiEvidence(
        name: "wlan0", stations: 2, strongest: -55, control: .networkManager, obstacle: obstacle,
        rules: rules)
    ]
    let report = SourceReport(source: .wifi(), status: .working, evidence: evidence)
    return WiFiDiagnosis.adapters(of: report, knowsCountries: knowsCountries)
  }

  @Test("RADIO-91: names the country of a radio's rules, beside what it hears")
  func country() {
    let found = findings(WiFiRules(country: "DE"))
    #expect(found.map(\.code) == ["wifi"])
    #expect(found.first?.message.hasSuffix("NetworkManager scans; regulatory domain DE") == true)
    #expect(findings(nil).first?.message.contains("regulatory") == false)
    let maker = findings(WiFiRules(country: "99")).first?.message
    #expect(maker?.hasSuffix("99, the rules of its maker") == true)
  }

  @Test("RADIO-91: says what no country costs, and names the next step, beside every obstacle")
  func noCountry() {
    let world = WiFiRules(country: "00", quiet: [.five], closed: [.six])
    let found = findings(world, obstacle: .refused(.networkManager))
    #expect(found.map(\.code) == ["wifi_refused", "wifi_no_country"])
    #expect(found.map(\.verdict) == [.doubtful, .doubtful])
    #expect(found[1].message.hasSuffix(": 5 GHz only listened to, 6 GHz closed"))
    #expect(found[1].next?.contains("sudo iw reg set DE") == true)
  }

  @Test("RADIO-91: where the kernel has no rules of countries, they are installed first")
  func noDatabase() {
    let found = findings(WiFiRules(country: "00"), knowsCountries: false)
    #expect(found.last?.next?.contains("apt install wireless-regdb") == true)
    #expect(found.last?.next?.contains("iw reg reload") == true)
  }

  @Test("RADIO-91: a radio whose firmware decides has no next step")
  func firmware() {
    let found = findings(WiFiRules(radio: 0, country: "00", isOfFirmware: true))
    #expect(found.last?.code == "wifi_no_country")
    #expect(found.last?.next == nil)
    #expect(found.last?.message.contains("its firmware sets one") == true)
  }
}
