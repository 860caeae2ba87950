/// A program that controls Wi-Fi adapters and may be asked for a scan, in the order in which they
/// are asked: one that controls another is asked first.
package enum WiFiControl: Int, CaseIterable, Comparable, Sendable, CustomStringConvertible {
  case networkManager
  case iwd
  case supplicant

  package static func < (left: WiFiControl, right: WiFiControl) -> Bool {
    left.rawValue < right.rawValue
  }

  package var description: String {
    switch self {
    case .networkManager: "NetworkManager"
    case .iwd: "iwd"
    case .supplicant: "wpa_supplicant"
    }
  }

  /// Its name on the bus.
  package var service: String {
    switch self {
    case .networkManager: "org.freedesktop.NetworkManager"
    case .iwd: "net.connman.iwd"
    case .supplicant: "fi.w1.wpa_supplicant1"
    }
  }

  /// The result of a call, as far as it decides what follows.
  enum Verdict: Hashable, Sendable {
    case done
    case busy
    case refused
    /// It knows no such adapter, or cannot scan with it.
    case unable
  }

  /// Judges the reply to a call.
  func judge(_ reply: BusReply) -> Verdict {
    guard case .error(let name) = reply else { return .done }
    let refusals = ["AccessDenied", "PermissionDenied", "NotAuthorized"]
    if refusals.contains(where: { name.hasSuffix("." + $0) }) { return .refused }
    let isBusy =
      switch self {
      case .networkManager: name.hasSuffix(".Device.NotAllowed")
      case .iwd: name.hasSuffix(".Busy") || name.hasSuffix(".InProgress")
      case .supplicant: name.hasSuffix(".ScanError")
      }
    return isBusy ? .busy : .unable
  }
}

/// Why no scan could be asked for.
package enum ScanObstacle: Hashable, Sendable, CustomStringConvertible {
  /// There is no system bus.
  case noBus
  /// No program that controls Wi-Fi runs.
  case nobody
  /// The program does not control the adapter.
  case unmanaged(WiFiControl)
  /// The person has switched Wi-Fi off, or a switch of the computer has.
  case switchedOff(bySwitch: Bool)
  /// The program cannot scan now, and does not say why.
  case unavailable(WiFiControl)
  /// The adapter is scanning or connecting.
  case busy(WiFiControl)
  /// The program does not permit this user to scan.
  case refused(WiFiControl)

  package var description: String {
    switch self {
    case .noBus: "there is no system bus, so nobody can be asked for a scan"
    case .nobody: "neither NetworkManager, iwd, nor wpa_supplicant runs, so nobody scans"
    case .unmanaged(let control): "\(control) does not manage it"
    case .switchedOff(let bySwitch):
      bySwitch ? "Wi-Fi is switched off by a switch of the computer" : "Wi-Fi is switched off"
    case .unavailable(let control): "\(control) cannot use it now"
    case .busy(let control): "\(control) is scanning or connecting"
    case .refused(let control): "\(control) does not permit this user to scan"
    }
  }

  /// Which of several obstacles a person should know: the greatest.
  var weight: Int {
    switch self {
    case .nobody, .noBus: 0
    case .unmanaged: 1
    case .unavailable: 2
    case .busy: 3
    case .switchedOff: 4
    case .refused: 5
    }
  }
}
