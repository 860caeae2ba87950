package import LocationModel

extension ConditionTarget: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "circle": self = .circle(try Circle(json: value))
    case "beacon": self = .beacon(try BeaconConstraint(json: value))
    // A condition of a newer peer that this version cannot watch (MON-20).
    default: self = .unsupported
    }
  }

  package var json: JSON {
    switch self {
    case .circle(let circle): .word("circle", circle.json)
    case .beacon(let constraint): .word("beacon", constraint.json)
    case .unsupported: .word("unsupported")
    }
  }
}

extension RegionDescription: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      identifier: try json.get("identifier"), target: try json.get("target"),
      notices: RegionNotices(
        onEntry: try json.find("onEntry") ?? true, onExit: try json.find("onExit") ?? true,
        onDisplay: try json.find("onDisplay") ?? false))
  }

  package var json: JSON {
    .fields([
      "identifier": identifier.json, "target": target.json, "onEntry": notices.onEntry.json,
      "onExit": notices.onExit.json, "onDisplay": notices.onDisplay.json,
    ])
  }
}

extension CrossingEvidence: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      firstFix: try json.get("firstFix"), lastFix: try json.get("lastFix"),
      fixes: try json.get("fixes"), probability: try json.get("probability"),
      crossed: try json.find("crossed"), decided: try json.get("decided"),
      distance: try json.get("distance"), spread: try json.get("spread"))
  }

  package var json: JSON {
    .fields([
      "firstFix": firstFix.json, "lastFix": lastFix.json, "fixes": fixes.json,
      "probability": probability.json, "crossed": crossed?.json, "decided": decided.json,
      "distance": distance.json, "spread": spread.json,
    ])
  }
}

extension ConditionEvent: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      identifier: try json.get("identifier"), state: try json.get("state"),
      date: try json.get("date"), diagnostics: try json.find("diagnostics") ?? [])
    refinement = try json.find("refinement")
    evidence = try json.find("evidence")
  }

  package var json: JSON {
    .fields([
      "identifier": identifier.json, "state": state.json, "date": date.json,
      "refinement": refinement?.json, "diagnostics": diagnostics.json, "evidence": evidence?.json,
    ])
  }
}

extension NamedRecord: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      identifier: try json.get("identifier"),
      record: ConditionRecord(
        target: try json.get("target"), lastEvent: try json.get("lastEvent")))
  }

  package var json: JSON {
    .fields([
      "identifier": identifier.json, "target": record.target.json,
      "lastEvent": record.lastEvent.json,
    ])
  }
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
    case "next": self = .next
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
    case .next: .word("next")
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
    case "event": self = .event(try ConditionEvent(json: value))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .refused(let process): .word("refused", .fields(["process": process?.json]))
    case .records(let requests, let records):
      .word("records", .fields(["after": requests.json, "records": records.json]))
    case .event(let event): .word("event", event.json)
    }
  }
}
