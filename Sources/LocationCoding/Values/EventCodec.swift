package import LocationModel

extension StayEvidence: JSONStructure {
  package static let fields = JSONFields(
    StayEvidence(
      firstFix: .blank, lastFix: .blank, fixes: 0, scatter: 0, place: .new, dwellSeconds: 0,
      decided: .blank),
    .get("firstFix", \.firstFix), .get("lastFix", \.lastFix), .get("fixes", \.fixes),
    .get("scatter", \.scatter), .get("place", \.place),
    .get("dwellSeconds", \.dwellSeconds), .get("decided", \.decided))
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

extension DeliveredEvent: JSONStructure {
  package static let fields = JSONFields(
    blank, .get("kind", \.kind), .find("identifier", \.identifier), .get("state", \.state),
    .get("date", \.date), .find("evidence", \.evidence))
}

extension PendingEvent: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "visit": self = .visit(try Visit(json: value))
    case "region": self = .region(try value.get("region"), try value.get("news"))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .visit(let visit): .word("visit", visit.json)
    case .region(let region, let event):
      .word("region", .fields(["region": region.json, "news": event.json]))
    }
  }
}

extension EventRecord: JSONStructure {
  package static let fields = JSONFields(
    EventRecord(number: 0, app: .blank, event: .blank, delivered: .blank),
    .get("number", \.number), .get("app", \.app), .get("kind", \.event.kind),
    .find("identifier", \.event.identifier), .get("state", \.event.state),
    .get("date", \.event.date), .get("told", \.delivered), .find("evidence", \.event.evidence))
}
