import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("Which transmitter is which, and when it was there")
struct RadioIdentityTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let home = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_750_000_000))
  private static let neighbor = RadioScan.Reading(
    .neighbor(CellChannel(radio: .lte, channel: 1300, physical: 31)), level: -50)
  private static let otherNeighbor = RadioScan.Reading(
    .neighbor(CellChannel(radio: .lte, channel: 1300, physical: 32)), level: -50)

  private static func cell(
    _ radio: CellIdentity.Radio, area: Int?, _ cell: UInt64, country: Int = 262
  ) -> RadioScan.Reading {
    RadioScan.Reading(
      .cell(CellIdentity(radio: radio, country: country, network: 1, area: area, cell: cell)),
      level: -90, isServing: true)
  }

  private static func station(
    _ number: UInt64, sector: UInt64 = 1, country: Int = 262
  ) -> RadioScan.Reading {
    cell(.lte, area: 5, number << 8 | sector, country: country)
  }

  private static func scan(_ readings: [RadioScan.Reading], daysAgo: Int = 0) -> RadioScan {
    RadioScan(readings, time: now.unixTime + .seconds(-86_400 * daysAgo))
  }

  private mutating func place(_ readings: [RadioScan.Reading]) -> Coordinate? {
    for case .fix(let fix, _) in answer(readings) { return fix.coordinate }
    return nil
  }

  private mutating func silence(_ readings: [RadioScan.Reading]) -> RadioSilence? {
    for case .silent(_, let reason) in answer(readings) { return reason }
    return nil
  }

  private mutating func answer(_ readings: [RadioScan.Reading]) -> [RadioMap.Output] {
    map.handle(.scan(Self.scan(readings), from: ProviderID(0)), at: Self.now)
  }

  // MARK: Areas

  @Test("RADIO-56: a GSM cell is known by its area, too, and without one not at all")
  mutating func areas() {
    map.teach(Self.scan([Self.cell(.gsm, area: 5, 100)]), at: Self.home.center)
    #expect(place([Self.cell(.gsm, area: 5, 100)]) != nil)
    #expect(silence([Self.cell(.gsm, area: 6, 100)]) == .countryOnly)
    for area in [nil, 0, 65_534, 65_535, -1] {
      #expect(silence([Self.cell(.gsm, area: area, 100)]) == .countryOnly)
    }
  }

  @Test("RADIO-56: so is a UMTS cell of 16 bits, while a longer identity is enough alone")
  mutating func shortIdentities() {
    let long = Self.cell(.umts, area: nil, 0x5_0064)
    map.teach(Self.scan([long]), at: Self.home.center)
    #expect(place([long]) != nil)
    #expect(silence([Self.cell(.umts, area: 5, 0x64)]) == .countryOnly)
    #expect(silence([Self.cell(.umts, area: nil, 0x64)]) == .countryOnly)
  }

  @Test("RADIO-56: cells of a list without their area are counted and not used")
  func lists() {
    let names = "radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated\n"
    for (row, isUsed) in [
      ("GSM,262,1,5,100", true), ("GSM,262,1,,100", false), ("GSM,262,1,0,100", false),
      ("UMTS,262,1,,100", false), ("UMTS,262,1,,327780", true), ("LTE,262,1,,100", true),
    ] {
      var reader = RadioImport(now: Self.now.unixTime)
      let found = reader.read("\(names)\(row),0,11.5,48.1,1200,5,1,1,1746100000\n".utf8)
      #expect((found.count == 1) == isUsed, "\(row)")
      let refused: [ImportRefusal] = isUsed ? [] : [.noCell]
      #expect(reader.refusals.all.map(\.reason) == refused, "\(row)")
    }
  }

  // MARK: Neighbors

  @Test("RADIO-57: a neighbor's channel alone, or beside an unknown cell, gives no position")
  mutating func strangers() {
    map.teach(Self.scan([Self.station(10), Self.neighbor]), at: Self.home.center)
    #expect(place([Self.station(10), Self.neighbor]) != nil)
    #expect(place([Self.station(10, sector: 2), Self.neighbor]) != nil, "a cell of its station")
    #expect(silence([Self.station(99), Self.neighbor]) == .areaOnly)
    #expect(silence([Self.station(10, country: 228), Self.neighbor]) == .countryOnly)
    #expect(silence([Self.neighbor]) == .nothingHeard)
  }

  @Test("RADIO-57: neighbors beside a known cell tell places apart")
  mutating func neighbors() throws {
    let east = Self.home.place(east: 2000, north: 0)
    map.teach(Self.scan([Self.station(10), Self.neighbor]), at: Self.home.center)
    map.teach(Self.scan([Self.station(10), Self.otherNeighbor]), at: east)
    let found = try #require(place([Self.station(10), Self.otherNeighbor]))
    #expect(LocalFrame(center: east).distance(to: found) < 500)
  }

  // MARK: Days

  @Test("RADIO-58: an older observation far away neither moves a transmitter nor teaches")
  mutating func older() throws {
    let box = RadioScan.Reading(.accessPoint(BSSID(0x1000_0000_0100)), level: -50)
    map.teach(Self.scan([box]), at: Self.home.center)
    let elsewhere = Self.home.place(east: 5000, north: 0)
    map.learn([.scan(Self.scan([box], daysAgo: 10), at: elsewhere, floor: nil)], at: Self.now)
    #expect(map.refusals.all.map(\.reason) == [.older])
    #expect(map.refusals.all.map(\.count) == [1])
    #expect(map.layer(.accessPoints)?.stations.values.map(\.moves) == [0])
    let found = try #require(place([box]))
    #expect(Self.home.distance(to: found) < 20)
  }

  @Test("RADIO-58: an older observation at the same place says since when it is there")
  mutating func since() {
    // An address that its owner has chosen counts from the second day on.
    let local = RadioScan.Reading(.accessPoint(BSSID(0x0222_3344_5560)), level: -50)
    map.teach(Self.scan([local]), at: Self.home.center)
    #expect(silence([local]) == .nothingKnown)
    map.learn(
      [.scan(Self.scan([local], daysAgo: 10), at: Self.home.center, floor: nil)], at: Self.now)
    #expect(map.refusals.all.isEmpty)
    #expect(place([local]) != nil)
  }

  @Test("RADIO-58: of two places in lists the newer one counts, in whatever order they come")
  mutating func newerPlace() throws {
    let cell = Self.station(10)
    let (newer, older) = (Self.home.center, Self.home.place(east: 50_000, north: 0))
    map.learn(
      [
        .placed(cell.transmitter, PlacedStations.Place(newer, range: 1000, day: 20_000)),
        .placed(cell.transmitter, PlacedStations.Place(older, range: 1000, day: 19_000)),
      ], at: Self.now)
    #expect(map.refusals.all.map(\.reason) == [.older])
    let found = try #require(place([cell]))
    #expect(Self.home.distance(to: found) < 10)
  }
}
