package import LocationModel

/// A coordinate whose numbers are missing is read as one that is not on earth (REG-16).
extension Coordinate: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(latitude: try json.number("latitude"), longitude: try json.number("longitude"))
  }

  package var json: JSON { .fields(["latitude": latitude.json, "longitude": longitude.json]) }
}

extension Fix: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      coordinate: Coordinate(
        latitude: try json.get("latitude"), longitude: try json.get("longitude")),
      horizontalAccuracy: try json.get("accuracy"), time: try json.get("time"),
      origin: Origin(
        isSimulated: try json.find("simulated") ?? false,
        isAccessory: try json.find("accessory") ?? false,
        method: try json.find("method") ?? .receiver))
    altitude = try json.find("altitude")
    ellipsoidalAltitude = try json.find("ellipsoidalAltitude")
    verticalAccuracy = try json.find("verticalAccuracy")
    speed = try json.find("speed")
    speedAccuracy = try json.find("speedAccuracy")
    course = try json.find("course")
    courseAccuracy = try json.find("courseAccuracy")
    floor = try json.find("floor")
  }

  package var json: JSON {
    .fields([
      "latitude": coordinate.latitude.json, "longitude": coordinate.longitude.json,
      "accuracy": horizontalAccuracy.json, "time": time.json, "altitude": altitude?.json,
      "ellipsoidalAltitude": ellipsoidalAltitude?.json,
      "verticalAccuracy": verticalAccuracy?.json, "speed": speed?.json,
      "speedAccuracy": speedAccuracy?.json, "course": course?.json,
      "courseAccuracy": courseAccuracy?.json, "floor": floor?.json,
      "simulated": origin.isSimulated ? true.json : nil,
      "accessory": origin.isAccessory ? true.json : nil,
      "method": origin.method == .receiver ? nil : origin.method.json,
    ])
  }
}

extension PositionMethod: JSONCodable {}

extension Visit: JSONStructure {
  package static let fields = JSONFields(
    blank,
    .find("arrival", \.arrival), .find("departure", \.departure),
    .number("latitude", \.coordinate.latitude), .number("longitude", \.coordinate.longitude),
    .get("accuracy", \.horizontalAccuracy), .find("evidence", \.evidence))
}

/// A radius that is no number is read as one that cannot be watched (REG-16).
extension Circle: JSONStructure {
  package static let fields = JSONFields(
    Circle(center: .blank, radius: .nan),
    .get("center", \.center), .number("radius", \.radius))
}

/// Encoded in the canonical form, `8-4-4-4-12`.
extension BeaconUUID: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    guard let uuid = BeaconUUID(digits: try String(json: json).filter { $0 != "-" }) else {
      throw .mismatch("")
    }
    self = uuid
  }

  package var json: JSON { .string(description) }
}

/// Encoded as six pairs of digits with colons between them.
extension BluetoothAddress: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    guard let address = BluetoothAddress(try String(json: json)) else { throw .mismatch("") }
    self = address
  }

  package var json: JSON { .string(description) }
}

extension BeaconIdentity: JSONStructure {
  package static let fields = JSONFields(
    blank, .get("uuid", \.uuid), .get("major", \.major), .get("minor", \.minor))
}

extension BeaconConstraint: JSONStructure {
  package static let fields = JSONFields(
    BeaconConstraint(uuid: .blank),
    .get("uuid", \.uuid), .find("major", \.major), .find("minor", \.minor))
}

extension LiveUpdate: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      fix: try json.find("fix"), stationary: try json.find("stationary") ?? false,
      diagnostics: try json.find("diagnostics") ?? [])
  }

  package var json: JSON {
    .fields([
      "fix": fix?.json, "stationary": stationary.json, "diagnostics": diagnostics.json,
    ])
  }
}

extension AuthorizationReport: JSONStructure {
  package static let fields = JSONFields(
    AuthorizationReport(status: .notDetermined),
    .get("status", \.status), .find("accuracy", \.accuracy))
}

extension ClientState: JSONStructure {
  package static let fields = JSONFields(
    ofOlderDaemon,
    .get("authorization", \.authorization), .find("servicesEnabled", \.servicesEnabled),
    .find("lastFix", \.lastFix), .find("regions", \.regions), .find("equipment", \.equipment),
    .find("isAsking", \.isAsking))

  /// What a missing member means: requests of an app count as unanswered.
  private static var ofOlderDaemon: ClientState {
    var state = ClientState()
    state.isAsking = true
    return state
  }
}
