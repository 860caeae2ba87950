import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("What the owner and the system set for services")
struct OwnersSettingsTests {
  private static let changes = Request.significantChanges(EngineBench.manager, on: true)

  @Test("STD-42: a paused manager goes on when it moves, unless the switch pauseNeedsRestart is on")
  func pauseNeedsRestart() {
    for (needs, isEarly) in [(false, true), (true, true), (true, false)] {
      var bench = EngineBench(.always)
      if isEarly { bench.send(.setting(.pauseNeedsRestart(needs))) }
      bench.start(background: true)
      bench.fixes(1000)
      #expect(bench.received().contains("paused"))
      if !isEarly { bench.send(.setting(.pauseNeedsRestart(needs))) }
      bench.fixes(3, from: 5000)
      #expect(bench.received().contains("resumed") == !needs)
      if needs { #expect(bench.demand == .none, "nothing waits for a departure") }
      bench.start(background: true)
      #expect(bench.received().contains("resumed") == needs)
    }
  }

  @Test("SLC-11: a device at rest has a change as often as the owner has set, or none")
  func heartbeat() {
    for isEarly in [true, false] {
      var bench = EngineBench(.always)
      if isEarly { bench.send(.setting(.heartbeat(.seconds(900)))) }
      bench.request(Self.changes)
      bench.fix()
      if !isEarly { bench.send(.setting(.heartbeat(.seconds(900)))) }
      _ = bench.received()
      bench.run(seconds: 2000)
      #expect(bench.received().filter { $0 == "0 m" }.count == 2)
      bench.send(.setting(.heartbeat(nil)))
      bench.run(seconds: 4000)
      #expect(!bench.received().contains("0 m"))
    }
  }

  @Test("SLC-8, SLC-11: an app that has ended is launched by the heartbeat, too")
  func heartbeatOfEnded() {
    var bench = EngineBench(.always)
    bench.send(.setting(.heartbeat(.seconds(900))))
    bench.request(Self.changes)
    bench.fix()
    bench.end()
    _ = bench.received()
    bench.run(seconds: 880)
    #expect(bench.received() == [])
    bench.run(seconds: 30)
    #expect(bench.received() == ["launched"])
  }

  @Test("LIFE-7: nothing is launched before its user has unlocked a session")
  func locked() {
    let locked = UnlockedUsers(own: 1000, users: [1001])
    for isEarly in [true, false] {
      var bench = EngineBench(.always)
      if isEarly { bench.send(.unlocked(locked)) }
      bench.request(Self.changes)
      bench.fix()
      bench.end()
      if !isEarly { bench.send(.unlocked(locked)) }
      _ = bench.received()
      bench.run(seconds: 400)
      bench.fix(east: 2000)
      #expect(bench.received() == [])
      bench.send(.unlocked(UnlockedUsers(own: 1000, users: [1000, 1001])))
      bench.run(seconds: 400)
      bench.fix(east: 4000)
      #expect(bench.received() == ["launched"])
    }
  }

  @Test("LIFE-7: an event waits while it is not known who has unlocked a session")
  func unknown() {
    var bench = EngineBench(.always)
    bench.request(
      .region(
        EngineBench.manager,
        .start(
          RegionDescription(
            identifier: "home", target: .circle(Circle(center: EngineBench.home, radius: 200)),
            notices: RegionNotices()))))
    bench.fixes(100)
    bench.end()
    bench.send(.unlocked(UnlockedUsers(own: 1000, users: nil)))
    _ = bench.received()
    bench.fixes(120, by: 10)
    #expect(!bench.received().contains("launched"))
    bench.send(.unlocked(UnlockedUsers(own: 1000, users: [1000])))
    #expect(bench.received().contains("launched"))
  }

  @Test("LIFE-4: an app that the person has ended stays so for the next run of the engine")
  func quit() {
    for quits in [true, false] {
      var bench = EngineBench(.always)
      bench.request(Self.changes)
      bench.fix()
      bench.send(.setting(.honorsQuit(true)))
      if quits { bench.request(.life(.quit)) }
      bench.end()
      let key = StateKey(domain: "quit", owner: EngineBench.app.name)
      #expect(bench.stored.contains { $0.key == key } == quits)
      bench.connect()
      #expect(!bench.stored.contains { $0.key == key })
    }
  }

  @Test("LIFE-7: users who are no persons count as unlocked, and all do where nothing is known")
  func systemUsers() {
    let users = UnlockedUsers(own: 0, users: [1001])
    for user: UInt32? in [nil, 1001, 999, 65_534] { #expect(users.includes(user) == true) }
    #expect(users.includes(1002) == false)
    #expect(UnlockedUsers(own: 0, users: nil).includes(1002) == nil)
  }

  @Test(
    "BEACON-24: when the display of its user turns on, a region that asks for it receives its state, inside only",
    arguments: [true, false])
  func display(asks: Bool) {
    var bench = EngineBench(.always)
    bench.send(.reception(.listening))
    let beacon = BeaconUUID(high: 1, low: 2)
    let shop = RegionDescription(
      identifier: "shop", target: .beacon(BeaconConstraint(uuid: beacon)),
      notices: RegionNotices(onDisplay: asks))
    bench.request(.region(EngineBench.manager, .start(shop)))
    #expect(bench.bench.machine.watchesDisplay == asks)
    func determined() -> Int {
      bench.deliveries.count {
        if case .pending(_, .region(_, .determined(.satisfied))) = $0 { true } else { false }
      }
    }
    bench.send(.display(user: nil))
    #expect(determined() == 0)
    bench.send(
      .beacon(
        BeaconSample(
          identity: BeaconIdentity(uuid: beacon, major: 1, minor: 2),
          address: BluetoothAddress(bits: 1), measuredPower: -59, rssi: -59,
          time: bench.now.unixTime)))
    bench.send(.display(user: 1001))
    #expect(determined() == 0, "another person's display")
    bench.run(seconds: 5)
    for _ in 0..<3 { bench.send(.display(user: nil)) }
    #expect(determined() == (asks ? 1 : 0), "several signs count once")
    bench.run(seconds: 5)
    bench.send(.display(user: nil))
    #expect(determined() == (asks ? 1 : 0), "it is pending already")
    if let event = bench.pending.last { bench.request(.acknowledge(event)) }
    bench.end()
    _ = bench.received()
    bench.run(seconds: 5)
    bench.send(.display(user: nil))
    #expect(bench.received() == (asks ? ["launched"] : []))
  }

  @Test("AUTH-38: a reminder is asked once it is due, and may leave While Using only")
  func reminder() throws {
    var bench = EngineBench(.always)
    bench.send(.remind(EngineBench.app))
    #expect(bench.received().last == "asks reminder")
    try bench.answer(.keepWhileUsing)
    #expect(bench.state.authorization.status == .whenInUse)
  }

  @Test("AUTH-38: a reminder is due after use on as many days as set, and then counts anew")
  func backgroundUse() {
    let app = AppIdentity("an.app")
    // A day begins.
    var bench = Bench(BackgroundUse(), startingAt: UnixTime(seconds: 1_699_920_000))
    func isDue() -> Bool {
      if case .remind? = bench.outputs.last?.output { true } else { false }
    }
    for day in 1...7 {
      for _ in 0..<3 {
        bench.send(.used(app, limit: 3))
        #expect(isDue() == (day % 3 == 0), "day \(day)")
        bench.run(for: .seconds(3600))
      }
      bench.run(for: .seconds(21 * 3600))
      let stored = bench.outputs.last { if case .persist = $0.output { true } else { false } }
      guard case .persist(.set(let key, let value))? = stored?.output else { continue }
      // The next day is another run of the engine.
      var next = Bench(BackgroundUse(), startingAt: bench.now.unixTime)
      next.send(.stored([StateEntry(key: key, value: value)]))
      bench = next
    }
  }
}
