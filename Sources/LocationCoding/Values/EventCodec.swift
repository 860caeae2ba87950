package import LocationModel

extension StayEvidence: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      firstFix: try json.get("firstFix"), lastFix: try json.get("lastFix"),
      fixes: try json.get("fixes"), scatter: try json.get("scatter"),
      place: try json.get("place"), dwellSeconds: try json.get("dwellSeconds"),
      decided: try json.get("decided"))
  }

  package var json: JSON {
    .fields([
      "firstFix": firstFix.json, "lastFix": lastFix.json, "fixes": fixes.json,
      "scatter": scatter.json, "place": place.json, "dwellSeconds": dwellSeconds.json,
      "decided": decided.json,
    ])
  }
}

extension StayEvidence.Place: JSONCodable {}
extension DeliveredEvent.Kind: JSONCodable {}

extension EventEvidence: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "crossing": self = .crossing(try CrossingEvidence(json: value))
    case "stay": self = .stay(try StayEvidence(json: value))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .crossing(let crossing): .word("crossing", crossing.json)
    case .stay(let stay): .word("stay", stay.json)
    }
  }
}

extension EventRecord: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let event = DeliveredEvent(
      try json.get("kind"), try json.find("identifier"), try json.get("state"),
      since: try json.get("date"), try json.find("evidence"))
    self.init(
      number: try json.get("number"), app: AppIdentity(try json.get("app")), event: event,
      delivered: try json.get("told"))
  }

  package var json: JSON {
    .fields([
      "number": number.json, "app": app.name.json, "kind": event.kind.json,
      "identifier": event.identifier?.json, "state": event.state.json, "date": event.date.json,
      "told": delivered.json, "evidence": event.evidence?.json,
    ])
  }
}
