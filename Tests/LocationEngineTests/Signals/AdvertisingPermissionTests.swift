import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The permission to be a beacon")
struct AdvertisingPermissionTests {
  private static let app = SignalsBench.app
  private static let manifest = Manifest([Manifest.Key.bluetooth: .string("To open the door.")])
  private static let unasked = "add the key NSBluetoothAlwaysUsageDescription"

  private func bench(
    _ setting: AuthorizationSetting = .always, stored: [StateEntry] = [],
    manifest: Manifest = Self.manifest
  ) -> SignalsBench {
    var bench = SignalsBench(setting, stored: stored, manifest: manifest)
    bench.send(.reception(.listening))
    return bench
  }

  @Test("border 10: Always, the foreground, and a radio do not make a beacon; the person is asked")
  func asks() throws {
    var bench = bench()
    bench.advertise(door)
    #expect(bench.demand == .none)
    #expect(bench.transcript.contains("refused(\"the person has not allowed it yet"))
    let prompt = try #require(bench.prompts.first)
    #expect(bench.prompts.count == 1)
    #expect(prompt.kind == .beaconAdvertising && prompt.text == "To open the door.")
    #expect(prompt.kind.answers == [.accept, .decline] && !prompt.offersPrecise)
    for answer in [PromptAnswer.always, .whileUsing, .once] {
      bench.send(.answer(prompt.id, answer, precise: true))
      #expect(bench.demand == .none)
    }
    bench.send(.answer(prompt.id, .accept, precise: true))
    #expect(bench.demand.advert == door)
    #expect(bench.storedPermissions == ["allowed"])
    bench.send(.advertising(.advertising))
    #expect(bench.transcript.hasSuffix("advertising to 1"))
  }

  @Test("border 10: no is kept, and nobody is asked again; yes can be taken back at once")
  func declines() throws {
    var bench = bench()
    bench.advertise(door)
    bench.send(.answer(try #require(bench.prompts.first).id, .decline, precise: true))
    #expect(bench.storedPermissions == ["declined"])
    for _ in 0..<3 {
      bench.request(.advertising(SignalsBench.manager, .stop))
      bench.advertise(hall)
    }
    #expect(bench.prompts.count == 1)
    #expect(bench.demand == .none)
    bench.send(.setting(.beacon(Self.app, .allowed)))
    #expect(bench.demand.advert == hall)
    bench.send(.advertising(.advertising))
    bench.send(.setting(.beacon(Self.app, .declined)))
    #expect(bench.demand == .none)
    #expect(bench.transcript.split(separator: "\n").last?.contains("declined it") == true)
    #expect(bench.storedPermissions == ["declined", "allowed", "declined"])
  }

  @Test(
    "border 10: an app that gives no reason is not asked for, and gets the missing key and file")
  func missingKey() {
    var bench = bench(manifest: Manifest(file: "/opt/door.plist"))
    bench.advertise(door)
    #expect(bench.prompts == [])
    #expect(bench.transcript.contains("\(Self.unasked) with the reason to /opt/door.plist"))
    #expect(bench.transcript.contains("locationctl authorize --beacon yes -- \(Self.app.name)"))
    #expect(bench.demand == .none)
    bench.send(.setting(.beacon(Self.app, .allowed)))
    #expect(bench.demand.advert == door)
  }

  @Test("border 10: an unanswered question comes back with the next use, not with the next wish")
  func unanswered() throws {
    var bench = bench()
    bench.advertise(door)
    bench.send(.answer(try #require(bench.prompts.first).id, .dismissed, precise: true))
    bench.request(.advertising(SignalsBench.manager, .stop))
    bench.advertise(door)
    #expect(bench.prompts.count == 1)
    bench.live(.background)
    bench.run(seconds: 60)
    bench.live(.foreground)
    #expect(bench.prompts.count == 2)
    #expect(bench.demand == .none)
    bench.request(.advertising(SignalsBench.manager, .stop))
    bench.send(.answer(try #require(bench.prompts.last).id, .accept, precise: true))
    #expect(bench.storedPermissions == [], "a withdrawn question decides nothing")
  }

  @Test("border 10: it is apart from the grant for locations, and from the switch of the machine")
  func apart() throws {
    var bench = bench(.never)
    bench.send(.setting(.services(on: false)))
    bench.advertise(door)
    #expect(bench.prompts.map(\.kind) == [.beaconAdvertising])
    bench.send(.answer(try #require(bench.prompts.first).id, .accept, precise: true))
    #expect(bench.demand.advert == door)
    bench.send(.setting(.authorization(Self.app, .always)))
    bench.send(.setting(.authorization(Self.app, .never)))
    #expect(bench.demand.advert == door)
    bench.send(.setting(.reset))
    #expect(bench.demand == .none)
    #expect(bench.storedPermissions == ["allowed", nil])
  }

  @Test(
    "border 10: what is stored counts at once; another row, another app's, or garbage does not",
    arguments: [
      ("org.example.signals", "allowed", true), ("org.example.signals", "declined", false),
      ("org.example.signals", "ALLOWED", false), ("org.example.signals", "", false),
      ("org.example.signals@1001", "allowed", false), ("org.example", "allowed", false),
    ])
  func stored(owner: String, value: String, isAllowed: Bool) {
    let key = BeaconPermission.key(of: AppIdentity(owner))
    let row = StateEntry(key: key, value: [UInt8](value.utf8))
    var bench = bench(stored: [row])
    bench.advertise(door)
    #expect((bench.demand.advert != nil) == isAllowed)
    // Erased while the app is on the air.
    bench.send(.stored([]))
    #expect(bench.demand == .none)
  }

  @Test("border 10: what another process has stored silences a beacon on the air")
  func adopted() {
    var bench = bench()
    bench.send(.setting(.beacon(Self.app, .allowed)))
    bench.advertise(door)
    #expect(bench.demand.advert == door)
    let key = BeaconPermission.key(of: Self.app)
    bench.send(.stored([StateEntry(key: key, value: [UInt8]("declined".utf8))]))
    #expect(bench.demand == .none)
  }

  @Test("border 10: the owner's change of an app that does not run is stored in a row of its own")
  func change() throws {
    let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 0))
    let change = AuthorizationChange(of: Self.app, manifest: nil, in: [], at: now)
    for (level, precise) in [("always", true), ("whenInUse", false), ("never", true)] {
      let outcome = try #require(change.deciding(level: level, precise: precise))
      #expect(outcome.beacon == .undecided)
      #expect(!outcome.changes.contains { $0 == BeaconPermission.allowed.change(for: Self.app) })
    }
    let yes = try #require(change.deciding(level: nil, precise: nil, beacon: true))
    #expect(yes.changes == [BeaconPermission.allowed.change(for: Self.app)])
    #expect(yes.after.grant == .undecided)
    let no = try #require(change.deciding(level: nil, precise: nil, beacon: false))
    #expect(no.changes == [BeaconPermission.declined.change(for: Self.app)])
  }
}

private let uuid = BeaconUUID(high: 1, low: 2)
private let door = IBeaconAdvert(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 7))
private let hall = IBeaconAdvert(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 8))
