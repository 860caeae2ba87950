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
  /// `circle`, `beacon`, or `unsupported`.
  package var kind: String
  /// The radius in meters; `nil` for a condition that is no circle.
  package var radius: Double?
  /// The center; only in replies to requests for places.
  package var place: Coordinate?
  /// The state that was last delivered.
  package var state: String
  package var date: UnixTime

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

extension AppStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      app: try json.get("app"), level: try json.get("level"), isPrecise: try json.get("precise"))
    beacon = try json.find("beacon") ?? "ask"
    processes = try json.find("processes") ?? 0
    conditions = try json.find("conditions") ?? 0
    program = try json.find("program")
  }

  package var json: JSON {
    .fields([
      "app": app.json, "level": level.json, "precise": isPrecise.json, "beacon": beacon.json,
      "processes": processes.json, "conditions": conditions.json, "program": program?.json,
    ])
  }
}

extension AuthorizationDecision: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      before: try json.find("before"), after: try json.get("after"),
      explanations: try json.find("explanations") ?? [])
  }

  package var json: JSON {
    .fields([
      "before": before?.json, "after": after.json, "explanations": explanations.json,
    ])
  }
}

extension ConditionStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      app: try json.get("app"), monitor: try json.find("monitor"),
      identifier: try json.get("identifier"), kind: try json.get("kind"),
      state: try json.get("state"), date: try json.get("date"))
    radius = try json.find("radius")
    place = try json.find("place")
  }

  package var json: JSON {
    .fields([
      "app": app.json, "monitor": monitor?.json, "identifier": identifier.json, "kind": kind.json,
      "radius": radius?.json, "place": place?.json, "state": state.json, "date": date.json,
    ])
  }
}

extension AccessRecord: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      app: try json.get("app"), service: try json.get("service"), first: try json.get("first"),
      last: try json.get("last"), count: try json.get("count"))
  }

  package var json: JSON {
    .fields([
      "app": app.json, "service": service.json, "first": first.json, "last": last.json,
      "count": count.json,
    ])
  }
}

extension DataEntry: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      domain: try json.get("domain"), app: try json.get("app"), name: try json.get("name"),
      value: try json.get("value"))
  }

  package var json: JSON {
    .fields(["domain": domain.json, "app": app.json, "name": name.json, "value": value.json])
  }
}
