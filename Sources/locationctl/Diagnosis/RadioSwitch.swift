import LocationHost

/// A switch of a radio as the kernel lists it: rfkill.
struct RadioSwitch: Hashable, Sendable {
  /// Radios that receive what positions or beacons are found by, as the kernel names them.
  enum Kind: String, Sendable {
    case wifi = "wlan"
    case bluetooth
    case modem = "wwan"
  }

  /// The name of the radio, such as `phy0`.
  var name: String
  /// Whether a person or a program has switched it off.
  var isSoftBlocked: Bool
  /// Whether a switch of the computer has.
  var isHardBlocked: Bool

  init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
    self.name = name
    self.isSoftBlocked = isSoftBlocked
    self.isHardBlocked = isHardBlocked
  }

  var isBlocked: Bool { isSoftBlocked || isHardBlocked }

  /// Returns the switches of all radios of a kind, sorted; none where the kernel lists none.
  static func all(
    of kind: Kind, in folder: String = "/sys/class/rfkill"
  ) -> [RadioSwitch] {
    SmallFile.names(in: folder).prefix(mostSwitches).compactMap { entry in
      let place = "\(folder)/\(entry)"
      guard text(place + "/type") == kind.rawValue else { return nil }
      return RadioSwitch(
        name: text(place + "/name") ?? entry, isSoftBlocked: text(place + "/soft") == "1",
        isHardBlocked: text(place + "/hard") == "1")
    }
  }

  /// A file of one line; `nil` if it cannot be read.
  private static func text(_ path: String) -> String? {
    SmallFile.read(path, limit: longest).map {
      String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self)
    }
  }

  /// Bytes: what the kernel reports as the size of such a file.
  private static let longest = 4096
  /// Chosen: more than a computer has.
  private static let mostSwitches = 64
}
