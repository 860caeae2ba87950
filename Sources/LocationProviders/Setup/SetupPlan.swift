import LocationModel

/// What a machine has that gives positions, as it was found.
package struct MachineParts: Hashable, Sendable {
  /// A serial port.
  package struct Port: Hashable, Sendable {
    package var path: String
    /// The rate at which NMEA sentences came; `nil` if none came.
    package var baud: Int?

    package init(path: String, baud: Int? = nil) {
      self.path = path
      self.baud = baud
    }
  }

  package var answersGpsd = false
  /// The paths of sockets at which a program serves what its receiver sends.
  package var sockets: [String] = []
  package var ports: [Port] = []
  package var modems: [String] = []
  package var wifi: [String] = []
  package var bluetooth: [String] = []
  package var sensors: [String] = []
  /// Databases of the places of addresses.
  package var databases: [String] = []
  /// The target of the link that names the time zone; `nil` if there is none.
  package var zone: String?

  package init() {}

  /// Returns the path in a line `nmea-socket=PATH` of GeoClue's configuration; `nil` for any other line.
  package static func nmeaSocket(in line: some StringProtocol) -> String? {
    let parts = Substring(line).split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].filter({ !$0.isWhitespace }) == "nmea-socket" else {
      return nil
    }
    var path = parts[1].drop(while: \.isWhitespace)
    while path.last?.isWhitespace == true { path.removeLast() }
    return path.hasPrefix("/") ? String(path) : nil
  }
}

/// The sources to propose for a machine, each with its reason, and the configuration that names them.
package struct SetupPlan: Hashable, Sendable {
  package struct Proposal: Hashable, Sendable {
    package var url: String
    package var reason: String
  }

  package private(set) var sources: [Proposal] = []
  /// What was found and not proposed, or what a person does next.
  package private(set) var notes: [String] = []

  /// Decides what to propose, in the order of preference.
  package init(for parts: MachineParts) {
    if parts.answersGpsd {
      propose("gpsd://localhost", "gpsd answers on this machine")
    }
    for path in parts.sockets {
      propose(Source.nmeaUnix(path: path).url, "a program serves a receiver at \(path)")
    }
    for port in parts.ports {
      if let baud = port.baud {
        propose("nmea://\(port.path)?baud=\(baud)", "NMEA comes from \(port.path) at \(baud) baud")
      } else {
        notes.append("no NMEA came from \(port.path); is a receiver connected, and powered?")
      }
    }
    if !parts.modems.isEmpty {
      propose("modem:", "there is a modem: \(Self.list(parts.modems))")
    }
    if !parts.wifi.isEmpty {
      propose("wifi:", "there is a Wi-Fi adapter: \(Self.list(parts.wifi))")
    }
    if !parts.bluetooth.isEmpty {
      propose("bluez:", "there is a Bluetooth adapter: \(Self.list(parts.bluetooth))")
    }
    if !parts.sensors.isEmpty {
      propose("iio:", "there are sensors: \(Self.list(parts.sensors))")
    }
    let hasReceiver =
      parts.answersGpsd || !parts.sockets.isEmpty || !parts.modems.isEmpty
      || parts.ports.contains { $0.baud != nil }
    if !hasReceiver {
      if parts.zone.flatMap(TimeZonePlace.init(linkTarget:)) != nil {
        propose("zone:", "no receiver was found; the time zone is a last resort")
      } else {
        notes.append("no receiver was found, and the time zone of this computer names no place")
      }
      notes.append(
        "connect a receiver and run locationctl setup again, or name a place: "
          + "source = fixed:LATITUDE,LONGITUDE")
      for path in parts.databases {
        let url = Source.geoip(path: path).url
        notes.append("a database has places of addresses, as a last resort: source = \(url)")
      }
    }
  }

  private mutating func propose(_ url: String, _ reason: String) {
    sources.append(Proposal(url: url, reason: reason))
  }

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

  /// The first line of a configuration that was written from a plan.
  package static let mark =
    "# Written by locationctl setup; locationctl setup --remove takes it back."

  /// Writes a configuration with these sources, each with its reason.
  ///
  /// - Parameters:
  ///   - settings: lines of the configuration before that set anything but a source.
  ///   - units: the units that setup enables, which were not enabled before.
  /// - Returns: the text of the file.
  package func configuration(
    keeping settings: [String] = [], enabling units: [String] = []
  ) -> String {
    let enabled = units.isEmpty ? [] : ["", Self.enabledMark + units.joined(separator: " ")]
    let kept = settings.isEmpty ? [] : ["", "# As they were before."] + settings
    let lines =
      [
        Self.mark, "# Every setting is in locationd(8). Check this file with: locationd --check",
        "",
      ]
      + sources.flatMap { ["# Because \($0.reason).", "source = \($0.url)", ""] }
      + notes.map { "# \($0)" } + kept + enabled
    let text = lines.joined(separator: "\n") + "\n"
    return text + Self.sum(of: text)
  }

  /// Whether a configuration was written from a plan.
  package static func wrote(_ text: String) -> Bool { text.hasPrefix(mark + "\n") }

  /// The units that setup has enabled, by the configuration that it has written.
  package static func enabled(by text: String) -> [Substring] {
    guard wrote(text) else { return [] }
    let line = text.split(separator: "\n").first { $0.hasPrefix(enabledMark) }
    return line?.dropFirst(enabledMark.count).split(separator: " ") ?? []
  }

  private static let enabledMark = "# Enabled by setup, disabled by setup --remove: "

  /// Whether a configuration is as it was written from a plan, and nobody has edited it since.
  package static func isAsWritten(_ text: String) -> Bool {
    guard wrote(text), text.hasSuffix("\n"), let last = text.split(separator: "\n").last else {
      return false
    }
    return sum(of: text.dropLast(last.count + 1)) == last + "\n"
  }

  /// The last line of a configuration, by which edits are recognized.
  private static func sum(of text: some StringProtocol) -> String {
    "\(sumMark)\(String(FNV1a.hash(text.utf8), radix: 16))\n"
  }

  private static let sumMark = "# As written: "
}

/// Tells whether bytes are NMEA: two sentences with correct checksums, among any other bytes.
package struct NMEARecognizer: Hashable, Sendable {
  private var text: [UInt8] = []
  private var sentences = 0
  /// How many bytes have come.
  package private(set) var count = 0

  package init() {}

  package var isNMEA: Bool { sentences >= 2 }

  /// Reads on.
  package mutating func read(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      count += 1
      switch byte {
      case UInt8(ascii: "$"): text = [byte]
      case 10, 13:
        if Self.isSentence(text) { sentences += 1 }
        text = []
      default:
        // The longest sentence that receivers send, with room for proprietary ones.
        if !text.isEmpty, text.count < 256 { text.append(byte) } else { text = [] }
      }
    }
  }

  private static func isSentence(_ text: [UInt8]) -> Bool {
    guard text.count >= 10, text[text.count - 3] == UInt8(ascii: "*"),
      let wanted = UInt8(String(decoding: text.suffix(2), as: UTF8.self), radix: 16)
    else { return false }
    return text.dropFirst().dropLast(3).reduce(0, ^) == wanted
  }
}
