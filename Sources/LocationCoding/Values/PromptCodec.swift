package import LocationModel

extension PromptAnswer: JSONCodable {}

extension Prompt.ID: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(app: AppIdentity(try json.get("app")), number: try json.get("number"))
  }

  package var json: JSON { .fields(["app": app.name.json, "number": number.json]) }
}

extension Prompt: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      id: try ID(json: json),
      kind: try Kind(name: json.get("kind"), purpose: json.find("purpose") ?? ""),
      appName: try json.get("name"), text: try json.get("text"),
      offersPrecise: try json.get("offersPrecise"))
    program = try json.find("program")
  }

  package var json: JSON {
    .fields([
      "app": id.app.name.json, "number": id.number.json, "kind": kind.name.json,
      "answers": kind.answers.json, "name": appName.json, "text": text.json,
      "purpose": kind.purpose?.json, "offersPrecise": offersPrecise.json,
      "program": program?.json,
    ])
  }
}

extension VerifiedProgram: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      path: try json.get("path"), user: try json.get("user"), package: try json.find("package"),
      isProtected: try json.get("protected"))
  }

  package var json: JSON {
    .fields([
      "path": path.json, "user": user.json, "package": package?.json,
      "protected": isProtected.json,
    ])
  }
}

extension Prompt.Kind {
  fileprivate init(name: String, purpose: String) throws(CodingFault) {
    let kinds: [Self] = [
      .whenInUse, .upgrade, .reminder, .temporaryAccuracy(purposeKey: purpose), .locationButton,
      .beaconAdvertising,
    ]
    guard let kind = kinds.first(where: { $0.name == name }) else { throw .unknownWord(name) }
    self = kind
  }

  fileprivate var name: String {
    switch self {
    case .whenInUse: "whenInUse"
    case .upgrade: "upgrade"
    case .reminder: "reminder"
    case .temporaryAccuracy: "temporaryAccuracy"
    case .locationButton: "locationButton"
    case .beaconAdvertising: "beaconAdvertising"
    }
  }

  fileprivate var purpose: String? {
    if case .temporaryAccuracy(let key) = self { key } else { nil }
  }
}
