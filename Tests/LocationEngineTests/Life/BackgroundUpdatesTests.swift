import LocationEngine
import LocationModel
import Testing

@Suite("Standard updates through the life of an app")
struct BackgroundUpdatesTests {
  @Test(
    "STD-47, STD-49: without background updates a when-in-use app receives nothing behind others")
  func notAllowed() {
    var bench = EngineBench(.whileUsing)
    bench.start()
    bench.live(.background)
    bench.run(seconds: 10)
    _ = bench.received()
    bench.fixes(3)
    #expect(bench.received() == [])
    #expect(bench.demand == .none)
    bench.live(.foreground)
    bench.fix()
    #expect(bench.received().contains("0 m"))
  }

  @Test(
    "STD-49: without background updates an Always app receives while it runs, and is not kept so")
  func notAllowedAlways() {
    var bench = EngineBench(.always)
    bench.start()
    bench.live(.background)
    bench.run(seconds: 10)
    _ = bench.received()
    bench.fix()
    #expect(bench.received() == ["0 m"])
    bench.live(.suspended)
    bench.fix(east: 50)
    #expect(bench.received() == [])
  }

  @Test("STD-48: updates that a when-in-use app starts in the background deliver nothing")
  func startedBehind() {
    var bench = EngineBench(.whileUsing)
    bench.live(.background)
    bench.run(seconds: 10)
    bench.start(background: true)
    _ = bench.received()
    bench.fixes(3)
    #expect(bench.received() == [])
  }

  @Test("STD-48: an Always app receives what it starts in the background, without an indicator")
  func startedBehindAlways() {
    var bench = EngineBench(.always)
    bench.live(.background)
    bench.run(seconds: 10)
    bench.start(background: true)
    bench.fix()
    #expect(bench.received() == ["authorization changed", "0 m"])
  }

  @Test("STD-47, STD-52: updates begun in front go on behind, with an indicator when in use only")
  func continued() {
    var bench = EngineBench(.whileUsing)
    bench.start(background: true)
    _ = bench.received()
    bench.live(.background)
    bench.fixes(60)
    #expect(bench.received() == ["indicator"] + Array(repeating: "0 m", count: 60))
  }

  @Test("STD-50: what comes while an app is suspended is one array when it runs, the newest 1000")
  func suspended() {
    var bench = EngineBench(.always)
    bench.start(pausing: false)
    bench.live(.suspended)
    _ = bench.received()
    bench.fixes(1203, by: 1)
    #expect(bench.received() == [])
    bench.live(.background)
    let received = bench.received()
    #expect(received.count == 1)
    let places = received.first?.split(separator: ",").map { $0.drop { $0 == " " } } ?? []
    #expect(places.count == 1000)
    #expect(places.first == "203 m" && places.last == "1202 m")
  }

  @Test("STD-50: two managers of a suspended app have one array each, the newest 1000")
  func suspendedTwice() {
    var bench = EngineBench(.always)
    bench.start(pausing: false)
    let options = EngineBench.options(false, .best, false)
    bench.request(.updates(SubscriberID(2), .start(options)))
    bench.live(.suspended)
    _ = bench.received()
    bench.fixes(1203, by: 1)
    bench.live(.background)
    let counts = bench.received().map { $0.split(separator: ",").count }
    #expect(counts == [1000, 1000])
  }

  @Test("STD-50, LIFE-6: what waits for a suspended app outlives the time it is given for an event")
  func suspendedWithEvent() {
    var bench = EngineBench(.always)
    bench.start(pausing: false)
    bench.request(.significantChanges(SubscriberID(2), on: true))
    bench.fix()
    bench.run(seconds: 400)
    bench.live(.suspended)
    _ = bench.received()
    bench.fix(east: 700)
    #expect(bench.received() == ["woken"])
    bench.run(seconds: 10)
    #expect(bench.received() == ["time is over"])
    bench.live(.background)
    #expect(bench.received().contains("700 m"))
  }

  @Test("AUTH-14: a suspended app learns of a change when it runs again, once")
  func changeWhileSuspended() {
    var bench = EngineBench(.always)
    bench.request(.authorization(.observe(EngineBench.manager)))
    bench.live(.suspended)
    _ = bench.received()
    bench.send(.setting(.authorization(EngineBench.app, .whileUsing)))
    #expect(bench.received() == [])
    bench.live(.foreground)
    #expect(bench.received() == ["authorization changed"])
    bench.live(.suspended)
    bench.live(.foreground)
    #expect(bench.received() == [])
  }

