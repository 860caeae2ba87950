internal import LocationCoding
internal import LocationLink
internal import LocationModel
internal import LocationProviders
internal import LocationRadio
internal import LocationSecrets

extension Fuzzer {
  /// What is read must be written as bytes that are read as the same value.
  private static func coded<Value: JSONCodable & Equatable>(
    _ name: String, _ type: Value.Type
  ) -> Fuzzer {
    Fuzzer(name) { bytes in
      guard let json = try? JSON(parsing: bytes), let value = try? Value(json: json) else { return }
      let written = value.json
      guard let again = try? Value(json: written) else {
        preconditionFailure("what is written is not read: \(written)")
      }
      precondition(again.json == written, "\(written) is read as \(again.json)")
    }
  }

  /// What apps, agents, and administrators send to a daemon, and it to them.
  static var messages: [Fuzzer] {
    [
      Fuzzer("json") { bytes in
        guard let json = try? JSON(parsing: bytes) else { return }
        let again = try? JSON(parsing: json.bytes)
        precondition(again == json, "\(json) is read as another value")
      },
      Fuzzer("frames") { bytes in
        var splitter = FrameSplitter(limit: 64)
        for piece in stream(bytes) {
          guard case .bytes(let bytes) = piece else { continue }
          guard (try? splitter.take(bytes)) != nil else { return }
        }
      },
      Fuzzer("link-session") { bytes in
        var session = LinkSession()
        for (index, piece) in stream(bytes).enumerated() {
          guard case .bytes(let bytes) = piece else { continue }
          _ = session.handle(.bytes(bytes), at: .piece(index))
        }
        _ = session.handle(.wake, at: .piece(100))
      },
      coded("link-reply", LinkReply.self),
      coded("request", Request.self),
      coded("delivery", Delivery.self),
      Fuzzer("administration") { bytes in
        guard let json = try? JSON(parsing: bytes), let call = try? LinkCall(json: json) else {
          return
        }
        _ = try? AdministrationRequest(call)
      },
      coded("daemon-status", DaemonStatus.self),
      coded("status-change", StatusChange.self),
      coded("agent-answer", AgentAnswer.self),
      Fuzzer("agent-event") { bytes in
        guard let json = try? JSON(parsing: bytes) else { return }
        _ = AgentEvent(json: json)
      },
    ]
  }

  /// What is stored, and read again.
  static var values: [Fuzzer] {
    [
      coded("state-entry", StateEntry.self),
      coded("pending-event", PendingEvent.self),
      Fuzzer("stored-fix") { _ = Fix(stored: $0) },
      Fuzzer("radio-rows") { bytes in
        let entries = bytes.split(separator: UInt8(ascii: "\n")).map { row in
          let halves = row.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
          let name = String(decoding: halves[0], as: UTF8.self)
          return StateEntry(
            key: StateKey(domain: RadioMap.domain, owner: "", name: name),
            value: halves.count > 1 ? Array(halves[1]) : [])
        }
        use(RadioMap(secret: SecretKey(seed: 1), restoring: entries))
      },
    ]
  }

  /// Scans and teaches with a restored map, at the places that it knows and with what it hears there.
  private static func use(_ restored: RadioMap) {
    var map = restored
    let box = BSSID(0x1000_0000_0100)
    let cell = CellIdentity(radio: .lte, country: 262, network: 1, area: 5, cell: 1234)
    let scan = RadioScan(
      [
        RadioScan.Reading(.accessPoint(box), level: -50),
        RadioScan.Reading(.cell(cell), level: -90, isServing: true),
        RadioScan.Reading(
          .beacon(BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)), level: -60
        ),
      ], time: Moment.piece(1).unixTime)
    _ = map.handle(.scan(scan, from: ProviderID(0)), at: .piece(1))
    let places = RadioMap.Kind.allCases.flatMap { map.layer($0)?.places ?? [] }
    for place in places.prefix(4) {
      guard let coordinate = place?.cell.coordinate else { continue }
      map.teach(scan, at: coordinate)
    }
    map.teach(scan, at: Coordinate(latitude: 48.5, longitude: 9.25))
    _ = map.handle(.scan(scan, from: ProviderID(0)), at: .piece(2))
    _ = map.summaries(on: Moment.piece(2).unixTime)
    _ = map.changes(for: .save, at: .piece(3))
  }

  /// What a person's files hold.
  static var files: [Fuzzer] {
    [
      Fuzzer("gpx") { _ = try? GPXReader.read($0) },
      Fuzzer("fixes") { _ = FixesFile.read($0) },
      Fuzzer("property-list") { _ = try? PropertyList.read($0) },
      Fuzzer("strings") { _ = try? StringsFile.read($0) },
      Fuzzer("radio-import") { bytes in
        var reader = RadioImport(now: Moment.piece(0).unixTime)
        _ = reader.read(bytes)
        _ = reader.finish()
        _ = try? AccessPointList(bytes)
      },
      Fuzzer("base64") { bytes in
        guard let read = Base64.bytes(String(decoding: bytes, as: UTF8.self)) else { return }
        precondition(Base64.bytes(Base64.text(read)) == read)
      },
      Fuzzer("minisign") { bytes in
        let parts = bytes.split(separator: 0, maxSplits: 1).map(Array.init)
        guard parts.count == 2 else { return }
        _ = MinisignSignature(file: parts[0], keyFile: parts[1])
      },
    ]
  }
}
