package import LocationModel

/// Reads recorded fixes: a JSON object on each line, as `locationctl watch --json` prints them.
///
/// Empty lines and lines of another `type` than `update` are skipped. A number that is missing, or
/// negative where Core Location means "invalid" by it, is unknown.
package enum FixesFile {
  package struct Contents: Hashable, Sendable {
    package var fixes: [Fix] = []
    package var faults: [Fault] = []
  }

  /// A line that gave no fix, and why.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    package var line: Int
    package var cause: Cause

    package var description: String { "line \(line): \(cause)" }
  }

  package enum Cause: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed(JSONFault)
    case noDate
    case noCoordinate
    case invalidCoordinate

    package var description: String {
      switch self {
      case .malformed(let fault): "not a JSON object (\(fault))"
      case .noDate: "expected a \"date\" such as 2024-01-31T12:00:00.000Z"
      case .noCoordinate: "expected the numbers \"latitude\" and \"longitude\""
      case .invalidCoordinate: "latitude or longitude is out of range"
      }
    }
  }

  /// Meters. Chosen, for a line without an accuracy.
  package static let standardAccuracy = 5.0

  package static func read(_ bytes: [UInt8]) -> Contents {
    var contents = Contents()
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.allSatisfy(isXMLSpace) {
      do {
        if let fix = try FixLine(Array(line)).fix { contents.fixes.append(fix) }
      } catch {
        contents.faults.append(Fault(line: index + 1, cause: error))
      }
    }
    return contents
  }
}

/// The members of one line.
private struct FixLine {
  private var type = "update"
  private var date: UnixTime?
  private var latitude, longitude, horizontalAccuracy: Double?
  private var altitude, ellipsoidalAltitude, verticalAccuracy: Double?
  private var speed, speedAccuracy, course, courseAccuracy: Double?
  private var isSimulated = false

  init(_ line: [UInt8]) throws(FixesFile.Cause) {
    do {
      var scanner = JSONScanner(line)
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        try take(key, &value)
      }
    } catch {
      throw .malformed(error)
    }
  }

  private mutating func take(_ key: JSONKey, _ value: inout JSONScanner) throws(JSONFault) {
    switch key {
    case "type": type = try value.string() ?? ""
    case "date": date = try value.date()
    case "latitude": latitude = try value.number()
    case "longitude": longitude = try value.number()
    case "horizontal_accuracy": horizontalAccuracy = try value.number()
    case "altitude": altitude = try value.number()
    case "ellipsoidal_altitude": ellipsoidalAltitude = try value.number()
    case "vertical_accuracy": verticalAccuracy = try value.number()
    case "speed": speed = try value.number()
    case "speed_accuracy": speedAccuracy = try value.number()
    case "course": course = try value.number()
    case "course_accuracy": courseAccuracy = try value.number()
    case "simulated": isSimulated = try value.boolean() ?? false
    default: try value.skip()
    }
  }

  /// The fix of this line; `nil` when the line is about something else.
  var fix: Fix? {
    get throws(FixesFile.Cause) {
      guard type == "update" else { return nil }
      guard let date else { throw .noDate }
      guard let latitude, let longitude else { throw .noCoordinate }
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      guard coordinate.isValid else { throw .invalidCoordinate }
      var fix = Fix(
        coordinate: coordinate,
        horizontalAccuracy: positive(horizontalAccuracy) ?? FixesFile.standardAccuracy,
        time: date, origin: Fix.Origin(isSimulated: isSimulated))
      fix.altitude = altitude
      fix.ellipsoidalAltitude = ellipsoidalAltitude
      fix.verticalAccuracy = positive(verticalAccuracy)
      fix.speed = known(speed)
      fix.speedAccuracy = known(speedAccuracy)
      fix.course = known(course).map(normalizedDegrees)
      fix.courseAccuracy = known(courseAccuracy)
      return fix
    }
  }

  private func known(_ number: Double?) -> Double? { number.flatMap { $0 >= 0 ? $0 : nil } }
  private func positive(_ number: Double?) -> Double? { number.flatMap { $0 > 0 ? $0 : nil } }
}
