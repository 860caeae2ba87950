import LocationHost
import LocationProviders
import LocationService

/// What each Wi-Fi adapter of this computer can do, and what prevents more.
enum WiFiDiagnosis {
  /// Returns a finding for each adapter of a source; none for a source without any.
  static func adapters(of report: SourceReport) -> [Finding] {
    report.evidence.adapters.map { adapter in
      let strongest = adapter.strongest.map {
        ", the strongest at \(Int($0.rounded())) dBm"
      }
      let heard = adapter.stations.map {
        ($0 == 1 ? "hears 1 access point" : "hears \($0) access points") + (strongest ?? "")
      }
      let scans = adapter.control.map { "\($0) scans" }
      let facts = [heard, scans].compactMap(\.self)
      guard let obstacle = adapter.obstacle else {
        return finding(
          adapter, .good, "wifi", facts.isEmpty ? "it was not read yet" : words(facts), nil)
      }
      // Scans that others make are used although none can be asked for.
      let verdict = adapter.stations ?? 0 > 0 ? Finding.Verdict.doubtful : .bad
      return finding(
        adapter, verdict, obstacle.code, words(facts + ["\(obstacle)"]),
        obstacle.step(for: adapter.name))
    }
  }

  /// Returns a finding for each switch that is off, where a source needs Wi-Fi.
  static func switches(for sources: [Source]) -> [Finding] {
    guard sources.contains(where: { if case .wifi = $0 { true } else { false } }) else { return [] }
    return RadioSwitch.wireless().filter(\.isBlocked).map { radio in
      Finding(
        subject: "wifi: \(radio.name)", code: "wifi_blocked", verdict: .bad,
        message: radio.isHardBlocked
          ? "its radio is blocked by a switch of the computer"
          : "its radio is blocked (rfkill)",
        next: radio.isHardBlocked
          ? "look for a switch or a key for Wi-Fi" : "sudo rfkill unblock wlan")
    }
  }

  private static func words(_ facts: [String]) -> String { facts.joined(separator: "; ") }

  private static func finding(
    _ adapter: WiFiEvidence, _ verdict: Finding.Verdict, _ code: String, _ message: String,
    _ next: String?
  ) -> Finding {
    Finding(
      subject: "wifi: \(adapter.name)", code: code, verdict: verdict, message: message, next: next)
  }
}

extension ScanObstacle {
  /// A word for programs.
  fileprivate var code: String {
    switch self {
    case .noBus: "wifi_no_bus"
    case .nobody: "wifi_nobody_scans"
    case .unmanaged: "wifi_unmanaged"
    case .switchedOff: "wifi_switched_off"
    case .unavailable: "wifi_unavailable"
    case .busy: "wifi_busy"
    case .refused: "wifi_refused"
    }
  }

  /// What a person does next; `nil` where it passes by itself.
  fileprivate func step(for adapter: String) -> String? {
    switch self {
    case .noBus: "start the system bus: sudo systemctl start dbus"
    case .nobody: "start one: sudo systemctl start NetworkManager"
    case .unmanaged(.networkManager): "sudo nmcli device set \(adapter) managed yes"
    case .unmanaged: "have one of them manage it: NetworkManager, iwd, wpa_supplicant"
    case .switchedOff(let bySwitch):
      bySwitch ? "look for a switch or a key for Wi-Fi" : "nmcli radio wifi on"
    case .unavailable(let control): "look at what \(control) says: journalctl -b -g \(adapter)"
    case .busy: nil
    case .refused(.networkManager):
      "install the rule of polkit for locationd, with make install: 50-meridian-wifi.rules"
    case .refused: "join its group: sudo usermod -aG netdev $USER, then log in again"
    }
  }
}
