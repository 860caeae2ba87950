import LocationModel

/// Why a session does less than its maker may expect.
package enum SessionExplanation: Hashable, Sendable, CustomStringConvertible {
  /// BGA-12: no crash, unlike STD-46.
  case missingBackgroundMode(file: String)
  case unreadableRecord
  /// The app has so many sessions of a kind already.
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

/// What is remembered of one app's sessions across restarts of the daemon.
struct SessionsRecord: Hashable, Codable, Sendable {
  var service: [ServiceSessions.Remnant] = []
  /// How many background activity sessions are active.
  var background = 0

  init(service: [ServiceSessions.Remnant] = [], background: Int = 0) {
    self.service = service
    self.background = background
  }

  static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: "sessions", owner: app.name)
  }

  /// Reads a stored record; `nil` when the bytes are none.
  init?(stored bytes: [UInt8]) {
    guard let record = StoredJSON.read(Self.self, from: bytes) else { return nil }
    self = record
  }

  /// The change that makes this record durable; an empty one leaves nothing behind.
  func change(for app: AppIdentity) -> StateChange {
    if self == SessionsRecord() { return .remove(Self.key(of: app)) }
    return .set(Self.key(of: app), StoredJSON.bytes(self))
  }
}
