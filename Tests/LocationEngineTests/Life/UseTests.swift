import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("Who uses the location")
struct UseTests {
  private func uses(_ bench: EngineBench) -> [String] {
    bench.bench.machine.locationUses.map {
      "\($0.app)\($0.isInBackground ? " behind" : "")\($0.calibrates ? " calibrates" : "")"
    }
  }

  /// The outputs so far that say who uses the location.
  private func changes(_ bench: EngineBench) -> [Bool] {
    bench.bench.outputs.compactMap { entry in
      if case .usage(EngineBench.app, let begins) = entry.output { begins } else { nil }
    }
  }

  @Test("BGA-15: an app uses the location while it receives positions, and that is output once")
  func use() {
    var bench = EngineBench(.whileUsing)
    #expect(uses(bench) == [])
    bench.start()
    bench.fixes(3)
    #expect(uses(bench) == ["org.example.walk"])
    bench.request(.updates(EngineBench.manager, .stop))
    #expect(uses(bench) == [])
    #expect(changes(bench) == [true, false])
  }

  @Test("BGA-15: one that is denied, or has ended, uses nothing")
  func denial() {
    var bench = EngineBench(.never)
    bench.start()
    #expect(changes(bench) == [])
    bench.send(.setting(.authorization(EngineBench.app, .always)))
    bench.start()
    #expect(changes(bench) == [true])
    bench.end()
    #expect(changes(bench) == [true, false])
    #expect(uses(bench) == [])
  }

  @Test("BGA-15, BGA-5: in the background it is marked with the indicator")
  func background() {
    var bench = EngineBench(.whileUsing)
    bench.start(background: true)
    bench.live(.background)
    bench.run(seconds: 10)
    #expect(uses(bench) == ["org.example.walk behind"])
  }

  @Test("BGA-16: one that the person stops behind has no positions until it is opened anew")
  func stop() {
    var bench = EngineBench(.whileUsing)
    bench.start(background: true)
    bench.live(.background)
    bench.fixes(10)
    bench.send(.setting(.stopped(EngineBench.app)))
    #expect(uses(bench) == [])
    #expect(bench.demand == .none)
    _ = bench.received()
    bench.fixes(3)
    #expect(bench.received() == [])
    bench.live(.foreground)
    bench.fix()
    #expect(bench.received().contains("0 m"))
    #expect(uses(bench) == ["org.example.walk"])
  }

  @Test("BGA-16: one that is stopped in front has none until it has left and comes back")
  func stopInFront() {
    var bench = EngineBench(.always)
    bench.start()
    bench.fix()
    bench.send(.setting(.stopped(EngineBench.app)))
    _ = bench.received()
    bench.fix()
    #expect(bench.received() == [])
    bench.live(.background)
    bench.fix()
    #expect(bench.received() == [])
    bench.live(.foreground)
    bench.fix()
    #expect(bench.received().contains("0 m"))
  }

  @Test("BGA-16: live updates of a stopped app say that it is not in use, and its next run has all")
  func stopLive() {
    var bench = EngineBench(.whileUsing)
    bench.request(.live(EngineBench.manager, .start(LiveOptions())))
    bench.fix()
    bench.send(.setting(.stopped(EngineBench.app)))
    let last = bench.deliveries.last { if case .live = $0 { true } else { false } }
    guard case .live(_, let update)? = last else { return #expect(Bool(false), "no update") }
    #expect(update.diagnostics.contains(.insufficientlyInUse))
    bench.end()
    bench.connect()
    bench.start()
    _ = bench.received()
    bench.fix()
    #expect(bench.received().contains("0 m"))
  }
}
