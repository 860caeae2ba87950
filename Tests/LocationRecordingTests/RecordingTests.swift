import LocationCoding
import LocationSecrets
import LocationService
import LocationEngine
import LocationModel
import LocationProviders
import LocationRecording
import TestSupport
import Testing

@Suite("A recording")
struct RecordingTests {
  private static let app = AppIdentity("an.app")
  private static let date = UnixTime(milliseconds: 1_767_600_000_000)

  /// A core with a short sequence of inputs: an app, fixes with noise, a region, a setting.
  private struct Story {
    var core: ServiceCore
    var now = Moment(uptime: Instant(nanoseconds: 5_000_000_001), unixTime: RecordingTests.date)
    var bytes = Recording.opening
    private let client = ClientID(1)
    private let owner = ClientID(2)
    private let manager = SubscriberID(1)
    private var random = SeededRandom(seed: 7)

    init() {
      core = ServiceCore(
        sources: [.nmeaTCP(host: "receiver", port: 1)],
        secret: SecretKey(seed: 0xfedc_ba98_7654_3210))
      core.record()
    }

    mutating func tell(_ input: LocationEngine.Input) {
      _ = core.handle(.engine(input), at: now)
      bytes += core.takeRecording()
    }

    mutating func ask(_ request: Request) { tell(.client(client, .request(request))) }

    mutating func begin() {
      let secret = StateEntry(
        key: StateKey(domain: "secret", owner: ""), value: Array("hush".utf8))
      tell(.stored([secret]))
      let description = ClientDescription(
        app: RecordingTests.app,
        manifest: Manifest([
          Manifest.Key.whenInUse: .string("why"), Manifest.Key.always: .string("why"),
        ]))
      tell(.client(client, .connected(description)))
      tell(.setting(.authorization(RecordingTests.app, .always)))
      ask(.updates(manager, .start(UpdateOptions())))
      ask(.live(SubscriberID(2), .start(LiveOptions())))
      let circle = Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)
      ask(
        .region(
          manager,
          .start(
            RegionDescription(
              identifier: "home", target: .circle(circle), notices: RegionNotices()))))
    }

    /// The owner has a place watched, of which the walk leaves a hole.
    mutating func watch(_ outline: PolygonOutline) {
      tell(.client(owner, .connected(ClientDescription(app: .owner, manifest: Manifest([:])))))
      tell(.setting(.authorization(.owner, .always)))
      for request: MonitorRequest in [
        .open(name: "owner"), .add(identifier: "yard", .polygon(outline), assuming: .unknown),
        .next(after: .none),
      ] {
        tell(.client(owner, .request(.monitor(manager, request))))
      }
    }

    mutating func walk(_ seconds: Int) {
      for second in 0..<seconds {
        now.uptime = now.uptime + .seconds(1) + .microseconds(noise(400))
        now.unixTime = now.unixTime + .seconds(1) + .microseconds(noise(3))
        let minutes = 52.5 * 60 + Double(second) * 0.0005
        var fix = Fix(
          coordinate: Coordinate(
            latitude: (minutes * 1e4 + noise(9)).rounded() / 6e5,
            longitude: (13.4 * 1e6 + noise(30)).rounded() / 1e6),
          horizontalAccuracy: 4.5 + (noise(3).rounded() / 10),
          time: UnixTime(
            milliseconds: RecordingTests.date.nanoseconds / 1_000_000
              + Int64(second) * 1000))
        fix.altitude = 40 + noise(5).rounded() / 10
        fix.ellipsoidalAltitude = fix.altitude.map { $0 + 39.7 }
        fix.speed = second % 7 == 0 ? nil : (noise(3) * 100).rounded() / 100 * 1852 / 3600
        tell(.fix(fix, from: ProviderID(0)))
      }
    }

