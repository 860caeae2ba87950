import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("A place that is set from outside")
struct SimulatedPositionTests {
  private static let far = Coordinate(latitude: -33.86, longitude: 151.2)

  private func place(_ coordinate: Coordinate = far) -> Fix {
    Fix(coordinate: coordinate, horizontalAccuracy: 5, time: UnixTime(seconds: 1))
  }

  /// The fixes that the app received so far.
  private func fixes(_ bench: EngineBench) -> [Fix] {
    bench.deliveries.flatMap { delivery -> [Fix] in
      if case .updates(_, .fixes(let fixes)) = delivery { fixes } else { [] }
    }
  }

  private func ignored(_ bench: EngineBench) -> [IgnoreReason] {
    bench.bench.outputs.compactMap { entry in
      if case .ignored(_, _, let reason) = entry.output { reason } else { nil }
    }
  }

  @Test("SIM-15: overrides every receiver at once, and gives way to them when it ends")
  func override() {
    var bench = EngineBench()
    bench.start()
    bench.fixes(5)
    bench.send(.simulation(.fix(place())))
    bench.fixes(2)
    #expect(fixes(bench).last?.coordinate == Self.far)
    #expect(ignored(bench) == [.simulated, .simulated])
    bench.send(.simulation(.end))
    bench.fix()
    #expect(fixes(bench).last?.coordinate == EngineBench.home)
    #expect(bench.bench.machine.simulatedFix == nil)
  }

  @Test("SIM-6, SIM-15: each fix says that it is simulated, with the date of its arrival")
  func mark() {
    var bench = EngineBench()
    bench.start()
    bench.send(.simulation(.hold(place())))
    bench.run(seconds: 3)
    let all = fixes(bench)
    #expect(all.count == 4)
    #expect(all.allSatisfy { $0.origin.isSimulated })
    #expect(all.map(\.time) == (0...3).map { EngineBench.beginning.unixTime + .seconds($0) })
  }

  @Test("SIM-15: a place that is held is repeated each second while an app needs positions")
  func hold() {
    var bench = EngineBench()
    bench.send(.simulation(.hold(place())))
    bench.run(seconds: 60)
    #expect(fixes(bench) == [])
    #expect(bench.bench.machine.nextDeadline.map { $0 > bench.now.uptime } ?? true)
    bench.start()
    bench.run(seconds: 20)
    #expect(fixes(bench).count >= 20)
    #expect(bench.state.lastFix?.coordinate == Self.far)
  }

  @Test("SIM-15, STD-32: receivers that fail are no outage meanwhile")
  func outage() {
    var bench = EngineBench()
    bench.start()
    bench.send(.simulation(.hold(place())))
    bench.send(.provider(ProviderID(0), .unavailable(.ended)))
    bench.run(seconds: 30)
    #expect(!bench.received().contains { $0.hasPrefix("failed") })
  }

  @Test("what is no position is refused with its reason")
  func refusal() {
    #expect(SimulatedPosition.fault(in: place()) == nil)
    #expect(SimulatedPosition.fault(in: place(Coordinate(latitude: 91, longitude: 0))) != nil)
    var fix = place()
    fix.horizontalAccuracy = 0
    #expect(SimulatedPosition.fault(in: fix) != nil)
    fix = place()
    fix.course = 360
    #expect(SimulatedPosition.fault(in: fix) != nil)
    fix = place()
    fix.altitude = .infinity
    #expect(SimulatedPosition.fault(in: fix) != nil)
  }
}
