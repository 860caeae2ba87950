import LocationHost
import LocationProviders

/// Which radios that sources need are switched off, as the kernel knows it: rfkill.
enum SwitchDiagnosis {
  /// Returns a finding for each switch that is off, of the radios that these sources receive with.
  static func findings(
    for sources: [Source],
    switches: (RadioSwitch.Kind) -> [RadioSwitch] = { RadioSwitch.all(of: $0) }
  ) -> [Finding] {
    var findings: [Finding] = []
    for kind in [RadioSwitch.Kind.wifi, .bluetooth, .modem]
    where sources.contains(where: { kind.serves($0) }) {
      findings += switches(kind).filter(\.isBlocked).map { finding($0, kind) }
    }
    return findings
  }

  private static func finding(_ radio: RadioSwitch, _ kind: RadioSwitch.Kind) -> Finding {
    Finding(
      subject: "\(kind.scheme): \(radio.name)", code: "\(kind.scheme)_blocked", verdict: .bad,
      message: radio.isHardBlocked
        ? "its radio is blocked by a switch of the computer" : "its radio is blocked (rfkill)",
      next: radio.isHardBlocked
        ? "look for a switch or a key for \(kind.words)" : "sudo rfkill unblock \(kind.rawValue)")
  }
}

extension RadioSwitch.Kind {
  /// Whether a source receives with such a radio.
  fileprivate func serves(_ source: Source) -> Bool {
    switch (self, source) {
    case (.wifi, .wifi), (.bluetooth, .bluez), (.modem, .modem): true
    default: false
    }
  }

  /// As the source that receives with it begins.
  fileprivate var scheme: String {
    switch self {
    case .wifi: "wifi"
    case .bluetooth: "bluez"
    case .modem: "modem"
    }
  }

  fileprivate var words: String {
    switch self {
    case .wifi: "Wi-Fi"
    case .bluetooth: "Bluetooth"
    case .modem: "mobile networks"
    }
  }
}
