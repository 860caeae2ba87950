package import LocationCoding
package import LocationModel

/// The requests of a daemon's owner: the methods of ``AdministrationInterface``.
package enum AdministrationRequest: Hashable, Sendable {
  case status(places: Bool)
  /// The same with conditions, apps, events, and accesses, now and as it changes.
  case followStatus(places: Bool)
  case apps
  case authorize(app: String, level: String?, precise: Bool?, beacon: Bool?)
  /// Gives the identifier of an app to another program, such as a new version at another path.
  case adopt(app: String, program: String)
  /// Every app counts as never asked (AUTH-7).
  case resetAuthorization
  case services(on: Bool)
  case conditions(places: Bool)
  case addCondition(identifier: String, Circle)
  case addPolygon(identifier: String, PolygonOutline)
  case removeCondition(identifier: String)
  case followEvents
  /// Which apps use the location, now and as it changes.
  case followUse
  /// Where the device is, as an app receives it: live updates without options, else those of a manager.
  case followLocations(UpdateOptions?, once: Bool)
  /// Sets the place of the device from outside (SIM-15); one that is held outlasts the connection.
  case simulate(Fix, hold: Bool)
  case endSimulation
  case log(LogQuery)
  case access(app: String?)
  case events(app: String?)
  case adapters
  /// Stores how much more an adapter receives than beacons claim, in dB; `nil` forgets the adapter.
  case calibrate(adapter: BluetoothAddress, offset: Int?)
  /// What the map of transmitters knows.
  case map
  /// Adds items of an import to the map; with the last ones it is stored.
  case importMap(items: [JSON], last: Bool)
  case forgetMap
  /// Forgets what the map knows within a circle.
  case forgetMapNear(Circle)
  case export(app: String?)
  case erase(app: String?)
  /// Seals the state with new keys; the one that opens them is to lie in `key`: a file, or the Secret
  /// Service of the daemon's user.
  case rekey(key: String?)

  /// The records of the log to return.
  package struct LogQuery: Hashable, Sendable {
    /// The categories; `nil` for all that are kept, which excludes ignored positions.
    package var categories: [LogCategory]?
    /// The number of earlier records.
    package var last: Int
    package var follow: Bool
    package var places: Bool

    package init(
      categories: [LogCategory]? = nil, last: Int = 100, follow: Bool = false, places: Bool = false
    ) {
      self.categories = categories
      self.last = last
      self.follow = follow
      self.places = places
    }

    /// Returns whether the query includes a category.
    package func wants(_ category: LogCategory) -> Bool {
      categories?.contains(category) ?? (category != .fix)
    }
  }

  /// Parses a call; `nil` for a method that this version does not have.
  package init?(_ call: LinkCall) throws(CodingFault) {
    let given = call.parameters
    switch call.method.dropFirst(AdministrationInterface.name.count + 1) {
    case "GetStatus": self = .status(places: try given.find("places") ?? false)
    case "FollowStatus": self = .followStatus(places: try given.find("places") ?? false)
    case "ListApps": self = .apps
    case "Authorize":
      self = .authorize(
        app: try given.get("app"), level: try given.find("level"),
        precise: try given.find("precise"), beacon: try given.find("beacon"))
    case "Adopt":
      self = .adopt(app: try given.get("app"), program: try given.get("program"))
    case "ResetAuthorization": self = .resetAuthorization
    case "SetServices": self = .services(on: try given.get("on"))
    case "ListConditions": self = .conditions(places: try given.find("places") ?? false)
    case "AddCondition":
      let circle = Circle(center: try Coordinate(json: given), radius: try given.get("radius"))
      self = .addCondition(identifier: try given.get("identifier"), circle)
    case "AddPolygon":
      self = .addPolygon(
        identifier: try given.get("identifier"), try given.get("polygon"))
    case "RemoveCondition": self = .removeCondition(identifier: try given.get("identifier"))
    case "FollowEvents": self = .followEvents
    case "FollowUse": self = .followUse
    case "FollowLocations":
      self = .followLocations(
        try given.find("options"), once: try given.find("once") ?? false)
    case "Simulate":
      self = .simulate(try given.get("fix"), hold: try given.find("hold") ?? false)
    case "EndSimulation": self = .endSimulation
    case "ReadLog":
      let query = LogQuery(
        categories: try given.find("categories"), last: try given.find("last") ?? 100,
        follow: try given.find("follow") ?? false, places: try given.find("places") ?? false)
      self = .log(query)
    case "ListAccess": self = .access(app: try given.find("app"))
    case "ListEvents": self = .events(app: try given.find("app"))
    case "ListAdapters": self = .adapters
    case "CalibrateAdapter":
      self = .calibrate(adapter: try given.get("adapter"), offset: try given.find("offset"))
    case "GetMap": self = .map
    case "ImportMap":
      self = .importMap(items: try given.elements("items"), last: try given.get("last"))
    case "ForgetMap": self = .forgetMap
    case "ForgetMapNear":
      let center = try Coordinate(json: given)
      self = .forgetMapNear(Circle(center: center, radius: try given.get("radius")))
    case "ExportData": self = .export(app: try given.find("app"))
    case "EraseData": self = .erase(app: try given.find("app"))
    case "RenewKeys": self = .rekey(key: try given.find("key"))
    default: return nil
    }
  }

  /// Whether more than one reply may come.
  package var isStream: Bool {
    switch self {
    case .followStatus, .followEvents, .followUse, .followLocations, .log, .events, .export: true
    case .status, .apps, .authorize, .adopt, .resetAuthorization, .services, .conditions,
      .addCondition, .addPolygon, .removeCondition, .access, .adapters, .calibrate, .erase,
      .simulate, .endSimulation, .map, .importMap, .forgetMap, .forgetMapNear, .rekey:
      false
    }
  }

  /// The call that sends this request.
  package var call: LinkCall {
    let (method, parameters) = words
    return LinkCall(
      "\(AdministrationInterface.name).\(method)", .fields(parameters), wantsMore: isStream)
  }

  private var words: (method: String, parameters: KeyValuePairs<String, JSON?>) {
    switch self {
    case .status(let places): ("GetStatus", ["places": places.json])
    case .followStatus(let places): ("FollowStatus", ["places": places.json])
    case .apps: ("ListApps", [:])
    case .authorize(let app, let level, let precise, let beacon):
      (
        "Authorize",
        [
          "app": app.json, "level": level?.json, "precise": precise?.json, "beacon": beacon?.json,
        ]
      )
    case .adopt(let app, let program): ("Adopt", ["app": app.json, "program": program.json])
    case .resetAuthorization: ("ResetAuthorization", [:])
    case .services(let on): ("SetServices", ["on": on.json])
    case .conditions(let places): ("ListConditions", ["places": places.json])
    case .addCondition(let identifier, let circle):
      (
        "AddCondition",
        [
          "identifier": identifier.json, "latitude": circle.center.latitude.json,
          "longitude": circle.center.longitude.json, "radius": circle.radius.json,
        ]
      )
    case .addPolygon(let identifier, let outline):
      ("AddPolygon", ["identifier": identifier.json, "polygon": outline.json])
    case .removeCondition(let identifier): ("RemoveCondition", ["identifier": identifier.json])
    case .followEvents: ("FollowEvents", [:])
    case .followUse: ("FollowUse", [:])
    case .followLocations(let options, let once):
      ("FollowLocations", ["options": options?.json, "once": once.json])
    case .simulate(let fix, let hold): ("Simulate", ["fix": fix.json, "hold": hold.json])
    case .endSimulation: ("EndSimulation", [:])
    case .log(let query):
      (
        "ReadLog",
        [
          "categories": query.categories?.json, "last": query.last.json,
          "follow": query.follow.json, "places": query.places.json,
        ]
      )
    case .access(let app): ("ListAccess", ["app": app?.json])
    case .events(let app): ("ListEvents", ["app": app?.json])
    case .adapters: ("ListAdapters", [:])
    case .calibrate(let adapter, let offset):
      ("CalibrateAdapter", ["adapter": adapter.json, "offset": offset?.json])
    case .map: ("GetMap", [:])
    case .importMap(let items, let last):
      ("ImportMap", ["items": .array(items), "last": last.json])
    case .forgetMap: ("ForgetMap", [:])
    case .forgetMapNear(let circle): ("ForgetMapNear", Self.members(of: circle))
    case .export(let app): ("ExportData", ["app": app?.json])
    case .erase(let app): ("EraseData", ["app": app?.json])
    case .rekey(let key): ("RenewKeys", ["key": key?.json])
    }
  }

  private static func members(of circle: Circle) -> KeyValuePairs<String, JSON?> {
    [
      "latitude": circle.center.latitude.json, "longitude": circle.center.longitude.json,
      "radius": circle.radius.json,
    ]
  }
}

extension JSON {
  /// Reads the elements of a member that is an array of any values.
  fileprivate func elements(_ name: String) throws(CodingFault) -> [JSON] {
    guard let value = self[name] else { throw .missing(name) }
    guard case .array(let elements) = value else { throw .mismatch(name) }
    return elements
  }
}
