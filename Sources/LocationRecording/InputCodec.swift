package import LocationEngine
package import LocationLink
package import LocationModel

/// The JSON of an engine's input: the form of the link where it has one, and a similar form where
/// it has none. Fixes, headings, and beacons have a shorter form (``StepTrack``).
extension LocationEngine.Input {
  init(json: JSON) throws(LinkFault) {
    let (name, value) = try json.word()
    func provider() throws(LinkFault) -> ProviderID { ProviderID(try value.get("provider")) }
    switch name {
    case "client":
      let id: UInt64 = try value.get("id")
      guard id <= ClientID.greatest else { throw .mismatch("id") }
      self = .client(ClientID(id), try value.get("event"))
    case "provider": self = .provider(try provider(), try value.get("status"))
    case "compass": self = .compass(try provider(), try value.get("has"))
    case "motion": self = .motion(try MotionActivity(json: value))
    case "reception": self = .reception(try BeaconReception(json: value))
    case "advertising": self = .advertising(try BeaconAdvertising(json: value))
    case "launchable":
      self = .launchable(try value.get("apps", [String].self).map { AppIdentity($0) })
    case "answer":
      let app: String = try value.get("app")
      let id = Prompt.ID(app: AppIdentity(app), number: try value.get("number"))
      self = .answer(id, try value.get("answer"), precise: try value.get("precise"))
    case "setting": self = .setting(try Setting(json: value))
    case "stored": self = .stored(try [StateEntry](json: value))
    default: throw .unknownWord(name)
    }
  }

  /// The JSON of the input; `nil` for an input with a shorter form.
  var json: JSON? {
    switch self {
    case .client(let client, let event):
      .word("client", .fields(["id": client.rawValue.json, "event": event.json]))
    case .provider(let provider, let status):
      .word("provider", .fields(["provider": provider.index.json, "status": status.json]))
    case .compass(let provider, let has):
      .word("compass", .fields(["provider": provider.index.json, "has": has.json]))
    case .motion(let activity): .word("motion", activity.json)
    case .reception(let reception): .word("reception", reception.json)
    case .advertising(let advertising): .word("advertising", advertising.json)
    case .launchable(let apps):
      .word("launchable", .fields(["apps": apps.map(\.name).json]))
    case .answer(let id, let answer, let precise):
      .word(
        "answer",
        .fields([
          "app": id.app.name.json, "number": id.number.json, "answer": answer.json,
          "precise": precise.json,
        ]))
    case .setting(let setting): .word("setting", setting.json)
    case .stored(let entries): .word("stored", entries.json)
    case .fix, .heading, .beacon, .wake: nil
    }
  }
}

extension ClientEvent: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    let (name, value) = try json.word()
    switch name {
    case "connected": self = .connected(try ClientDescription(json: value))
    case "request": self = .request(try Request(json: value))
    case "life": self = .life(try value.get("life"))
    case "frozen": self = .frozen(try value.get("frozen"))
    case "disconnected": self = .disconnected
    case "quit": self = .quit
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .connected(let description): .word("connected", description.json)
    case .request(let request): .word("request", request.json)
    case .life(let life): .word("life", .fields(["life": life.json]))
    case .frozen(let frozen): .word("frozen", .fields(["frozen": frozen.json]))
    case .disconnected: .word("disconnected")
    case .quit: .word("quit")
    }
  }
}

extension ClientDescription: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    var manifest = Manifest(file: try json.get("file"))
    manifest.identifier = try json.find("identifier")
    manifest.displayName = try json.find("displayName")
    manifest.whenInUseUsage = try json.find("whenInUse")
    manifest.alwaysAndWhenInUseUsage = try json.find("always")
    manifest.olderAlwaysUsage = try json.find("olderAlways")
    for purpose in try json.find("temporary", [StateEntry].self) ?? [] {
      manifest.temporaryUsage[purpose.key.name] = String(decoding: purpose.value, as: UTF8.self)
    }
    manifest.bluetoothUsage = try json.find("bluetooth")
    manifest.defaultAccuracyReduced = try json.get("reduced")
    manifest.requiresExplicitServiceSession = try json.get("explicitSession")
    manifest.hasLocationBackgroundMode = try json.get("background")
    self.init(
      app: AppIdentity(try json.get("app")), manifest: manifest, life: try json.get("life"))
    isNew = try json.find("new") ?? false
    process = try json.find("process")
    program = try json.find("program")
  }

  package var json: JSON {
    let purposes = manifest.temporaryUsage.sorted { $0.key < $1.key }.map {
      StateEntry(
        key: StateKey(domain: "", owner: "", name: $0.key), value: [UInt8]($0.value.utf8))
    }
    return .fields([
      "app": app.name.json, "life": life.json, "process": process?.json,
      "program": program?.json,
      "file": manifest.file.json, "new": isNew ? true.json : nil,
      "identifier": manifest.identifier?.json, "displayName": manifest.displayName?.json,
      "whenInUse": manifest.whenInUseUsage?.json, "always": manifest.alwaysAndWhenInUseUsage?.json,
      "olderAlways": manifest.olderAlwaysUsage?.json, "temporary": purposes.json,
      "bluetooth": manifest.bluetoothUsage?.json, "reduced": manifest.defaultAccuracyReduced.json,
      "explicitSession": manifest.requiresExplicitServiceSession.json,
      "background": manifest.hasLocationBackgroundMode.json,
    ])
  }
}

