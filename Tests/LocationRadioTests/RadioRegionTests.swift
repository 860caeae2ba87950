import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("The region of a cell that is not known")
struct RadioRegionTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let home = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_750_000_000))
  private static let provider = ProviderID(0)

  private static func cell(
    _ station: UInt64, area: Int? = 5, country: Int = 262, network: Int = 1,
    radio: CellIdentity.Radio = .lte
  ) -> CellIdentity {
    CellIdentity(
      radio: radio, country: country, network: network, area: area, cell: station << 8 | 1)
  }

  private static func scan(_ cell: CellIdentity, by radio: String = "") -> RadioScan {
    let reading = RadioScan.Reading(.cell(cell), level: -90, isServing: true)
    return RadioScan([reading], time: now.unixTime, radio: radio)
  }

  private mutating func list(_ cell: CellIdentity, at place: Coordinate, range: Double = 1000) {
    let known = PlacedStations.Place(place, range: range, day: 20_000)
    map.learn([.placed(.cell(cell), known)], at: Self.now)
  }

  private struct Answer {
    var silence: RadioSilence?
    var position: Fix?
    var region: Fix?
    var isWithdrawn = false
  }

  /// What a scan leads to at once, and with the next wake.
  private mutating func answer(_ cell: CellIdentity, by radio: String = "") -> Answer {
    answer(.scan(Self.scan(cell, by: radio), from: Self.provider))
  }

  private mutating func answer(_ input: RadioMap.Input) -> Answer {
    var answer = Answer()
    for output in map.handle(input, at: Self.now) {
      switch output {
      case .silent(_, let reason): answer.silence = reason
      case .fix(let fix, _): answer.position = fix
      case .store, .noRegion: break
      }
    }
    for output in map.handle(.wake, at: Self.now) {
      if case .fix(let fix, _) = output { answer.region = fix }
      if output == .noRegion(Self.provider) { answer.isWithdrawn = true }
    }
    return answer
  }

  // MARK: The area

  @Test("RADIO-70: is the middle of what is known of its area")
  mutating func area() throws {
    for number in 0..<9 {
      let (east, north) = (Double(number % 3 - 1) * 3000, Double(number / 3 - 1) * 3000)
      list(Self.cell(UInt64(number + 1)), at: Self.home.place(east: east, north: north))
    }
    let found = answer(Self.cell(99))
    #expect(found.silence == .areaOnly && found.position == nil)
    let region = try #require(found.region)
    #expect(region.origin.method == .region)
    #expect(region.time == Self.now.unixTime)
    #expect(Self.home.distance(to: region.coordinate) < 100)
    #expect((4000...7000).contains(region.horizontalAccuracy))
  }

  @Test(
    "RADIO-70: another area, network, country, or radio has its own",
    arguments: [
      cell(99, area: 6), cell(99, network: 2), cell(99, country: 228), cell(99, radio: .nr),
      cell(99, area: nil), cell(99, area: 0), cell(99, area: 65_534), cell(99, area: -1),
    ])
  mutating func others(_ other: CellIdentity) {
    list(Self.cell(1), at: Self.home.center)
    #expect(answer(other).silence == .countryOnly)
  }

  @Test("RADIO-70: GSM and UMTS of a network share their areas")
  mutating func shared() {
    list(Self.cell(1, radio: .umts), at: Self.home.center)
    #expect(answer(Self.cell(2, radio: .gsm)).silence == .areaOnly)
  }

  @Test("RADIO-70: is known by what this computer has received, too")
  mutating func learned() throws {
    for number in 0..<20 {
      map.teach(
        Self.scan(Self.cell(UInt64(number / 4 + 1))),
        at: Self.home.place(east: Double(number - 10) * 500, north: 0))
    }
    let region = try #require(answer(Self.cell(99)).region)
    #expect(answer(Self.cell(1)).position != nil)
    #expect(Self.home.distance(to: region.coordinate) < 1000)
    #expect((5000...12_000).contains(region.horizontalAccuracy))
  }

  @Test("RADIO-70: the fewer places are known, the wider; what lies together says little")
  mutating func width() throws {
    var radii: [Double] = []
    for count in [1, 4, 16] {
      map = RadioMap(secret: SecretKey(seed: 3))
      for number in 0..<count {
        let place = Self.home.place(
          east: Double(number % 4) * 1100, north: Double(number / 4 % 4) * 1100)
        list(Self.cell(UInt64(number + 1)), at: place, range: 500)
      }
      radii.append(try #require(answer(Self.cell(999)).region).horizontalAccuracy)
    }
    #expect(radii == radii.sorted(by: >))
    #expect((8000...10_000).contains(radii[0]))
    #expect(radii[2] > 3500)
    // A building with many cells.
    for number in 100..<300 {
      list(Self.cell(UInt64(number)), at: Self.home.center, range: 500)
    }
    let crowded = answer(Self.cell(999)).region?.horizontalAccuracy ?? radii[2]
    #expect(crowded >= radii[2])
  }

  @Test("RADIO-70: places that are wrong move it little")
  mutating func wrong() throws {
    for number in 0..<20 {
      let place = Self.home.place(east: Double(number - 10) * 1500, north: 0)
      list(Self.cell(UInt64(number + 1)), at: place)
    }
    for number in 0..<5 {
      list(
        Self.cell(UInt64(number + 50)),
        at: Coordinate(latitude: -33 - Double(number), longitude: 151))
    }
    let region = try #require(answer(Self.cell(99)).region)
    #expect(Self.home.distance(to: region.coordinate) < 5000)
    #expect(region.horizontalAccuracy < 20_000)
  }

  @Test("RADIO-70: an area whose places are hundreds of kilometers apart says nothing")
  mutating func scattered() {
    for number in 0..<40 {
      let place = Self.home.place(east: Double(number) * 10_000, north: 0)
      list(Self.cell(UInt64(number + 1)), at: place)
    }
    #expect(answer(Self.cell(99)).silence == .countryOnly)
  }

  @Test("RADIO-70: the radius holds two thirds of areas of all sizes, however little is known")
  mutating func containment() throws {
    var random = SeededRandom(seed: 5)
    func place(within radius: Double) -> Coordinate {
      let (far, turn) = (
        radius * Double.random(in: 0...1, using: &random).squareRoot(),
        Angle(degrees: Double.random(in: 0..<360, using: &random))
      )
      return Self.home.place(east: far * cos(turn), north: far * sin(turn))
    }
    for count in [1, 3, 10, 100] {
      var held = 0
      for trial in 0..<200 {
        map = RadioMap(secret: SecretKey(seed: 3))
        // From a city's area to that of a plain.
        let radius = 3000 * exponential(Double.random(in: 0...2, using: &random))
        for number in 0..<count {
          list(Self.cell(UInt64(trial * 1000 + number)), at: place(within: radius))
        }
        let region = try #require(answer(Self.cell(1 << 19)).region)
        let truth = place(within: radius)
        let error = LocalFrame(center: truth).distance(to: region.coordinate)
        held += error <= region.horizontalAccuracy ? 1 : 0
      }
      #expect((116...180).contains(held), "\(count) places: \(held) of 200")
    }
  }

  // MARK: The country

  @Test("RADIO-71: where nothing of the area is known, is where the people of the country live")
  mutating func country() throws {
    let region = try #require(answer(Self.cell(1, country: 206)).region)
    let brussels = LocalFrame(center: Coordinate(latitude: 50.85, longitude: 4.35))
    #expect(brussels.distance(to: region.coordinate) < 30_000)
    #expect((50_000...100_000).contains(region.horizontalAccuracy))
  }

  @Test("RADIO-71: a network of no country, as of ships, gives none", arguments: [901, 999, 1])
  mutating func nowhere(_ code: Int) {
    let found = answer(Self.cell(1, country: code))
    #expect(found.region == nil && found.silence == .nothingKnown)
  }

  @Test("RADIO-71: nearly every code of a country has a place on earth")
  mutating func codes() {
    var known = 0
    for code in 1...999 {
      guard let region = answer(Self.cell(1, country: code)).region else { continue }
      known += 1
      #expect(region.coordinate.isValid, "\(code)")
      #expect((5000...2_000_000).contains(region.horizontalAccuracy), "\(code)")
    }
    #expect(known > 200)
  }

  // MARK: When it is passed on

  @Test("RADIO-72: comes with the next wake, once, and again when it is another")
  mutating func passing() {
    #expect(map.nextDeadline == nil)
    _ = map.handle(.scan(Self.scan(Self.cell(1)), from: Self.provider), at: Self.now)
    #expect(map.nextDeadline == Self.now.uptime)
    #expect(map.handle(.wake, at: Self.now).count == 1)
    #expect(map.nextDeadline == nil)
    #expect(answer(Self.cell(2)).region == nil, "the same country")
    #expect(answer(Self.cell(2, country: 228)).region != nil)
    #expect(answer(Self.cell(2)).region != nil)
    _ = map.handle(.forget, at: Self.now)
    #expect(answer(Self.cell(2)).region != nil, "what was passed on is forgotten, too")
  }

  @Test("RADIO-72: follows the serving cell also where its place is known")
  mutating func following() throws {
    #expect(answer(Self.cell(1)).region != nil)
    let abroad = Self.cell(2, area: 7, country: 228)
    list(abroad, at: Coordinate(latitude: 47.4, longitude: 8.5))
    let found = answer(abroad)
    #expect(found.position?.origin.method == .cells && found.silence == nil)
    let region = try #require(found.region)
    #expect(region.coordinate.latitude < 47.6)
    #expect(answer(abroad).region == nil)
  }

  @Test("RADIO-72: is that of the serving cell, in whatever order cells are reported")
  mutating func serving() throws {
    list(Self.cell(1), at: Self.home.center)
    list(Self.cell(2, area: 6), at: Self.home.place(east: 90_000, north: 0))
    let readings = [
      RadioScan.Reading(.cell(Self.cell(3, area: 6)), level: -60),
      RadioScan.Reading(.cell(Self.cell(4)), level: -90, isServing: true),
    ]
    let scan = RadioScan(readings, time: Self.now.unixTime)
    _ = map.handle(.scan(scan, from: Self.provider), at: Self.now)
    guard case .fix(let region, _)? = map.handle(.wake, at: Self.now).first else {
      Issue.record("no region")
      return
    }
    #expect(Self.home.distance(to: region.coordinate) < 10)
  }

  // MARK: When it is withdrawn

  @Test(
    "RADIO-84: a network of no country, as one for tests, withdraws the region before, once",
    arguments: [1, 901, 999])
  mutating func withdrawn(_ code: Int) {
    #expect(!answer(Self.cell(3, country: code)).isWithdrawn, "there was none")
    #expect(answer(Self.cell(1)).region != nil)
    let found = answer(Self.cell(1, country: code))
    #expect(found.isWithdrawn && found.region == nil && found.silence == .nothingKnown)
    #expect(!answer(Self.cell(2, country: code)).isWithdrawn, "it was withdrawn before")
    #expect(answer(Self.cell(1)).region != nil, "the same as before, again")
  }

  @Test("RADIO-84: a test network's region of before is withdrawn before it was passed on, too")
  mutating func overtaken() {
    for cell in [Self.cell(1), Self.cell(1, country: 999)] {
      _ = map.handle(.scan(Self.scan(cell), from: Self.provider), at: Self.now)
    }
    #expect(map.handle(.wake, at: Self.now) == [.noRegion(Self.provider)])
  }

  @Test("RADIO-88: forgetting the map withdraws the region at once, also when another process does")
  mutating func forgotten() throws {
    list(Self.cell(1), at: Self.home.center)
    let rows = map.changes(for: .save, at: Self.now).compactMap { change -> StateEntry? in
      guard case .set(let key, let value) = change else { return nil }
      return StateEntry(key: key, value: value)
    }
    #expect(answer(Self.cell(99)).silence == .areaOnly)
    #expect(map.handle(.forget, at: Self.now).contains(.noRegion(Self.provider)))
    #expect(!map.handle(.forget, at: Self.now).contains(.noRegion(Self.provider)))
    let next = answer(Self.cell(99))
    #expect(next.region != nil && next.silence == .countryOnly, "of the next scan")
    #expect(map.handle(.stored(rows), at: Self.now).isEmpty)
    #expect(answer(Self.cell(99)).silence == .areaOnly)
    #expect(map.handle(.stored([]), at: Self.now) == [.noRegion(Self.provider)])
  }

  // MARK: Several modems

  @Test("RADIO-85: of two modems the smaller region is given, whichever reports last")
  mutating func several() throws {
    list(Self.cell(1), at: Self.home.center)
    let abroad = Self.cell(1, country: 228)
    let country = answer(abroad, by: "/m/1")
    #expect(country.region != nil && country.silence == .countryOnly)
    let area = try #require(answer(Self.cell(99), by: "/m/0").region)
    #expect(Self.home.distance(to: area.coordinate) < 10)
    for _ in 0..<3 {
      for (cell, radio) in [(abroad, "/m/1"), (Self.cell(99), "/m/0")] {
        let found = answer(cell, by: radio)
        #expect(found.region == nil && !found.isWithdrawn)
        #expect(found.silence == .areaOnly, "what is given is the area")
      }
    }
  }

  @Test("RADIO-85: the region that is given stays until another one is clearly smaller")
  mutating func steady() throws {
    list(Self.cell(1), at: Self.home.center)
    let elsewhere = Self.home.place(east: 9000, north: 0)
    list(Self.cell(2, area: 6), at: elsewhere)
    #expect(answer(Self.cell(98, area: 6), by: "/m/1").region != nil)
    for _ in 0..<3 {
      #expect(answer(Self.cell(99), by: "/m/0").region == nil)
      #expect(answer(Self.cell(98, area: 6), by: "/m/1").region == nil)
    }
    // More is learned of the first one's area.
    for number in 10..<40 {
      let place = Self.home.place(east: Double(number % 6) * 1100, north: Double(number / 6) * 400)
      list(Self.cell(UInt64(number)), at: place, range: 500)
    }
    let found = try #require(answer(Self.cell(99), by: "/m/0").region)
    #expect(LocalFrame(center: elsewhere).distance(to: found.coordinate) > 3000)
    #expect(answer(Self.cell(98, area: 6), by: "/m/1").region == nil)
  }

  @Test("RADIO-85: a modem that receives nothing counts alone only, and one that is gone never")
  mutating func quiet() throws {
    list(Self.cell(1), at: Self.home.center)
    let abroad = Self.cell(1, country: 228)
    #expect(answer(Self.cell(99), by: "/m/0").region != nil)
    var found = answer(.quiet(Self.provider, radio: "/m/0", isGone: false))
    #expect(found.region == nil && !found.isWithdrawn, "it is the only one")
    #expect(try #require(answer(abroad, by: "/m/1").region).horizontalAccuracy > 50_000)
    #expect(try #require(answer(Self.cell(99), by: "/m/0").region).horizontalAccuracy < 20_000)
    found = answer(.quiet(Self.provider, radio: "/m/0", isGone: true))
    #expect(try #require(found.region).horizontalAccuracy > 50_000)
    #expect(answer(.quiet(Self.provider, radio: "/m/1", isGone: true)).isWithdrawn)
    #expect(!answer(.quiet(Self.provider, radio: "/m/1", isGone: true)).isWithdrawn)
  }

  @Test("RADIO-85: eight modems of a source count, and no ninth")
  mutating func bound() {
    list(Self.cell(1), at: Self.home.center)
    for number in 0..<8 {
      #expect((answer(Self.cell(1, area: 8), by: "/m/\(number)").region != nil) == (number == 0))
    }
    #expect(answer(Self.cell(99), by: "/m/9").silence == .countryOnly)
    _ = answer(.quiet(Self.provider, radio: "/m/0", isGone: true))
    #expect(answer(Self.cell(99), by: "/m/9").silence == .areaOnly)
  }

  // MARK: Lists

  @Test("RADIO-73: a restart and an export keep the areas of an imported list")
  mutating func stored() throws {
    for number in 1...300 {
      list(Self.cell(UInt64(number)), at: Self.home.place(east: Double(number) * 10, north: 0))
    }
    let before = try #require(answer(Self.cell(999)).region)
    let entries = map.changes(for: .save, at: Self.now).compactMap { change -> StateEntry? in
      guard case .set(let key, let value) = change else { return nil }
      return StateEntry(key: key, value: value)
    }
    map = RadioMap(secret: SecretKey(seed: 3), restoring: entries)
    let after = try #require(answer(Self.cell(999)).region)
    #expect(LocalFrame(center: before.coordinate).distance(to: after.coordinate) < 1)
    #expect(map.changes(for: .save, at: Self.now).isEmpty, "nothing has changed")
    map = RadioMap(secret: SecretKey(seed: 3))
    map.learn(
      entries.map { .row(name: $0.key.name, value: $0.value, fingerprint: map.fingerprint) },
      at: Self.now)
    #expect(answer(Self.cell(999)).silence == .areaOnly)
  }

  @Test("RADIO-73: rows of before have no areas, and are read")
  mutating func older() throws {
    list(Self.cell(1, area: nil), at: Self.home.center)
    let row = map.changes(for: .save, at: Self.now).compactMap { change -> StateEntry? in
      guard case .set(let key, let value) = change, key.name.hasPrefix("placed") else {
        return nil
      }
      return StateEntry(key: key, value: value)
    }
    #expect(row.map(\.value.first) == [1])
    map = RadioMap(secret: SecretKey(seed: 3), restoring: row)
    #expect(answer(Self.cell(1)).position != nil)
    #expect(answer(Self.cell(2)).silence == .countryOnly)
    list(Self.cell(1), at: Self.home.center)
    #expect(answer(Self.cell(2)).silence == .areaOnly, "imported again")
  }

  @Test("RADIO-73: a torn area at the end of a row is left out and counted")
  mutating func torn() throws {
    list(Self.cell(1), at: Self.home.center)
    for change in map.changes(for: .save, at: Self.now) {
      guard case .set(let key, let value) = change, key.name.hasPrefix("placed") else { continue }
      #expect(value.first == 2)
      map = RadioMap(secret: SecretKey(seed: 3))
      map.learn(
        [.row(name: key.name, value: value.dropLast(3), fingerprint: map.fingerprint)],
        at: Self.now)
      #expect(map.refusals.all.map(\.reason) == [.notUnderstood])
      #expect(map.summaries(on: Self.now.unixTime)[1].imported == 0)
    }
  }

  @Test("RADIO-73: of a large area a sample counts, which is as wide as all of it")
  mutating func large() throws {
    let places = (1...5000).map { number -> RadioObservation in
      let place = Self.home.place(
        east: Double(number % 100) * 200, north: Double(number / 100) * 400)
      return .placed(
        .cell(Self.cell(UInt64(number))), PlacedStations.Place(place, range: 1000, day: 20_000))
    }
    map.learn(places, at: Self.now)
    let region = try #require(answer(Self.cell(9999)).region)
    let middle = Self.home.place(east: 10_000, north: 10_000)
    #expect(LocalFrame(center: middle).distance(to: region.coordinate) < 2000)
    // 68 % of a square of 20 km are within 9.3 km of its middle.
    #expect((8500...10_500).contains(region.horizontalAccuracy))
  }
}
