package import LocationCoding
package import LocationEngine
internal import LocationModel

/// The JSON of an engine's input: the form of the link where it has one, and a similar form where
/// it has none. Fixes, headings, and beacons have a shorter form (``StepTrack``).
extension LocationEngine.Input {
  init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    func provider() throws(CodingFault) -> ProviderID { ProviderID(try value.get("provider")) }
    switch name {
    case "client":
      let id: UInt64 = try value.get("id")
      guard id <= ClientID.greatest else { throw .mismatch("id") }
      self = .client(ClientID(id), try value.get("event"))
    case "provider": self = .provider(try provider(), try value.get("status"))
    case "noRegion": self = .noRegion(try provider())
    case "compass": self = .compass(try provider(), try value.get("has"))
    case "reception": self = .reception(try BeaconReception(json: value))
    case "advertising": self = .advertising(try BeaconAdvertising(json: value))
    case "launchable":
      self = .launchable(try value.get("apps", [String].self).map { AppIdentity($0) })
    case "answer":
      let app: String = try value.get("app")
      let id = Prompt.ID(app: AppIdentity(app), number: try value.get("number"))
      self = .answer(id, try value.get("answer"), precise: try value.get("precise"))
    case "setting": self = .setting(try Setting(json: value))
    case "unlocked":
      guard let own: UInt32 = try value.find("own") else {
        self = .unlocked(nil)
        return
      }
      self = .unlocked(UnlockedUsers(own: own, users: try value.find("users")))
    case "display": self = .display(user: try value.find("user"))
    case "remind": self = .remind(AppIdentity(try value.get("app")))
    case "simulation": self = .simulation(try SimulatedPosition.Request(json: value))
    case "stored": self = .stored(try [StateEntry](json: value))
    default: self = .sensor(try SensorSample(json: json))
    }
  }

  /// The JSON of the input; `nil` for an input with a shorter form.
  var json: JSON? {
    switch self {
    case .client(let client, let event):
      .word("client", .fields(["id": client.rawValue.json, "event": event.json]))
    case .provider(let provider, let status):
      .word("provider", .fields(["provider": provider.index.json, "status": status.json]))
    case .noRegion(let provider):
      .word("noRegion", .fields(["provider": provider.index.json]))
    case .compass(let provider, let has):
      .word("compass", .fields(["provider": provider.index.json, "has": has.json]))
    case .sensor(let sample): sample.json
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
    case .unlocked(let users):
      .word("unlocked", .fields(["own": users?.own.json, "users": users?.users?.json]))
    case .display(let user): .word("display", .fields(["user": user?.json]))
    case .remind(let app): .word("remind", .fields(["app": app.name.json]))
    case .simulation(let request): .word("simulation", request.json)
    case .stored(let entries): .word("stored", entries.json)
    case .fix, .heading, .beacon, .wake: nil
    }
  }
}

extension ClientEvent: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "connected": self = .connected(try ClientDescription(json: value))
    case "request": self = .request(try Request(json: value))
    case "life": self = .life(try value.get("life"))
    case "frozen": self = .frozen(try value.get("frozen"))
    case "disconnected": self = .disconnected
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
    }
  }
}

extension SimulatedPosition.Request: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "fix": self = .fix(try Fix(json: value))
    case "hold": self = .hold(try Fix(json: value))
    case "end": self = .end
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .fix(let fix): .word("fix", fix.json)
    case .hold(let fix): .word("hold", fix.json)
    case .end: .word("end")
    }
  }
}

extension BeaconPermission: JSONCodable {}

extension Setting: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    func app() throws(CodingFault) -> AppIdentity { AppIdentity(try value.get("app")) }
    switch name {
    case "services": self = .services(on: try value.get("on"))
    case "authorization": self = .authorization(try app(), try value.get("choice"))
    case "precise": self = .precise(try app(), try value.get("on"))
    case "restricted": self = .restricted(try app(), try value.get("on"))
    case "backgroundRefresh": self = .backgroundRefresh(try app(), try value.get("on"))
    case "honorsQuit": self = .honorsQuit(try value.get("on"))
    case "pauseNeedsRestart": self = .pauseNeedsRestart(try value.get("on"))
    case "heartbeat": self = .heartbeat(try value.find("interval"))
    case "remindAfter": self = .remindAfter(days: try value.find("days"))
    case "beacon": self = .beacon(try app(), try value.get("choice"))
    case "stopped": self = .stopped(try app())
    case "beaconOffset":
      self = .beaconOffset(try value.get("adapter"), try value.find("offset"))
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
    case .backgroundRefresh(let app, let on):
      .word("backgroundRefresh", .fields(["app": app.name.json, "on": on.json]))
    case .honorsQuit(let on): .word("honorsQuit", .fields(["on": on.json]))
    case .pauseNeedsRestart(let on): .word("pauseNeedsRestart", .fields(["on": on.json]))
    case .heartbeat(let interval):
      .word("heartbeat", .fields(["interval": interval?.json]))
    case .remindAfter(let days): .word("remindAfter", .fields(["days": days?.json]))
    case .beacon(let app, let permission):
      .word("beacon", .fields(["app": app.name.json, "choice": permission.json]))
    case .stopped(let app): .word("stopped", .fields(["app": app.name.json]))
    case .beaconOffset(let adapter, let offset):
      .word("beaconOffset", .fields(["adapter": adapter.json, "offset": offset?.json]))
    case .reset: .word("reset")
    }
  }
}
