import LocationLink
import LocationModel
import Testing

@testable import locationctl

@Suite("The lanes of the live timeline")
struct LiveLanesTests {
  private var lanes = LiveLanes()
  private var seconds = 0.0

  /// A line for each mark: kind, name, value, level, threshold.
  private mutating func take(_ change: (inout StatusChange) -> Void) -> [String] {
    var new = StatusChange()
    change(&new)
    seconds += 1
    return lanes.take(new, at: UnixTime(seconds: seconds)).map { mark in
      #expect(mark.time == UnixTime(seconds: seconds))
      let level = [mark.level, mark.threshold].compactMap { $0.map { " \($0)" } }.joined()
      return "\(mark.kind) \(mark.name): \(mark.value)\(level)"
    }
  }

  private static func status(_ change: (inout DaemonStatus) -> Void) -> DaemonStatus {
    var status = DaemonStatus(pid: 1, since: UnixTime(seconds: 0), state: "")
    change(&status)
    return status
  }

  private static func belief(_ towards: String, _ probability: Double) -> BeliefStatus {
    BeliefStatus(
      towards: towards, probability: probability, threshold: 0.95, since: UnixTime(seconds: 0),
      fixes: 1, earliest: UnixTime(seconds: 0))
  }

  private static func condition(_ state: String, _ belief: BeliefStatus?) -> ConditionStatus {
    var condition = ConditionStatus(
      app: "a.b", monitor: "m", identifier: "home", kind: "circle", state: state,
      date: UnixTime(seconds: 0))
    condition.belief = belief
    return condition
  }

  @Test("CONSOLE-12: a mark comes when something begins, changes, or ends, and else none")
  mutating func status() {
    var working = SourceStatus(url: "x:", status: "working", reason: nil, fixes: 1, rejected: 0)
    var demand = DemandStatus()
    demand.tier = "satellite"
    let begun = Self.status {
      $0.sources = [working]
      $0.demand = demand
      $0.shares = [ShareStatus(client: "a.b/live", demand: demand)]
      $0.motion = MotionStatus(activity: nil, speed: 1.4, isDoubting: false)
    }
    let first = take { $0.status = begun }
    #expect(
      first == [
        "source x:: working", "tier : satellite", "share a.b/live: satellite", "motion : moves",
      ])
    let same = take { $0.status = begun }
    #expect(same.isEmpty)
    working.status = "idle"
    let over = Self.status { [working] in $0.sources = [working] }
    let ended = take { $0.status = over }
    #expect(ended == ["source x:: ", "tier : ", "motion : ", "share a.b/live: "])
  }

  @Test("CONSOLE-12: a belief is a level between outside and inside, with its threshold")
  mutating func beliefs() {
    let conditions = [
      Self.condition("unsatisfied", nil),
      Self.condition("unsatisfied", Self.belief("satisfied", 0.7)),
      Self.condition("satisfied", nil),
      Self.condition("satisfied", Self.belief("unsatisfied", 0.8)),
    ]
    var marks: [String] = []
    for condition in conditions { marks += take { $0.conditions = [condition] } }
    marks += take { $0.conditions = [] }
    #expect(
      marks == [
        "belief home (a.b): unsatisfied 0.0", "belief home (a.b): unsatisfied 0.7 0.95",
        "belief home (a.b): satisfied 1.0", "belief home (a.b): satisfied 0.2 0.05",
        "belief home (a.b): ",
      ])
  }

  @Test("CONSOLE-12: apps have a lane for their life and one for what they may know")
  mutating func apps() {
    var app = AppStatus(app: "a.b", level: "always", isPrecise: true)
    app.life = "foreground"
    let begun = take { [app] in $0.apps = [app] }
    #expect(begun == ["life a.b: foreground", "permission a.b: always"])
    (app.life, app.isPrecise) = (nil, false)
    let changed = take { [app] in $0.apps = [app] }
    #expect(changed == ["life a.b: ", "permission a.b: always, reduced accuracy"])
    let erased = take { $0.apps = [] }
    #expect(erased == ["permission a.b: "])
  }
}
