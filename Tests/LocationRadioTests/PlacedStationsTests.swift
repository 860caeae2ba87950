import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("An imported list of transmitters")
struct PlacedStationsTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let home = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_750_000_000))
  private static let day: Int32 = 20_254

  private func cell(_ number: UInt64) -> Transmitter {
    .cell(CellIdentity(radio: .lte, country: 262, network: 1, area: 5, cell: number << 8))
  }

  private mutating func place(_ number: UInt64, east: Double, range: Double = 1000) {
    let place = PlacedStations.Place(
      Self.home.place(east: east, north: 0), range: range, day: Self.day)
    _ = map.handle(.learn([.placed(cell(number), place)]), at: Self.now)
  }

  private mutating func found(_ numbers: [UInt64]) -> Fix? {
    let readings = numbers.map { RadioScan.Reading(cell($0), level: -90, isServing: $0 == 1) }
    let scan = RadioScan(readings, time: Self.now.unixTime)
    for case .fix(let fix, _) in map.handle(.scan(scan, from: ProviderID(0)), at: Self.now) {
      return fix
    }
    return nil
  }

  @Test("answers where nothing was learned, with its range as the radius")
  mutating func answers() throws {
    #expect(found([1]) == nil)
    place(1, east: 300)
    let fix = try #require(found([1]))
    #expect(fix.origin.method == .cells)
    #expect(Self.home.distance(to: fix.coordinate) < 301)
    #expect((1000...1010).contains(fix.horizontalAccuracy))
  }

  @Test(
    "RADIO-95: a list's range gives a position on earth, whatever number it is, with more than one",
    arguments: [Double.leastNonzeroMagnitude, 1e-200, 0.4, 1, 1e6, 1e200])
  mutating func ranges(_ range: Double) throws {
    place(1, east: 0, range: range)
    place(2, east: 60, range: range)
    for heard in [[1], [1, 2]] as [[UInt64]] {
      let fix = try #require(found(heard))
      #expect(fix.coordinate.isValid && Self.home.distance(to: fix.coordinate) < 61)
      #expect((200...1e6).contains(fix.horizontalAccuracy))
    }
  }

  @Test("does not believe a transmitter that lies apart from the others")
  mutating func apart() throws {
    place(1, east: 0)
    place(2, east: 600)
    place(3, east: 80_000, range: 500)
    let fix = try #require(found([1, 2, 3]))
    #expect(Self.home.distance(to: fix.coordinate) < 700)
  }

  @Test("loses a transmitter that is received far from its place while a receiver knows it")
  mutating func wrong() throws {
    place(1, east: 50_000)
    #expect(found([1]) != nil)
    for second in 0..<4 {
      let time = Self.now.unixTime + .seconds(second)
      let at = Moment(uptime: .start + .seconds(second), unixTime: time)
      let scan = RadioScan([RadioScan.Reading(cell(1), level: -90, isServing: true)], time: time)
      _ = map.handle(.scan(scan, from: ProviderID(0)), at: at)
      let fix = Fix(
        coordinate: Self.home.place(east: Double(second), north: 0), horizontalAccuracy: 4,
        time: time)
      _ = map.handle(.fix(fix), at: at)
    }
    let summary = map.summaries(on: Self.now.unixTime)[1]
    #expect(summary.imported == 0)
    let fix = try #require(found([1]))
    #expect(Self.home.distance(to: fix.coordinate) < 200)
  }

  @Test("RADIO-18: has a bound; what does not fit is counted")
  mutating func bound() {
    let place = PlacedStations.Place(Self.home.center, range: 1000, day: Self.day)
    let list = (0..<UInt64(PlacedStations.most + 7)).map {
      RadioObservation.placed(cell($0 + 1), place)
    }
    _ = map.handle(.learn(list), at: Self.now)
    #expect(map.summaries(on: Self.now.unixTime)[1].imported == PlacedStations.most)
    #expect(map.refusals.all.map(\.count) == [7])
    let changes = map.changes(for: .save, at: Self.now)
    #expect(changes.count == 257, "buckets, and the calibration")
    for case .set(_, let value) in changes { #expect(value.count < 40_000) }
  }

  @Test("is stored and read, and gone when it is forgotten")
  mutating func stored() throws {
    for number in 1...20 { place(UInt64(number), east: Double(number)) }
    let entries = map.changes(for: .save, at: Self.now).compactMap { change -> StateEntry? in
      guard case .set(let key, let value) = change else { return nil }
      return StateEntry(key: key, value: value)
    }
    var next = RadioMap(secret: SecretKey(seed: 3), restoring: entries)
    #expect(next.summaries(on: Self.now.unixTime)[1].imported == 20)
    #expect(next.changes(for: .save, at: Self.now).isEmpty, "nothing has changed")
    let removed = next.changes(for: .forget, at: Self.now)
    #expect(removed.count == entries.count)
    #expect(next.summaries(on: Self.now.unixTime).allSatisfy { $0.imported == 0 && $0.bytes == 0 })
  }

  @Test("RADIO-19: rows of an export are read by the same computer, and by no other")
  mutating func rows() throws {
    place(1, east: 300)
    let rows = map.changes(for: .save, at: Self.now).compactMap { change -> RadioObservation? in
      guard case .set(let key, let value) = change else { return nil }
      return .row(name: key.name, value: value, fingerprint: map.fingerprint)
    }
    var same = RadioMap(secret: SecretKey(seed: 3))
    _ = same.handle(.learn(rows), at: Self.now)
    #expect(same.summaries(on: Self.now.unixTime)[1].imported == 1)
    #expect(same.changes(for: .save, at: Self.now).count == 2)
    var other = RadioMap(secret: SecretKey(seed: 4))
    _ = other.handle(.learn(rows), at: Self.now)
    #expect(other.summaries(on: Self.now.unixTime)[1].imported == 0)
    #expect(other.refusals.all.map(\.reason) == [.otherMap])
    _ = same.handle(
      .learn([.row(name: "../../etc", value: [1], fingerprint: same.fingerprint)]), at: Self.now)
    #expect(same.refusals.all.map(\.reason) == [.notUnderstood])
  }
}
