package import LocationModel

extension HeadingOrientation: JSONNamed {}
extension Proximity: JSONNamed {}
extension RangingFailure: JSONNamed {}

extension DeviceVector: JSONStructure {
  package static let fields = JSONFields(
    DeviceVector(x: 0, y: 0, z: 0), .get("x", \.x), .get("y", \.y), .get("z", \.z))
}

extension Heading: JSONStructure {
  package static let fields = JSONFields(
    Heading(magneticHeading: 0, trueHeading: nil, accuracy: nil, field: nil, time: .blank),
    .get("magneticHeading", \.magneticHeading), .find("trueHeading", \.trueHeading),
    .find("accuracy", \.accuracy), .find("field", \.field), .get("time", \.time))
}

extension RangedBeacon: JSONStructure {
  package static let fields = JSONFields(
    RangedBeacon(identity: .blank, proximity: .unknown, accuracy: nil, rssi: nil, time: .blank),
    .get("uuid", \.identity.uuid), .get("major", \.identity.major),
    .get("minor", \.identity.minor), .get("proximity", \.proximity),
    .find("accuracy", \.accuracy), .find("rssi", \.rssi), .get("time", \.time))
}

extension Equipment: JSONStructure {
  package static let fields = JSONFields(
    Equipment(), .find("compass", \.hasCompass), .find("beaconRadio", \.hasBeaconRadio),
    .find("positions", \.hasPositions))
}

extension HeadingOptions: JSONStructure {
  package static let fields = JSONFields(
    HeadingOptions(), .find("filter", \.filter), .find("orientation", \.orientation))
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

extension IBeaconAdvert: JSONStructure {
  package static let fields = JSONFields(
    IBeaconAdvert(identity: .blank),
    .get("uuid", \.identity.uuid), .get("major", \.identity.major),
    .get("minor", \.identity.minor), .get("measuredPower", \.measuredPower))
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
