package import LocationModel

extension HeadingOrientation: JSONNamed {}
extension Proximity: JSONNamed {}
extension RangingFailure: JSONNamed {}

extension DeviceVector: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(x: try json.get("x"), y: try json.get("y"), z: try json.get("z"))
  }

  package var json: JSON { .fields(["x": x.json, "y": y.json, "z": z.json]) }
}

extension Heading: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      magneticHeading: try json.get("magneticHeading"), trueHeading: try json.find("trueHeading"),
      accuracy: try json.find("accuracy"), field: try json.find("field"),
      time: try json.get("time"))
  }

  package var json: JSON {
    .fields([
      "magneticHeading": magneticHeading.json, "trueHeading": trueHeading?.json,
      "accuracy": accuracy?.json, "field": field?.json, "time": time.json,
    ])
  }
}

extension RangedBeacon: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      identity: try BeaconIdentity(json: json), proximity: try json.get("proximity"),
      accuracy: try json.find("accuracy"), rssi: try json.find("rssi"),
      time: try json.get("time"))
  }

  package var json: JSON {
    .fields([
      "uuid": identity.uuid.json, "major": identity.major.json, "minor": identity.minor.json,
      "proximity": proximity.json, "accuracy": accuracy?.json, "rssi": rssi?.json,
      "time": time.json,
    ])
  }
}

extension Equipment: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      hasCompass: try json.find("compass") ?? false,
      hasBeaconRadio: try json.find("beaconRadio") ?? false)
  }

  package var json: JSON {
    .fields(["compass": hasCompass.json, "beaconRadio": hasBeaconRadio.json])
  }
}

extension HeadingOptions: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      filter: try json.find("filter"), orientation: try json.find("orientation") ?? .portrait)
  }

  package var json: JSON {
    .fields(["filter": filter?.json, "orientation": orientation.json])
  }
}

extension HeadingRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "start": self = .start(try HeadingOptions(json: value))
    case "change": self = .change(try HeadingOptions(json: value))
    case "stop": self = .stop
    case "calibrationAnswer": self = .calibrationAnswer(try value.get("show"))
    case "dismissCalibration": self = .dismissCalibration
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .start(let options): .word("start", options.json)
    case .change(let options): .word("change", options.json)
    case .stop: .word("stop")
    case .calibrationAnswer(let show): .word("calibrationAnswer", .fields(["show": show.json]))
    case .dismissCalibration: .word("dismissCalibration")
    }
  }
}

extension HeadingDelivery: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "heading": self = .heading(try Heading(json: value))
    case "failed": self = .failed
    case "askCalibration": self = .askCalibration
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .heading(let heading): .word("heading", heading.json)
    case .failed: .word("failed")
    case .askCalibration: .word("askCalibration")
    }
  }
}

extension RangingRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "start": self = .start(try BeaconConstraint(json: value))
    case "stop": self = .stop(try BeaconConstraint(json: value))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .start(let constraint): .word("start", constraint.json)
    case .stop(let constraint): .word("stop", constraint.json)
    }
  }
}

extension RangingDelivery: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "ranged": self = .ranged(try value.get("constraint"), try value.get("beacons"))
    case "failed": self = .failed(try value.get("constraint"), try value.get("failure"))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .ranged(let constraint, let beacons):
      .word("ranged", .fields(["constraint": constraint.json, "beacons": beacons.json]))
    case .failed(let constraint, let failure):
      .word("failed", .fields(["constraint": constraint.json, "failure": failure.json]))
    }
  }
}

extension IBeaconAdvert: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      identity: try BeaconIdentity(json: json), measuredPower: try json.get("measuredPower"))
  }

  package var json: JSON {
    .fields([
      "uuid": identity.uuid.json, "major": identity.major.json, "minor": identity.minor.json,
      "measuredPower": measuredPower.json,
    ])
  }
}

extension AdvertisingRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "start": self = .start(try IBeaconAdvert(json: value))
    case "stop": self = .stop
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .start(let advert): .word("start", advert.json)
    case .stop: .word("stop")
    }
  }
}

extension BeaconAdvertising: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "stopped": self = .stopped
    case "advertising": self = .advertising
    case "waiting": self = .waiting
    case "unavailable": self = .unavailable
    case "refused": self = .refused(try value.get("error"))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .stopped: .word("stopped")
    case .advertising: .word("advertising")
    case .waiting: .word("waiting")
    case .unavailable: .word("unavailable")
    case .refused(let error): .word("refused", .fields(["error": error.json]))
    }
  }
}
