import LocationEngine
import LocationModel
import Testing

@Suite("A loop over live updates with reduced accuracy")
struct CoarseLoopTests {
  private static let loop = Request.live(SubscriberID(2), .start(LiveOptions()))

  /// An app with reduced accuracy on a device whose coarse place was computed just now.
  private func placed() -> EngineBench {
    var bench = EngineBench(.whileUsing)
    bench.send(.setting(.precise(EngineBench.app, false)))
    bench.start(pausing: false)
    bench.fix()
    _ = bench.received()
    return bench
  }

  /// What loops have received since the last look.
  private func loopDeliveries(_ bench: inout EngineBench) -> [String] {
    bench.received().filter { $0.hasPrefix("live") }
  }

  /// Whether loops have received one coarse place since the last look, marked as such.
  private func haveOnePlace(_ bench: inout EngineBench) -> Bool {
    let received = loopDeliveries(&bench)
    return received.count == 1
      && received.allSatisfy { $0.hasSuffix(" m accuracyLimited") && !$0.hasPrefix("live 0 m") }
  }

  @Test("LIVE-9, LIVE-16: opens with the coarse place while no newer one is due, and has it once")
  func opens() {
    var bench = placed()
    bench.run(seconds: 300)
    bench.request(Self.loop)
    #expect(haveOnePlace(&bench))
    bench.fixes(100)
    #expect(loopDeliveries(&bench) == [])
  }

  @Test("LIVE-16, LIVE-18: begun long after the last fix, has the place of the next, known or not")
  func begunAfterSilence() {
    var bench = placed()
    bench.request(.updates(EngineBench.manager, .stop))
    bench.run(seconds: 3600)
    bench.request(Self.loop)
    bench.run(seconds: 1)
    #expect(loopDeliveries(&bench) == [])
    bench.fix()
    #expect(haveOnePlace(&bench))
  }

  @Test("LIVE-16: has the coarse place at once when Precise is turned off, and back in front")
  func preciseOff() {
    var bench = EngineBench(.whileUsing)
    bench.request(Self.loop)
    bench.fixes(5)
    _ = bench.received()
    bench.send(.setting(.precise(EngineBench.app, false)))
    #expect(haveOnePlace(&bench))
    bench.live(.background)
    bench.run(seconds: 60)
    #expect(loopDeliveries(&bench).allSatisfy { $0.hasPrefix("live no location") })
    bench.live(.foreground)
    #expect(haveOnePlace(&bench))
  }

  @Test("LIVE-17, LIVE-18: is given nine seconds to find an exact place when Precise is turned on")
  func preciseOn() {
    var bench = placed()
    bench.request(Self.loop)
    #expect(haveOnePlace(&bench))
    bench.fixes(150)
    bench.send(.setting(.precise(EngineBench.app, true)))
    bench.run(seconds: 7)
    #expect(loopDeliveries(&bench) == [])
    bench.fix(east: 1)
    #expect(loopDeliveries(&bench) == ["live 1 m"])
    bench.run(seconds: 9)
    #expect(loopDeliveries(&bench) == ["live no location locationUnavailable"])
  }
}
