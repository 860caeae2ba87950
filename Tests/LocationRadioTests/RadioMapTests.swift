import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("The learned map of transmitters")
struct RadioMapTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let home = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let provider = ProviderID(0)

  @Test("finds a place where a receiver was before, and not one that nobody has taught")
  mutating func taughtPlace() throws {
    walk(seconds: 60)
    let found = try #require(fix(scan(at: 20, second: 4000)))
    #expect(Self.home.distance(to: found.coordinate) > 10)
    #expect(error(of: found, at: 20) < 6)
    #expect(found.origin.method == .accessPoints)
    #expect(silence(scan(at: 20, second: 4100, of: 900)) == .nothingKnown)
    #expect(silence(RadioScan([], time: time(4200))) == .nothingHeard)
  }

  @Test(
    "RADIO-96: what was taught at the antimeridian is found again, also after it was stored",
    arguments: [0, 12.3, 48.5, -48.5, 71.7, 84.99, -84.99])
  func antimeridian(_ latitude: Double) throws {
    for longitude in [180, 179.999_999, 179.999_99, -179.999_99, -180] {
      let place = Coordinate(latitude: latitude, longitude: longitude)
      var map = RadioMap(secret: SecretKey(seed: 3))
      map.teach(scan(at: 20, second: 0), at: place)
      let rows = map.changes(for: .save, at: Moment(uptime: .start, unixTime: time(0)))
      let entries = rows.compactMap { change -> StateEntry? in
        guard case .set(let key, let value) = change else { return nil }
        return StateEntry(key: key, value: value)
      }
      var restored = RadioMap(secret: SecretKey(seed: 3), restoring: entries)
      #expect(restored.layer(.accessPoints)?.cellCount == map.layer(.accessPoints)?.cellCount)
      let scan = RadioMap.Input.scan(scan(at: 20, second: 10), from: Self.provider)
      let moment = Moment(uptime: .start, unixTime: time(10))
      for outputs in [map.handle(scan, at: moment), restored.handle(scan, at: moment)] {
        let fixes = outputs.compactMap { if case .fix(let fix, _) = $0 { fix } else { nil } }
        let fix = try #require(fixes.first)
        #expect(fix.coordinate.isValid)
        #expect(LocalFrame(center: place).distance(to: fix.coordinate) < 10)
      }
    }
  }

  @Test(
    "RADIO-96: the middle of a cell is on earth, at the poles and the antimeridian, too",
    arguments: [3.0, 120, 1000])
  func middles(_ spacing: Double) {
    for latitude in [90, 89.999_999, 84.99, 48.5, 0, -48.5, -89.999_999, -90] {
      for longitude in [180, 179.999_999, 0, -179.999_999, -180] {
        let place = Coordinate(latitude: latitude, longitude: longitude)
        let middle = CellIndex(place, floor: nil, spacing: spacing).middle(spacing: spacing)
        #expect(middle.isValid, "\(latitude) \(longitude)")
      }
    }
  }

  @Test("does not learn from a poor receiver, from a fast one, or from a position found by radio")
  mutating func teachers() {
    for (accuracy, speed, method) in [
      (50.0, 1.0, PositionMethod.receiver), (5, 30, .receiver), (5, 1, .accessPoints),
    ] {
      var map = RadioMap(secret: SecretKey(seed: 3))
      for second in 0..<20 {
        let place = Self.home.place(east: Double(second), north: 0)
        var fix = Fix(
          coordinate: place, horizontalAccuracy: accuracy, time: time(second),
          origin: Fix.Origin(method: method))
        fix.speed = speed
        _ = map.handle(
          .scan(scan(at: Double(second), second: second), from: Self.provider), at: moment(second))
        _ = map.handle(.fix(fix), at: moment(second))
      }
      #expect(map.layer(.accessPoints)?.cellCount == 0)
    }
  }

  @Test("RADIO-75: learns when the clock of the computer is behind, and not from what was recorded")
  mutating func wrongClock() throws {
    let days = 3 * 86_400.0
    walk(seconds: 60, ahead: days)
    let heard = scan(at: 20, second: 4000)
    let found = try #require(fix(heard))
    #expect(error(of: found, at: 20) < 6)
    #expect(found.time == heard.time + .seconds(days), "by the satellites' clock")
    // The clock is set while no receiver is open.
    let set = map.handle(
      .scan(scan(at: 20, second: 5000 + Int(days)), from: Self.provider),
      at: Moment(uptime: .start + .seconds(5000), unixTime: time(5000 + Int(days))))
    guard case .fix(let right, _)? = set.first else { throw NoPosition() }
    #expect(right.time == time(5000 + Int(days)))
    walk(seconds: 60)
    let later = scan(at: 20, second: 8000)
    #expect(try #require(fix(later)).time == later.time, "the clock was set")

    for ahead in [-days, 500 * 86_400.0] {
      map = RadioMap(secret: SecretKey(seed: 3))
      walk(seconds: 60, ahead: ahead)
      #expect(map.layer(.accessPoints)?.cellCount == 0, "\(ahead)")
    }
  }

  @Test(
    "RADIO-76: a map that a poor receiver has taught claims no more than that, also once stored")
  mutating func poorReceiver() throws {
    for _ in 0..<10 { walk(seconds: 60, accuracy: 15) }
    let rows = entries(map.changes(for: .save, at: moment(100)))
    let poor = try #require(fix(scan(at: 20, second: 4000))).horizontalAccuracy
    #expect(poor >= 13 && poor < 25, "\(poor)")
    map = RadioMap(secret: SecretKey(seed: 3))
    _ = map.handle(.stored(rows), at: moment(200))
    let stored = try #require(fix(scan(at: 20, second: 4000))).horizontalAccuracy
    #expect(abs(stored - poor) < 0.2)
    map = RadioMap(secret: SecretKey(seed: 3))
    for _ in 0..<10 { walk(seconds: 60) }
    #expect(try #require(fix(scan(at: 20, second: 4000))).horizontalAccuracy < 8)
  }

  @Test("blocks a transmitter that is heard far from its place, and forgets where it was")
  mutating func moved() {
    map.teach(scan(at: 0, second: 0), at: Self.home.center)
    let elsewhere = Self.home.place(east: 5000, north: 0)
    map.teach(RadioScan([reading(1, -50)], time: time(60)), at: elsewhere)
    // Its box alone is no clue any more, on this day and the next.
    #expect(silence(RadioScan([reading(1, -50)], time: time(120))) == .nothingKnown)
    #expect(fix(scan(at: 0, second: 180)) != nil, "the others still are")
  }

  @Test("takes the networks of one box for one, and chosen addresses only on a second day")
  mutating func boxes() {
    let local = RadioScan.Reading(.accessPoint(BSSID(0x0222_3344_5560)), level: -50)
    map.teach(RadioScan([local], time: time(0)), at: Self.home.center)
    #expect(silence(RadioScan([local], time: time(10))) == .nothingKnown)
    map.teach(RadioScan([local], time: time(90_000)), at: Self.home.center)
    #expect(fix(RadioScan([local], time: time(90_010))) != nil)
    let sibling = RadioScan.Reading(.accessPoint(BSSID(0x0022_3344_556b)), level: -50)
    #expect(fix(RadioScan([sibling], time: time(90_020))) != nil)
  }

  @Test("finds the same places after it was stored and read, and nothing after it was forgotten")
  mutating func stored() throws {
    walk(seconds: 60)
    let outputs = map.handle(.wake, at: moment(10_000))
    let entries = outputs.compactMap { output -> StateEntry? in
      guard case .store(.set(let key, let value)) = output else { return nil }
      return StateEntry(key: key, value: value)
    }
    var restored = RadioMap(secret: SecretKey(seed: 3))
    _ = restored.handle(.stored(entries), at: moment(0))
    let asked = RadioMap.Input.scan(scan(at: 33, second: 20_000), from: Self.provider)
    let first = restored.handle(asked, at: moment(20_000))
    guard case .fix(let found, _)? = first.first else {
      Issue.record("no position: \(first)")
      return
    }
    #expect(error(of: found, at: 33) < 6)
    let removals = map.handle(.forget, at: moment(20_001))
    #expect(removals.count > 1)
    #expect(map.layer(.accessPoints)?.cellCount == 0)
    for cut in 0..<min(entries[0].value.count, 200) {
      var damaged = RadioMap(secret: SecretKey(seed: 3))
      let entry = StateEntry(key: entries[0].key, value: Array(entries[0].value.prefix(cut)))
      _ = damaged.handle(.stored([entry]), at: moment(0))
    }
  }

  @Test("RADIO-18: holds no more places than its bound")
  mutating func bounds() throws {
    for number in 0..<8000 {
      let place = Self.home.place(east: Double(number % 100) * 30, north: Double(number / 100) * 30)
      map.teach(RadioScan([reading(UInt64(number % 50), -50)], time: time(number)), at: place)
    }
    let layer = try #require(map.layer(.accessPoints))
    #expect(layer.cellCount <= RadioLayer.Grain.accessPoints.mostCells)
  }

  @Test("RADIO-18: a million addresses beside the way do not grow it beyond its bounds")
  mutating func flood() throws {
    var grain = RadioLayer.Grain.accessPoints
    (grain.mostStations, grain.mostCells) = (1000, 5000)
    map = RadioMap(secret: SecretKey(seed: 3), accessPoints: grain)
    for second in 0..<200 {
      let flood = (0..<250).map { reading(UInt64(second * 250 + $0), -60) }
      map.teach(
        RadioScan(flood, time: time(second * 86_400)),
        at: Self.home.place(east: Double(second) * 8, north: 0))
      #expect(try #require(map.layer(.accessPoints)).stations.count <= 1000)
    }
    let layer = try #require(map.layer(.accessPoints))
    #expect(layer.stations.count > 500 && layer.cellCount <= 5000)
    #expect(RadioLayer.Grain.accessPoints.mostStations == 100_000)
    #expect(layer.places.allSatisfy { $0?.cell.levels.count ?? 0 <= 48 })
    for change in map.changes(for: .save, at: moment(5000)) {
      if case .set(_, let value) = change { #expect(value.count <= 48_000) }
    }
  }

  @Test("takes over what another process has stored of a tile, and keeps the rest")
  mutating func adopted() throws {
    walk(seconds: 60)
    let mine = entries(map.changes(for: .save, at: moment(100)))
    var other = RadioMap(secret: SecretKey(seed: 3), restoring: mine)
    other.teach(scan(at: 5, second: 200, of: 900), at: Self.home.place(east: 5, north: 3000))
    let theirs = entries(other.changes(for: .save, at: moment(201)))
    let both = Dictionary((mine + theirs).map { ($0.key, $0.value) }) { $1 }
      .map { StateEntry(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    let before = try #require(map.layer(.accessPoints)?.cellCount)
    _ = map.handle(.stored(both), at: moment(300))
    #expect(map.layer(.accessPoints)?.cellCount == other.layer(.accessPoints)?.cellCount)
    #expect(try #require(map.layer(.accessPoints)?.cellCount) > before)
    _ = map.handle(.stored(mine), at: moment(301))
    #expect(map.layer(.accessPoints)?.cellCount == before)
  }

  private struct NoPosition: Error {}

  private func entries(_ changes: [StateChange]) -> [StateEntry] {
    changes.compactMap { change in
      if case .set(let key, let value) = change { StateEntry(key: key, value: value) } else { nil }
    }
  }

  // MARK: The street

  /// Six boxes along a street of 100 m.
  private func scan(at east: Double, second: Int, of first: UInt64 = 1) -> RadioScan {
    let readings = (0..<6).map { number in
      reading(first + UInt64(number), -40 - abs(east - Double(number) * 20) * 0.8)
    }
    return RadioScan(readings, time: time(second))
  }

  private func reading(_ number: UInt64, _ level: Double) -> RadioScan.Reading {
    RadioScan.Reading(.accessPoint(BSSID(0x1000_0000_0000 | number << 8)), level: level)
  }

  /// Walks along the street with a receiver whose clock is so many seconds ahead of the computer's.
  private mutating func walk(seconds: Int, ahead: Double = 0, accuracy: Double = 4) {
    for second in 0..<seconds {
      let place = Self.home.place(east: Double(second), north: 0)
      let heard = scan(at: Double(second), second: second)
      _ = map.handle(.scan(heard, from: Self.provider), at: moment(second))
      let fix = Fix(
        coordinate: place, horizontalAccuracy: accuracy, time: time(second) + .seconds(ahead))
      _ = map.handle(.fix(fix), at: moment(second))
    }
  }

  private mutating func fix(_ scan: RadioScan) -> Fix? {
    for case .fix(let fix, _) in answer(scan) { return fix }
    return nil
  }

  private mutating func silence(_ scan: RadioScan) -> RadioSilence? {
    for case .silent(_, let reason) in answer(scan) { return reason }
    return nil
  }

  private mutating func answer(_ scan: RadioScan) -> [RadioMap.Output] {
    let seconds = Int(scan.time.seconds - 1_600_000_000)
    return map.handle(.scan(scan, from: Self.provider), at: moment(seconds))
  }

  private func error(of fix: Fix, at east: Double) -> Double {
    LocalFrame(center: Self.home.place(east: east, north: 0)).distance(to: fix.coordinate)
  }

  private func time(_ second: Int) -> UnixTime { UnixTime(seconds: 1_600_000_000 + Double(second)) }

  private func moment(_ second: Int) -> Moment {
    Moment(uptime: .start + .seconds(second), unixTime: time(second))
  }
}
