package import LocationCoding
package import LocationEngine
internal import LocationModel

extension LocationEngine.Input {
  /// The input as JSON for a program; it contains places.
  package var shown: JSON {
    switch self {
    case .fix(let fix, let provider):
      .word("fix", .fields(["provider": provider.index.json, "fix": fix.json]))
    case .heading(let sample, let provider):
      .word(
        "heading",
        .fields([
          "provider": provider.index.json, "magneticHeading": .number(sample.magneticHeading),
          "accuracy": sample.accuracy.map { .number($0) },
        ]))
    case .beacon(let sample):
      .word(
        "beacon",
        .fields([
          "uuid": "\(sample.identity.uuid)".json, "major": "\(sample.identity.major)".json,
          "minor": "\(sample.identity.minor)".json,
          "rssi": sample.rssi.map { .number(Double($0)) },
        ]))
    case .wake: .word("wake")
    default: json ?? .null
    }
  }
}

extension LocationEngine.Output {
  /// The output as JSON for a program, deliveries as the link has them; it contains places.
  package var shown: JSON {
    switch self {
    case .deliver(let client, let delivery):
      .word("deliver", .fields(["client": client.rawValue.json, "delivery": delivery.json]))
    case .persist(.set(let key, let value)):
      .word(
        "store",
        Self.fields(of: key).adding("value", String(decoding: value, as: UTF8.self).json))
    case .persist(.remove(let key)): .word("remove", Self.fields(of: key))
    case .demand(let demand): .word("demand", Self.fields(of: demand))
    case .prompt(let prompt): .word("prompt", prompt.json)
    case .withdraw(let id): .word("withdraw", id.json)
    case .wakeApp(let app): .word("wakeApp", Self.fields(of: app))
    case .launch(let app): .word("launch", Self.fields(of: app))
    case .usage(let app, let used): .word("usage", Self.fields(of: app, used))
    case .indicator(let app, let shown): .word("indicator", Self.fields(of: app, shown))
    case .calibration(let app, let shown): .word("calibration", Self.fields(of: app, shown))
    case .runtimeOver(let app): .word("runtimeOver", Self.fields(of: app))
    case .ignored(let fix, let provider, let reason):
      .word(
        "ignored",
        .fields([
          "provider": provider.index.json, "reason": reason.rawValue.json, "fix": fix.json,
        ]))
    case .note(let note): .word("note", .fields(["text": note.words.json]))
    }
  }

  private static func fields(of key: StateKey) -> JSON {
    .fields(["domain": key.domain.json, "owner": key.owner.json, "name": key.name.json])
  }

  private static func fields(of app: AppIdentity, _ flag: Bool? = nil) -> JSON {
    .fields(["app": app.name.json, "on": flag?.json])
  }

  private static func fields(of demand: Demand) -> JSON {
    .fields([
      "tier": demand.position.map { "\($0.tier)".json } ?? "off".json,
      "interval": demand.position.map { .number($0.interval.inSeconds) },
      "motion": demand.motion.json, "magnetometer": demand.magnetometer.json,
      "beacons": "\(demand.beacons)".json,
      "pressure": demand.pressure.map { .number($0.inSeconds) }, "advert": demand.advert?.json,
    ])
  }
}

extension Note {
  /// The note as text for a person.
  var words: String {
    switch self {
    case .authorization(let app, let explanation): "\(app): \(explanation)"
    case .session(let app, let explanation): "\(app): \(explanation)"
    case .limit(let app, let text), .asleep(let app, let text), .unseen(let app, let text):
      "\(app): \(text)"
    case .unanswerable(let prompt, let reasons):
      "\(prompt.appName): nobody can be asked: \(reasons.joined(separator: "; "))"
    case .provider(let provider, let status):
      "source \(provider.index): \(String(decoding: status.json.bytes, as: UTF8.self))"
    case .calibration(let app): "\(app): the compass is to be calibrated"
    case .launched(let app, let reason):
      reason.map { "\(app) cannot be started: \($0)" } ?? "\(app): started"
    case .use(let app, let life, let text): "\(app): \(life.rawValue), \(text)"
    case .windows(let text), .store(let text), .source(let text): text
    }
  }
}
