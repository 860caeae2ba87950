package import LocationModel

/// A change that a person makes in the settings.
package enum Setting: Hashable, Sendable {
  /// The switch of the whole machine (AUTH-5).
  case services(on: Bool)
  case authorization(AppIdentity, AuthorizationSetting)
  /// The person's switch for full accuracy.
  case precise(AppIdentity, Bool)
  case restricted(AppIdentity, Bool)
  /// Whether the app may be launched for events while it does not run (STD-53).
  case backgroundRefresh(AppIdentity, Bool)
  /// Whether an app that the person ended stays ended (LIFE-4).
  case honorsQuit(Bool)
  /// Whether updates that were paused resume only when the app starts them again (STD-42).
  case pauseNeedsRestart(Bool)
  /// The longest time without a significant change for a device at rest; `nil` for no limit (SLC-11).
  case heartbeat(Duration?)
  /// After how many days of use in the background a person is reminded of Always; `nil` for never
  /// (AUTH-38).
  case remindAfter(days: Int?)
  /// Whether the app may make this computer a beacon.
  case beacon(AppIdentity, BeaconPermission)
  /// The person stops an app's use of the location for now (BGA-16).
  case stopped(AppIdentity)
  /// How many dB more an adapter receives at one meter than beacons claim; `nil` forgets the
  /// adapter.
  case beaconOffset(BluetoothAddress, Int?)
  /// Location and privacy settings are reset (AUTH-7).
  case reset

  /// Where the settings of the whole machine are stored.
  package static let domain = "settings"
  private static let servicesKey = StateKey(domain: domain, owner: "", name: "services")

  /// Returns the change that stores the switch of the whole machine; `reason` is given where no
  /// person has turned it off.
  package static func servicesChange(_ on: Bool, because reason: String? = nil) -> StateChange {
    .set(servicesKey, [UInt8]((on ? "on" : "off" + (reason.map { ": \($0)" } ?? "")).utf8))
  }

  /// Whether location services are on, as stored; they are unless something else is stored.
  package static func servicesAreOn(in entries: [StateEntry]) -> Bool {
    entries.first { $0.key == servicesKey }.map { $0.value == [UInt8]("on".utf8) } ?? true
  }

  /// Why location services are off; `nil` where they are on, or a person has turned them off.
  package static func whyServicesAreOff(in entries: [StateEntry]) -> String? {
    guard !servicesAreOn(in: entries), let entry = entries.first(where: { $0.key == servicesKey })
    else { return nil }
    let words = String(decoding: entry.value, as: UTF8.self)
    return words.hasPrefix("off: ") ? String(words.dropFirst(5)) : nil
  }
}
