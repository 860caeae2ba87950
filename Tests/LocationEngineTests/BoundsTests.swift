import LocationCoding
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationEngine

/// Fills every bound that is the engine's (docs/formats/link.md).
@Suite("What one app may have of the engine")
struct BoundsTests {
  private static let app = AppIdentity("org.example.flood")
  private static let client = ClientID(1)
  private var bench = Bench(LocationEngine(providers: 1, secret: SecretKey(seed: 7))) { "\($0)" }

  init() {
    bench.send(.stored([]))
    connect(Self.client, Self.app)
  }

  private mutating func connect(_ client: ClientID, _ app: AppIdentity) {
    let usage: ManifestValue = .string("To test.")
    let purposes = (0..<100).map { ("p\($0)", ManifestValue.string("To test.")) }
    let manifest = Manifest([
      Manifest.Key.whenInUse: usage, Manifest.Key.always: usage,
      Manifest.Key.temporary: .dictionary(Dictionary(uniqueKeysWithValues: purposes)),
      Manifest.Key.backgroundModes: .array([.string("location")]),
    ])
    bench.send(.client(client, .connected(ClientDescription(app: app, manifest: manifest))))
  }

  private mutating func ask(_ request: Request, _ client: ClientID = Self.client) {
    bench.send(.client(client, .request(request)))
  }

  private func subscriber(_ number: Int) -> SubscriberID { SubscriberID(UInt32(number)) }

  private var coordinator: AppCoordinator? {
    bench.machine.coordinators.first { $0.app == Self.app }
  }

  private var notes: Int {
    bench.outputs.count { if case .note(.limit) = $0.output { true } else { false } }
  }

  private func circle(_ number: Int) -> ConditionTarget {
    .circle(
      Circle(center: Coordinate(latitude: 10, longitude: Double(number) / 1000), radius: 100))
  }

  private mutating func add(_ identifier: String, _ target: ConditionTarget) {
    ask(.monitor(SubscriberID(1), .add(identifier: identifier, target, assuming: .unknown)))
  }

  private func state(of identifier: String) -> ConditionRecord? {
    bench.machine.conditions.record(
      of: identifier, in: MonitorKey(app: Self.app, name: "places"))
  }

  @Test(
    "border 12, MON-19: a thousand conditions wait for room; the next is delivered as not monitored"
  )
  mutating func surplus() {
    ask(.monitor(SubscriberID(1), .open(name: "places")))
    for number in 0..<(20 + Bounds.unwatchedConditions) { add("\(number)", circle(number)) }
    #expect(notes == 0)
    add("one more", circle(9999))
    add("unsupported", .unsupported)
    #expect(notes == 2)
    #expect(state(of: "one more") == nil)
    #expect(state(of: "unsupported") == nil)
    // The very one again, and another in its place, are no more.
    add("500", circle(1))
    #expect(state(of: "500")?.target == circle(1))
    // Room for one is made by the first that goes, and by the earliest that is watched then.
    ask(.monitor(SubscriberID(1), .remove(identifier: "0")))
    add("one more", circle(9999))
    #expect(state(of: "one more") != nil)
    // A loop that asks is notified of it as of one beyond the limit.
    ask(.monitor(SubscriberID(1), .next(after: .none)))
    #expect(bench.machine.conditions.unwatched[Self.app]?.count == Bounds.unwatchedConditions)
  }

  @Test("border 12: of all apps of a user there are 4,096 conditions, and of another user others")
  func conditionsOfAUser() {
    var conditions = Conditions()
    func add(_ number: Int, of app: String) -> Bool {
      let key = ConditionKey(
        app: AppIdentity(app), owner: .monitor("places"), identifier: "\(number)")
      let outputs = conditions.handle(
        .add(key, circle(number), assuming: .unknown), at: bench.now)
      return !outputs.contains(.rejected(key))
    }
    let each = 1024
    for app in 0..<4 {
      for number in 0..<(each - 4) {
        let isAdded = add(number, of: "/app\(app)@1001")
        #expect(isAdded)
      }
    }
    for number in 0..<(Bounds.conditionsPerUser - 4 * (each - 4)) {
      let isAdded = add(number, of: "/rest@1001")
      #expect(isAdded)
    }
    let (isAdded, isOthers) = (add(0, of: "/new@1001"), add(0, of: "/new@1002"))
    #expect(!isAdded && isOthers)
  }

