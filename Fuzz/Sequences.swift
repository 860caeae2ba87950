internal import LocationCoding
internal import LocationEngine
internal import LocationFleet
internal import LocationLink
internal import LocationModel
internal import LocationProviders
internal import LocationRadio
internal import LocationSecrets

extension Fuzzer {
  /// Machines that get one input after another, in orders of which nobody has thought.
  static var sequences: [Fuzzer] {
    [
      Fuzzer("radio-sequence") { teachAndAsk($0) },
      Fuzzer("fleet-sequence") { judgeTwice($0) },
      Fuzzer("link-sequence") { speak($0) },
      Fuzzer("engine-sequence") { live($0) },
    ]
  }

  // MARK: The radio map

  private static let transmitters: [Transmitter] =
    (0..<5).map { .accessPoint(BSSID(0x1000_0000_0100 + 0x100 * UInt64($0))) }
    + (0..<3).map {
      .cell(CellIdentity(radio: .lte, country: 262, network: 1, area: $0, cell: 77 + UInt64($0)))
    }
    + [.beacon(BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4))]

  private static func scan(_ choices: inout Choices, at time: UnixTime) -> RadioScan {
    var readings: [RadioScan.Reading] = []
    for transmitter in transmitters where choices.chance(40) {
      readings.append(
        RadioScan.Reading(
          transmitter, level: choices.one(of: [nil, -130, -100, -85, -60, -30, -10]),
          age: choices.one(of: [0, 0, 0.5, 3, 1e6]), isServing: choices.chance(50)))
    }
    return RadioScan(readings, time: time, radio: choices.one(of: ["", "a"]))
  }

  /// Whatever a map has learned, it gives positions on earth, and is the same after it was stored.
  private static func teachAndAsk(_ bytes: [UInt8]) {
    var (choices, clock) = (Choices(bytes), FuzzClock())
    var map = RadioMap(secret: SecretKey(seed: 1))
    var rows: [StateKey: [UInt8]] = [:]
    var here = choices.place()
    func put(_ input: RadioMap.Input) {
      for output in map.handle(input, at: clock.now) {
        switch output {
        case .fix(let fix, _): fix.check("a position by radio")
        case .store(.set(let key, let value)): rows[key] = value
        case .store(.remove(let key)): rows[key] = nil
        case .silent, .noRegion: break
        }
      }
    }
    for _ in 0..<80 {
      clock.pass(&choices, due: map.nextDeadline)
      if choices.chance(30) { here = choices.chance(30) ? choices.place() : choices.near(here) }
      switch choices.below(12) {
      case 0...3: put(.scan(scan(&choices, at: clock.now.unixTime), from: ProviderID(0)))
      case 4...6: put(.fix(choices.fix(at: here, clock.now.unixTime)))
      case 7:
        let place = PlacedStations.Place(here, range: choices.size(), day: 19_000)
        put(.learn([.placed(choices.one(of: transmitters), place)]))
      case 8:
        let scan = scan(&choices, at: clock.now.unixTime)
        put(.learn([.scan(scan, at: here, floor: choices.one(of: [nil, 0, 3]))]))
      case 9: put(choices.chance(50) ? .save : .wake)
      case 10: put(choices.chance(90) ? .wake : .forgetNear(Circle(center: here, radius: 50)))
      default:
        put(.save)
        let entries = rows.sorted { $0.key < $1.key }.map {
          StateEntry(key: $0.key, value: $0.value)
        }
        let again = RadioMap(secret: SecretKey(seed: 1), restoring: entries)
        for kind in RadioMap.Kind.allCases {
          precondition(
            again.layer(kind)?.cellCount == map.layer(kind)?.cellCount, "places are lost in \(kind)"
          )
        }
        map = again
      }
    }
  }

  // MARK: A fleet

  /// A line as a device may send it, numbers that are none included.
  private static func line(
    _ choices: inout Choices, _ device: String, at place: Coordinate, _ time: UnixTime
  ) -> FleetLine? {
    var line = JSONLine(type: "fix")
    line.add("device", device)
    line.add("date", time.iso8601)
    line.add("latitude", place.latitude)
    line.add("longitude", place.longitude)
    line.add("horizontal_accuracy", choices.chance(70) ? 5 : choices.size())
    if choices.chance(30) { line.add("speed", choices.one(of: [0, 1.4, 30, 11_200, -1])) }
    if choices.chance(30) { line.add("course", choices.one(of: [0, 90, 359.9, 1e300])) }
    return try? FleetLine(Array(line.text.utf8))
  }

  private static func fences(_ choices: inout Choices) -> FleetFences {
    var fences = FleetFences()
    for number in 0..<choices.below(8) {
      let center = choices.place()
      var area = Area.circle(Circle(center: center, radius: choices.size()))
      if choices.chance(40) {
        let corners = [0.0, 90, 180, 270, 0].map {
          center.moved(by: choices.one(of: [50.0, 900, 90_000]), towards: $0)
        }
        guard let polygon = try? Polygon([[corners]]) else { continue }
        area = .polygon(polygon)
      }
      let fence = FleetFence(
        id: "f\(number)", revision: UInt64(choices.below(2)), area,
        dwell: choices.one(of: [nil, .seconds(1), .seconds(600)]))
      do { try fences.insert(fence) } catch { continue }
    }
    return fences
  }

  /// Devices that are bytes between two of their fixes have the same events as those that are not.
  private static func judgeTwice(_ bytes: [UInt8]) {
    var (choices, clock) = (Choices(bytes), FuzzClock())
    var settings = FleetDevice.Settings()
    settings.window = choices.one(of: [0, 0, 20])
    var rules = fences(&choices)
    var awake = Fleet(rules, settings)
    var asleep = Fleet(rules, settings, mostAwake: 1)
    var places = [choices.place(), choices.place()]
    for _ in 0..<100 {
      clock.pass(&choices)
      let number = choices.below(2)
      let name = FleetDeviceName(tenant: "", device: "d\(number)")
      switch choices.below(20) {
      case 0:
        rules = fences(&choices)
        awake.replace(rules)
        asleep.replace(rules)
      case 1:
        let until = choices.one(of: [nil, clock.now.unixTime])
        let events = (awake.end(name, until: until), asleep.end(name, until: until))
        precondition(events.0 == events.1, "a device that was parked ends otherwise")
      default:
        places[number] = choices.chance(10) ? choices.place() : choices.near(places[number])
        let late = Duration.seconds(choices.one(of: [0, 0, 0, 3, 600, -3, -600]))
        guard
          let line = line(
            &choices, name.device, at: places[number], clock.now.unixTime - late)
        else { continue }
        let received = choices.one(of: [nil, clock.now.unixTime])
        let group = choices.one(of: [nil, "g"])
        let one = awake.take(line.fix, of: name, group: group, received: received)
        let two = asleep.take(line.fix, of: name, group: group, received: received)
        precondition(
          one?.events == two?.events && one?.rejected == two?.rejected
            && one?.isCorrected == two?.isCorrected, "a parked device is judged otherwise")
        for event in one?.events ?? [] { event.fix?.check("the fix of an event") }
      }
      asleep.rest()
    }
    awake.rest()
    precondition(
      awake.stored().map(\.bytes) == asleep.stored().map(\.bytes),
      "a parked device is stored otherwise")
  }

  // MARK: Requests

  private static func target(_ choices: inout Choices) -> ConditionTarget {
    choices.chance(90)
      ? .circle(Circle(center: choices.place(), radius: choices.one(of: [0, 1, 100, 1e6, 3e7])))
      : .unsupported
  }

  private static func request(_ choices: inout Choices) -> Request {
    let id = SubscriberID(UInt32(choices.below(5)))
    let name = choices.one(of: ["a", "b", "c"])
    let options = UpdateOptions(
      accuracy: choices.one(of: [.best, .bestForNavigation, .meters(1000), .reduced]),
      distanceFilter: choices.one(of: [nil, 0, 50, 1e300]),
      pausesAutomatically: choices.chance(50))
    switch choices.below(18) {
    case 0: return .authorization(.observe(id))
    case 1: return .authorization(.request(choices.one(of: AuthorizationGoal.allCases), by: id))
    case 2: return .authorization(.temporaryFullAccuracy(purposeKey: name, ticket: id))
    case 3: return .updates(id, .start(options))
    case 4: return .updates(id, choices.one(of: [.change(options), .stop, .endDeferral]))
    case 5: return .updates(id, .once(options))
    case 6: return .live(id, choices.one(of: [.start(LiveOptions()), .stop]))
    case 7: return .significantChanges(id, on: choices.chance(70))
    case 8: return .visits(on: choices.chance(70), by: id)
    case 9: return .acknowledge(choices.one(of: [.none, .latest, EventNumber(rawValue: 3)]))
    case 10, 11:
      let region = RegionDescription(
        identifier: name, target: target(&choices), notices: RegionNotices())
      return .region(
        id, choices.one(of: [.start(region), .state(region), .stop(identifier: name)]))
    case 12: return .monitor(id, .open(name: name))
    case 13:
      return .monitor(
        id,
        .add(
          identifier: name, target(&choices),
          assuming: choices.one(of: ConditionState.allCases)))
    case 14:
      let after = EventNumber(rawValue: Int64(choices.below(9)))
      return .monitor(
        id, choices.one(of: [.next(after: after), .leave, .remove(identifier: name)]))
    case 15:
      let goal = choices.one(of: AuthorizationGoal.allCases)
      return .session(
        id,
        choices.one(of: [
          .open(goal, purposeKey: nil), .openBackgroundActivity, .invalidate,
          .diagnose(stream: SubscriberID(9)),
        ]))
    case 16: return .life(choices.one(of: AppLife.allCases))
    default: return .end(id)
    }
  }

  // MARK: The link

  /// Requests come out of a session as they went in, in their order, and nothing comes after its end.
  private static func speak(_ bytes: [UInt8]) {
    var (choices, session) = (Choices(bytes), LinkSession())
    var isCut = false
    for step in 0..<60 {
      var input = LinkSession.Input.wake
      var expected: Request?
      switch choices.below(12) {
      case 0:
        let method = choices.one(of: ["Open", "Watch", "GetState", "Ask", "Nothing"])
        let call = LinkCall(
          "\(LinkInterface.name).\(method)",
          .fields(["version": choices.one(of: [0, 1, 2, 3, 99]).json]),
          wantsMore: choices.chance(90),
          isOneway: choices.chance(10))
        input = .bytes(call.json.bytes + [0])
      case 1: input = .connected(ClientState())
      case 2: input = .delivery(.state(ClientState()))
      case 3:
        let fix = choices.fix(at: choices.place(), Moment.piece(step).unixTime)
        input = .delivery(.updates(SubscriberID(UInt32(choices.below(5))), .fixes([fix])))
      case 4:
        input = choices.one(of: [.attending(token: "t"), .answered(choices.chance(50)), .wake])
      case 5:
        if choices.chance(10) { input = choices.one(of: [.refused("r"), .bytes([1, 0])]) }
      default:
        let request = request(&choices)
        expected = request
        let call = LinkCall(
          "\(LinkInterface.name).Ask", .fields(["request": request.json]),
          isOneway: choices.chance(10))
        input = .bytes(call.json.bytes + [0])
      }
      let outputs = session.handle(input, at: .piece(step))
      precondition(!isCut || outputs.isEmpty, "a session that has ended goes on")
      for output in outputs {
        // A session that watches makes a request of its own.
        if case .request(let request) = output, let expected {
          precondition(request == expected, "a request is read as another one")
        }
        if case .cut = output { isCut = true }
      }
    }
  }

  // MARK: The engine

  private static let apps = ["org.example.a", "org.example.b"].map { AppIdentity($0) }

  private static func setting(_ choices: inout Choices, of app: AppIdentity) -> Setting {
    choices.one(of: [
      .services(on: choices.chance(80)), .precise(app, choices.chance(50)),
      .authorization(app, choices.one(of: AuthorizationSetting.allCases)), .stopped(app),
      .restricted(app, choices.chance(20)), .heartbeat(.seconds(1)), .heartbeat(nil),
    ])
  }

  /// Whatever apps, owners, and receivers do, apps get positions on earth, deadlines end, and a later engine reads
  /// what this one has stored.
  private static func live(_ bytes: [UInt8]) {
    var (choices, clock) = (Choices(bytes), FuzzClock())
    var core = LocationEngine(providers: 2, secret: SecretKey(seed: 1))
    var (rows, prompts): ([StateKey: [UInt8]], [Prompt.ID]) = ([:], [])
    var here = choices.place()
    func put(_ input: LocationEngine.Input) {
      for output in core.handle(input, at: clock.now) {
        switch output {
        case .deliver(_, let delivery): delivery.lastFix?.check("a delivery")
        case .persist(.set(let key, let value)): rows[key] = value
        case .persist(.remove(let key)): rows[key] = nil
        case .prompt(let prompt): prompts.append(prompt.id)
        default: break
        }
      }
    }
    func restore() {
      core = LocationEngine(providers: 2, secret: SecretKey(seed: 1))
      put(
        .stored(
          rows.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }))
    }
    restore()
    for _ in 0..<120 {
      clock.pass(&choices, due: core.nextDeadline)
      // A deadline that is not behind an engine after it was woken would never let it sleep.
      for number in 0... {
        guard let due = core.nextDeadline, due <= clock.now.uptime else { break }
        precondition(number < 100, "a deadline stays due")
        put(.wake)
      }
      let app = choices.one(of: apps)
      let client = ClientID(app == apps[0] ? 1 : 2)
      switch choices.below(20) {
      case 0: put(.client(client, .connected(ClientDescription(app: app, manifest: manifest))))
      case 1...7: put(.client(client, .request(request(&choices))))
      case 8:
        let life = choices.one(of: AppLife.allCases)
        let frozen = choices.chance(50)
        put(.client(client, choices.one(of: [.disconnected, .frozen(frozen), .life(life)])))
      case 9: put(.setting(setting(&choices, of: app)))
      case 10:
        guard let prompt = prompts.popLast() else { continue }
        put(.answer(prompt, choices.one(of: PromptAnswer.allCases), precise: choices.chance(50)))
      case 11:
        let fix = choices.fix(at: choices.place(), clock.now.unixTime)
        put(.simulation(choices.one(of: [.fix(fix), .hold(fix), .end])))
      case 12: put(.provider(ProviderID(choices.below(2)), choices.one(of: [.idle, .working])))
      case 13: if choices.chance(20) { restore() }
      default:
        here = choices.chance(10) ? choices.place() : choices.near(here)
        let date = clock.now.unixTime + .seconds(choices.one(of: [0, 0, 0, -1, 2, -86_400]))
        put(.fix(choices.fix(at: here, date), from: ProviderID(choices.below(2))))
      }
    }
  }

  private static let manifest = Manifest([
    "NSLocationWhenInUseUsageDescription": .string("a"),
    "NSLocationAlwaysAndWhenInUseUsageDescription": .string("b"),
  ])
}
