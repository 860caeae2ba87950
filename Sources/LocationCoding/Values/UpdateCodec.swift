package import LocationModel

extension DesiredAccuracy: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "bestForNavigation": self = .bestForNavigation
    case "best": self = .best
    case "meters": self = .meters(try value.find("meters") ?? .infinity)
    case "reduced": self = .reduced
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .bestForNavigation: .word("bestForNavigation")
    case .best: .word("best")
    case .meters(let meters): .word("meters", .fields(["meters": meters.json]))
    case .reduced: .word("reduced")
    }
  }
}

extension UpdateOptions: JSONStructure {
  package static let fields = JSONFields(
    UpdateOptions(),
    .find("accuracy", \.accuracy), .find("distanceFilter", \.distanceFilter),
    .find("activity", \.activity), .find("pausesAutomatically", \.pausesAutomatically),
    .find("allowsBackground", \.allowsBackground), .find("showsIndicator", \.showsIndicator))
}

extension DeferralEnd: JSONStructure {
  package static let fields = JSONFields(
    DeferralEnd(distance: nil, timeout: nil),
    .find("distance", \.distance), .find("timeout", \.timeout))
}

extension LiveOptions: JSONStructure {
  package static let fields = JSONFields(LiveOptions(), .find("activity", \.activity))
}

extension UpdatesRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "start": self = .start(try UpdateOptions(json: value))
    case "change": self = .change(try UpdateOptions(json: value))
    case "stop": self = .stop
    case "once": self = .once(try UpdateOptions(json: value))
    case "deferUpdates": self = .deferUpdates(until: try DeferralEnd(json: value))
    case "endDeferral": self = .endDeferral
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .start(let options): .word("start", options.json)
    case .change(let options): .word("change", options.json)
    case .stop: .word("stop")
    case .once(let options): .word("once", options.json)
    case .deferUpdates(let end): .word("deferUpdates", end.json)
    case .endDeferral: .word("endDeferral")
    }
  }
}

extension UpdatesDelivery: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "fixes": self = .fixes(try [Fix](json: value))
    case "failed": self = .failed(try value.get("failure"))
    case "paused": self = .paused
    case "resumed": self = .resumed
    case "deferralFinished": self = .deferralFinished(try value.find("fault"))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .fixes(let fixes): .word("fixes", fixes.json)
    case .failed(let failure): .word("failed", .fields(["failure": failure.json]))
    case .paused: .word("paused")
    case .resumed: .word("resumed")
    case .deferralFinished(let fault):
      .word("deferralFinished", .fields(["fault": fault?.json]))
    }
  }
}

extension LiveRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "start": self = .start(try LiveOptions(json: value))
    case "stop": self = .stop
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .start(let options): .word("start", options.json)
    case .stop: .word("stop")
    }
  }
}

extension SessionRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "open":
      self = .open(try value.get("goal"), purposeKey: try value.find("purposeKey"))
    case "openBackgroundActivity": self = .openBackgroundActivity
    case "diagnose": self = .diagnose(stream: try value.get("stream"))
    case "endDiagnosis": self = .endDiagnosis(stream: try value.get("stream"))
    case "invalidate": self = .invalidate
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .open(let goal, let key):
      .word("open", .fields(["goal": goal.json, "purposeKey": key?.json]))
    case .openBackgroundActivity: .word("openBackgroundActivity")
    case .diagnose(let stream): .word("diagnose", .fields(["stream": stream.json]))
    case .endDiagnosis(let stream): .word("endDiagnosis", .fields(["stream": stream.json]))
    case .invalidate: .word("invalidate")
    }
  }
}
