package import LocationModel

extension ConditionTarget: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "circle": self = .circle(try Circle(json: value))
    case "beacon": self = .beacon(try BeaconConstraint(json: value))
    // Rings that bound no area can be watched as little as a circle without a radius.
    case "polygon": self = (try? PolygonOutline(json: value)).map { .polygon($0) } ?? .unsupported
    // A condition of a newer peer that this version cannot watch (MON-20).
    default: self = .unsupported
    }
  }

  package var json: JSON {
    switch self {
    case .circle(let circle): .word("circle", circle.json)
    case .beacon(let constraint): .word("beacon", constraint.json)
    case .polygon(let outline): .word("polygon", outline.json)
    case .unsupported: .word("unsupported")
    }
  }
}

extension RegionDescription: JSONStructure {
  package static let fields = JSONFields(
    RegionDescription(identifier: "", target: .unsupported, notices: RegionNotices()),
    .get("identifier", \.identifier), .get("target", \.target),
    .find("onEntry", \.notices.onEntry), .find("onExit", \.notices.onExit),
    .find("onDisplay", \.notices.onDisplay))
}

extension CrossingEvidence: JSONStructure {
  package static let fields = JSONFields(
    CrossingEvidence(
      firstFix: .blank, lastFix: .blank, fixes: 0, probability: 0, crossed: nil, decided: .blank,
      distance: 0, spread: 0),
    .get("firstFix", \.firstFix), .get("lastFix", \.lastFix), .get("fixes", \.fixes),
    .get("probability", \.probability), .find("crossed", \.crossed),
    .get("decided", \.decided), .get("distance", \.distance), .get("spread", \.spread),
    .find("fused", \.fused))
}

extension ConditionEvent: JSONStructure {
  package static let fields = JSONFields(
    blank, .get("identifier", \.identifier), .get("state", \.state), .get("date", \.date),
    .find("refinement", \.refinement), .find("diagnostics", \.diagnostics),
    .find("evidence", \.evidence))
}

extension NamedRecord: JSONStructure {
  package static let fields = JSONFields(
    NamedRecord(
      identifier: "", record: ConditionRecord(target: .unsupported, lastEvent: .blank)),
    .get("identifier", \.identifier), .get("target", \.record.target),
    .get("lastEvent", \.record.lastEvent))
}

extension RegionEvent: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "started": self = .started
    case "failed": self = .failed(try value.get("failure"))
    case "determined": self = .determined(try value.get("state"))
    case "entered": self = .entered(try value.find("evidence"))
    case "exited": self = .exited(try value.find("evidence"))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .started: .word("started")
    case .failed(let failure): .word("failed", .fields(["failure": failure.json]))
    case .determined(let state): .word("determined", .fields(["state": state.json]))
    case .entered(let evidence): .word("entered", .fields(["evidence": evidence?.json]))
    case .exited(let evidence): .word("exited", .fields(["evidence": evidence?.json]))
    }
  }
}

extension RegionRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "start": self = .start(try RegionDescription(json: value))
    case "stop": self = .stop(identifier: try value.get("identifier"))
    case "state": self = .state(try RegionDescription(json: value))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .start(let region): .word("start", region.json)
    case .stop(let identifier): .word("stop", .fields(["identifier": identifier.json]))
    case .state(let region): .word("state", region.json)
    }
  }
}

extension MonitorRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "open":
      let name: String = try value.get("name")
      // A name is part of a stored key (MON-4).
      guard Self.isValid(name: name) else { throw .mismatch("name") }
      self = .open(name: name)
    case "add":
      self = .add(
        identifier: try value.get("identifier"), try value.get("target"),
        assuming: try value.find("assuming") ?? .unknown)
    case "remove": self = .remove(identifier: try value.get("identifier"))
    // A client, or a recording, of an older version acknowledges by asking.
    case "next": self = .next(after: try value.find("after") ?? .latest)
    case "leave": self = .leave
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .open(let name): .word("open", .fields(["name": name.json]))
    case .add(let identifier, let target, let assumed):
      .word(
        "add",
        .fields(["identifier": identifier.json, "target": target.json, "assuming": assumed.json]))
    case .remove(let identifier): .word("remove", .fields(["identifier": identifier.json]))
    case .next(let number): .word("next", .fields(["after": number.json]))
    case .leave: .word("leave")
    }
  }
}

extension MonitorDelivery: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "refused": self = .refused(by: try value.find("process"))
    case "records": self = .records(after: try value.get("after"), try value.get("records"))
    case "changed":
      self = .changed(
        after: try value.get("after"), try value.get("records"),
        removed: try value.get("removed"))
    // Without a number from a daemon of an older version, which needs none.
    case "event" where value["number"] == nil: self = .event(.none, try ConditionEvent(json: value))
    case "event": self = .event(try value.get("number"), try value.get("event"))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .refused(let process): .word("refused", .fields(["process": process?.json]))
    case .records(let requests, let records):
      .word("records", .fields(["after": requests.json, "records": records.json]))
    case .changed(let requests, let records, let removed):
      .word(
        "changed",
        .fields([
          "after": requests.json, "records": records.json, "removed": removed.json,
        ]))
    case .event(let number, let event):
      .word("event", .fields(["number": number.json, "event": event.json]))
    }
  }
}
