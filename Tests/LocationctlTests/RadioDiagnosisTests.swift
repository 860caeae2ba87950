import LocationHost
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

  @Test("RADIO-94: what this user may not do is no finding where a daemon scans")
  func forDaemon() {
    var evidence = SourceEvidence()
    evidence.adapters = [
      WiFiEvidence(name: "wlan0", stations: 0, obstacle: .refused(.networkManager)),
      WiFiEvidence(name: "wlan1", stations: 0, obstacle: .unmanaged(.networkManager)),
    ]
    let report = SourceReport(source: .wifi(), status: .searching, evidence: evidence)
    let found = WiFiDiagnosis.adapters(of: report, forDaemon: true)
    #expect(found.map(\.code) == ["wifi", "wifi_unmanaged"])
    #expect(
      WiFiDiagnosis.adapters(of: report).map(\.code) == ["wifi_refused", "wifi_unmanaged"])
  }

  @Test("RADIO-94: says that sensors have no barometer, and nothing where there is one")
  func barometer() {
    func finding(_ quantities: [SensorEvidence.Quantity]) -> Finding? {
      var evidence = SourceEvidence()
      evidence.sensors = quantities.isEmpty ? nil : SensorEvidence(quantities)
      return SourceDiagnosis.barometer(
        of: SourceReport(source: .iio(motion: true), status: .idle, evidence: evidence))
    }
    #expect(finding([.heading, .motion])?.code == "no_barometer")
    #expect(finding([.motion, .pressure]) == nil)
    #expect(finding([]) == nil)
  }

  @Test("RADIO-93: says what each Bluetooth adapter can do, and which is used")
  func bluetooth() {
    var evidence = SourceEvidence()
    evidence.bluetooth = BluetoothEvidence([
      .init(name: "hci0", isOn: false), .init(name: "hci1", isOn: true, waits: true),
      .init(name: "hci2", isOn: true),
    ])
    let report = SourceReport(source: .bluez, status: .working, evidence: evidence)
    let found = BluetoothDiagnosis.adapters(of: report)
    #expect(found.map(\.code) == ["bluetooth_off", "bluetooth", "bluetooth_unused"])
    #expect(found.map(\.verdict) == [.doubtful, .good, .good])
    #expect(found[1].message == "it waits for beacons by itself; it cannot be a beacon")
    #expect(found[2].message == "hci1 is used in its place")
    #expect(SourceDiagnosis(report).finding.code == "beacons")
  }

  @Test(
    "RADIO-93: says what is missing for Bluetooth, and the next step",
    arguments: [
      (BluetoothEvidence.Lack.service, "systemctl start bluetooth"),
      (.permission, "usermod -aG bluetooth"), (.adapter, "bluetoothctl list"),
      (.power, "bluetoothctl power on"),
    ])
  func noBluetooth(lack: BluetoothEvidence.Lack, step: String) {
    var evidence = SourceEvidence()
    let adapters = lack == .power ? [BluetoothEvidence.Adapter(name: "hci0", isOn: false)] : []
    evidence.bluetooth = BluetoothEvidence(adapters, lack: lack)
    let report = SourceReport(
      source: .bluez, status: .unavailable(.missing("no")), evidence: evidence)
    let found = [SourceDiagnosis(report).finding] + BluetoothDiagnosis.adapters(of: report)
    #expect(found.first?.code == "bluetooth_\(lack)")
    #expect(found.allSatisfy { $0.verdict == .bad })
    #expect(found.compactMap(\.next).contains { $0.contains(step) })
  }

  @Test("RADIO-92: names each radio that is blocked, of those that the sources receive with")
  func switches() {
    let blocked = RadioSwitch(name: "phy0", isSoftBlocked: true, isHardBlocked: false)
    let turned = RadioSwitch(name: "hci0", isSoftBlocked: false, isHardBlocked: true)
    let on = RadioSwitch(name: "wwan0", isSoftBlocked: false, isHardBlocked: false)
    let all: [RadioSwitch.Kind: [RadioSwitch]] = [
      .wifi: [blocked], .bluetooth: [turned], .modem: [on, blocked],
    ]
    func codes(_ sources: [Source]) -> [String] {
      SwitchDiagnosis.findings(for: sources) { all[$0] ?? [] }.map(\.code)
    }
    #expect(
      codes([.bluez, .modem(), .wifi()]) == ["wifi_blocked", "bluez_blocked", "modem_blocked"])
    #expect(codes([.iio(motion: true)]).isEmpty)
    let found = SwitchDiagnosis.findings(for: [.bluez, .modem()]) { all[$0] ?? [] }
    #expect(found.map(\.subject) == ["bluez: hci0", "modem: phy0"])
    #expect(
      found.map(\.next) == ["look for a switch or a key for Bluetooth", "sudo rfkill unblock wwan"])
  }
}
