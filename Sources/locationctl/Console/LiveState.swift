import LocationCoding
import LocationLink
import LocationModel

/// What a page that is open knows of the daemon, and what is new since it asked (CONSOLE-8).
struct LiveState: Sendable {
  /// What is replaced as a whole.
  enum Part: String, CaseIterable, Sendable {
    case daemon, status, apps, conditions, access, events
  }

  private var parts: [Part: Numbered] = [:]
  private var trail: [Numbered] = []
  private var log: [Numbered] = []
  private var lastFix: LastFix?
  /// Counts every change.
  private(set) var version = 0

  private struct Numbered: Sendable {
    var version: Int
    var json: JSON
  }

  /// Takes a part; it is new only where it differs.
  mutating func set(_ part: Part, _ json: JSON) {
    guard parts[part]?.json != json else { return }
    version += 1
    parts[part] = Numbered(version: version, json: json)
  }

  /// Takes the status, and its fix as the next one of the trail.
  mutating func set(_ status: DaemonStatus) {
    set(.status, status.json)
    guard let fix = status.lastFix, fix != lastFix, fix.place != nil else { return }
    lastFix = fix
    version += 1
    Self.append(Numbered(version: version, json: fix.json), to: &trail, most: Self.longestTrail)
  }

  mutating func add(_ record: LogRecord) {
    version += 1
    Self.append(Numbered(version: version, json: record.json), to: &log, most: Self.longestLog)
  }

  /// Forgets what was known of a daemon that is no longer there.
  mutating func leave(_ problem: JSON) {
    for part in Part.allCases where part != .daemon { parts[part] = nil }
    set(.daemon, problem)
  }

  private static func append(_ value: Numbered, to list: inout [Numbered], most: Int) {
    if list.count == most { list.removeFirst(most / 8) }
    list.append(value)
  }

  /// What has changed since a version; everything where that is of another console, or 0.
  func news(after given: Int) -> JSON {
    let after = given > version ? 0 : given
    var json = JSON.fields(["version": version.json, "whole": (after == 0).json])
    for part in Part.allCases {
      guard let value = parts[part], value.version > after else { continue }
      json = json.adding(part.rawValue, value.json)
    }
    return json.adding("trail", .array(Self.newest(of: trail, after)))
      .adding("log", .array(Self.newest(of: log, after)))
  }

  private static func newest(of list: [Numbered], _ after: Int) -> [JSON] {
    let first = list.lastIndex { $0.version <= after }.map { $0 + 1 } ?? 0
    return list[first...].map(\.json)
  }

  /// Chosen: an hour at 1 Hz, and what a page shows.
  private static let longestTrail = 3600
  private static let longestLog = 500
}