  @Test("border 12: of all users together there are 32,768 conditions, until one is removed")
  func conditionsOfAll() {
    var conditions = Conditions()
    func key(_ number: Int, of user: Int) -> ConditionKey {
      ConditionKey(
        app: AppIdentity("/app\(number / 512)@\(user)"), owner: .monitor("places"),
        identifier: "\(number)")
    }
    func add(_ number: Int, of user: Int) -> Bool {
      let key = key(number, of: user)
      let input = Conditions.Input.add(key, circle(number), assuming: .unknown)
      return !conditions.handle(input, at: bench.now).contains(.rejected(key))
    }
    let users = Bounds.conditions / Bounds.conditionsPerUser
    for user in 0..<users {
      let added = (0..<Bounds.conditionsPerUser).count { add($0, of: 1000 + user) }
      #expect(added == Bounds.conditionsPerUser)
    }
    let isAdded = add(0, of: 2000)
    #expect(!isAdded)
    _ = conditions.handle(.remove(key(7, of: 1000)), at: bench.now)
    let (isNext, isOneMore) = (add(0, of: 2000), add(1, of: 2000))
    #expect(isNext && !isOneMore)
  }

  @Test("border 12: a loop that asks learns that a condition too many is not monitored")
  mutating func deliveredSurplus() {
    bench.send(.setting(.authorization(Self.app, .always)))
    var conditions = Conditions()
    let now = bench.now
    let monitor = MonitorKey(app: Self.app, name: "places")
    _ = conditions.handle(.open(monitor, opener: 1), at: now)
    let long = String(repeating: "n", count: Bounds.identifierBytes + 1)
    let key = ConditionKey(app: Self.app, owner: .monitor("places"), identifier: long)
    #expect(
      conditions.handle(.add(key, circle(1), assuming: .unknown), at: now) == [.rejected(key)])
    _ = conditions.handle(.next(monitor, after: .none), at: now)
    let delivered = conditions.handle(.add(key, circle(1), assuming: .unknown), at: now)
    guard case .event(_, let number, let event)? = delivered.last else {
      Issue.record("nothing was delivered")
      return
    }
    #expect(event.state == .unmonitored && event.diagnostics == .conditionLimitExceeded)
    #expect(event.identifier.utf8.count == Bounds.identifierBytes)
    // The loop goes on.
    #expect(conditions.handle(.next(monitor, after: number), at: now).isEmpty)
    #expect(conditions.conditions.isEmpty)
  }

  @Test("border 12: the identifiers of conditions that wait have at most 256 KiB together")
  mutating func bytes() {
    ask(.monitor(SubscriberID(1), .open(name: "places")))
    for number in 0..<20 { add("\(number)", circle(number)) }
    let name = String(repeating: "n", count: 4000)
    for number in 0..<100 { add("\(number)\(name)", .unsupported) }
    #expect(notes > 30)
    let bytes = bench.machine.conditions.unwatched[Self.app]?.bytes ?? 0
    #expect(bytes <= Bounds.unwatchedBytes && bytes > Bounds.unwatchedBytes - 5000)
    // Added and removed with ever new names they leave nothing behind.
    for number in 0..<3000 {
      add("short\(number)", .unsupported)
      ask(.monitor(SubscriberID(1), .remove(identifier: "short\(number)")))
    }
    #expect(bench.machine.conditions.unwatched[Self.app]?.bytes == bytes)
  }

  @Test("border 12: a region with a longer identifier fails with the limit exceeded")
  mutating func regionIdentifier() {
    bench.send(.setting(.authorization(Self.app, .always)))
    let region = RegionDescription(
      identifier: String(repeating: "n", count: Bounds.identifierBytes + 1), target: circle(1),
      notices: RegionNotices())
    ask(.region(SubscriberID(1), .start(region)))
    let failures = bench.outputs.count {
      if case .deliver(_, .region(_, _, .failed(.limitExceeded))) = $0.output {
        true
      } else {
        false
      }
    }
    #expect(failures == 1)
  }

  @Test("border 12: an app has 128 monitors; a name that is none, or one too many, is refused")
  mutating func monitors() {
    for number in 1...(Bounds.monitors + 5) {
      ask(.monitor(subscriber(number), .open(name: "m\(number)")))
    }
    #expect(coordinator?.monitors.entries.count == Bounds.monitors)
    #expect(notes == 5)
    for number in 1...Bounds.monitors { ask(.end(subscriber(number))) }
    #expect(bench.machine.conditions.monitors.isEmpty)
    for name in ["", "a/b", "_a", String(repeating: "n", count: Bounds.monitorNameBytes + 1)] {
      ask(.monitor(SubscriberID(9), .open(name: name)))
    }
    #expect(coordinator?.monitors.entries.isEmpty == true)
    #expect(notes == 9)
    for number in 0..<1000 { ask(.monitor(SubscriberID(9), .open(name: "again\(number)"))) }
    #expect(coordinator?.monitors.entries.count == 1)
    #expect(bench.machine.conditions.monitors.count == 1)
  }

  @Test("border 12: what one subscriber asks for again is there once")
  mutating func repeated() {
    for _ in 0..<100 {
      ask(.live(SubscriberID(1), .start(LiveOptions())))
      ask(.updates(SubscriberID(2), .start(UpdateOptions())))
      ask(.significantChanges(SubscriberID(3), on: true))
      ask(.heading(SubscriberID(4), .start(HeadingOptions())))
      ask(.session(SubscriberID(5), .open(.whenInUse, purposeKey: nil)))
      ask(.session(SubscriberID(6), .openBackgroundActivity))
      ask(.session(SubscriberID(5), .diagnose(stream: SubscriberID(7))))
      ask(.authorization(.request(.whenInUse, by: SubscriberID(8))))
    }
    #expect(coordinator?.live.entries.count == 1)
    #expect(coordinator?.standard.entries.count == 1)
    #expect(coordinator?.significant.entries.count == 1)
    #expect(coordinator?.heading.subscribers.entries.count == 1)
    #expect(coordinator?.authorization.goalRequests.count ?? 0 <= 1)
    let records = bench.outputs.compactMap { entry -> [UInt8]? in
      guard case .persist(.set(let key, let value)) = entry.output, key.domain == "sessions" else {
        return nil
      }
      return value
    }
    #expect(records.last.map { String(decoding: $0, as: UTF8.self).count } ?? 0 < 300)
  }

  @Test("border 12: an app has 256 sessions of each kind, also through its processes")
  mutating func sessions() {
    var number: UInt32 = 0
    for client in 1...5 {
      if client > 1 { connect(ClientID(UInt64(client)), Self.app) }
      for _ in 0..<300 {
        number += 1
        let session = SessionRequest.open(.none, purposeKey: "p\(number)")
        ask(.session(SubscriberID(number), session), ClientID(UInt64(client)))
        ask(
          .session(SubscriberID(number + 10_000), .openBackgroundActivity), ClientID(UInt64(client))
        )
      }
      bench.send(.client(ClientID(UInt64(client)), .disconnected))
    }
    let record = bench.outputs.compactMap { entry -> SessionsRecord? in
      guard case .persist(.set(let key, let value)) = entry.output, key.domain == "sessions" else {
        return nil
      }
      return SessionsRecord(stored: value)
    }
    #expect(record.map(\.service.count).max() ?? 0 <= 2 * Bounds.sessions)
    #expect(record.last?.service.count == Bounds.sessions)
    let explained = bench.outputs.count {
      if case .note(.session(_, .tooMany)) = $0.output { true } else { false }
    }
    #expect(explained >= 5 * 44)
  }

  @Test("border 12: an app has 256 streams of diagnostics; one more ends at once")
  mutating func streams() {
    ask(.session(SubscriberID(1), .open(.whenInUse, purposeKey: nil)))
    for number in 2...(Bounds.streams + 1) {
      ask(.session(SubscriberID(1), .diagnose(stream: subscriber(number))))
    }
    ask(.session(SubscriberID(1), .diagnose(stream: SubscriberID(9999))))
    guard case .deliver(_, .diagnostics(SubscriberID(9999), nil))? = bench.outputs.last?.output
    else {
      Issue.record("the stream did not end")
      return
    }
  }

  @Test("border 12: an app ranges 64 constraints, and asks to be 64 beacons")
  mutating func beacons() {
    bench.send(.reception(.listening))
    bench.send(.setting(.authorization(Self.app, .whileUsing)))
    bench.send(.setting(.beacon(Self.app, .allowed)))
    for number in 0..<100 {
      let uuid = BeaconUUID(high: 1, low: UInt64(number))
      ask(.ranging(SubscriberID(1), .start(BeaconConstraint(uuid: uuid, major: nil, minor: nil))))
      let advert = IBeaconAdvert(
        identity: BeaconIdentity(uuid: uuid, major: 1, minor: 1), measuredPower: -59)
      ask(.advertising(subscriber(number + 2), .start(advert)))
    }
    #expect(coordinator?.ranging.requests.count == Bounds.ranging)
    #expect(coordinator?.advertising.requests.count == Bounds.adverts)
    let refused = bench.outputs.count {
      if case .deliver(_, .advertising(_, .refused)) = $0.output { true } else { false }
    }
    let failed = bench.outputs.count {
      if case .deliver(_, .ranging(_, .failed(_, .failing))) = $0.output { true } else { false }
    }
    #expect((refused, failed) == (100 - Bounds.adverts, 100 - Bounds.ranging))
  }

  @Test("border 12: 64 requests for full accuracy are open; purposes have 32 keys of 128 bytes")
  mutating func accuracy() {
    bench.send(.setting(.authorization(Self.app, .whileUsing)))
    bench.send(.setting(.precise(Self.app, false)))
    #expect(coordinator?.authorization.manifest.temporaryUsage.count == Bounds.purposes)
    for number in 0..<200 {
      ask(.authorization(.temporaryFullAccuracy(purposeKey: "p1", ticket: subscriber(number))))
      ask(.authorization(.temporaryFullAccuracy(purposeKey: "p1", ticket: SubscriberID(0))))
    }
    #expect(coordinator?.authorization.temporary.count == Bounds.accuracyRequests)
    let declined = bench.outputs.count {
      if case .deliver(_, .temporaryFullAccuracy(_, .promptDeclined)) = $0.output {
        true
      } else {
        false
      }
    }
    #expect(declined == 200 - Bounds.accuracyRequests)
    let long = String(repeating: "k", count: 60_000)
    ask(.authorization(.temporaryFullAccuracy(purposeKey: long, ticket: SubscriberID(9999))))
    guard
      case .note(.authorization(_, .missingUsage(let key, _)))? =
        bench.outputs.map(\.output).last(where: { if case .note = $0 { true } else { false } })
    else {
      Issue.record("no reason was given")
      return
    }
    #expect(key.utf8.count < 200)
  }

  @Test("border 12: a name of 100,000 bytes, and a reason of 500,000, are cut in the question")
  mutating func question() throws {
    func entry(_ key: String, _ text: String) -> String {
      "<key>\(key)</key><string>\(text)</string>"
    }
    let name = String(repeating: "ä", count: 50_000)
    let reason = String(repeating: "a🧭", count: 100_000)
    let body = entry(Manifest.Key.displayName, name) + entry(Manifest.Key.whenInUse, reason)
    let list = try PropertyList.read(Array("<plist><dict>\(body)</dict></plist>".utf8))
    let (client, app) = (ClientID(2), AppIdentity("org.example.wordy"))
    bench.send(
      .client(client, .connected(ClientDescription(app: app, manifest: Manifest(list)))))
    ask(.authorization(.request(.whenInUse, by: SubscriberID(1))), client)
    let prompts = bench.outputs.compactMap { entry -> Prompt? in
      if case .prompt(let prompt) = entry.output { prompt } else { nil }
    }
    let prompt = try #require(prompts.first { $0.id.app == app })
    // Whole characters: the last one that does not fit is left out.
    #expect(prompt.appName == String(repeating: "ä", count: Bounds.nameBytes / 2))
    #expect(name.hasPrefix(prompt.appName) && reason.hasPrefix(prompt.text))
    #expect((Bounds.textBytes - 3...Bounds.textBytes).contains(prompt.text.utf8.count))
  }

  @Test("border 12: a thousand deliveries wait for a suspended process, with ten thousand fixes")
  mutating func outbox() {
    var pending = PendingQueue()
    let fix = Fix(
      coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5,
      time: bench.now.unixTime)
    for round in 0..<30 {
      for number in 0..<500 {
        pending.add(
          .updates(subscriber(number), .fixes(Array(repeating: fix, count: 10))),
          for: Self.client)
      }
      _ = round
    }
    let fixes = pending.takeDeliveries().reduce(0) { sum, entry in
      guard case .updates(_, .fixes(let fixes)) = entry.delivery else { return sum }
      return sum + fixes.count
    }
    #expect(fixes <= Bounds.waitingFixes && fixes > Bounds.waitingFixes / 2)
    for number in 0..<5000 { pending.add(.authorizationChanged(subscriber(number)), for: nil) }
    #expect(pending.takeDeliveries().count == Bounds.waiting)
  }

  @Test("border 12: the latest hundred events stay pending for an app that acknowledges nothing")
  mutating func pending() {
    var pending = PendingQueue()
    let region = RegionDescription(identifier: "r", target: circle(1), notices: RegionNotices())
    for _ in 0..<500 { pending.add(.region(region, .entered(nil)), at: bench.now) }
    #expect(pending.events(after: .none).count == Bounds.pendingEvents)
  }

  @Test("border 12: thousands of programs that only connect leave nothing behind")
  mutating func manyApps() {
    for number in 2...3000 {
      let client = ClientID(UInt64(number))
      connect(client, AppIdentity("/tmp/\(number)@1000"))
      bench.send(.client(client, .disconnected))
    }
    #expect(bench.machine.coordinators.map(\.app) == [Self.app])
    #expect(bench.machine.conditions.access.count <= 1)
  }

  @Test("border 12: a user has 1,024 apps with something stored; other users have their own")
  mutating func appsPerUser() {
    // Most of them ran before this engine.
    let before = (0..<(Bounds.appsPerUser - 20)).map { number in
      let key = StateKey(domain: "authorization", owner: "/tmp/\(number)@1000")
      return StateEntry(key: key, value: [])
    }
    bench.send(.stored(before))
    for number in before.count..<Bounds.appsPerUser {
      let (client, app) = (ClientID(UInt64(number + 2)), AppIdentity("/tmp/\(number)@1000"))
      #expect(bench.machine.hasRoom(for: app))
      connect(client, app)
      ask(.authorization(.request(.whenInUse, by: SubscriberID(1))), client)
      bench.send(.client(client, .disconnected))
    }
    #expect(!bench.machine.hasRoom(for: AppIdentity("/tmp/new@1000")))
    #expect(bench.machine.hasRoom(for: AppIdentity("/tmp/5@1000")))
    #expect(bench.machine.hasRoom(for: AppIdentity("/tmp/new@1001")))
    #expect(bench.machine.hasRoom(for: AppIdentity("org.example.new")))
  }
}
