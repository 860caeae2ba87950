package import LocationModel

/// The places and times in a GPX file.
package struct GPXDocument: Hashable, Sendable {
  /// `1.0`, `1.1`; `nil` when the file does not say.
  package var version: String?
  /// The program that wrote the file; `nil` when it does not say.
  package var creator: String?
  package var waypoints: [GPXPoint] = []
  package var routes: [[GPXPoint]] = []
  /// The segments of each track.
  package var tracks: [[[GPXPoint]]] = []

  /// Faults that did not stop the reader, in the order of the file.
  package var warnings: [GPXWarning] = []
  /// Points that were left out, including those that `warnings` has no room for.
  package var rejectedPoints = 0

  /// Points left out for which there is no warning.
  package var unwarned: Int {
    rejectedPoints
      - warnings.count { $0.cause == .missingCoordinate || $0.cause == .invalidCoordinate }
  }
}

package struct GPXPoint: Hashable, Sendable {
  package var coordinate: Coordinate
  /// Meters above mean sea level; `nil` when missing.
  package var elevation: Double?
  package var time: UnixTime?
  /// Meters per second; `nil` when missing.
  package var speed: Double?
  /// Degrees from true north, in `0..<360`; `nil` when missing.
  package var course: Double?
  /// Meters, as Apple's exports write them; `nil` when missing.
  package var horizontalAccuracy, verticalAccuracy: Double?

  package init(_ coordinate: Coordinate, time: UnixTime? = nil) {
    self.coordinate = coordinate
    self.time = time
  }
}

/// A part of the file that was skipped.
package struct GPXWarning: Hashable, Sendable {
  /// Counted from 1.
  package var line: Int
  package var cause: GPXCause
}

/// Why a file could not be read at all.
package struct GPXFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  package var line: Int
  package var cause: GPXCause

  package init(line: Int, cause: GPXCause) {
    self.line = line
    self.cause = cause
  }

  package var description: String { "line \(line): \(cause)" }
}

package enum GPXCause: Hashable, Sendable {
  /// The file is empty.
  case empty
  /// The root element is this one, not `gpx`.
  case notGPX(root: String)
  /// The XML is broken here; the points before are kept if there are any.
  case broken(XMLFault)
  /// Something follows the end of the root element, perhaps another root; it is not read.
  case afterEnd
  /// A point without `lat` or without `lon`; left out.
  case missingCoordinate
  /// Latitude or longitude is not a number, or out of range; the point is left out.
  case invalidCoordinate
  /// A time that is no date; the point is kept without it.
  case invalidTime
  /// An elevation, speed, course, or accuracy that is no number; the point is kept without it.
  case invalidNumber
}

extension GPXCause: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "the file is empty"
    case .notGPX(let root): "the root element is <\(root)>, expected <gpx>"
    case .broken(let fault): fault.description
    case .afterEnd: "what follows </gpx> is not read"
    case .missingCoordinate: "a point needs both lat and lon"
    case .invalidCoordinate:
      "lat must be a number from -90 to 90, and lon one from -180 to 180"
    case .invalidTime: "a time must look like 2024-01-31T12:00:00Z"
    case .invalidNumber: "expected a number"
    }
  }
}

extension XMLFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated: "the file ends too early"
    case .unexpected(let byte):
      "unexpected character \(byte < 0x7f ? "'\(Character(Unicode.Scalar(byte)))'" : "\(byte)")"
    case .mismatchedTag: "an end tag does not match its start tag"
    case .tooDeep: "elements are nested too deeply"
    case .entityDeclaration: "a document type that declares entities is refused"
    case .undefinedEntity: "only &lt; &gt; &amp; &quot; &apos; and numeric references are known"
    case .unknownEncoding(let name):
      "the encoding \(name) is not supported; use UTF-8, UTF-16, or ISO-8859-1"
    }
  }
}