  @Test("STD-32, STD-34, STD-38: an app allowed during an outage is notified, once")
  func outage() {
    var bench = EngineBench(.ask)
    bench.start()
    bench.send(.provider(ProviderID(0), .unavailable(.missing("no sky"))))
    bench.run(seconds: 60)
    _ = bench.received()
    bench.send(.setting(.authorization(EngineBench.app, .whileUsing)))
    bench.live(.background)
    bench.run(seconds: 10)
    bench.live(.foreground)
    bench.run(seconds: 60)
    #expect(bench.received().count { $0.contains("positionUnknown") } == 1)
  }

  @Test("STD-52: an Always app that wants the indicator later has it from then on")
  func laterIndicator() {
    var bench = EngineBench(.always)
    bench.start(background: true)
    bench.live(.background)
    _ = bench.received()
    var options = EngineBench.options(true)
    options.showsIndicator = true
    bench.request(.updates(EngineBench.manager, .change(options)))
    #expect(bench.received() == ["indicator"])
    bench.request(.updates(EngineBench.manager, .change(EngineBench.options(true))))
    #expect(bench.received() == ["no indicator"])
  }

  // MARK: Pausing

  /// Still until updates pause, after fifteen minutes.
  private func paused(_ setting: AuthorizationSetting) -> EngineBench {
    var bench = EngineBench(setting)
    bench.start(background: true)
    bench.fixes(1000)
    return bench
  }

  @Test(
    "STD-39: fifteen minutes of stillness pause updates and hardware, and the app is notified")
  func pause() {
    var bench = paused(.whileUsing)
    let received = bench.received()
    #expect(received.count { $0 == "paused" } == 1)
    #expect(received.last == "paused")
    #expect((890...915).contains(received.count { $0 == "0 m" }))
    #expect(bench.demand.position?.tier == .network, "no more than to see it move")
  }

  @Test("STD-40, STD-42: moving on resumes by itself where the app may receive")
  func resume() {
    var bench = paused(.whileUsing)
    _ = bench.received()
    bench.fixes(10, from: 100, by: 100)
    let received = bench.received()
    #expect(received.first == "resumed")
    #expect(received.last == "1000 m")
  }

  @Test("STD-41: a start resumes, and says so")
  func restart() {
    var bench = paused(.whileUsing)
    _ = bench.received()
    bench.start(background: true)
    bench.fix(east: 1)
    #expect(bench.received() == ["resumed", "1 m"])
  }

  @Test("STD-43: a when-in-use app that pauses behind others is not in use any more")
  func pauseBehind() {
    var bench = EngineBench(.whileUsing)
    bench.start(background: true)
    bench.live(.background)
    bench.fixes(1000)
    #expect(bench.received().suffix(2) == ["paused", "no indicator"])
    bench.run(seconds: 10)
    bench.fixes(10, from: 100, by: 100)
    bench.start(background: true)
    bench.fix(east: 1200)
    #expect(bench.received().filter { $0.hasSuffix(" m") } == [])
    bench.live(.foreground)
    bench.start(background: true)
    bench.fix(east: 1300)
    #expect(bench.received().last == "1300 m")
  }

  @Test("STD-44, STD-51: nothing resumes, and nothing launches, after the end of a paused app")
  func endOfPaused() {
    var bench = paused(.always)
    bench.end()
    _ = bench.received()
    bench.fixes(10, from: 100, by: 100)
    #expect(bench.received() == [])
    #expect(bench.demand == .none)
  }

  // MARK: What is known

  @Test("STD-9: the last location is one of this app's system; reading it starts nothing")
  func lastLocation() {
    var bench = EngineBench(.whileUsing)
    #expect(bench.state.lastFix == nil)
    #expect(bench.demand == .none)
    bench.start()
    bench.fix(east: 40)
    bench.request(.updates(EngineBench.manager, .stop))
    #expect(bench.state.lastFix?.coordinate == EngineBench.home.moved(by: 40, towards: 90))
    #expect(bench.demand == .none)
  }

  @Test("STD-10: there is none without effective authorization")
  func noLocation() {
    var bench = EngineBench(.whileUsing)
    bench.start()
    bench.fix()
    #expect(bench.state.lastFix != nil)
    bench.send(.setting(.authorization(EngineBench.app, .never)))
    #expect(bench.state.lastFix == nil)
    bench.send(.setting(.authorization(EngineBench.app, .whileUsing)))
    bench.send(.setting(.services(on: false)))
    #expect(bench.state.lastFix == nil)
    bench.send(.setting(.services(on: true)))
    #expect(bench.state.lastFix != nil)
    bench.live(.background)
    bench.run(seconds: 10)
    #expect(bench.state.lastFix == nil)
  }

