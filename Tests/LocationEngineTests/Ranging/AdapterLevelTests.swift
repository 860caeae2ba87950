import LocationCoding
import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("What is known of an adapter")
struct AdapterLevelTests {
  private var bench = Bench(BeaconRanger())

  @Test("BEACON-26: calls every beacon near while nothing is known of the adapter")
  func unknown() {
    let path = AdapterLevel().path(measuredPower: -59)
    for rssi in stride(from: -40.0, through: -110, by: -10) {
      #expect(SignalDistance.proximity(path.distance(rssi: rssi)) == .near, "\(rssi) dBm")
    }
  }

  @Test("BEACON-26: after thirty places, the unusually strong is immediate, the unusually weak far")
  func known() {
    var level = AdapterLevel()
    for number in 0..<30 { level.learn(-30 + Double(number % 9 - 4) * 2, at: date) }
    #expect(abs(level.center + 30) < 1 && (4...8).contains(level.spread))
    let path = level.path(measuredPower: -59)
    let classes = [-60.0, -80, -89, -97, -110].map {
      SignalDistance.proximity(path.distance(rssi: $0))
    }
    #expect(classes == [.immediate, .near, .near, .near, .far])
  }

  @Test("BEACON-26: a calibration replaces the usual level, without doubt")
  func calibrated() throws {
    var levels = AdapterLevels()
    _ = try levels.calibrate(adapter, -20, at: date)
    #expect(levels[adapter].center == -20)
    let path = levels[adapter].path(measuredPower: -59)
    #expect(SignalDistance.proximity(path.distance(rssi: -79)) == .near)
    #expect(SignalDistance.proximity(path.distance(rssi: -92)) == .far)
    #expect(SignalDistance.proximity(path.distance(rssi: -60)) == .immediate)
  }

  @Test("BEACON-27: counts a beacon once where it stays, and again when it has moved by 4 dB")
  mutating func lessons() {
    bench.send(.range(all))
    hear(-70, seconds: 30)
    #expect(bench.machine.adapters[adapter].weight == 2)
    bench.run(for: .seconds(20))
    hear(-72, seconds: 30)
    #expect(bench.machine.adapters[adapter].weight == 2)
    bench.run(for: .seconds(20))
    hear(-80, seconds: 5)
    #expect(bench.machine.adapters[adapter].weight == 3)
  }

  @Test("BEACON-27: of a crowd of beacons, one a second counts for an adapter")
  mutating func crowd() {
    bench.send(.range(all))
    for _ in 0..<50 {
      for minor in 1...200 { receive(-60 - minor % 30, minor: UInt16(minor)) }
      bench.run(for: .milliseconds(100))
    }
    #expect(bench.machine.adapters[adapter].weight == 5)
  }

  @Test("BEACON-27: forgets a lesson of a hundred places ago, and stays within its numbers")
  func fading() {
    var level = AdapterLevel()
    for _ in 0..<1000 { level.learn(-10, at: date) }
    #expect(level.weight == 100)
    for _ in 0..<300 { level.learn(-30, at: date) }
    #expect(level.center < -27)
    for absurd in [Double.nan, .infinity, -1e300, 1e300] { level.learn(absurd, at: date) }
    #expect((-80...60).contains(level.mean) && level.spread.isFinite)
  }

  @Test("BEACON-27: learns nothing from absurd strengths and claims")
  mutating func absurd() {
    bench.send(.range(all))
    for _ in 0..<100 {
      receive(127, minor: 1)
      receive(-60, minor: 2, power: 127)
      receive(Int.min, minor: 3)
      receive(-60, minor: 4, power: -128)
      bench.run(for: .milliseconds(100))
    }
    #expect(bench.machine.adapters.all.isEmpty)
  }

  @Test("BEACON-27: stores what was learned at most once a minute, and at the end of ranging")
  mutating func storing() {
    bench.send(.range(all))
    for step in 0..<20 {
      hear(-50 - 5 * (step % 2) - step, seconds: 5)
      bench.run(for: .seconds(11))
    }
    let during = persisted.count
    #expect((2...6).contains(during), "in 320 seconds: \(during)")
    hear(-95, seconds: 5)
    bench.send(.stopRanging(all))
    let last = bench.machine.adapters[adapter]
    #expect(persisted.last == .set(AdapterLevels.key(of: adapter), last.stored))
    let again = AdapterLevels(
      restoring: [StateEntry(key: AdapterLevels.key(of: adapter), value: last.stored)])
    #expect(again[adapter] == last)
  }

