package import LocationModel

extension ProviderStatus: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    func text() throws(CodingFault) -> String { try value.get("text") }
    switch name {
    case "idle": self = .idle
    case "searching": self = .searching
    case "working": self = .working
    case "unreachable": self = .unavailable(.unreachable(try text()))
    case "noNetwork": self = .unavailable(.noNetwork(try text()))
    case "noPermission": self = .unavailable(.noPermission(try text()))
    case "missing": self = .unavailable(.missing(try text()))
    case "noDevice": self = .unavailable(.noDevice)
    case "garbled": self = .unavailable(.garbled)
    case "malformed": self = .unavailable(.malformed(try text()))
    case "ended": self = .unavailable(.ended)
    case "noPositions": self = .unavailable(.noPositions)
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    func word(_ name: String, _ text: String) -> JSON { .word(name, .fields(["text": text.json])) }
    return switch self {
    case .idle: .word("idle")
    case .searching: .word("searching")
    case .working: .word("working")
    case .unavailable(.unreachable(let text)): word("unreachable", text)
    case .unavailable(.noNetwork(let text)): word("noNetwork", text)
    case .unavailable(.noPermission(let text)): word("noPermission", text)
    case .unavailable(.missing(let text)): word("missing", text)
    case .unavailable(.noDevice): .word("noDevice")
    case .unavailable(.garbled): .word("garbled")
    case .unavailable(.malformed(let text)): word("malformed", text)
    case .unavailable(.ended): .word("ended")
    case .unavailable(.noPositions): .word("noPositions")
    }
  }
}

extension SensorSample: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "motion": self = .motion(try MotionActivity(json: value))
    case "pressure": self = .pressure(try PressureSample(json: value))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .motion(let activity): .word("motion", activity.json)
    case .pressure(let sample): .word("pressure", sample.json)
    }
  }
}

extension PressureSample: JSONStructure {
  package static let fields = JSONFields(
    PressureSample(hectopascals: 0), .get("pressure", \.pressure))
}

extension MotionActivity: JSONStructure {
  package static let fields = JSONFields(
    unknown, .get("kind", \.kind), .get("confidence", \.confidence))
}

extension MotionActivity.Kind: JSONCodable {}
extension MotionActivity.Confidence: JSONCodable {}

extension BeaconReception: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    switch try json.word().name {
    case "listening": self = .listening
    case "unavailable": self = .unavailable
    case "failing": self = .failing
    case let name: throw .unknownWord(name)
    }
  }

  package var json: JSON { .word("\(self)") }
}
