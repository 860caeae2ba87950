import LocationCoding
import LocationModel

/// Why a session has less effect than the app may expect.
package enum SessionExplanation: Hashable, Sendable, CustomStringConvertible {
  /// BGA-12: no crash, unlike STD-46.
  case missingBackgroundMode(file: String)
  case unreadableRecord
  /// The app has the greatest number of sessions of this kind.
  case tooMany(limit: Int)

  package var description: String {
    switch self {
    case .missingBackgroundMode(let file):
      "a background activity session stays inactive: add location to "
        + "\(Manifest.Key.backgroundModes) in \(file)"
    case .unreadableRecord:
      "the stored sessions cannot be read and are given up"
    case .tooMany(let limit):
      "a session is not opened: the app has \(limit) of its kind, and must invalidate some first"
    }
  }
}

/// The stored sessions of one app.
struct SessionsRecord: Hashable, JSONStructure {
  var service: [ServiceSessions.Remnant] = []
  /// The number of active background activity sessions.
  var background = 0

  init(service: [ServiceSessions.Remnant] = [], background: Int = 0) {
    self.service = service
    self.background = background
  }

  static let fields = JSONFields(
    Self(), .get("service", \.service), .get("background", \.background))

  static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: "sessions", owner: app.name)
  }

  /// The change that makes this record durable; an empty one removes the entry.
  func change(for app: AppIdentity) -> StateChange {
    if self == SessionsRecord() { return .remove(Self.key(of: app)) }
    return .set(Self.key(of: app), stored)
  }
}
