import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The presence of a beacon")
struct BeaconDetectorTests {
  private var bench = Bench(BeaconDetector(), describe: line)
  private let all = BeaconConstraint(uuid: uuid)

  @Test("BEACON-21, MON-30: begins with the first advertisement, and names the full identity")
  mutating func enter() {
    bench.send(.watch(all))
    #expect(bench.machine.state(of: all) == .unknown)
    bench.run(for: .seconds(7))
    receive(3)
    receive(4)
    #expect(bench.transcript == "00:00:07  * here: 3")
    let identity = BeaconIdentity(uuid: uuid, major: 1, minor: 3)
    #expect(bench.machine.state(of: all) == .satisfied(identity))
  }

  @Test("BEACON-22: ends after thirty seconds of silence")
  mutating func exit() {
    bench.send(.watch(all))
    receive(3)
    bench.run(for: .seconds(29))
    receive(3)
    bench.run(for: .seconds(100))
    receive(3)
    #expect(
      bench.transcript == "00:00:00  * here: 3\n00:00:59  * gone\n00:02:09  * here: 3")
  }

  @Test("MON-22: is denied after thirty seconds without any advertisement, once")
  mutating func neverReceived() {
    bench.send(.watch(all))
    bench.run(for: .seconds(200))
    #expect(bench.transcript == "00:00:30  * gone")
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("BEACON-25: goes on when one beacon takes another's place")
  mutating func replaced() {
    bench.send(.watch(all))
    for minor in 1...5 {
      receive(UInt16(minor))
      bench.run(for: .seconds(20))
    }
    #expect(bench.transcript == "00:00:00  * here: 1")
  }

  @Test("BEACON-4: is judged for each constraint")
  mutating func constraints() {
    bench.send(.watch(all))
    bench.send(.watch(BeaconConstraint(uuid: uuid, major: 1, minor: 2)))
    receive(1)
    bench.run(for: .seconds(10))
    receive(2)
    bench.run(for: .seconds(60))
    #expect(
      bench.transcript == """
        00:00:00  * here: 1
        00:00:10  2 here: 2
        00:00:40  * gone
        00:00:40  2 gone
        """)
  }

  @Test("is not ended by a radio that is off")
  mutating func deaf() {
    bench.send(.watch(all))
    receive(1)
    bench.run(for: .seconds(10))
    bench.send(.reception(.unavailable))
    bench.run(for: .seconds(500))
    bench.send(.reception(.listening))
    bench.run(for: .seconds(29))
    #expect(bench.transcript == "00:00:00  * here: 1")
    bench.run(for: .seconds(1))
    #expect(bench.transcript == "00:00:00  * here: 1\n00:09:00  * gone")
  }

  @Test("MON-36: is believed only from an advertisement after the constraint was added")
  mutating func startsOver() {
    bench.send(.watch(all))
    receive(1)
    bench.send(.watch(all))
    #expect(bench.machine.state(of: all) == .unknown)
    receive(1)
    bench.send(.unwatch(all))
    bench.run(for: .seconds(60))
    receive(1)
    #expect(bench.machine.state(of: all) == nil)
    #expect(
      bench.transcript == "00:00:00  * here: 1\n00:00:00  * here: 1\n00:01:00  ignored: unwanted")
  }

  private mutating func receive(_ minor: UInt16) {
    bench.send(
      .sample(
        BeaconSample(
          identity: BeaconIdentity(uuid: uuid, major: 1, minor: minor),
          address: BluetoothAddress(bits: 1), measuredPower: -59, rssi: nil,
          time: bench.now.unixTime)))
  }
}

private let uuid = BeaconUUID(high: 1, low: 2)

private func line(_ output: BeaconDetector.Output) -> String? {
  switch output {
  case .changed(let constraint, let state, _):
    let name = constraint.minor.map { "\($0)" } ?? "*"
    switch state {
    case .unknown: return "\(name) unknown"
    case .satisfied(let identity): return "\(name) here: \(identity.minor)"
    case .unsatisfied: return "\(name) gone"
    }
  case .ignored(_, let reason): return "ignored: \(reason)"
  }
}
