internal import LocationModel
internal import LocationProviders

/// The members of one JSON object of any of the formats, in one flat value.
///
/// A member that has another kind than it should counts as missing.
struct ReportMembers {
  /// Whose form the object has.
  private enum Form { case own, ownTracks, traccar, gpsd }

  private var form = Form.own
  private var type, kind, tenant, device, group: String?
  private var devices = 0
  /// Of the fleet's own lines, and of `coords` of Traccar.
  private var own = Values()
  /// Of OwnTracks.
  private var short = Values()
  /// The whole line, where it is one of gpsd.
  private var report: GpsdReport?

  private struct Values {
    var time: UnixTime?
    var latitude, longitude, accuracy, altitude, speed, course: Double?
  }

  /// `nil` for bytes that are no JSON object in UTF-8.
  ///
  /// - Chosen (FLEET-135): what is no UTF-8 is not mended, as two names would become one.
  init?(_ bytes: [UInt8]) {
    guard bytes.span.isUTF8 else { return nil }
    var (copy, scanner) = (Self(), JSONScanner(bytes))
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        try copy.take(key, &value)
      }
      if copy.form == .gpsd { copy.report = try GpsdReport.parse(bytes) }
    } catch { return nil }
    self = copy
  }

  private init() {}

  /// The device that the object names.
  var claim: String? { devices == 1 ? device : nil }

  /// Whether it names no other device, and no other tenant.
  func isOf(_ name: FleetDeviceName) -> Bool {
    guard form == .own || form == .traccar else { return true }
    return devices <= 1 && (device ?? name.device).isExactly(name.device)
      && (tenant ?? name.tenant).isExactly(name.tenant)
  }

  func fix() throws(DeviceReport.Reason) -> ReportedFix {
    switch form {
    case .own:
      guard type == nil || type == "fix" || type == "update" else { throw .other }
      return try Self.fix(own)
    case .traccar: return try Self.fix(own)
    case .ownTracks:
      guard kind == "location" else { throw .other }
      return try Self.fix(short)
    case .gpsd:
      guard let report else { throw .malformed }
      return try Self.fix(report)
    }
  }

  private static func fix(_ values: Values) throws(DeviceReport.Reason) -> ReportedFix {
    try ReportedFix(
      time: values.time, latitude: values.latitude, longitude: values.longitude,
      accuracy: values.accuracy, altitude: values.altitude, speed: values.speed,
      course: values.course)
  }

  /// The errors of a report are read as gpsd's client reads them; without any, there is none.
  private static func fix(_ report: GpsdReport) throws(DeviceReport.Reason) -> ReportedFix {
    guard report.kind == "TPV" else { throw .other }
    guard report.mode >= 2 else { throw .noPosition }
    let solution = report.solution
    return try ReportedFix(
      time: report.time, latitude: report.latitude, longitude: report.longitude,
      accuracy: solution?.horizontalAccuracy,
      altitude: solution?.altitude ?? report.meanSeaLevelAltitude ?? report.altitude,
      speed: report.speed, course: report.course)
  }
}

// MARK: - Reading

extension ReportMembers {
  private mutating func take(_ key: JSONKey, _ value: inout JSONScanner) throws(JSONFault) {
    switch key {
    case "_type":
      form = .ownTracks
      kind = try value.string()
    case "class" where form == .own:
      form = .gpsd
      try value.skip()
    case "location" where try value.isObject():
      form = .traccar
      try takeLocation(&value)
    case "type": type = try value.string() ?? ""
    case "tenant": tenant = try value.string() ?? ""
    case "device", "device_id":
      device = try value.string() ?? ""
      devices += 1
    case "date": own.time = try value.date()
    case "tst": short.time = try Self.time(&value)
    case "lat": short.latitude = try value.number()
    case "lon": short.longitude = try value.number()
    case "acc": short.accuracy = try value.number()
    case "alt": short.altitude = try value.number()
    // Kilometers per hour.
    case "vel": short.speed = try value.number().map { $0 / 3.6 }
    case "cog": short.course = try value.number()
    default: try Self.take(key, &value, &own)
    }
  }

  private static func take(
    _ key: JSONKey, _ value: inout JSONScanner, _ values: inout Values
  ) throws(JSONFault) {
    switch key {
    case "latitude": values.latitude = try value.number()
    case "longitude": values.longitude = try value.number()
    case "horizontal_accuracy": values.accuracy = try value.number()
    case "altitude": values.altitude = try value.number()
    case "speed": values.speed = try value.number()
    case "course": values.course = try value.number()
    default: try value.skip()
    }
  }

  /// Traccar Client's `location`, with its `coords`.
  private mutating func takeLocation(_ value: inout JSONScanner) throws(JSONFault) {
    var values = Values()
    try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
      switch key {
      case "timestamp":
        if let text = try value.stringIfNext() {
          values.time = UnixTime(iso8601: text)
        } else {
          values.time = try Self.time(&value)
        }
      case "coords" where try value.isObject():
        var inner = values
        try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
          switch key {
          case "accuracy": inner.accuracy = try value.number()
          case "heading": inner.course = try value.number()
          default: try Self.take(key, &value, &inner)
          }
        }
        values = inner
      default: try value.skip()
      }
    }
    own = values
  }

  /// Seconds or milliseconds since 1970.
  private static func time(_ value: inout JSONScanner) throws(JSONFault) -> UnixTime? {
    try value.number().flatMap { UnixTime(secondsOrMilliseconds: $0) }
  }
}

extension UnixTime {
  /// Seconds since 1970, or, for what would be after the year 2255, milliseconds.
  init?(secondsOrMilliseconds number: Double) {
    let seconds = number.magnitude < 9e9 ? number : number / 1000
    guard seconds.magnitude < 9e9 else { return nil }
    self.init(seconds: seconds)
  }
}
