import LocationModel
import LocationProviders
import LocationService

extension ModemLack {
  /// What is missing for positions of a modem; `nil` for another source, or when nothing is.
  init?(_ report: SourceReport) {
    guard report.source == .modem, case .unavailable(let reason) = report.lastStatus,
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
