import LocationCoding
import LocationEngine
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
  /// What held when: the lanes of the timeline.
  private var lanes = LiveLanes()
  private var marks: [Numbered] = []
  /// The newest events, and accesses in the order in which they began.
  private var events: [EventRecord] = []
  private var accesses: [AccessRecord] = []
  /// The questions of apps, where a person answers them here.
  var questions: ConsoleQuestions {
    didSet {
      guard questions != oldValue else { return }
      version += 1
      questionsVersion = version
    }
  }
  private var questionsVersion = 0
  /// Counts every change.
  private(set) var version = 0

  /// What is known in a console of a user.
  init(of owner: UInt32) { questions = ConsoleQuestions(of: owner) }

  private struct Numbered: Sendable {
    var version: Int
    var json: JSON
    /// The lane of a mark.
    var lane: LiveLanes.Lane?
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

  /// Takes what has changed; with `isWhole` it is everything, in place of what was known.
  mutating func take(_ change: StatusChange, isWhole: Bool, at now: UnixTime) {
    if isWhole { (events, accesses) = ([], []) }
    if let status = change.status { set(status) }
    if let conditions = change.conditions { set(.conditions, conditions.json) }
    if let apps = change.apps { set(.apps, apps.json) }
    if let new = change.events {
      events = (events + new).suffix(Self.mostEvents)
      set(.events, .array(events.map { Explanation(record: $0).consoleEvent }))
    }
    if let new = change.access { take(new) }
    add(lanes.take(change, at: now))
  }

  private mutating func add(_ new: [LiveLanes.Mark]) {
    for mark in new {
      version += 1
      let numbered = Numbered(version: version, json: mark.json, lane: mark.lane)
      Self.append(numbered, to: &marks, most: Self.mostMarks)
    }
  }

  private mutating func take(_ changed: [AccessRecord]) {
    for access in changed {
      let known = accesses.firstIndex {
        ($0.app, $0.service, $0.first) == (access.app, access.service, access.first)
      }
      if let known { accesses[known] = access } else { accesses.append(access) }
    }
    accesses = accesses.suffix(Self.mostAccesses)
    set(.access, accesses.json)
  }

  mutating func add(_ record: LogRecord) {
    version += 1
    Self.append(Numbered(version: version, json: record.json), to: &log, most: Self.longestLog)
  }

  /// Forgets what was known of a daemon that is no longer there.
  mutating func leave(_ problem: JSON, at now: UnixTime) {
    for part in Part.allCases where part != .daemon { parts[part] = nil }
    set(.daemon, problem)
    add(lanes.end(at: now))
  }

  /// Appends, and forgets the oldest where there are too many; of lanes the newest of these stays, since
  /// it may hold still.
  private static func append(_ value: Numbered, to list: inout [Numbered], most: Int) {
    if list.count >= most {
      var seen: Set<LiveLanes.Lane> = []
      let kept = list.prefix(most / 8).reversed()
        .filter { $0.lane.map { seen.insert($0).inserted } ?? false }
        .prefix(most / 16)
      list.replaceSubrange(..<(most / 8), with: kept.reversed())
    }
    list.append(value)
  }

  /// What has changed since a version, for a page of a user; everything where that is of another console,
  /// or 0.
  func news(after given: Int, for user: UInt32?) -> JSON {
    let after = given > version ? 0 : given
    var json = JSON.fields(["version": version.json, "whole": (after == 0).json])
    for part in Part.allCases {
      guard let value = parts[part], value.version > after else { continue }
      json = json.adding(part.rawValue, value.json)
    }
    if questionsVersion > after || after == 0 {
      json = json.adding("questions", questions.json(for: user))
    }
    return json.adding("trail", .array(Self.newest(of: trail, after)))
      .adding("marks", .array(Self.newest(of: marks, after)))
      .adding("log", .array(Self.newest(of: log, after)))
  }

  private static func newest(of list: [Numbered], _ after: Int) -> [JSON] {
    let first = list.lastIndex { $0.version <= after }.map { $0 + 1 } ?? 0
    return list[first...].map(\.json)
  }

  /// Chosen: an hour at 1 Hz, and what a page shows.
  private static let longestTrail = 3600
  private static let longestLog = 500
  private static let mostEvents = 200
  private static let mostAccesses = 100
  /// Chosen: a few hours of a day with belief in several conditions.
  private static let mostMarks = 8000
}