  // MARK: Accuracy

  @Test("AUTH-44: with reduced accuracy the accuracy asked for changes nothing")
  func desiredAccuracy() {
    let transcripts = [DesiredAccuracy.best, .bestForNavigation, .meters(3000), .reduced].map {
      accuracy -> [String] in
      var bench = EngineBench(.whileUsing)
      bench.send(.setting(.precise(EngineBench.app, false)))
      bench.start()
      bench.request(
        .updates(EngineBench.manager, .change(EngineBench.options(false, accuracy))))
      let demand = bench.demand
      bench.fixes(3000, by: 10)
      return bench.received() + ["\(demand)"]
    }
    #expect(transcripts.first?.contains { $0.hasSuffix(" m") } == true)
    #expect(Set(transcripts).count == 1)
  }

  @Test("STD-26a: a request is answered at once after hours in one coarse place")
  func onceAfterHours() {
    var bench = EngineBench(.whileUsing)
    bench.send(.setting(.precise(EngineBench.app, false)))
    bench.start()
    for _ in 0..<2000 {
      bench.fix()
      bench.run(seconds: 4)
    }
    let places = bench.received().filter { $0.hasSuffix(" m") }
    #expect(places.count == 1)
    bench.request(.updates(SubscriberID(2), .once(EngineBench.options(false))))
    #expect(bench.received() == places)
  }

  @Test("STD-24, STD-26a: a request that comes long after the last fix is answered by the next one")
  func onceAfterSilence() {
    var bench = EngineBench(.whileUsing)
    bench.send(.setting(.precise(EngineBench.app, false)))
    bench.start()
    bench.fix()
    let places = bench.received().filter { $0.hasSuffix(" m") }
    bench.request(.updates(EngineBench.manager, .stop))
    bench.run(seconds: 3600)
    bench.request(.updates(SubscriberID(2), .once(EngineBench.options(false))))
    #expect(bench.received() == [])
    bench.fix()
    #expect(bench.received() == places)
    bench.run(seconds: 60)
    #expect(bench.received() == [])
  }

  @Test(
    "STD-24, STD-26a: a request is answered by the known coarse place when it may know no better",
    arguments: [true, false])
  func onceReduced(byPerson: Bool) {
    var bench = EngineBench(.whileUsing)
    bench.request(.updates(EngineBench.manager, .once(EngineBench.options(false))))
    bench.fix(radius: 50)
    _ = bench.received()
    if byPerson {
      bench.send(.setting(.precise(EngineBench.app, false)))
    } else {
      bench.request(
        .updates(EngineBench.manager, .change(EngineBench.options(false, .reduced))))
    }
    let received = bench.received().filter { $0.hasSuffix(" m") }
    #expect(received.count == 1 && received != ["0 m"])
  }

  @Test("AUTH-41: updates that become coarse begin with the place that is known")
  func becomesReduced() {
    var bench = EngineBench(.whileUsing)
    bench.start(pausing: false)
    bench.fixes(3)
    _ = bench.received()
    bench.send(.setting(.precise(EngineBench.app, false)))
    let received = bench.received().filter { $0.hasSuffix(" m") }
    #expect(received.count == 1 && received != ["0 m"])
    bench.live(.background)
    bench.run(seconds: 60)
    bench.live(.foreground)
    bench.fixes(1500)
    #expect(!bench.received().contains { $0.hasSuffix(" m") }, "the same place is delivered once")
  }

  @Test("AUTH-45: an app with full accuracy that wants coarse places gets the same ones")
  func wantsReduced() {
    var coarse = EngineBench(.whileUsing)
    coarse.send(.setting(.precise(EngineBench.app, false)))
    var full = EngineBench(.whileUsing)
    _ = coarse.received() + full.received()
    coarse.start()
    full.start(accuracy: .reduced)
    coarse.fixes(6000, by: 5)
    full.fixes(6000, by: 5)
    let places = full.received()
    #expect(places.count > 2)
    #expect(places == coarse.received())

    full.request(.updates(EngineBench.manager, .stop))
    full.request(.updates(EngineBench.manager, .once(EngineBench.options(false, .reduced))))
    #expect(full.received() == Array(places.suffix(1)))
  }
}
