import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The beacon ranger")
struct BeaconRangerTests {
  private var bench = Bench(BeaconRanger(), describe: line)
  private let all = BeaconConstraint(uuid: uuid)

  @Test("BEACON-6, BEACON-7: reports once a second, empty when nothing is near")
  mutating func rhythm() {
    bench.send(.range(all))
    #expect(bench.machine.scan == .continuous)
    bench.run(for: .seconds(2))
    bench.send(.stopRanging(all))
    bench.run(for: .seconds(2))
    #expect(bench.transcript == "00:00:01  nothing\n00:00:02  nothing")
    #expect(bench.machine.scan == .off)
  }

  @Test("BEACON-9, BEACON-13: reports the mean since the last report, and the class")
  mutating func mean() {
    bench.send(.range(all))
    for rssi in [-60, -62, -63] { receive(1, rssi) }
    bench.run(for: .seconds(1))
    receive(1, -40)
    bench.run(for: .seconds(1))
    #expect(bench.transcript == "00:00:01  1 near -62\n00:00:02  1 near -40")
  }

  @Test(
    "BEACON-13, BEACON-14: is immediate below half a meter and far from three meters",
    arguments: [
      (-52, Proximity.immediate), (-54, .near), (-68, .near), (-69, .far), (-100, .far),
    ])
  mutating func limits(rssi: Int, proximity: Proximity) {
    bench.send(.range(all))
    receive(1, rssi)
    bench.run(for: .seconds(1))
    #expect(reports.last?.first?.proximity == proximity)
  }

  @Test("BEACON-14: puts a beacon at one meter when it sounds as it claims")
  mutating func oneMeter() {
    bench.send(.range(all))
    receive(1, -71, power: -71)
    bench.run(for: .seconds(1))
    #expect(reports.last?.first?.accuracy == 1)
  }

