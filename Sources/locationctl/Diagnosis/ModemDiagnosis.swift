import LocationModel
import LocationProviders
import LocationService

extension ModemLack {
  /// What is missing for positions of a modem; `nil` for another source, or when nothing is.
  init?(_ report: SourceReport) {
    guard case .modem = report.source, case .unavailable(let reason) = report.lastStatus,
      let lack = ModemLack(rawValue: reason.text)
    else { return nil }
    self = lack
  }

  var code: String { "modem_\(self)" }

  /// What a person can do about it.
  var next: String {
    switch self {
    case .service: "install and start it: sudo apt install modemmanager"
    case .modem: "plug it in, and see whether ModemManager finds it: mmcli -L"
    case .failed: "see why: mmcli -m any, and journalctl -u ModemManager"
    case .capability: "see what it can do: mmcli -m any --location-status"
    case .sim: "insert a SIM; satellites are used without one when an app needs them"
    case .locked: "enter its PIN: mmcli -i any --pin=1234"
    case .disabled: "switch it on: sudo mmcli -m any -e"
    case .permission:
      "permit it to the daemon's user: polkit/50-meridian-modem.rules goes to "
        + "/etc/polkit-1/rules.d, or run this as root"
    }
  }
}

extension ModemAssistanceFault {
  /// Returns a finding where a file of assistance data is named that no receiver has; none for another source.
  static func findings(of report: SourceReport) -> [Finding] {
    guard let fault = report.evidence.assistanceFault else { return [] }
    return [
      Finding(
        subject: report.source.shownURL, code: "modem_assistance_\(fault)", verdict: .doubtful,
        message: fault.rawValue, next: fault.next)
    ]
  }

  /// What a person can do about it.
  private var next: String {
    switch self {
    case .unsupported:
      "see what it takes: mmcli -m any --location-status; else leave ?assistance= out"
    case .missing: "get one where mmcli -m any --location-status says, and check the path"
    case .unreadable: "let the daemon's user read it: sudo chmod a+r FILE, and not below /tmp"
    case .size: "get it again: files of XTRA have 20 to 150 kB"
    case .permission: ModemLack.permission.next
    case .refused, .noAnswer:
      "see why: journalctl -u ModemManager; a file that is too old or of another kind is refused"
    }
  }
}