extension AuthorizationSetting: WireCodable {}
extension BeaconPermission: WireCodable {}

extension Setting: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    let (name, value) = try json.word()
    func app() throws(LinkFault) -> AppIdentity { AppIdentity(try value.get("app")) }
    switch name {
    case "services": self = .services(on: try value.get("on"))
    case "authorization": self = .authorization(try app(), try value.get("choice"))
    case "precise": self = .precise(try app(), try value.get("on"))
    case "restricted": self = .restricted(try app(), try value.get("on"))
    case "beacon": self = .beacon(try app(), try value.get("choice"))
    case "reset": self = .reset
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .services(let on): .word("services", .fields(["on": on.json]))
    case .authorization(let app, let choice):
      .word("authorization", .fields(["app": app.name.json, "choice": choice.json]))
    case .precise(let app, let on):
      .word("precise", .fields(["app": app.name.json, "on": on.json]))
    case .restricted(let app, let on):
      .word("restricted", .fields(["app": app.name.json, "on": on.json]))
    case .beacon(let app, let permission):
      .word("beacon", .fields(["app": app.name.json, "choice": permission.json]))
    case .reset: .word("reset")
    }
  }
}

extension ProviderStatus: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    let (name, value) = try json.word()
    func text() throws(LinkFault) -> String { try value.get("text") }
    switch name {
    case "idle": self = .idle
    case "searching": self = .searching
    case "working": self = .working
    case "unreachable": self = .unavailable(.unreachable(try text()))
    case "noPermission": self = .unavailable(.noPermission(try text()))
    case "missing": self = .unavailable(.missing(try text()))
    case "noDevice": self = .unavailable(.noDevice)
    case "garbled": self = .unavailable(.garbled)
    case "malformed": self = .unavailable(.malformed(try text()))
    case "ended": self = .unavailable(.ended)
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
    case .unavailable(.noPermission(let text)): word("noPermission", text)
    case .unavailable(.missing(let text)): word("missing", text)
    case .unavailable(.noDevice): .word("noDevice")
    case .unavailable(.garbled): .word("garbled")
    case .unavailable(.malformed(let text)): word("malformed", text)
    case .unavailable(.ended): .word("ended")
    }
  }
}

extension MotionActivity: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    self.init(try json.get("kind"), try json.get("confidence"))
  }

  package var json: JSON {
    .fields(["kind": kind.json, "confidence": confidence.json])
  }
}

extension MotionActivity.Kind: WireCodable {}
extension MotionActivity.Confidence: WireCodable {}

extension BeaconReception: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    switch try json.word().name {
    case "listening": self = .listening
    case "unavailable": self = .unavailable
    case "failing": self = .failing
    case let name: throw .unknownWord(name)
    }
  }

  package var json: JSON { .word("\(self)") }
}

/// Writes the value as text where it is text, else as its bytes.
extension StateEntry: WireCodable {
  package init(json: JSON) throws(LinkFault) {
    let key = StateKey(
      domain: try json.get("domain"), owner: try json.get("owner"), name: try json.get("name"))
    if let text = try json.find("text", String.self) {
      self.init(key: key, value: [UInt8](text.utf8))
    } else {
      self.init(key: key, value: try json.get("bytes", [UInt16].self).map { UInt8(clamping: $0) })
    }
  }

  package var json: JSON {
    let text = String(validating: value, as: UTF8.self)
    return .fields([
      "domain": key.domain.json, "owner": key.owner.json, "name": key.name.json,
      "text": text?.json, "bytes": text == nil ? value.map { UInt16($0) }.json : nil,
    ])
  }
}