  @Test("BEACON-14: leaves out the top and the bottom tenth")
  func trimmed() {
    #expect(
      SignalDistance.trimmedMean([0, -60, -60, -60, -60, -60, -60, -60, -62, -127]) == -60.25)
    #expect(SignalDistance.trimmedMean([-50]) == -50)
    #expect(SignalDistance.trimmedMean([]) == nil)
  }

  @Test("BEACON-8: orders by class, then distance, unknown last")
  mutating func order() {
    bench.send(.range(all))
    receive(5, nil)
    receive(4, -80)
    receive(3, -60)
    receive(2, -45)
    receive(1, -61)
    bench.run(for: .seconds(1))
    #expect(
      bench.transcript == "00:00:01  2 immediate -45, 3 near -60, 1 near -61, 4 far -80, 5 unknown")
  }

  @Test("BEACON-10, BEACON-11: loses the distance within two seconds, the beacon after ten")
  mutating func silence() {
    bench.send(.range(all))
    bench.run(for: .milliseconds(500))
    receive(1, -60)
    bench.run(for: .milliseconds(10_600))
    #expect(
      reports.map { $0.first?.proximity } == [.near] + [Proximity?](repeating: .unknown, count: 9)
        + [nil])
    #expect(reports[1].first?.accuracy == nil)
    #expect(reports[1].first?.rssi == nil)
  }

  @Test("BEACON-15: lists two radios with one identity")
  mutating func twoRadios() {
    bench.send(.range(all))
    receive(1, -60, address: 1)
    receive(1, -70, address: 2)
    bench.run(for: .seconds(1))
    #expect(bench.transcript == "00:00:01  1 near -60, 1 far -70")
  }

  @Test("BEACON-16: fails while there is no radio, and goes on when there is")
  mutating func radio() {
    bench.send(.range(all))
    receive(1, -60)
    bench.send(.reception(.unavailable))
    bench.run(for: .seconds(3))
    bench.send(.range(BeaconConstraint(uuid: uuid, major: 1)))
    receive(1, -60)
    bench.send(.reception(.listening))
    bench.run(for: .seconds(1))
    #expect(
      bench.transcript == """
        00:00:00  fails: unavailable
        00:00:03  fails: unavailable
        00:00:03  ignored: deaf
        00:00:04  nothing
        00:00:04  nothing
        """)
  }

  @Test("BEACON-20: dates a beacon by its last advertisement")
  mutating func time() {
    bench.send(.range(all))
    bench.run(for: .milliseconds(400))
    let received = bench.now.unixTime
    receive(1, -60)
    bench.run(for: .seconds(3))
    #expect(reports.last?.first?.time == received)
  }

  @Test("BEACON-4: reports to each constraint what matches it, and ignores the rest")
  mutating func constraints() {
    bench.send(.range(BeaconConstraint(uuid: uuid, major: 1, minor: 2)))
    bench.send(.range(all))
    bench.send(.range(all))
    receive(1, -60)
    receive(2, -60)
    receive(BeaconUUID(high: 9, low: 9), -60)
    bench.run(for: .seconds(1))
    #expect(
      bench.transcript == """
        00:00:00  ignored: unwanted
        00:00:01  1 near -60, 2 near -60
        00:00:01  2 near -60
        """)
  }

  @Test("keeps its rhythm after a late wake")
  mutating func lateWake() {
    bench.send(.range(all))
    var machine = bench.machine
    let late = Moment(uptime: .start + .milliseconds(5500), unixTime: bench.now.unixTime)
    #expect(machine.handle(.wake, at: late).count == 1)
    #expect(machine.nextDeadline == .start + .milliseconds(6500))
    #expect(machine.handle(.wake, at: late).isEmpty)
  }

  @Test("border 12: of a hall of 2,500 beacons, the first 2,000 are ranged; the others are counted")
  mutating func hall() {
    bench.send(.range(all))
    for minor in 1...2500 { receive(UInt16(minor), -60) }
    let refused = bench.outputs.count { entry in
      if case .ignored(_, .tooMany) = entry.output { true } else { false }
    }
    #expect(refused == 2500 - BeaconRanger.capacity)
    // One that is known counts as before.
    receive(1, -50)
    bench.run(for: .seconds(1))
    #expect(reports.last?.count == BeaconRanger.capacity)
    #expect(reports.last?.first?.identity.minor == 1)
  }

  private mutating func receive(
    _ minor: UInt16, _ rssi: Int?, power: Int = -59, address: UInt64 = 0
  ) {
    let identity = BeaconIdentity(uuid: uuid, major: 1, minor: minor)
    bench.send(.sample(sample(identity, rssi, power: power, address: address)))
  }

  private mutating func receive(_ other: BeaconUUID, _ rssi: Int) {
    let identity = BeaconIdentity(uuid: other, major: 1, minor: 1)
    bench.send(.sample(sample(identity, rssi, power: -59, address: 0)))
  }

  private func sample(
    _ identity: BeaconIdentity, _ rssi: Int?, power: Int, address: UInt64
  ) -> BeaconSample {
    BeaconSample(
      identity: identity, address: BluetoothAddress(bits: address), measuredPower: power,
      rssi: rssi, time: bench.now.unixTime)
  }

  private var reports: [[RangedBeacon]] {
    bench.outputs.compactMap { entry in
      guard case .report(_, let beacons) = entry.output else { return nil }
      return beacons
    }
  }
}

private let uuid = BeaconUUID(high: 1, low: 2)

private func line(_ output: BeaconRanger.Output) -> String? {
  switch output {
  case .report(_, let beacons):
    let names = beacons.map { beacon in
      let rssi = beacon.rssi.map { " \($0)" } ?? ""
      return "\(beacon.identity.minor) \(beacon.proximity)\(rssi)"
    }
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  case .fail(_, let reception): return "fails: \(reception)"
  case .ignored(_, let reason): return "ignored: \(reason)"
  case .persist: return nil
  }
}
