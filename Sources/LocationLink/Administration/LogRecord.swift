package import LocationCoding
package import LocationModel

/// The category of a line of the daemon's log; the field `LOCATION_CATEGORY` of the journal.
package enum LogCategory: String, CaseIterable, Sendable, JSONCodable {
  /// The daemon itself: its start, its configuration, its end.
  case service
  /// Programs that connect, are refused, or are cut off.
  case client
  /// Receivers, and why they give no positions.
  case source
  /// Authorization of apps, and prompts.
  case authorization
  /// Demand on the hardware.
  case demand
  /// Places and beacons entered and left, visits.
  case condition
  /// The durable state.
  case store
  /// Positions that were ignored, and why; sent only to followers.
  case fix
}

/// One line of the daemon's log. Its text never contains a place.
package struct LogRecord: Hashable, Sendable {
  package var date: UnixTime
  package var category: LogCategory
  package var message: String
  /// The app that it is about; `nil` for none.
  package var app: String?
  /// The process that it is about; `nil` for none.
  package var pid: Int32?
  /// Whether it reports a fault that a person should look at.
  package var isFault: Bool
  /// The place; only for followers that have asked for places.
  package var place: Coordinate?
  /// The name of the region or condition; only for followers that have asked for places.
  package var name: String?

  package init(
    _ category: LogCategory, _ message: String, at date: UnixTime, isFault: Bool = false
  ) {
    self.date = date
    self.category = category
    self.message = message
    self.isFault = isFault
  }
}

extension LogRecord: JSONStructure {
  package static let fields = JSONFields(
    LogRecord(.service, "", at: .blank),
    .get("date", \.date), .get("category", \.category), .get("message", \.message),
    .find("app", \.app), .find("pid", \.pid), .flag("fault", \.isFault),
    .find("place", \.place), .find("name", \.name))
}
