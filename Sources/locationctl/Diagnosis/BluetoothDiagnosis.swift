import LocationModel
import LocationProviders
import LocationService

/// What each Bluetooth adapter of this computer can do.
enum BluetoothDiagnosis {
  /// Returns a finding for each adapter of a source; none for a source without any.
  static func adapters(of report: SourceReport) -> [Finding] {
    let all = report.evidence.bluetooth?.adapters ?? []
    let used = all.first(where: \.isOn)
    return all.map { adapter in
      func finding(
        _ verdict: Finding.Verdict, _ code: String, _ message: String, _ next: String? = nil
      ) -> Finding {
        Finding(
          subject: "bluez: \(adapter.name)", code: code, verdict: verdict, message: message,
          next: next)
      }
      guard adapter.isOn else {
        return finding(
          used == nil ? .bad : .doubtful, "bluetooth_off", "it is switched off",
          "switch it on: bluetoothctl power on")
      }
      guard adapter == used else {
        return finding(.good, "bluetooth_unused", "\(used?.name ?? "another") is used in its place")
      }
      let waits =
        adapter.waits
        ? "it waits for beacons by itself"
        : "beacons are waited for by listening five seconds of fifteen"
      let advertises = adapter.advertises ? "it can be a beacon" : "it cannot be a beacon"
      return finding(.good, "bluetooth", "\(waits); \(advertises)")
    }
  }
}

extension SourceDiagnosis {
  /// Evaluates Bluetooth, which gives beacons and no positions.
  mutating func judgeBluetooth(_ report: SourceReport) {
    switch report.lastStatus {
    case .working: conclude(.good, "beacons", "beacons can be received; it gives no positions")
    case .idle, .searching:
      conclude(.doubtful, "waiting", "no answer within the time", "wait longer: --timeout 60")
    case .unavailable(.noPermission(let text)):
      conclude(.bad, "no_permission", text, "see why: journalctl -b -u bluetooth")
    case .unavailable(let reason):
      guard let lack = report.evidence.bluetooth?.lack else {
        return conclude(
          .bad, "missing", reason.text, "start the system bus: sudo systemctl start dbus")
      }
      conclude(.bad, "bluetooth_\(lack)", lack.words, lack.next)
    }
  }
}

extension BluetoothEvidence.Lack {
  fileprivate var words: String {
    switch self {
    case .service: "bluetoothd does not run"
    case .permission: "this user may not ask bluetoothd"
    case .adapter: "there is no Bluetooth adapter"
    case .power: "no Bluetooth adapter is switched on"
    }
  }

  /// What a person does next; `nil` where each adapter has a step of its own.
  fileprivate var next: String? {
    switch self {
    case .service:
      "install and start it: sudo apt install bluez, then sudo systemctl start bluetooth"
    case .permission: "join its group: sudo usermod -aG bluetooth $USER, then log in again"
    case .adapter: "plug one in, and see whether bluetoothd finds it: bluetoothctl list"
    case .power: nil
    }
  }
}
