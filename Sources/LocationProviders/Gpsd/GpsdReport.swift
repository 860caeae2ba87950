package import LocationModel

/// One line of gpsd of any class, with all known members in one flat value.
///
/// Unknown members are skipped, and a known one of an unexpected type counts as missing, so that
/// both older and newer servers are understood. `magvar` and `magtrack` are not read: gpsd 3.22
/// computes them with the wrong sign.
package struct GpsdReport: Hashable, Sendable {
  /// `VERSION`, `TPV`, …; empty when the line has no class.
  package var kind = ""
  /// The path of the receiver; `nil` from a server with one unnamed source.
  package var device: String?
  package var time: UnixTime?
  package var devices: [GpsdDevice] = []

  /// TPV: 0 or 1 no solution, 2 without height, 3 with height.
  package var mode = 0
  /// TPV: 8 is a simulator.
  package var status = 0

  /// Degrees in a TPV; the deviation in meters in a GST. `altitude` is the old `alt`.
  package var latitude, longitude, altitude: Double?
  /// Meters above mean sea level, meters above the ellipsoid, and the second minus the first.
  package var meanSeaLevelAltitude, ellipsoidalAltitude, undulation: Double?
  /// Meters per second; degrees from true north.
  package var speed, course: Double?
  /// Errors at 95 %: meters, except `eps` in meters per second and `epd` in degrees.
  package var epx, epy, eph, epv, sep, eps, epd: Double?
  /// SKY: dilutions of precision, without unit.
  package var horizontalDilution, verticalDilution: Double?
  /// SKY: satellites above the horizon, and those of the solution.
  package var satellitesInView, satellitesUsed: Double?
  /// SKY: whether it names the satellites. They are read by ``GpsdSatellites``, for a person.
  package var namesSatellites = false
  /// ATT: degrees, from true and from magnetic north, and the tilt.
  package var heading, magneticHeading, pitch, roll: Double?

  /// VERSION: the server's release and protocol.
  package var release = ""
  package var protocolMajor, protocolMinor: Int?
  /// ERROR: the server's message.
  package var message = ""
  /// DEVICE: the receiver's path and state.
  package var path: String?
  package var isActive = false
  package var driver: String?

  /// Reads one line.
  package static func parse(_ line: [UInt8]) throws(JSONFault) -> GpsdReport {
    var report = GpsdReport()
    var scanner = JSONScanner(line)
    try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      try report.take(key, &value)
    }
    return report
  }

  private mutating func take(_ key: JSONKey, _ value: inout JSONScanner) throws(JSONFault) {
    guard try !takeNumber(key, &value) else { return }
    switch key {
    case "class": kind = try value.string() ?? ""
    case "device": device = try value.string()
    case "time": time = try Self.time(&value)
    case "mode": mode = Self.integer(try value.number()) ?? 0
    case "status": status = Self.integer(try value.number()) ?? 0
    case "devices": devices = try Self.devices(&value)
    case "satellites":
      namesSatellites = true
      try value.skip()
    case "release": release = try value.string() ?? ""
    case "proto_major": protocolMajor = Self.integer(try value.number())
    case "proto_minor": protocolMinor = Self.integer(try value.number())
    case "message": message = try value.string() ?? ""
    case "path": path = try value.string()
    case "driver": driver = try value.string()
    case "activated": isActive = try Self.activation(&value)
    default: try value.skip()
    }
  }

  /// Reads a member that is a plain number; returns `false` when `key` is not the name of one.
  private mutating func takeNumber(
    _ key: JSONKey, _ value: inout JSONScanner
  ) throws(JSONFault) -> Bool {
    switch key {
    case "lat": latitude = try value.number()
    case "lon": longitude = try value.number()
    case "alt": altitude = try value.number()
    case "altMSL": meanSeaLevelAltitude = try value.number()
    case "altHAE": ellipsoidalAltitude = try value.number()
    case "geoidSep": undulation = try value.number()
    case "speed": speed = try value.number()
    case "track": course = try value.number()
    case "epx": epx = try value.number()
    case "epy": epy = try value.number()
    case "eph": eph = try value.number()
    case "epv": epv = try value.number()
    case "sep": sep = try value.number()
    case "eps": eps = try value.number()
    case "epd": epd = try value.number()
    case "hdop": horizontalDilution = try value.number()
    case "vdop": verticalDilution = try value.number()
    case "nSat": satellitesInView = try value.number()
    case "uSat": satellitesUsed = try value.number()
    case "heading": heading = try value.number()
    case "mheading": magneticHeading = try value.number()
    case "pitch": pitch = try value.number()
    case "roll": roll = try value.number()
    default: return false
    }
    return true
  }

  private static func integer(_ number: Double?) -> Int? {
    number.flatMap { Int(exactly: $0.rounded(.towardZero)) }
  }

  /// Reads a date; protocol 2 sent seconds since 1970.
  private static func time(_ value: inout JSONScanner) throws(JSONFault) -> UnixTime? {
    if let text = try value.stringIfNext() { return UnixTime(iso8601: text) }
    guard let seconds = try value.number(), seconds.magnitude < 9e9 else { return nil }
    return UnixTime(seconds: seconds)
  }

  /// Whether a receiver is active, from its activation date, or formerly seconds; 0 is inactive.
  private static func activation(_ value: inout JSONScanner) throws(JSONFault) -> Bool {
    if let text = try value.stringIfNext() { return !text.isEmpty }
    return try value.number().map { $0 != 0 } ?? false
  }

  private static func devices(_ value: inout JSONScanner) throws(JSONFault) -> [GpsdDevice] {
    guard try value.isArray() else {
      try value.skip()
      return []
    }
    var devices: [GpsdDevice] = []
    try value.array { (element: inout JSONScanner) throws(JSONFault) in
      guard try element.isObject() else { return try element.skip() }
      var report = GpsdReport()
      try element.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        // gpsd does not nest lists of devices; a nested one is skipped.
        if key == "devices" { try value.skip() } else { try report.take(key, &value) }
      }
      if let device = GpsdDevice(report) { devices.append(device) }
    }
    return devices
  }
}

/// A receiver that gpsd knows.
package struct GpsdDevice: Hashable, Sendable {
  package var path: String
  /// Whether gpsd has it open now.
  package var isActive: Bool
  /// What gpsd takes it for, such as `u-blox`; `nil` until gpsd has detected it.
  package var driver: String?

  package init(path: String, isActive: Bool, driver: String? = nil) {
    self.path = path
    self.isActive = isActive
    self.driver = driver
  }

  init?(_ report: GpsdReport) {
    guard let path = report.path else { return nil }
    self.init(path: path, isActive: report.isActive, driver: report.driver)
  }
}