    private mutating func noise(_ reach: Double) -> Double {
      (Double(random.next() >> 11) * 0x1p-53 * 2 - 1) * reach
    }
  }

  private func story(_ seconds: Int = 700) -> Story {
    var story = Story()
    story.begin()
    story.walk(seconds)
    return story
  }

  @Test("replays every output as it was")
  func replays() throws {
    let story = story()
    let summary = try Replay.run(story.bytes)
    #expect(summary.steps > 700)
    #expect(summary.outputs > 1400)
    #expect(summary.torn == 0)
  }

  @Test("SIM-15: gives places that are set from outside back; a shifted copy moves them apart")
  func simulated() throws {
    var story = Story()
    story.begin()
    story.walk(20)
    let far = Coordinate(latitude: -33.86, longitude: 151.2)
    var fix = Fix(coordinate: far, horizontalAccuracy: 5, time: Self.date)
    for second in 0..<20 {
      story.now.uptime = story.now.uptime + .seconds(1)
      fix.coordinate.longitude = 151.2 + Double(second) * 1e-4
      story.tell(.simulation(.fix(fix)))
    }
    story.tell(.simulation(.hold(fix)))
    for _ in 0..<20 {
      story.now.uptime = story.now.uptime + .seconds(1)
      story.tell(.wake)
    }
    story.walk(5)
    story.tell(.simulation(.end))
    story.walk(20)
    let summary = try Replay.run(story.bytes)
    #expect(summary.steps > 80)
    #expect(summary.torn == 0)
    var reader = try RecordingReader(story.bytes)
    var places: [SimulatedPosition.Request] = []
    while let item = try reader.next() {
      if case .step(let step) = item, case .simulation(let request) = step.input {
        places.append(request)
      }
    }
    #expect(places.count == 22)
    #expect(places.suffix(2) == [.hold(fix), .end])
    // Who knows where the simulated way lies does not learn where the other places lie.
    let origin = Coordinate(latitude: 0, longitude: 0)
    let moved = try Displacement.move(story.bytes)
    _ = try Replay.run(moved) { step, _ in
      switch step.input {
      case .fix(let fix, _), .simulation(.fix(let fix)), .simulation(.hold(let fix)):
        #expect(fix.coordinate.distance(to: origin) < 5000)
      default: break
      }
    }
  }

  @Test("RADIO-82: every way in which a position was found has the number that it had before")
  func methods() throws {
    #expect(
      PositionMethod.allCases == [.receiver, .accessPoints, .cells, .service, .region, .beacons])
    #expect(PositionMethod.allCases.map(\.rank) == Array(0..<6))
  }

  @Test("gives every input back, to the last bit")
  func lossless() throws {
    var story = Story()
    story.begin()
    var fix = Fix(
      coordinate: Coordinate(latitude: -0.0, longitude: .pi), horizontalAccuracy: 1e300,
      time: UnixTime(nanoseconds: 1), origin: Fix.Origin(isAccessory: true))
    fix.floor = -3
    fix.course = .leastNonzeroMagnitude
    // What comes from outside is finite.
    let place = fix
    fix.speedAccuracy = .infinity
    var byBeacons = place
    byBeacons.time = UnixTime(nanoseconds: 2)
    byBeacons.origin.method = .beacons
    let delivered: [LocationEngine.Input] = [
      .fix(fix, from: ProviderID(2)), .fix(byBeacons, from: ProviderID(3)),
      .heading(
        HeadingSample(
          magneticHeading: 359.9, accuracy: nil, field: DeviceVector(x: 1, y: -2.5, z: .pi),
          inclination: 66, time: Self.date), from: ProviderID(1)),
      .beacon(
        BeaconSample(
          identity: BeaconIdentity(
            uuid: BeaconUUID(high: .max, low: 1), major: 7, minor: .max),
          address: BluetoothAddress(bits: 0xc000_0000_0001), measuredPower: -59, rssi: nil,
          time: Self.date)),
      .beacon(
        BeaconSample(
          identity: BeaconIdentity(uuid: BeaconUUID(high: 0, low: 1), major: 7, minor: 8),
          address: BluetoothAddress(bits: 1), measuredPower: -59, rssi: -71,
          time: Self.date, adapter: BluetoothAddress(bits: 0x001a_7dda_7113))),
      .sensor(.motion(MotionActivity(.cycling, .medium))),
      .setting(.beacon(Self.app, .declined)),
      .setting(.stopped(Self.app)),
      .simulation(.fix(place)),
      .simulation(.hold(place)),
      .simulation(.end),
      .setting(.beaconOffset(BluetoothAddress(bits: 0x001a_7dda_7113), -17)),
      .setting(.beaconOffset(BluetoothAddress(bits: 1), nil)),
      .wake,
    ]
    var recorder = Recorder(
      Recording.Setup(
        providers: 3, secret: SecretKey(seed: .max), limits: Conditions.Limits(perApp: nil)))
    for input in delivered { recorder.note(input, [], at: story.now) }
    var reader = try RecordingReader(Recording.opening + recorder.takeBytes())
    var found: [String] = []
    while let item = try reader.next() {
      switch item {
      case .section(let setup):
        #expect(setup.secret == SecretKey(seed: .max))
        #expect(setup.limits.perApp == nil)
      case .step(let step):
        #expect(step.now == story.now)
        found.append("\(step.input.bits)")
      case .mark: break
      }
    }
    #expect(found == delivered.map { "\($0.bits)" })
  }

  @Test("border 6: a setup keeps its whole key; one of an older recording is still read")
  func secrets() throws {
    func setup(_ text: String) throws -> Recording.Setup? {
      let words = #"{"providers":1,"secret":"\#(text)","maximumRadius":1000}"#
      var bytes = Recording.opening + [6, UInt8(words.utf8.count)] + [UInt8](words.utf8)
      if words.utf8.count > 127 {
        let count = words.utf8.count
        bytes = Recording.opening + [6, UInt8(count & 127 | 128), UInt8(count >> 7)]
        bytes += [UInt8](words.utf8)
      }
      var reader = try RecordingReader(bytes)
      guard case .section(let setup)? = try reader.next() else { return nil }
      return setup
    }
    var random = SeededRandom(seed: 4)
    let key = SecretKey(using: &random)
    #expect(try setup(key.hexadecimal)?.secret == key)
    #expect(try setup("fedcba9876543210")?.secret == SecretKey(seed: 0xfedc_ba98_7654_3210))
  }

  @Test("says at which input it first differs")
  func differs() throws {
    let setup = Recording.Setup(providers: 1, secret: SecretKey(seed: 0), limits: .init())
    var recorder = Recorder(setup)
    var engine = setup.engine
    let now = Moment(uptime: .start, unixTime: Self.date)
    for number in 1...5 {
      let fix = Fix(
        coordinate: Coordinate(latitude: Double(number), longitude: 0), horizontalAccuracy: 5,
        time: Self.date)
      var outputs = engine.handle(.fix(fix, from: ProviderID(0)), at: now)
      if number == 4 { outputs.append(.wakeApp(Self.app)) }
      recorder.note(.fix(fix, from: ProviderID(0)), outputs, at: now)
    }
    let bytes = Recording.opening + recorder.takeBytes()
    #expect {
      try Replay.run(bytes)
    } throws: { error in
      guard case .differs(let difference)? = error as? Replay.Failure else { return false }
      return difference.step.number == 4 && difference.section == 1
    }
  }

  @Test("keeps every step before the one that was not written to its end")
  func torn() throws {
    let bytes = story(300).bytes
    let whole = try Replay.run(bytes).steps
    for cut in [1, 2, 5, 9, 100, 3000] {
      let summary = try Replay.run(Array(bytes.dropLast(cut)))
      #expect(summary.steps < whole)
      #expect(summary.steps >= whole - cut)
      #expect(summary.torn < 60)
    }
  }

  @Test("is read or refused, and never a crash, whichever byte is damaged")
  func damaged() {
    let bytes = story(12).bytes
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= place % 3 == 0 ? 0x80 : 0x01
      var reader = try? RecordingReader(damaged)
      while (try? reader?.next()) != nil {}
      guard place % 5 == 0 else { continue }
      _ = try? Replay.run(damaged)
      _ = try? Displacement.move(damaged)
    }
  }

  @Test("tells a file that is none, one of another version, and a damaged block")
  func refusals() {
    func fault(_ bytes: [UInt8]) -> RecordingFault? {
      do { _ = try Replay.run(bytes) } catch {
        if case .unreadable(let fault, _) = error { return fault }
      }
      return nil
    }
    #expect(fault(Array("$GPGGA,".utf8)) == .noRecording)
    #expect(fault([]) == .noRecording)
    #expect(fault(Array("meridian recording 9\n".utf8)) == .version(9))
    #expect(fault(Array("meridian recording 1\n".utf8)) == .version(1))
    #expect(fault(Recording.opening + [0x01, 0x00]) == .damaged)
  }

  @Test("has not the secret of the store, and less than 20 bytes for a fix")
  func lean() {
    let story = story(3000)
    #expect(!String(decoding: story.bytes, as: UTF8.self).contains("hush"))
    #expect(story.bytes.count < 3000 * 20)
  }

  @Test("ADMIN-7: a polygon is recorded, replayed, and moved with all other places")
  func polygon() throws {
    func ring(_ half: Double) -> [Coordinate] {
      [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1), (-1, -1)].map {
        Coordinate(latitude: 52.5 + $0.1 * half, longitude: 13.4 + $0.0 * half)
      }
    }
    let outline = try PolygonOutline([[ring(0.01), ring(0.002)]])
    var story = Story()
    story.begin()
    story.watch(outline)
    story.walk(700)
    func events(_ bytes: [UInt8]) throws -> [String] {
      var events: [String] = []
      _ = try Replay.run(bytes) { step, outputs in
        for case .deliver(_, .monitor(_, .event(_, let event))) in outputs {
          events.append("\(step.number) \(event.identifier) \(event.state)")
        }
      }
      return events
    }
    let moved = try Displacement.move(story.bytes)
    #expect(try events(story.bytes).map { $0.split(separator: " ").last } == ["unsatisfied"])
    #expect(try events(moved) == events(story.bytes))
    var reader = try RecordingReader(moved)
    var kept: [PolygonOutline] = []
    while let item = try reader.next() {
      guard case .step(let step) = item,
        case .client(_, .request(.monitor(_, .add(_, .polygon(let polygon), _)))) = step.input
      else { continue }
      kept.append(polygon)
    }
    let origin = Coordinate(latitude: 0, longitude: 0)
    #expect(kept.count == 1 && kept[0].positions == outline.positions)
    #expect(kept[0].parts.joined().joined().allSatisfy { $0.distance(to: origin) < 5000 })
  }

  @Test("ADMIN-7: a polygon among what is stored is moved, too")
  func storedPolygon() throws {
    var samples = Samples(seed: 5)
    let outline = samples.outline()
    let row = JSON.fields([
      "ordinal": .integer(1), "identifier": "yard".json, "monitor": "owner".json,
      "polygon": outline.json,
      "handled": .fields(["identifier": "yard".json, "state": "unknown".json, "date": .integer(0)]),
      "observed": .fields(["state": "unknown".json, "date": .integer(0)]),
    ])
    let key = StateKey(
      domain: "condition", owner: AppIdentity.owner.name, name: "monitor/owner/yard")
    var story = Story()
    story.tell(.stored([StateEntry(key: key, value: row.exactBytes)]))
    story.walk(10)
    let text = String(decoding: try Displacement.move(story.bytes), as: UTF8.self)
    for place in outline.parts.joined().joined() {
      #expect(!text.contains("\(place.latitude)") && !text.contains("\(place.longitude)"))
    }
    #expect(text.contains("MultiPolygon") || text.contains("Polygon"))
  }

  @Test("is moved as a whole: the same events, other places, and it replays")
  func moved() throws {
    let story = story()
    let moved = try Displacement.move(story.bytes)
    var places: [Coordinate] = []
    var events: [String] = []
    let summary = try Replay.run(moved) { step, outputs in
      if case .fix(let fix, _) = step.input { places.append(fix.coordinate) }
      for case .deliver(_, .region(_, let region, _)) in outputs {
        events.append("\(step.number) \(region.identifier)")
      }
    }
    var original: [Coordinate] = []
    let before = try Replay.run(story.bytes) { step, _ in
      if case .fix(let fix, _) = step.input { original.append(fix.coordinate) }
    }
    #expect(summary.steps == before.steps)
    #expect(summary.outputs == before.outputs)
    #expect(!events.isEmpty)
    for (one, other) in zip(places, original) {
      #expect(one.distance(to: Coordinate(latitude: 0, longitude: 0)) < 5000)
      let way = places[0].distance(to: one)
      #expect((way - original[0].distance(to: other)).magnitude < max(0.01, way * 0.005))
    }
    #expect(try Displacement.move(moved) == moved)
  }
}

extension LocationEngine.Input {
  /// All of it, bits and all.
  fileprivate var bits: String {
    guard case .fix(let fix, let provider) = self else { return "\(self)" }
    let numbers = [
      fix.coordinate.latitude, fix.coordinate.longitude, fix.horizontalAccuracy, fix.altitude,
      fix.speed, fix.speedAccuracy, fix.course,
    ]
    return
      "\(provider) \(numbers.map { $0?.bitPattern }) \(fix.time) \(fix.floor ?? 0) \(fix.origin)"
  }
}