  @Test("BEACON-27: of a thousand adapters, sixteen are kept, and none that is calibrated is lost")
  mutating func thousand() throws {
    var adapters = AdapterLevels()
    _ = try adapters.calibrate(adapter, -9, at: date)
    bench.send(.adapters(adapters))
    bench.send(.range(all))
    for number in 1...1000 {
      for _ in 0..<3 {
        receive(-60, minor: UInt16(number), by: BluetoothAddress(bits: UInt64(number)))
        bench.run(for: .seconds(1))
      }
    }
    let kept = bench.machine.adapters.all
    #expect(kept.count == AdapterLevels.capacity)
    #expect(bench.machine.adapters[adapter].offset == -9)
    #expect(kept.last?.adapter == adapter && kept.dropLast().last?.adapter.bits == 1000)
    let removed = persisted.count { if case .remove = $0 { true } else { false } }
    #expect(removed == 1000 - 15)
  }

  @Test("BEACON-29: refuses offsets that no radio has, and a seventeenth calibration")
  func refusals() throws {
    var adapters = AdapterLevels()
    #expect(throws: AdapterLevels.Refusal.implausible(41)) {
      try adapters.calibrate(adapter, 41, at: date)
    }
    for number in 1...16 {
      _ = try adapters.calibrate(BluetoothAddress(bits: UInt64(number)), -5, at: date)
    }
    #expect(throws: AdapterLevels.Refusal.tooMany) {
      try adapters.calibrate(adapter, -5, at: date)
    }
    #expect(adapters.forget(BluetoothAddress(bits: 1)).count == 1)
    _ = try adapters.calibrate(adapter, -5, at: date)
  }

  @Test("BEACON-27: reads nothing from the state that it cannot have written")
  func damaged() {
    let values = [
      "", "{}", "{\"weight\":0,\"mean\":0,\"squares\":1,\"used\":0}",
      "{\"weight\":5,\"mean\":1e9,\"squares\":1,\"used\":0}",
      "{\"weight\":5,\"mean\":0,\"squares\":-1,\"used\":0}",
      "{\"weight\":5,\"mean\":0,\"squares\":1,\"used\":0,\"offset\":99}",
    ]
    let entries = values.map {
      StateEntry(key: AdapterLevels.key(of: adapter), value: Array($0.utf8))
    }
    #expect(AdapterLevels(restoring: entries).all.isEmpty)
    let nameless = StateKey(domain: AdapterLevels.domain, owner: "", name: "hci0")
    let entry = StateEntry(key: nameless, value: AdapterLevel().stored)
    #expect(AdapterLevels(restoring: [entry]).all.isEmpty)
  }

  @Test("BEACON-28: follows one of two adapters that hear a beacon, and changes when it is silent")
  mutating func two() {
    bench.send(.range(all))
    let other = BluetoothAddress(bits: 7)
    for _ in 0..<4 {
      receive(-60, minor: 1)
      receive(-90, minor: 1, by: other)
      bench.run(for: .seconds(1))
    }
    #expect(reports.last?.map(\.rssi) == [-60])
    #expect(bench.machine.adapters.all.map(\.adapter) == [adapter])
    bench.run(for: .seconds(2))
    for _ in 0..<3 {
      receive(-90, minor: 1, by: other)
      bench.run(for: .seconds(1))
    }
    #expect(reports.last?.map(\.rssi) == [-90])
    #expect(bench.machine.adapters.all.map(\.adapter) == [other, adapter])
  }

  // MARK: Parts

  private mutating func hear(_ rssi: Int, seconds: Int) {
    for _ in 0..<(10 * seconds) {
      receive(rssi, minor: 1)
      bench.run(for: .milliseconds(100))
    }
  }

  private mutating func receive(
    _ rssi: Int, minor: UInt16, power: Int = -59, by receiver: BluetoothAddress = adapter
  ) {
    bench.send(
      .sample(
        BeaconSample(
          identity: BeaconIdentity(uuid: all.uuid, major: 1, minor: minor),
          address: BluetoothAddress(bits: 1), measuredPower: power, rssi: rssi,
          time: bench.now.unixTime, adapter: receiver)))
  }

  private var persisted: [StateChange] {
    bench.outputs.compactMap { entry in
      if case .persist(let change) = entry.output { change } else { nil }
    }
  }

  private var reports: [[RangedBeacon]] {
    bench.outputs.compactMap { entry in
      if case .report(_, let beacons) = entry.output { beacons } else { nil }
    }
  }
}

private let adapter = BluetoothAddress(bits: 0x001a_7dda_7113)
private let all = BeaconConstraint(uuid: BeaconUUID(high: 1, low: 2))
private let date = UnixTime(seconds: 1_700_000_000)
