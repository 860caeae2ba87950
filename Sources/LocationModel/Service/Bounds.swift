/// How much one app may have of what an engine keeps.
///
/// All are chosen: far above what a sensible app needs, and so low that every app at every bound
/// leaves the daemon well. The table in docs/formats/link.md gives the reason for each, and what
/// happens when it is reached; a test compares the two and fills each bound.
package enum Bounds {
  /// Apps of one user that an engine knows: those that run, or have something stored.
  package static let appsPerUser = 1024
  /// Identifiers that the programs of one user keep for themselves.
  package static let identifiersPerUser = 512
  /// Bytes of the identifier of a region or condition.
  package static let identifierBytes = 4096
  /// Monitors of an app that are open, or have pending events.
  package static let monitors = 128
  /// Bytes of the name of a monitor.
  package static let monitorNameBytes = 255
  /// Conditions of an app's monitors that are not watched: surplus, or of no kind that can be.
  package static let unwatchedConditions = 1000
  /// Bytes of their identifiers and of the names of their monitors.
  package static let unwatchedBytes = 262_144
  /// Regions and conditions of all apps of a user: sixteen megabytes.
  package static let conditionsPerUser = 4096
  /// Regions and conditions of all apps: less than half of the memory that the units allow.
  package static let conditions = 32_768
  /// Sessions of each kind of an app, those that its last process left behind included.
  package static let sessions = 256
  /// Streams of diagnostics of an app.
  package static let streams = 256
  /// Bytes of a purpose key.
  package static let purposeBytes = 128
  /// Requests of an app for full accuracy that wait for an answer.
  package static let accuracyRequests = 64
  /// Constraints that an app ranges.
  package static let ranging = 64
  /// Beacons that an app asks this computer to be.
  package static let adverts = 64
  /// Deliveries that wait for a process of an app.
  package static let waiting = 1000
  /// Fixes among them, of all subscribers together.
  package static let waitingFixes = 10_000
  /// Locations of one stream of live updates that wait for its reader, or for its process (LIVE-30).
  package static let waitingLive = 64
  /// Events that an app has not taken.
  package static let pendingEvents = 100
  /// Bytes of a name or of an identifier in a property list.
  package static let nameBytes = 255
  /// Bytes of a text in a property list that a person is to read.
  package static let textBytes = 2048
  /// Purposes in a property list.
  package static let purposes = 32

  /// A text of at most so many bytes of UTF-8, whole characters.
  package static func cut(_ text: String, to bytes: Int) -> String {
    guard text.utf8.count > bytes else { return text }
    var (end, left) = (text.startIndex, bytes)
    while end < text.endIndex {
      let next = text.index(after: end)
      left -= text.utf8.distance(from: end, to: next)
      guard left >= 0 else { break }
      end = next
    }
    return String(text[..<end])
  }
}
