import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("Beacons in the learned map")
struct BeaconMapTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let home = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let provider = ProviderID(0)
  private static let keys = reading(900, level: -50)

  private static func reading(_ number: UInt16, level: Double) -> RadioScan.Reading {
    let identity = BeaconIdentity(uuid: BeaconUUID(high: 5, low: 6), major: 1, minor: number)
    return RadioScan.Reading(.beacon(identity), level: level)
  }

  private static func time(_ second: Int) -> UnixTime {
    UnixTime(seconds: 1_750_000_000 + Double(second))
  }

  private static func moment(_ second: Int) -> Moment {
    Moment(uptime: .start + .seconds(second), unixTime: time(second))
  }

  /// What is received in a corridor with a beacon every ten meters; those are heard over some 25 m.
  private static func corridor(at east: Double) -> [RadioScan.Reading] {
    (0..<12).compactMap { number in
      let level = -62 - abs(east - Double(number) * 10) * 1.3
      return level < -95 ? nil : reading(UInt16(number), level: level)
    }
  }

  private mutating func teach(_ readings: [RadioScan.Reading], at east: Double, second: Int) {
    let place = Self.home.place(east: east, north: 0)
    _ = map.handle(
      .scan(RadioScan(readings, time: Self.time(second)), from: Self.provider),
      at: Self.moment(second))
    _ = map.handle(
      .fix(Fix(coordinate: place, horizontalAccuracy: 4, time: Self.time(second))),
      at: Self.moment(second))
  }

  /// Walks along the corridor at a meter a second, with other things that are received all the way.
  private mutating func walk(
    _ meters: Int, from second: Int = 0, with others: [RadioScan.Reading] = []
  ) {
    for meter in 0..<meters {
      teach(Self.corridor(at: Double(meter)) + others, at: Double(meter), second: second + meter)
    }
  }

  private mutating func answer(
    _ readings: [RadioScan.Reading], second: Int = 5000
  ) -> [RadioMap.Output] {
    map.handle(
      .scan(RadioScan(readings, time: Self.time(second)), from: Self.provider),
      at: Self.moment(second))
  }

  private mutating func fix(_ readings: [RadioScan.Reading], second: Int = 5000) -> Fix? {
    for case .fix(let fix, _) in answer(readings, second: second) { return fix }
    return nil
  }

  private mutating func silence(_ readings: [RadioScan.Reading]) -> RadioSilence? {
    for case .silent(_, let reason) in answer(readings) { return reason }
    return nil
  }

  private static func error(of fix: Fix, at east: Double) -> Double {
    LocalFrame(center: home.place(east: east, north: 0)).distance(to: fix.coordinate)
  }

  private static func entries(_ changes: [StateChange]) -> [StateEntry] {
    changes.compactMap { change in
      if case .set(let key, let value) = change { StateEntry(key: key, value: value) } else { nil }
    }
  }

  // MARK: Places

  @Test("RADIO-77: finds a place by beacons where a receiver was before, and names the method")
  mutating func taughtPlace() throws {
    walk(110)
    for (number, east) in [22.0, 55, 87].enumerated() {
      let found = try #require(fix(Self.corridor(at: east), second: 5000 + 100 * number))
      #expect(found.origin.method == .beacons)
      #expect(Self.error(of: found, at: east) < 6)
      #expect(Self.error(of: found, at: east) < 2 * found.horizontalAccuracy)
      #expect(found.horizontalAccuracy < 15)
    }
    #expect(silence([Self.reading(500, level: -60)]) == .nothingKnown)
    #expect(map.layer(.accessPoints)?.cellCount == 0)
  }

  @Test("RADIO-77: beacons are distinguished by UUID, major, and minor")
  mutating func identities() throws {
    let place = Self.home.center
    let uuid = BeaconUUID(high: 1, low: 2)
    let one = BeaconIdentity(uuid: uuid, major: 3, minor: 4)
    let others = [
      BeaconIdentity(uuid: uuid, major: 4, minor: 3),
      BeaconIdentity(uuid: uuid, major: 3, minor: 5),
      BeaconIdentity(uuid: BeaconUUID(high: 2, low: 1), major: 3, minor: 4),
    ]
    let beside = BeaconIdentity(uuid: uuid, major: 9, minor: 9)
    let known = [one, beside].map { RadioScan.Reading(.beacon($0), level: -60) }
    map.teach(RadioScan(known, time: Self.time(0)), at: place)
    #expect(fix(known) != nil)
    for other in others { #expect(fix([RadioScan.Reading(.beacon(other), level: -60)]) == nil) }
  }

  @Test("RADIO-77: one beacon alone gives a position with the radius of its reach")
  mutating func alone() throws {
    for meter in 0..<60 {
      let level = -62 - abs(Double(meter) - 30) * 1.1
      teach([Self.reading(1, level: level)], at: Double(meter), second: meter)
    }
    let found = try #require(fix([Self.reading(1, level: -64)]))
    #expect(Self.error(of: found, at: 30) < found.horizontalAccuracy)
    #expect((15...40).contains(found.horizontalAccuracy))
  }

  // MARK: Beacons that move

  @Test("RADIO-80: a beacon that travels along is no place, alone or beside others")
  mutating func carried() throws {
    walk(110)
    let without = try #require(fix(Self.corridor(at: 44)))
    map = RadioMap(secret: SecretKey(seed: 3))
    walk(110, with: [Self.keys])
    #expect(silence([Self.keys]) == .nothingKnown)
    let with = try #require(fix(Self.corridor(at: 44) + [Self.keys], second: 5100))
    #expect(Self.error(of: with, at: 44) < 6)
    #expect(with.coordinate.distance(to: without.coordinate) < 1)
    #expect(abs(with.horizontalAccuracy - without.horizontalAccuracy) < 1)
  }

  @Test("RADIO-80: one that was received as loudly so far counts beside others, and not alone")
  mutating func unproven() throws {
    for second in 0..<20 {
      teach([Self.keys], at: Double(second) / 4, second: second)
    }
    #expect(silence([Self.keys]) == .nothingKnown)
    let table = [Self.keys, Self.reading(901, level: -70)]
    for second in 100..<120 { teach(table, at: 5, second: second) }
    let found = try #require(fix(table))
    #expect(Self.error(of: found, at: 5) < 8)
  }

  @Test(
    "RADIO-80: one that is received 200 m from its place has moved, and is not used for two days")
  mutating func moved() throws {
    walk(110)
    // The beacons of the corridor were put up elsewhere.
    for meter in 0..<60 {
      teach(Self.corridor(at: Double(meter)), at: Double(meter) + 400, second: 1000 + meter)
    }
    #expect(silence(Self.corridor(at: 30)) == .nothingKnown)
    #expect((map.summaries(on: Self.time(2000)).last?.blocked ?? 0) > 6)
    let day = 86_400
    for meter in 0..<60 {
      teach(Self.corridor(at: Double(meter)), at: Double(meter) + 400, second: 3 * day + meter)
    }
    let found = try #require(fix(Self.corridor(at: 30), second: 3 * day + 1000))
    #expect(Self.error(of: found, at: 430) < 8)
  }

  // MARK: Bounds and rows

  @Test(
    "RADIO-81: invented identities displace no access point, and no more is kept than the bounds")
  mutating func hostile() throws {
    let box = RadioScan.Reading(.accessPoint(BSSID(0x1000_0000_0100)), level: -55)
    let other = RadioScan.Reading(.accessPoint(BSSID(0x1000_0000_0200)), level: -70)
    map.teach(RadioScan([box, other], time: Self.time(0)), at: Self.home.center)
    let known = map.layer(.accessPoints)?.cellCount
    let layer = RadioLayer.Grain.beacons
    var number: UInt64 = 0
    for second in 0..<450 {
      let readings = (0..<RadioMap.mostBoxes).map { _ in
        number += 1
        let identity = BeaconIdentity(uuid: BeaconUUID(high: number, low: 1), major: 0, minor: 0)
        return RadioScan.Reading(.beacon(identity), level: -60)
      }
      teach(readings, at: Double(second) * 5, second: second)
      #expect(map.layer(.beacons)?.stations.count ?? 0 <= layer.mostStations)
      #expect(map.layer(.beacons)?.cellCount ?? 0 <= layer.mostCells)
    }
    #expect(number > UInt64(2 * layer.mostStations))
    #expect(map.layer(.accessPoints)?.cellCount == known)
    #expect(fix([box, other])?.origin.method == .accessPoints)
  }

  @Test("RADIO-82: what is known of beacons is stored, shown, and forgotten with the map")
  mutating func stored() throws {
    walk(60)
    let entries = Self.entries(map.changes(for: .save, at: Self.moment(100)))
    #expect(entries.contains { $0.key.name.hasPrefix("beacon/") })
    var restored = RadioMap(secret: SecretKey(seed: 3), restoring: entries)
    let summary = try #require(restored.summaries(on: Self.time(100)).last)
    #expect(summary.kind == .beacons && summary.transmitters >= 6 && summary.bytes > 1000)
    #expect(summary == map.summaries(on: Self.time(100)).last)
    swap(&map, &restored)
    let found = try #require(fix(Self.corridor(at: 30)))
    #expect(Self.error(of: found, at: 30) < 6)
    // An export is read again, with the beacons.
    map = RadioMap(secret: SecretKey(seed: 3))
    let fingerprint = map.fingerprint
    let rows = entries.map {
      RadioObservation.row(name: $0.key.name, value: $0.value, fingerprint: fingerprint)
    }
    map.learn(rows, at: Self.moment(200))
    #expect(map.refusals.all.isEmpty)
    #expect(fix(Self.corridor(at: 30)) != nil)
    _ = map.handle(.forget, at: Self.moment(300))
    #expect(map.layer(.beacons)?.cellCount == 0)
    #expect(silence(Self.corridor(at: 30)) == .nothingKnown)
  }

  @Test(
    "RADIO-82: a row of factors from before there were beacons is read, and they keep the standard")
  mutating func olderCalibration() throws {
    let factors: [Double] = [1.1, 2.2, 30, 40]
    func entry(_ numbers: [Double]) -> StateEntry {
      let bytes = numbers.flatMap { number in
        (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt64($0))) }
      }
      let key = StateKey(domain: RadioMap.domain, owner: "", name: "calibration")
      return StateEntry(key: key, value: bytes)
    }
    let older = RadioMap(secret: SecretKey(seed: 3), restoring: [entry(factors)])
    #expect(older.calibration(.accessPoints) == RadioCalibration(scale: 1.1, count: 30))
    #expect(older.calibration(.cells) == RadioCalibration(scale: 2.2, count: 40))
    #expect(older.calibration(.beacons) == RadioCalibration())
    let newer = RadioMap(secret: SecretKey(seed: 3), restoring: [entry(factors + [3.3, 50])])
    #expect(newer.calibration(.cells) == RadioCalibration(scale: 2.2, count: 40))
    #expect(newer.calibration(.beacons) == RadioCalibration(scale: 3.3, count: 50))
  }
}
