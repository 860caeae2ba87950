import LocationCoding
import LocationLink
import LocationModel

/// What held when, by what the daemon says of the moment: sources, hardware tiers, motion, beliefs,
/// visits, the life of apps, and what they may know (CONSOLE-12).
struct LiveLanes: Sendable {
  /// From a moment on, something holds in a lane.
  struct Mark: Hashable, Sendable {
    var time: UnixTime
    /// What the lane is about: `source`, `tier`, `share`, `motion`, `belief`, `visit`, `life`,
    /// `permission`.
    var kind: String
    /// The name of the source, service, app, or condition; empty for the machine.
    var name: String
    /// A word for a person; empty where nothing holds.
    var value: String
    /// In 0...1, where the lane has a level: that a condition is satisfied, or that a visit ends.
    var level: Double?
    /// From which level on a belief is decided, as a level; `nil` while none is open.
    var threshold: Double?

    var lane: Lane { Lane(kind: kind, name: name) }

    var json: JSON {
      .fields([
        "time": time.milliseconds.json, "kind": kind.json, "name": name.json,
        "value": value.json, "level": level?.json, "threshold": threshold?.json,
      ])
    }
  }

  struct Lane: Hashable, Sendable {
    var kind: String
    var name: String
  }

  private var last: [Lane: Mark] = [:]

  /// Returns what holds from now on and did not hold before.
  mutating func take(_ change: StatusChange, at now: UnixTime) -> [Mark] {
    var marks: [Mark] = []
    if let status = change.status { marks += Self.marks(of: status, at: now) }
    for condition in change.conditions ?? [] {
      marks.append(Self.mark(of: condition, at: now))
    }
    for app in change.apps ?? [] {
      let accuracy = app.isPrecise ? "" : ", reduced accuracy"
      marks.append(Mark(time: now, kind: "life", name: app.app, value: app.life ?? ""))
      marks.append(
        Mark(time: now, kind: "permission", name: app.app, value: app.level + accuracy))
    }
    var ended: [Mark] = []
    if let status = change.status {
      ended += ending("share", except: status.shares?.map(\.client) ?? [], at: now)
    }
    if let conditions = change.conditions {
      ended += ending("belief", except: conditions.map(\.laneName), at: now)
    }
    if let apps = change.apps?.map(\.app) {
      for kind in ["life", "permission"] { ended += ending(kind, except: apps, at: now) }
    }
    return (marks + ended).filter { note($0) }
  }

  /// Ends every lane: nothing is known any longer.
  mutating func end(at now: UnixTime) -> [Mark] {
    let kinds = Set(last.keys.map(\.kind)).sorted()
    return kinds.flatMap { ending($0, except: [], at: now) }.filter { note($0) }
  }

  /// Notes a mark; returns whether it is new.
  private mutating func note(_ mark: Mark) -> Bool {
    let lane = mark.lane
    if let known = last[lane] {
      guard (known.value, known.level, known.threshold) != (mark.value, mark.level, mark.threshold)
      else { return false }
    } else if mark.value.isEmpty {
      return false
    }
    last[lane] = mark
    if mark.value.isEmpty { last[lane] = nil }
    return true
  }

  /// Nothing holds any longer in lanes of a kind that are not named.
  private func ending(_ kind: String, except names: [String], at now: UnixTime) -> [Mark] {
    let names = Set(names)
    return last.keys.filter { $0.kind == kind && !names.contains($0.name) }.map(\.name).sorted()
      .map { Mark(time: now, kind: kind, name: $0, value: "") }
  }

  private static func marks(of status: DaemonStatus, at now: UnixTime) -> [Mark] {
    var marks = status.sources.map { source in
      Mark(
        time: now, kind: "source", name: source.url,
        value: source.status == "idle" ? "" : source.status)
    }
    marks.append(Mark(time: now, kind: "tier", name: "", value: status.demand.tier ?? ""))
    for share in status.shares ?? [] {
      marks.append(
        Mark(time: now, kind: "share", name: share.client, value: share.demand.words))
    }
    marks.append(
      Mark(
        time: now, kind: "motion", name: "",
        value: word(activity: status.motion?.activity, speed: status.motion?.speed)))
    let departure = status.visit?.departure
    marks.append(
      Mark(
        time: now, kind: "visit", name: "", value: status.visit == nil ? "" : "stays",
        level: departure.map { rounded($0.probability) },
        threshold: departure.map { rounded($0.threshold) }))
    return marks
  }

  /// How the device moves, in a word; empty where nothing needs to know.
  static func word(activity: String?, speed: Double?) -> String {
    guard let speed else { return "" }
    if let activity, activity != "unknown" { return activity }
    return speed > walk ? "moves" : "at rest"
  }

  private static func mark(of condition: ConditionStatus, at now: UnixTime) -> Mark {
    let isInside = condition.state == "satisfied"
    func level(_ probability: Double) -> Double {
      rounded(condition.belief?.towards == "satisfied" ? probability : 1 - probability)
    }
    return Mark(
      time: now, kind: "belief", name: condition.laneName, value: condition.state,
      level: condition.belief.map { level($0.probability) }
        ?? (condition.state == "unknown" ? nil : isInside ? 1 : 0),
      threshold: condition.belief.map { level($0.threshold) })
  }

  /// To whole percent, as it is drawn.
  static func rounded(_ share: Double) -> Double { (share * 100).rounded() / 100 }

  /// Meters per second. Chosen: slower than a person walks.
  private static let walk = 0.7
}

extension ConditionStatus {
  /// The name of its lane: two apps may use one.
  fileprivate var laneName: String { "\(identifier) (\(app))" }
}
