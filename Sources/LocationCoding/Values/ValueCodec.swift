package import LocationModel

/// A coordinate whose numbers are missing is read as one that is not on earth (REG-16).
extension Coordinate: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      latitude: try json.find("latitude") ?? .nan, longitude: try json.find("longitude") ?? .nan)
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
        isAccessory: try json.find("accessory") ?? false))
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
    ])
  }
}

extension Visit: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      arrival: try json.find("arrival"), departure: try json.find("departure"),
      coordinate: try Coordinate(json: json), horizontalAccuracy: try json.get("accuracy"))
    evidence = try json.find("evidence")
  }

  package var json: JSON {
    .fields([
      "arrival": arrival?.json, "departure": departure?.json,
      "latitude": coordinate.latitude.json, "longitude": coordinate.longitude.json,
      "accuracy": horizontalAccuracy.json, "evidence": evidence?.json,
    ])
  }
}

extension Circle: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    // A radius that is no number is read as one that cannot be watched (REG-16).
    self.init(center: try json.get("center"), radius: try json.find("radius") ?? .nan)
  }

  package var json: JSON { .fields(["center": center.json, "radius": radius.json]) }
}

/// Encoded in the canonical form, `8-4-4-4-12`.
extension BeaconUUID: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let digits = try String(json: json).filter { $0 != "-" }
    guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { throw .mismatch("") }
    self.init(high: high, low: low)
  }

  package var json: JSON { .string(description) }
}

extension BeaconIdentity: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      uuid: try json.get("uuid"), major: try json.get("major"), minor: try json.get("minor"))
  }

  package var json: JSON {
    .fields(["uuid": uuid.json, "major": major.json, "minor": minor.json])
  }
}

extension BeaconConstraint: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      uuid: try json.get("uuid"), major: try json.find("major"), minor: try json.find("minor"))
  }

  package var json: JSON {
    .fields(["uuid": uuid.json, "major": major?.json, "minor": minor?.json])
  }
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

extension AuthorizationReport: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(status: try json.get("status"), accuracy: try json.find("accuracy") ?? .full)
  }

  package var json: JSON { .fields(["status": status.json, "accuracy": accuracy.json]) }
}

extension ClientState: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      authorization: try json.get("authorization"),
      servicesEnabled: try json.find("servicesEnabled") ?? true,
      lastFix: try json.find("lastFix"))
    regions = try json.find("regions") ?? []
    equipment = try json.find("equipment") ?? Equipment()
  }

  package var json: JSON {
    .fields([
      "authorization": authorization.json, "servicesEnabled": servicesEnabled.json,
      "lastFix": lastFix?.json, "regions": regions.json,
      "equipment": equipment.json,
    ])
  }
}
