import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("Rows of the map that are damaged or altered")
struct StoredRowTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let home = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_750_000_000))

  private static func reading(_ number: UInt64) -> RadioScan.Reading {
    RadioScan.Reading(.accessPoint(BSSID(0x1000_0000_0000 | number << 8)), level: -50)
  }

  private static func scan(_ numbers: [UInt64] = [1]) -> RadioScan {
    RadioScan(numbers.map { reading($0) }, time: now.unixTime)
  }

  private static func entries(_ map: inout RadioMap) -> [StateEntry] {
    map.changes(for: .save, at: now).compactMap { change in
      if case .set(let key, let value) = change { StateEntry(key: key, value: value) } else { nil }
    }
  }

  /// A row with another number in it.
  private static func altered(
    _ row: StateEntry, at offset: Int, _ number: some FixedWidthInteger
  ) -> StateEntry {
    var bytes = row.value
    var rest = number
    for place in 0..<(type(of: number).bitWidth / 8) {
      bytes[offset + place] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
    return StateEntry(key: row.key, value: bytes)
  }

  private static func restored(_ rows: [StateEntry]) -> RadioMap {
    RadioMap(secret: SecretKey(seed: 3), restoring: rows)
  }

  /// A map that has learned a row of a backup.
  private static func imported(_ row: StateEntry) -> RadioMap {
    var map = RadioMap(secret: SecretKey(seed: 3))
    map.learn(
      [.row(name: row.key.name, value: row.value, fingerprint: map.fingerprint)], at: now)
    return map
  }

  /// The largest tile of a map in which one transmitter was taught once, and its number of places.
  private static func tile() throws -> (row: StateEntry, places: Int) {
    var map = RadioMap(secret: SecretKey(seed: 3))
    map.teach(scan(), at: home.center)
    let rows = entries(&map).filter { $0.key.name.hasPrefix("wifi/") }
    let row = try #require(rows.max { $0.value.count < $1.value.count })
    // The head, one transmitter, and places with one level each.
    return (row, (row.value.count - 44) / 40)
  }

  /// Scans and teaches at the place, which must not trap.
  private static func use(_ map: inout RadioMap) {
    _ = map.handle(.scan(scan(), from: ProviderID(0)), at: now)
    map.teach(scan(), at: home.center)
    map.teach(scan(), at: home.place(east: 5000, north: 0))
    _ = map.handle(.scan(scan(), from: ProviderID(0)), at: now)
    _ = map.summaries(on: now.unixTime)
  }

  /// Where a number of the first place is: row, column, weight, and day.
  @Test(
    "RADIO-55: leaves out a place that is outside of its tile, or has an impossible number",
    arguments: [
      (44, Int32.min), (44, .max), (44, 0), (48, .min), (48, .max), (48, 0),
      (68, Int32(bitPattern: Float.infinity.bitPattern)),
      (68, Int32(bitPattern: Float.nan.bitPattern)),
      (68, Int32(bitPattern: Float(-1).bitPattern)), (68, Int32(bitPattern: Float(1e9).bitPattern)),
      (73, -1), (73, .min), (73, .max), (73, 100_001),
    ] as [(Int, Int32)])
  func places(offset: Int, number: Int32) throws {
    let (row, places) = try Self.tile()
    let altered = Self.altered(row, at: offset, number)
    var stored = Self.restored([altered])
    #expect(stored.layer(.accessPoints)?.cellCount == places - 1)
    Self.use(&stored)
    var map = Self.imported(altered)
    #expect(map.refusals.all.map(\.reason) == [.notUnderstood])
    #expect(map.refusals.all.map(\.count) == [1])
    Self.use(&map)
  }

  @Test("RADIO-55: leaves out a place whose coordinate is far from its number")
  func coordinates() throws {
    let (row, places) = try Self.tile()
    for (offset, degrees) in [(52, 10.0), (52, .nan), (52, 91), (60, -9.25), (60, .infinity)]
      as [(Int, Double)]
    {
      var stored = Self.restored([Self.altered(row, at: offset, degrees.bitPattern)])
      #expect(stored.layer(.accessPoints)?.cellCount == places - 1)
      Self.use(&stored)
    }
  }

  @Test("RADIO-76: reads a row of before, without accuracies, as taught by receivers outdoors")
  func rowOfBefore() throws {
    let (row, places) = try Self.tile()
    var bytes = row.value
    bytes[0] = 1
    for number in (0..<places).reversed() {
      // After the day.
      bytes.removeSubrange((44 + number * 40 + 33)..<(44 + number * 40 + 35))
    }
    var stored = Self.restored([StateEntry(key: row.key, value: bytes)])
    #expect(stored.layer(.accessPoints)?.cellCount == places)
    let found = stored.handle(.scan(Self.scan(), from: ProviderID(0)), at: Self.now)
    #expect(found.contains { if case .fix = $0 { true } else { false } })
    Self.use(&stored)
  }

  /// Where a number of the transmitter is: first and last day, moves, and the end of its block.
  @Test(
    "RADIO-55: leaves out a transmitter with impossible days or moves, and where it alone is known",
    arguments: [
      (27, Int32.min), (27, -1), (31, .max), (35, -1), (35, .min), (39, -1), (39, 100_001),
    ] as [(Int, Int32)])
  func transmitters(offset: Int, number: Int32) throws {
    let (row, _) = try Self.tile()
    var stored = Self.restored([Self.altered(row, at: offset, number)])
    #expect(stored.layer(.accessPoints)?.cellCount == 0)
    #expect(stored.layer(.accessPoints)?.stations.isEmpty ?? false)
    Self.use(&stored)
  }

  @Test("RADIO-55: counts as many moves as there are numbers, and does not trap beyond them")
  func manyMoves() throws {
    let (row, _) = try Self.tile()
    var stored = Self.restored([Self.altered(row, at: 35, Int32.max)])
    Self.use(&stored)
    #expect(stored.layer(.accessPoints)?.stations.values.map(\.moves) == [Int32.max])
  }

  @Test("RADIO-55: refuses rows of tiles that are not on the earth, and keeps what is known")
  func otherTiles() throws {
    let (row, places) = try Self.tile()
    var map = Self.restored([row])
    let fingerprint = map.fingerprint
    for name in [
      "wifi/-2147483648/0", "wifi/0/-2147483648", "wifi/2147483647/0", "moved/nothing", "moved",
    ] {
      map.learn([.row(name: name, value: row.value, fingerprint: fingerprint)], at: Self.now)
      #expect(map.refusals.all.map(\.reason) == [.notUnderstood], "\(name)")
    }
    map.learn([.row(name: "wifi/0/0", value: row.value, fingerprint: fingerprint)], at: Self.now)
    #expect(map.refusals.all.map(\.count) == [places], "the places of another tile")
    map.learn([.row(name: row.key.name, value: [1, 2], fingerprint: fingerprint)], at: Self.now)
    #expect(map.refusals.all.map(\.reason) == [.notUnderstood])
    #expect(map.layer(.accessPoints)?.cellCount == places)
  }

  @Test("RADIO-55: refuses transmitters of a list with impossible days, ranges, or places")
  mutating func lists() throws {
    let cell = CellIdentity(radio: .lte, country: 262, network: 1, area: 5, cell: 1 << 8)
    let place = PlacedStations.Place(Self.home.center, range: 1000, day: 20_000)
    map.learn([.placed(.cell(cell), place)], at: Self.now)
    let rows = Self.entries(&map)
    let row = try #require(rows.first { $0.key.name.hasPrefix("placed/cell/") })
    for (offset, number) in [
      (9, Int32.max), (13, .min), (17, 0), (17, -1), (21, -1), (21, .min), (21, .max),
    ] as [(Int, Int32)] {
      var other = Self.imported(Self.altered(row, at: offset, number))
      #expect(other.refusals.all.map(\.reason) == [.notUnderstood])
      #expect(other.summaries(on: Self.now.unixTime)[1].imported == 0)
      let reading = RadioScan.Reading(.cell(cell), level: -90, isServing: true)
      let scan = RadioScan([reading], time: Self.now.unixTime)
      _ = other.handle(.scan(scan, from: ProviderID(0)), at: Self.now)
    }
  }

  // MARK: Transmitters that have moved

  @Test("RADIO-59: what has moved stays blocked after a restart, until the map is forgotten")
  mutating func moved() throws {
    map.teach(Self.scan([1, 2]), at: Self.home.center)
    let elsewhere = Self.home.place(east: 5000, north: 0)
    map.teach(Self.scan(), at: elsewhere)
    let entries = Self.entries(&map)
    #expect(entries.contains { $0.key.name == "moved/wifi" })
    var next = Self.restored(entries)
    #expect(next.changes(for: .save, at: Self.now).isEmpty, "nothing has changed")
    next.teach(Self.scan(), at: elsewhere)
    let isBlocked = Self.isSilent(&next)
    #expect(isBlocked)
    let removed = next.changes(for: .forget, at: Self.now)
    let moved = StateKey(domain: RadioMap.domain, owner: "", name: "moved/wifi")
    #expect(removed.contains(.remove(moved)))
    next.teach(Self.scan(), at: elsewhere)
    let isStillBlocked = Self.isSilent(&next)
    #expect(!isStillBlocked, "nothing is known of it any more")
    // Another process has removed the row.
    var other = Self.restored(entries)
    _ = other.handle(
      .stored(entries.filter { $0.key.name != "moved/wifi" }), at: Self.now)
    #expect(other.layer(.accessPoints)?.stations.count == 1)
  }

  @Test("RADIO-59: of many that have moved a row holds a thousand")
  mutating func manyMoved() throws {
    // Few at each place, so that every one is kept before it moves.
    for number in 0..<28 {
      let first = UInt64(number) * 40
      let scan = Self.scan(Array(first..<(first + 40)))
      let east = Double(number) * 50
      map.teach(scan, at: Self.home.place(east: east, north: 0))
      map.teach(scan, at: Self.home.place(east: east, north: 5000))
    }
    let entries = Self.entries(&map)
    let row = try #require(entries.first { $0.key.name == "moved/wifi" })
    #expect(row.value.count == 1 + 1000 * 41)
    let next = Self.restored(entries)
    #expect(next.layer(.accessPoints)?.stations.count == 1000)
    for cut in 0..<100 {
      let damaged = StateEntry(key: row.key, value: Array(row.value.prefix(cut)))
      let map = Self.restored([damaged])
      #expect(map.layer(.accessPoints)?.stations.count == max(cut - 1, 0) / 41)
    }
  }

  private static func isSilent(_ map: inout RadioMap) -> Bool {
    map.handle(.scan(scan(), from: ProviderID(0)), at: now).contains(
      .silent(ProviderID(0), .nothingKnown))
  }
}
