import LocationHost
import LocationProviders
import LocationService

/// What each Wi-Fi adapter of this computer can do, and what prevents more.
enum WiFiDiagnosis {
  /// Looks at each adapter of a source.
  ///
  /// - Parameters:
  ///   - report: of the source.
  ///   - forDaemon: whether a daemon uses it, so that what this user may not do is no matter.
  ///   - knowsCountries: whether the kernel finds the rules of countries.
  /// - Returns: findings for each adapter; none for a source without any.
  static func adapters(
    of report: SourceReport, forDaemon: Bool = false,
    knowsCountries: Bool = RegulatoryDatabase.isInstalled()
  ) -> [Finding] {
    report.evidence.adapters.flatMap { adapter in
      var adapter = adapter
      if forDaemon, case .refused = adapter.obstacle { adapter.obstacle = nil }
      return [scans(of: adapter), world(adapter, knowsCountries)].compactMap(\.self)
    }
  }

  /// What an adapter hears, and why it hears no more.
  private static func scans(of adapter: WiFiEvidence) -> Finding {
    let strongest = adapter.strongest.map {
      ", the strongest at \(Int($0.rounded())) dBm"
    }
    let heard = adapter.stations.map {
      ($0 == 1 ? "hears 1 access point" : "hears \($0) access points") + (strongest ?? "")
    }
    let scans = adapter.control.map { "\($0) scans" }
    let rules = adapter.rules.map { words(for: $0) }
    let facts = [heard, scans, rules].compactMap(\.self)
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

  /// That a radio has the rules of no country, and what it hears less for that; `nil` where it has
  /// those of one.
  private static func world(_ adapter: WiFiEvidence, _ knowsCountries: Bool) -> Finding? {
    guard let rules = adapter.rules, rules.isOfNoCountry else { return nil }
    func list(_ bands: [WiFiRules.Band], _ words: String) -> String? {
      bands.isEmpty ? nil : bands.map { "\($0)" }.joined(separator: " and ") + " GHz " + words
    }
    let limits = [list(rules.quiet, "only listened to"), list(rules.closed, "closed")]
      .compactMap(\.self).joined(separator: ", ")
    let name = "sudo iw reg set DE, with yours for DE"
    let step =
      if rules.isOfFirmware {
        nil as String?
      } else if knowsCountries {
        "name the country that you are in: \(name)"
      } else {
        "install the rules of countries (sudo apt install wireless-regdb), then: "
          + "sudo iw reg reload; \(name)"
      }
    return finding(
      adapter, .doubtful, "wifi_no_country",
      "no country is set for its radio, so that it may hear fewer access points"
        + (limits.isEmpty ? "" : ": \(limits)")
        + (rules.isOfFirmware ? "; its firmware sets one by what it hears" : ""), step)
  }

  private static func words(for rules: WiFiRules) -> String {
    switch rules.country {
    case WiFiRules.world: "regulatory domain 00"
    case "98": "regulatory domain 98, what several countries permit"
    case "99": "regulatory domain 99, the rules of its maker"
    default: "regulatory domain \(rules.country)"
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
