import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The launch of an app")
struct LaunchCoordinatorTests {
  static let app = AppIdentity("net.meridian.app")
  var bench = Bench(LaunchCoordinator()) { "\($0)".contains("launch") ? "launch" : nil }

  @Test("LIFE-1: happens once, however many events wait")
  mutating func once() {
    for _ in 0..<3 { bench.send(.pending(Self.app)) }
    bench.send(.connected(Self.app))
    bench.run(for: .seconds(600))
    bench.send(.ended(Self.app, isPending: false))
    #expect(bench.transcript == "00:00:00  launch")
    bench.send(.pending(Self.app))
    #expect(bench.outputs.count == 2)
  }

  @Test("happens again after a pause that doubles, up to an hour, while the app crashes")
  mutating func backOff() {
    bench.send(.pending(Self.app))
    bench.send(.connected(Self.app))
    bench.send(.ended(Self.app, isPending: true))
    for _ in 0..<11 { crash() }
    let pauses = zip(bench.outputs.dropFirst(), bench.outputs).map {
      ($0.at - $1.at).wholeNanoseconds / 1_000_000_000
    }
    #expect(pauses == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
  }

  /// Lets time pass until it is launched again, and crash.
  private mutating func crash() {
    let count = bench.outputs.count
    while bench.outputs.count == count {
      bench.run(for: .seconds(1))
      bench.send(.pending(Self.app))
    }
    bench.send(.connected(Self.app))
    bench.send(.ended(Self.app, isPending: true))
  }

  @Test("counts as failed when the app does not connect within half a minute")
  mutating func neverComes() {
    bench.send(.pending(Self.app))
    bench.run(for: .seconds(39))
    bench.send(.pending(Self.app))
    #expect(bench.outputs.count == 1)
    bench.run(for: .seconds(1))
    bench.send(.pending(Self.app))
    #expect(bench.transcript == "00:00:00  launch\n00:00:40  launch")
  }

  @Test("LIFE-9: waits after a restart for processes that are on their way back")
  mutating func restart() {
    let other = AppIdentity("net.meridian.other")
    bench.send(.restored(Self.app))
    bench.send(.restored(other))
    bench.run(for: .seconds(1))
    bench.send(.connected(other))
    for _ in 0..<10 {
      bench.send(.pending(Self.app))
      bench.run(for: .seconds(1))
    }
    #expect(bench.transcript == "00:00:05  launch")
  }
}
