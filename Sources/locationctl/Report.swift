import CoreLocation
import LocationCoding

/// A report of Core Location: a location, or the reason why there is none.
struct Report: Sendable {
  var location: CLLocation?
  var isStationary = false
  var diagnostics: [Diagnostic] = []

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

    func isTrue(of update: CLLocationUpdate) -> Bool {
      switch self {
      case .authorizationDenied: update.authorizationDenied
      case .authorizationDeniedGlobally: update.authorizationDeniedGlobally
      case .authorizationRestricted: update.authorizationRestricted
      case .authorizationRequestInProgress: update.authorizationRequestInProgress
      case .insufficientlyInUse: update.insufficientlyInUse
      case .serviceSessionRequired: update.serviceSessionRequired
      case .accuracyLimited: update.accuracyLimited
      case .locationUnavailable: update.locationUnavailable
      }
    }
  }

  init(location: CLLocation?, isStationary: Bool = false, diagnostics: [Diagnostic] = []) {
    self.location = location
    self.isStationary = isStationary
    self.diagnostics = diagnostics
  }

  init(_ update: CLLocationUpdate) {
    location = update.location
    isStationary = update.stationary
    diagnostics = Diagnostic.allCases.filter { $0.isTrue(of: update) }
  }

  init(_ error: any Error) {
    let isDenied = (error as? CLError)?.code == .denied
    diagnostics = [isDenied ? .authorizationDenied : .locationUnavailable]
  }

  // MARK: JSON

  /// One line with the keys of the architecture document; what is not known is left out.
  var json: String {
    var line = JSONLine(type: "update")
    if let location { Self.add(location, to: &line) }
    line.add("stationary", flag: isStationary)
    if let location {
      line.add("simulated", flag: location.sourceInformation?.isSimulatedBySoftware ?? false)
    }
    for diagnostic in diagnostics { line.add(diagnostic.rawValue, flag: true) }
    return line.text
  }

  private static func add(_ location: CLLocation, to line: inout JSONLine) {
    let hasHeight = location.verticalAccuracy > 0
    line.add("date", location.iso8601)
    line.add("latitude", location.coordinate.latitude)
    line.add("longitude", location.coordinate.longitude)
    line.add("horizontal_accuracy", location.horizontalAccuracy)
    line.add("altitude", hasHeight ? location.altitude : nil)
    line.add("vertical_accuracy", hasHeight ? location.verticalAccuracy : nil)
    line.add("speed", location.speed.known)
    line.add("speed_accuracy", location.speedAccuracy.known)
    line.add("course", location.course.known)
    line.add("course_accuracy", location.courseAccuracy.known)
  }

  // MARK: Text

  static let heading =
    "time (UTC)    latitude    longitude  accuracy  altitude    speed  course  "

  /// One line of a table, under ``heading``.
  var text: String {
    let notes =
      diagnostics.map { $0.rawValue.replacing("_", with: " ") }
      + (isStationary ? ["stationary"] : [])
    guard let location else { return "no position: " + notes.joined(separator: ", ") }
    let hasHeight = location.verticalAccuracy > 0
    let simulated = location.sourceInformation?.isSimulatedBySoftware == true
    let columns = [
      String(location.iso8601.dropFirst(11).prefix(8)),
      Self.column(location.coordinate.latitude, digits: 6, width: 12),
      Self.column(location.coordinate.longitude, digits: 6, width: 12),
      Self.column(location.horizontalAccuracy, digits: 1, width: 7, unit: " m"),
      Self.column(hasHeight ? location.altitude : nil, digits: 1, width: 7, unit: " m"),
      Self.column(location.speed.known, digits: 1, width: 4, unit: " m/s"),
      Self.column(location.course.known, digits: 0, width: 6, unit: "°"),
    ]
    let all = columns + (simulated ? ["simulated"] : []) + notes
    return all.joined(separator: " ")
  }

  private static func column(
    _ value: Double?, digits: Int, width: Int, unit: String = ""
  ) -> String {
    let text = value.map { String(format: "%.\(digits)f", $0) + unit } ?? "–"
    return String(repeating: " ", count: max(0, width + unit.count - text.count)) + text
  }
}

extension CLLocation {
  /// UTC with milliseconds.
  fileprivate var iso8601: String { timestamp.iso8601 }
}

extension Date {
  /// UTC with milliseconds.
  var iso8601: String {
    formatted(
      .iso8601.year().month().day().dateSeparator(.dash).dateTimeSeparator(.standard)
        .time(includingFractionalSeconds: true).timeSeparator(.colon).timeZone(separator: .omitted))
  }
}

extension Double {
  /// `nil` where Core Location means "unknown" by a negative number.
  fileprivate var known: Double? { self < 0 ? nil : self }
}
