internal import LocationDaemon
internal import LocationEngine
internal import LocationFleet
internal import LocationGeocoding
internal import LocationHost
internal import LocationModel
internal import LocationRecording
internal import LocationSecrets
internal import LocationSimulation

extension Fuzzer {
  /// The domains of rows that an engine reads at its start.
  private static let domains = [
    "access", "authorization", "background-use", "beacon-advertising", "beacon-offset", "claims",
    "coarse-place", "condition", "condition-damaged", "event", "event-number", "heading", "owed",
    "position", "position-date", "quit", "sessions", "settings", "steady-time", "visit",
  ]

  /// Rows, cut at each zero: a byte that chooses the domain, one that chooses owner and name, the value.
  private static func rows(_ bytes: [UInt8]) -> [StateEntry] {
    bytes.split(separator: 0).prefix(16).compactMap { piece in
      guard piece.count > 1, let domain = piece.first else { return nil }
      let choice = piece[piece.startIndex + 1]
      let key = StateKey(
        domain: domains[Int(domain) % domains.count], owner: choice & 1 == 0 ? "" : "org.example.a",
        name: ["", "kept", "monitor/a/b", "region/a", "7"][Int(choice / 2) % 5])
      return StateEntry(key: key, value: Array(piece.dropFirst(2)))
    }
  }

  /// What is stored, and what is recorded, after it was decrypted.
  static var stored: [Fuzzer] {
    [
      Fuzzer("engine-rows") { bytes in
        let rows = rows(bytes)
        var core = LocationEngine(providers: 1, secret: SecretKey(seed: 1))
        _ = core.handle(.stored(rows), at: .piece(0))
        let client = ClientDescription(app: AppIdentity("org.example.a"), manifest: Manifest())
        _ = core.handle(.client(ClientID(1), .connected(client)), at: .piece(1))
        _ = core.handle(.wake, at: .piece(2))
        var log = BoundedLog(keeping: .seconds(86_400))
        _ = log.handle(.stored(rows), at: .piece(0))
        _ = log.handle(.wake, at: .piece(1))
      },
      Fuzzer("recording") { bytes in
        guard var reader = try? RecordingReader(Recording.opening + bytes) else { return }
        while let item = try? reader.next() { _ = item }
      },
      Fuzzer("sealed-recording") { bytes in
        let keys: SealedRecording.Keys = [7: SecretKey(seed: 1)]
        _ = try? SealedRecording.open(SealedRecording.opening + bytes, with: keys)
      },
      Fuzzer("keys") { bytes in
        guard let ring = KeyRing(bytes: bytes) else { return }
        precondition(KeyRing(bytes: ring.bytes) == ring, "keys are read as other keys")
      },
      Fuzzer("fleet-device") { bytes in
        // With the checksum that these bytes would have; the first one is the version.
        var coder = StateCoder(isOfEarlierForm: bytes.first == FleetDevice.earlierVersion)
        for var byte in bytes { coder.pass(&byte) }
        let name = FleetDeviceName(tenant: "a", device: "b")
        let device = FleetDevice(name, stored: coder.sealed, fleetFences)
        _ = device?.stored(fleetFences)
      },
    ]
  }

  /// Named as short as an input may name them: a circle and a polygon.
  private static let fleetFences: FleetFences = {
    var fences = FleetFences()
    let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)].map {
      Coordinate(latitude: $0.0, longitude: $0.1)
    }
    let center = Coordinate(latitude: 0, longitude: 0)
    do {
      try fences.insert(FleetFence(id: "a", .circle(Circle(center: center, radius: 1000))))
      try fences.insert(FleetFence(id: "b", .polygon(Polygon([[corners]]))))
    } catch { fatalError("\(error)") }
    return fences
  }()

  /// What owners, packages, and servers write.
  static var owners: [Fuzzer] {
    [
      Fuzzer("scenario") { bytes in
        guard let scenario = try? ScenarioReader.read(String(decoding: bytes, as: UTF8.self)) else {
          return
        }
        _ = scenario.world(seed: 1)
      },
      Fuzzer("configuration") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = Configuration.read(text, file: "locationd.conf")
        _ = try? LaunchRegistration(text)
      },
      Fuzzer("policy") { bytes in
        _ = PromptPolicy.read(String(decoding: bytes, as: UTF8.self), file: "policy")
      },
      Fuzzer("fences") { _ = try? FenceFile.read($0) },
      Fuzzer("street") { _ = try? OsmFeature(line: Substring(decoding: $0, as: UTF8.self)) },
      Fuzzer("web-answer") { bytes in
        let answer = WebAnswer.response(status: 200, body: bytes, retryAfter: nil)
        for dialect in [WebService.Dialect.nominatim, .photon] {
          _ = WebReading(dialect).outcome(of: answer)
        }
      },
    ]
  }
}
