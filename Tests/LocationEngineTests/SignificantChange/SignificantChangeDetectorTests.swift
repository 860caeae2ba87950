import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("The significant-change service")
struct SignificantChangeDetectorTests {
  var bench = Self.bench(SignificantChangeDetector())

  static func bench(_ detector: SignificantChangeDetector) -> Bench<SignificantChangeDetector> {
    Bench(detector) { output in
      switch output {
      case .announce(let fix): "announce \(meters(of: fix)) m"
      case .ignored(let fix, let reason): "ignored \(meters(of: fix)) m: \(reason)"
      }
    }
  }

  static func meters(of fix: Fix) -> Int {
    Int(((fix.coordinate.longitude + 122) * 88_993).rounded())
  }

  private mutating func send(east: Double, accuracy: Double = 50) {
    let seconds = bench.now.unixTime.seconds - 1_700_000_000
    bench.send(.fix(fix(east: east, accuracy: accuracy, at: seconds)))
  }

  @Test("SLC-1: announces the cached fix at the start, or the first one that comes")
  mutating func initial() {
    send(east: 0)
    bench.send(.start(cached: nil))
    send(east: 10)
    bench.send(.stop)
    bench.send(.start(cached: fix(east: 20, at: 0)))
    #expect(
      bench.transcript == """
        00:00:00  ignored 0 m: stopped
        00:00:00  announce 10 m
        00:00:00  announce 20 m
        """)
  }

  @Test("SLC-2: announces a move of 500 m, and no smaller one")
  mutating func distance() {
    bench.send(.start(cached: fix(at: -10)))
    bench.run(for: .seconds(400))
    send(east: 490)
    bench.run(for: .seconds(10))
    send(east: 510)
    #expect(bench.transcript == "00:00:00  announce 0 m\n00:06:50  announce 510 m")
  }

  @Test("SLC-3: announces a move made in the quiet time when it ends, with the place by then")
  mutating func quietTime() {
    bench.send(.start(cached: fix(at: -10)))
    bench.run(for: .seconds(60))
    send(east: 600)
    bench.run(for: .seconds(60))
    send(east: 1200)
    bench.run(for: .seconds(600))
    #expect(bench.transcript == "00:00:00  announce 0 m\n00:05:00  announce 1200 m")
  }

  @Test("SLC-3: says nothing of a move that was taken back in the quiet time")
  mutating func takenBack() {
    bench.send(.start(cached: fix(at: -10)))
    bench.run(for: .seconds(60))
    send(east: 600)
    bench.run(for: .seconds(60))
    send(east: 20)
    bench.run(for: .seconds(600))
    #expect(bench.transcript == "00:00:00  announce 0 m")
  }

  @Test("SLC-4: does not take the error of a cell tower for a move")
  mutating func coarse() {
    bench.send(.start(cached: fix(at: -10)))
    bench.run(for: .seconds(400))
    send(east: 900, accuracy: 1000)
    bench.run(for: .seconds(10))
    send(east: 1300, accuracy: 1000)
    #expect(
      bench.transcript == """
        00:00:00  announce 0 m
        00:06:40  ignored 900 m: coarse
        00:06:50  announce 1300 m
        """)
  }

  @Test("SLC-7: a second start changes nothing; stop and start give an initial event")
  mutating func secondStart() {
    bench.send(.start(cached: fix(at: -10)))
    bench.send(.start(cached: fix(at: -10)))
    #expect(bench.outputs.count == 1)
    bench.send(.stop)
    bench.send(.start(cached: fix(at: -10)))
    #expect(bench.outputs.count == 2)
    #expect(bench.machine.demand.position?.tier == .network)
    bench.send(.stop)
    #expect(bench.machine.demand == .none)
  }

  @Test("SLC-11: a device at rest is silent, or is reported as often as asked")
  mutating func heartbeat() {
    bench.send(.start(cached: fix(at: -10)))
    bench.run(for: .seconds(4000))
    #expect(bench.outputs.count == 1)
    bench = Self.bench(SignificantChangeDetector(heartbeat: .seconds(900)))
    bench.send(.start(cached: fix(at: -10)))
    bench.run(for: .seconds(2000))
    #expect(
      bench.transcript == """
        00:00:00  announce 0 m
        00:15:00  announce 0 m
        00:30:00  announce 0 m
        """)
  }

  @Test("SLC-12: with reduced accuracy there are at most four events an hour")
  mutating func reduced() {
    bench.send(.reduced(true))
    bench.send(.start(cached: fix(at: -10)))
    for minute in 1...59 {
      bench.run(for: .seconds(60))
      send(east: 1000 * Double(minute))
    }
    #expect(bench.outputs.count == 4)
  }
}
