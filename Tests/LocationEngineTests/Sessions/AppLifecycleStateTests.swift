import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The lifecycle state of an app")
struct AppLifecycleStateTests {
  static func inForeground() -> Bench<AppLifecycleState> {
    var bench = Bench(AppLifecycleState())
    bench.send(.life(.foreground))
    return bench
  }

  @Test("counts as in use for five seconds after leaving the foreground")
  func grace() {
    var bench = Self.inForeground()
    bench.send(.life(.background))
    bench.run(for: .seconds(10))
    #expect(
      bench.transcript == """
        00:00:00  use(LocationModel.AppUse.direct)
        00:00:00  use(LocationModel.AppUse.extended)
        00:00:05  use(LocationModel.AppUse.none)
        """)
  }

  @Test("LIFE-11: counts as in use for five seconds after its last reason ends")
  func graceAfterReasons() {
    var bench = Self.inForeground()
    bench.send(.hold(.continuousUpdates))
    bench.send(.hold(.backgroundActivity))
    bench.send(.life(.background))
    bench.run(for: .seconds(60))
    bench.send(.release(.continuousUpdates))
    bench.run(for: .seconds(60))
    #expect(bench.machine.use == .extended)
    bench.send(.release(.backgroundActivity))
    bench.run(for: .seconds(4))
    #expect(bench.machine.use == .extended)
    bench.run(for: .seconds(1))
    #expect(bench.machine.use == .none)
  }

  @Test("a process that ends has no grace time; STD-51, LIFE-8: its standard updates end")
  func ended() {
    for life in [AppLife.terminated, .quit] {
      var bench = Self.inForeground()
      bench.send(.hold(.continuousUpdates))
      bench.send(.life(life))
      #expect(bench.machine.use == .none)
      #expect(bench.machine.nextDeadline == nil)
    }
  }

  @Test("STD-47, STD-52: continuous updates show the indicator, with Always only when wanted")
  func indicator() {
    var bench = Self.inForeground()
    bench.send(.hold(.continuousUpdates))
    bench.send(.status(.whenInUse))
    bench.send(.life(.background))
    #expect(bench.machine.showsIndicator)
    bench.send(.status(.always))
    #expect(!bench.machine.showsIndicator)
    bench.send(.showsIndicator(true))
    #expect(bench.machine.showsIndicator)
    bench.send(.life(.foreground))
    #expect(!bench.machine.showsIndicator)
  }

  @Test("LIFE-3, LIVE-37: an event gives ten seconds, a live update five; the longer counts")
  func runtime() {
    var bench = Bench(AppLifecycleState()) { $0 == .runtimeOver ? "over" : nil }
    bench.send(.life(.background))
    bench.send(.woken(runtime: AppLifecycleState.eventRuntime))
    bench.run(for: .seconds(1))
    bench.send(.woken(runtime: AppLifecycleState.liveUpdateRuntime))
    bench.run(for: .seconds(60))
    #expect(bench.transcript == "00:00:10  over")
  }

  @Test("in the foreground, and without a process, no runtime is counted")
  func noRuntime() {
    for life in [AppLife.foreground, .terminated] {
      var bench = Bench(AppLifecycleState())
      bench.send(.life(.background))
      bench.send(.woken(runtime: AppLifecycleState.eventRuntime))
      bench.send(.life(life))
      #expect(bench.machine.nextDeadline == nil)
    }
  }

  @Test("a wake that comes too early changes nothing")
  func earlyWake() {
    var bench = Self.inForeground()
    bench.send(.life(.background))
    let before = bench.outputs.count
    bench.send(.wake)
    #expect(bench.outputs.count == before)
  }
}
