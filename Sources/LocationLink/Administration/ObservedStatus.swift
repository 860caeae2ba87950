package import LocationCoding
package import LocationModel

/// The newest fix of one source: a member of its status.
package struct OwnFixStatus: Hashable, Sendable {
  package var time: UnixTime
  /// Meters, at 68 %.
  package var accuracy: Double
  /// `current`, `fused`, `earlier`, or `refused`.
  package var use: String
  /// Why it is refused; `nil` if it is not.
  package var reason: String?
  package var place: Coordinate?

  package init(time: UnixTime, accuracy: Double, use: String, reason: String? = nil) {
    (self.time, self.accuracy, self.use, self.reason) = (time, accuracy, use, reason)
  }
}

/// What speaks for a change that has not been decided.
package struct BeliefStatus: Hashable, Sendable {
  /// `satisfied` or `unsatisfied`.
  package var towards: String
  /// That the change is real, in 0.5..<1, and from which value on it is decided.
  package var probability: Double
  package var threshold: Double
  /// The first fix of it.
  package var since: UnixTime
  package var fixes: Int
  /// Before then it is not decided.
  package var earliest: UnixTime

  package init(
    towards: String, probability: Double, threshold: Double, since: UnixTime, fixes: Int,
    earliest: UnixTime
  ) {
    (self.towards, self.probability, self.threshold) = (towards, probability, threshold)
    (self.since, self.fixes, self.earliest) = (since, fixes, earliest)
  }
}

/// How the device moves.
package struct MotionStatus: Hashable, Sendable {
  /// What the motion sensor reports; `nil` without one.
  package var activity: String?
  /// Meters per second, by the fixes.
  package var speed: Double
  /// Whether the newest fix waits for another that confirms it.
  package var isDoubting: Bool

  package init(activity: String?, speed: Double, isDoubting: Bool) {
    (self.activity, self.speed, self.isDoubting) = (activity, speed, isDoubting)
  }
}

/// The visit that lasts.
package struct VisitStatus: Hashable, Sendable {
  /// `nil` where it began before the device was watched.
  package var arrival: UnixTime?
  package var accuracy: Double
  package var place: Coordinate?
  /// What speaks for its end; `nil` while nothing does.
  package var departure: BeliefStatus?

  package init(arrival: UnixTime?, accuracy: Double, place: Coordinate?, departure: BeliefStatus?) {
    (self.arrival, self.accuracy, self.place) = (arrival, accuracy, place)
    self.departure = departure
  }
}

/// What one service of an app, or one of all apps together, needs of the hardware.
package struct ShareStatus: Hashable, Sendable {
  /// `APP/SERVICE`, or the name of a service of all apps.
  package var client: String
  package var demand: DemandStatus

  package init(client: String, demand: DemandStatus) {
    (self.client, self.demand) = (client, demand)
  }
}

/// What has changed since the last one: a reply to `FollowStatus`. A part that has not is `nil`.
package struct StatusChange: Hashable, Sendable {
  package var status: DaemonStatus?
  package var conditions: [ConditionStatus]?
  package var apps: [AppStatus]?
  /// Those that are new.
  package var events: [EventRecord]?
  /// Those that are new or have changed.
  package var access: [AccessRecord]?

  package init() {}
}

extension OwnFixStatus: JSONStructure {
  package static let fields = JSONFields(
    OwnFixStatus(time: .blank, accuracy: 0, use: ""),
    .get("time", \.time), .get("accuracy", \.accuracy), .get("use", \.use),
    .find("reason", \.reason), .find("place", \.place))
}

extension Satellite.System: JSONCodable {}

extension Satellite: JSONStructure {
  package static let fields = JSONFields(
    Satellite(system: .gps, number: 0),
    .get("system", \.system), .get("number", \.number), .find("elevation", \.elevation),
    .find("azimuth", \.azimuth), .find("signal", \.signal), .get("used", \.isUsed))
}

extension BeliefStatus: JSONStructure {
  package static let fields = JSONFields(
    BeliefStatus(
      towards: "", probability: 0, threshold: 0, since: .blank, fixes: 0, earliest: .blank),
    .get("towards", \.towards), .get("probability", \.probability),
    .get("threshold", \.threshold), .get("since", \.since), .get("fixes", \.fixes),
    .get("earliest", \.earliest))
}

extension MotionStatus: JSONStructure {
  package static let fields = JSONFields(
    MotionStatus(activity: nil, speed: 0, isDoubting: false),
    .find("activity", \.activity), .get("speed", \.speed), .get("doubting", \.isDoubting))
}

extension VisitStatus: JSONStructure {
  package static let fields = JSONFields(
    VisitStatus(arrival: nil, accuracy: 0, place: nil, departure: nil),
    .find("arrival", \.arrival), .get("accuracy", \.accuracy), .find("place", \.place),
    .find("departure", \.departure))
}

extension ShareStatus: JSONStructure {
  package static let fields = JSONFields(
    ShareStatus(client: "", demand: DemandStatus()),
    .get("client", \.client), .get("demand", \.demand))
}

extension StatusChange: JSONStructure {
  package static let fields = JSONFields(
    StatusChange(),
    .find("status", \.status), .find("conditions", \.conditions), .find("apps", \.apps),
    .find("events", \.events), .find("access", \.access))
}
