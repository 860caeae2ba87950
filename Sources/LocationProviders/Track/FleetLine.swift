package import LocationModel

/// Reads one line of the fixes of many devices (docs/formats/fleet.md).
package struct FleetLine: Hashable, Sendable {
  package var tenant = ""
  package var device: String
  package var group: String?
  /// When it came; `nil` when the line does not say.
  package var received: UnixTime?
  package var fix: Fix

  /// Why a line gives no fix.
  package enum Reason: String, Error, CaseIterable, Sendable {
    /// No JSON object in UTF-8, or a member of another kind.
    case malformed
    case tooLong
    /// No device, more than one, or a name that is no name.
    case device
    /// No date, or none that can be read.
    case date
    /// No coordinate, or none on earth.
    case coordinate
    /// An accuracy, a speed, or an altitude that nothing on or near the earth has.
    case range

    /// The reason with its cause, for people.
    package var text: String {
      let cause =
        switch self {
        case .malformed: "no JSON object in UTF-8, or a member that is no number"
        case .tooLong: "more than \(FleetLine.longest) bytes"
        case .device:
          "no device, more than one, or a name of device, tenant, or group without 1 to 64 bytes"
        case .date: "no date as 2026-01-31T12:00:00Z"
        case .coordinate: "no latitude and longitude on earth"
        case .range:
          "an accuracy of more than half of the equator, a speed of more than 11,200 m/s, or an "
            + "altitude below the center of the earth or more than 50,000 km above it"
        }
      return "\(rawValue): \(cause)"
    }
  }

  /// Bytes of a line.
  package static let longest = 65_536
  private static let longestName = 64
  /// Meters: for a line without an accuracy, unless the caller has another one.
  package static let standardAccuracy = 30.0

  /// `nil` when the line is about something else than a fix.
  package init?(
    _ line: [UInt8], accuracy standard: Double = standardAccuracy
  ) throws(Reason) {
    guard line.count <= Self.longest else { throw .tooLong }
    guard line.span.isUTF8 else { throw .malformed }
    var members = Members()
    do {
      var scanner = JSONScanner(line)
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        try members.take(key, &value)
      }
    } catch {
      throw .malformed
    }
    guard !members.isNumberWrong else { throw .malformed }
    guard members.type == nil || members.type == "fix" || members.type == "update" else {
      return nil
    }
    guard let name = members.device, members.devices == 1, Self.isName(name),
      members.tenant.map(Self.isName) ?? true, members.group.map(Self.isName) ?? true
    else { throw .device }
    guard let date = members.date, !members.isReceivedWrong else { throw .date }
    guard let latitude = members.latitude, let longitude = members.longitude else {
      throw .coordinate
    }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else { throw .coordinate }
    guard
      Self.isInRange(
        accuracy: members.accuracy, speed: members.speed, altitude: members.altitude)
    else { throw .range }
    device = name
    tenant = members.tenant ?? ""
    group = members.group
    received = members.received
    // An accuracy of zero is unknown, never exact.
    let accuracy = members.accuracy.flatMap { $0 > 0 ? $0 : nil } ?? standard
    fix = Fix(coordinate: coordinate, horizontalAccuracy: accuracy, time: date)
    fix.altitude = members.altitude
    fix.speed = members.speed.flatMap { $0 >= 0 ? $0 : nil }
    fix.course = members.course.flatMap { $0 >= 0 ? normalizedDegrees($0) : nil }
  }

  /// Whether a text may name a tenant, a group, or a device.
  package static func isName(_ text: String) -> Bool {
    (1...longestName).contains(text.utf8.count) && !text.utf8.span.hasControlCharacter
  }

  /// Whether numbers of a fix are what something on or near the earth can have; what is negative, of an accuracy or a
  /// speed, is unknown and not wrong.
  ///
  /// - Chosen (FLEET-150): a circle of more than half of the equator holds all of the earth, what is faster than the
  ///   escape velocity leaves it, and beyond its center or far above its geostationary satellites is no device.
  ///
  /// - Parameters:
  ///   - accuracy: meters; `nil` where it is not known, as the others.
  ///   - speed: meters per second.
  ///   - altitude: meters.
  /// - Returns: `false` for a fix that is rejected.
  package static func isInRange(accuracy: Double?, speed: Double?, altitude: Double?) -> Bool {
    accuracy ?? 0 <= Geodesic.halfOfEquator && speed ?? 0 <= 11_200
      && (-6_378_137...50_000_000).contains(altitude ?? 0)
  }

  private struct Members {
    var type, tenant, device, group: String?
    var devices = 0
    var date, received: UnixTime?
    var isReceivedWrong = false
    /// Where an accuracy that cannot be read would stand for a usual one.
    var isNumberWrong = false
    var latitude, longitude, accuracy, altitude, speed, course: Double?

    mutating func take(_ key: JSONKey, _ value: inout JSONScanner) throws(JSONFault) {
      switch key {
      // Those that most lines have come first.
      case "device":
        device = try value.string()
        devices += 1
      case "date": date = try value.date()
      case "latitude": latitude = try value.number()
      case "longitude": longitude = try value.number()
      case "horizontal_accuracy": accuracy = try number(&value)
      case "speed": speed = try number(&value)
      case "course": course = try number(&value)
      case "altitude": altitude = try number(&value)
      case "received":
        received = try value.date()
        isReceivedWrong = received == nil
      case "type": type = try value.string() ?? ""
      case "tenant": tenant = try value.string() ?? ""
      case "group": group = try value.string()
      default: try value.skip()
      }
    }

    private mutating func number(_ value: inout JSONScanner) throws(JSONFault) -> Double? {
      guard try value.isNumberOrNone() else {
        isNumberWrong = true
        try value.skip()
        return nil
      }
      return try value.number()
    }
  }
}
