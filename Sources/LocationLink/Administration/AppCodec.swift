package import LocationCoding
package import LocationModel

/// One app that the daemon knows: an element of `ListApps`, and of the decision of `Authorize`.
package struct AppStatus: Hashable, Sendable {
  package var app: String
  /// `never`, `ask`, `once`, `whenInUse`, or `always`.
  package var level: String
  /// Whether it may have full accuracy.
  package var isPrecise: Bool
  /// Whether it may make this computer a beacon: `ask`, `yes`, or `no`.
  package var beacon = "ask"
  /// The number of its processes that are connected.
  package var processes = 0
  /// The number of places, regions, and beacons that it monitors.
  package var conditions = 0
  /// The program that uses the identifier; `nil` if none has used it.
  package var program: String?
  /// What starts it for an event while it does not run; `nil` if nothing does.
  package var starter: String?
  /// What the owner or the system withholds: `restricted`, `noBackgroundRefresh`, `forceQuit`,
  /// `locked`.
  package var limits: [String] = []
  /// What the configuration changes for the services of every app: `pauseNeedsRestart`,
  /// `heartbeat SECONDS`, `remindAfter DAYS`.
  package var settings: [String] = []
  /// `foreground`, `background`, or `suspended`, as the engine has it; `nil` while it does not run.
  package var life: String?
  /// What that rests on: `reported` by the app's framework, `terminal`, `service`, `stopped`,
  /// `frozen`, or `nothing`, where use is assumed.
  package var ground: String?
  /// Why it could not be woken for an event, which waits until it continues; `nil` if nothing failed.
  package var asleep: String?

  package init(app: String, level: String, isPrecise: Bool) {
    self.app = app
    self.level = level
    self.isPrecise = isPrecise
  }
}

/// An authorization that was decided, with the earlier one.
package struct AuthorizationDecision: Hashable, Sendable {
  /// The earlier state; `nil` if the app was never seen.
  package var before: AppStatus?
  package var after: AppStatus
  /// Why some parts did not change.
  package var explanations: [String]

  package init(before: AppStatus?, after: AppStatus, explanations: [String]) {
    self.before = before
    self.after = after
    self.explanations = explanations
  }
}

/// One condition that is monitored.
package struct ConditionStatus: Hashable, Sendable {
  package var app: String
  /// The name of the monitor; `nil` for a region of a location manager.
  package var monitor: String?
  package var identifier: String
  /// `circle`, `polygon`, `beacon`, or `unsupported`.
  package var kind: String
  /// The radius in meters; `nil` for a condition that is no circle.
  package var radius: Double?
  /// The center; only in replies to requests for places.
  package var place: Coordinate?
  /// How many positions a polygon has; `nil` for a condition that is none.
  package var positions: Int?
  /// The polygon; only in replies to requests for places.
  package var polygon: PolygonOutline?
  /// The state that was last delivered.
  package var state: String
  package var date: UnixTime
  /// What speaks against the state; `nil` while nothing does, and from an older daemon.
  package var belief: BeliefStatus?
  /// Why the state is not observed or not delivered, such as `conditionLimitExceeded`; `nil` while it is,
  /// and from an older daemon.
  package var reason: String?

  package init(
    app: String, monitor: String?, identifier: String, kind: String, state: String, date: UnixTime
  ) {
    self.app = app
    self.monitor = monitor
    self.identifier = identifier
    self.kind = kind
    self.state = state
    self.date = date
  }
}

/// A period without a long pause in which one app received locations.
package struct AccessRecord: Hashable, Sendable {
  package var app: String
  package var service: String
  package var first: UnixTime
  package var last: UnixTime
  package var count: Int

  package init(app: String, service: String, first: UnixTime, last: UnixTime, count: Int) {
    self.app = app
    self.service = service
    self.first = first
    self.last = last
    self.count = count
  }
}

/// One entry of the durable state, for its owner to read.
package struct DataEntry: Hashable, Sendable {
  /// The kind of entry: `authorization`, `condition`, …
  package var domain: String
  /// The app it belongs to; empty for the machine as a whole.
  package var app: String
  package var name: String
  /// JSON or text, as stored.
  package var value: String

  package init(domain: String, app: String, name: String, value: String) {
    self.domain = domain
    self.app = app
    self.name = name
    self.value = value
  }
}

extension AppStatus: JSONStructure {
  package static let fields = JSONFields(
    blank, .get("app", \.app), .get("level", \.level), .get("precise", \.isPrecise),
    .find("beacon", \.beacon), .find("processes", \.processes),
    .find("conditions", \.conditions), .find("program", \.program), .find("starter", \.starter),
    .find("limits", \.limits), .find("settings", \.settings), .find("life", \.life),
    .find("ground", \.ground),
    .find("asleep", \.asleep))

  fileprivate static let blank = AppStatus(app: "", level: "", isPrecise: false)
}

extension AuthorizationDecision: JSONStructure {
  package static let fields = JSONFields(
    AuthorizationDecision(before: nil, after: .blank, explanations: []),
    .find("before", \.before), .get("after", \.after), .find("explanations", \.explanations))
}

extension ConditionStatus: JSONStructure {
  package static let fields = JSONFields(
    ConditionStatus(app: "", monitor: nil, identifier: "", kind: "", state: "", date: .blank),
    .get("app", \.app), .find("monitor", \.monitor), .get("identifier", \.identifier),
    .get("kind", \.kind), .find("radius", \.radius), .find("place", \.place),
    .find("positions", \.positions), .find("polygon", \.polygon),
    .get("state", \.state), .get("date", \.date), .find("belief", \.belief),
    .find("reason", \.reason))
}

extension AccessRecord: JSONStructure {
  package static let fields = JSONFields(
    AccessRecord(app: "", service: "", first: .blank, last: .blank, count: 0),
    .get("app", \.app), .get("service", \.service), .get("first", \.first),
    .get("last", \.last), .get("count", \.count))
}

extension DataEntry: JSONStructure {
  package static let fields = JSONFields(
    DataEntry(domain: "", app: "", name: "", value: ""),
    .get("domain", \.domain), .get("app", \.app), .get("name", \.name),
    .get("value", \.value))
}
