package import LocationModel

extension PromptAnswer: JSONCodable {}

extension Prompt.ID: JSONStructure {
  package static let fields = JSONFields(
    Prompt.ID(app: .blank, number: 0), .get("app", \.app), .get("number", \.number))
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

extension VerifiedProgram: JSONStructure {
  package static let fields = JSONFields(
    VerifiedProgram(path: "", user: 0, isProtected: false),
    .get("path", \.path), .get("user", \.user), .find("package", \.package),
    .get("protected", \.isProtected))
}

extension Prompt.Kind {
  fileprivate init(name: String, purpose: String) throws(CodingFault) {
    let kinds: [Self] = [
      .whenInUse, .upgrade, .reminder, .temporaryAccuracy(purposeKey: purpose),
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
    case .beaconAdvertising: "beaconAdvertising"
    }
  }

  fileprivate var purpose: String? {
    if case .temporaryAccuracy(let key) = self { key } else { nil }
  }
}
