import LocationCoding
import LocationModel

/// A location, or the reason why there is none.
struct Report: Sendable {
  var location: Fix?
  var isStationary = false
  var diagnostics: [Diagnostic] = []
  /// Why there is no location, in the words of the sources, and when that was so.
  var reason: (text: String, date: UnixTime)?

  /// The diagnostics of live updates, named as in Core Location's API, in snake case.
  enum Diagnostic: String, CaseIterable, Sendable {
    case authorizationDenied = "authorization_denied"
    case authorizationDeniedGlobally = "authorization_denied_globally"
    case authorizationRestricted = "authorization_restricted"
    case authorizationRequestInProgress = "authorization_request_in_progress"
    case insufficientlyInUse = "insufficiently_in_use"
    case serviceSessionRequired = "service_session_required"
    case accuracyLimited = "accuracy_limited"
    case locationUnavailable = "location_unavailable"

    fileprivate var flag: Diagnostics {
      switch self {
      case .authorizationDenied: .authorizationDenied
      case .authorizationDeniedGlobally: .authorizationDeniedGlobally
      case .authorizationRestricted: .authorizationRestricted
      case .authorizationRequestInProgress: .authorizationRequestInProgress
      case .insufficientlyInUse: .insufficientlyInUse
      case .serviceSessionRequired: .serviceSessionRequired
      case .accuracyLimited: .accuracyLimited
      case .locationUnavailable: .locationUnavailable
      }
    }
  }

  init(location: Fix?, isStationary: Bool = false, diagnostics: [Diagnostic] = []) {
    self.location = location
    self.isStationary = isStationary
    self.diagnostics = diagnostics
  }

  init(_ update: LiveUpdate) {
    self.init(
      location: update.fix, isStationary: update.stationary,
      diagnostics: Diagnostic.allCases.filter { update.diagnostics.contains($0.flag) })
  }

  // MARK: JSON

  /// One line with the keys of the architecture document; what is not known is left out.
  var json: String {
    var line = JSONLine(type: "update")
    if let location { Self.add(location, to: &line) }
    line.add("date", reason?.date)
    line.add("stationary", flag: isStationary)
    if let location { line.add("simulated", flag: location.origin.isSimulated) }
    for diagnostic in diagnostics { line.add(diagnostic.rawValue, flag: true) }
    line.add("reason", reason?.text)
    return line.text
  }

  private static func add(_ location: Fix, to line: inout JSONLine) {
    line.add("date", location.time)
    line.add("latitude", location.coordinate.latitude)
    line.add("longitude", location.coordinate.longitude)
    line.add("horizontal_accuracy", location.horizontalAccuracy)
    line.add("altitude", location.height)
    line.add("vertical_accuracy", location.height == nil ? nil : location.verticalAccuracy)
    line.add("speed", location.speed)
    line.add("speed_accuracy", location.speed == nil ? nil : location.speedAccuracy)
    line.add("course", location.course)
    line.add("course_accuracy", location.course == nil ? nil : location.courseAccuracy)
  }

  // MARK: Text

  static let heading =
    "time (UTC)    latitude    longitude  accuracy  altitude    speed  course  "

  /// One line of a table, under ``heading``; with the date where that is not the present one.
  ///
  /// - Parameter now: decides which date is the present one, in UTC.
  /// - Returns: the line, without its end.
  func text(at now: UnixTime) -> String {
    let notes =
      diagnostics.map { $0.rawValue.replacing("_", with: " ") }
      + (isStationary ? ["stationary"] : [])
    guard let location else {
      return "no position: " + (reason?.text ?? notes.joined(separator: ", "))
    }
    let time = location.time.plain
    let columns = [
      String(time.prefix(10) == now.plain.prefix(10) ? time.suffix(8) : time[...]),
      Self.column(location.coordinate.latitude, digits: 6, width: 12),
      Self.column(location.coordinate.longitude, digits: 6, width: 12),
      Self.column(location.horizontalAccuracy, digits: 1, width: 7, unit: " m"),
      Self.column(location.height, digits: 1, width: 7, unit: " m"),
      Self.column(location.speed, digits: 1, width: 4, unit: " m/s"),
      Self.column(location.course, digits: 0, width: 6, unit: "°"),
    ]
    let all = columns + (location.origin.isSimulated ? ["simulated"] : []) + notes
    return all.joined(separator: " ")
  }

  private static func column(
    _ value: Double?, digits: Int, width: Int, unit: String = ""
  ) -> String {
    (value.map { $0.digits(digits) + unit } ?? "–").padded(to: width + unit.count)
  }
}

extension Fix {
  /// The altitude, where it is known how exact it is.
  fileprivate var height: Double? { verticalAccuracy.flatMap { $0 > 0 ? altitude : nil } }
}
