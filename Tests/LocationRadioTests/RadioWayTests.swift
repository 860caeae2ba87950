import LocationModel
import LocationRadio
import LocationSecrets
import Testing

/// A hall of 60 by 60 m on two floors, with an access point every 15 m on each.
@Suite("Positions by radio in a building that changes")
struct RadioWayTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let hall = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let day = 86_400
  /// dB, from one floor to the other.
  private var ceiling = 15.0

  @Test("RADIO-26: what travels along is no clue, however loud it is")
  mutating func companions() throws {
    teach(companions: 8)
    var errors: [Double] = []
    for (number, place) in Self.way(seed: 4).enumerated() {
      let second = Self.day + number * 300
      let scan = scan(at: place, floor: 0, second: second, companions: 8)
      errors.append(try error(of: #require(fix(scan, second)), at: place))
    }
    errors.sort()
    #expect(errors[errors.count * 9 / 10] < 2.4, "\(errors)")
  }

  @Test("RADIO-27: where half of the access points were replaced, the radius becomes as it was")
  mutating func replaced() throws {
    teach()
    var radii: [Double] = []
    var within = 0
    var before: [Double] = []
    for (number, place) in Self.way(seed: 5).enumerated() {
      let second = 200 * Self.day + number * 300
      before.append(
        try #require(fix(scan(at: place, floor: 0, second: second), second)).horizontalAccuracy)
    }
    for (number, place) in Self.way(seed: 6).enumerated() {
      let second = 210 * Self.day + number * 300
      let found = try #require(
        fix(scan(at: place, floor: 0, second: second, isReplaced: true), second))
      // The first scans show that they are gone.
      guard number >= 20 else { continue }
      radii.append(found.horizontalAccuracy)
      if error(of: found, at: place) <= found.horizontalAccuracy { within += 1 }
    }
    radii.sort()
    before.sort()
    #expect(radii[radii.count / 2] < 2.5 * before[before.count / 2], "\(radii) \(before)")
    #expect(within * 2 > radii.count, "\(within) of \(radii.count)")
  }

  @Test("RADIO-27: who stays where nothing was learned is not taken for being in a changed place")
  mutating func untaught() throws {
    teach()
    let place = Self.hall.place(east: 85, north: 30)
    var radii: [Double] = []
    for number in 0..<90 {
      let second = Self.day + number * 30
      let found = try #require(fix(scan(at: place, floor: 0, second: second), second))
      radii.append(found.horizontalAccuracy)
    }
    let (first, last) = (radii.prefix(30).sorted(), radii.suffix(30).sorted())
    #expect(last[15] > 0.6 * first[15], "\(radii)")
  }

  @Test("RADIO-29: a scan unlike what is known says less of a place that was taught often")
  func taughtOften() throws {
    func radius(rounds: Int) throws -> Double {
      var tests = RadioWayTests()
      for _ in 0..<rounds { tests.teach() }
      var radii: [Double] = []
      for (number, place) in Self.way(seed: 8).enumerated() {
        let second = Self.day + number * 300
        let scan = tests.scan(at: place, floor: 0, second: second, noise: 12)
        let found = tests.fix(scan, second)
        radii.append(try #require(found).horizontalAccuracy)
      }
      return radii.sorted()[radii.count / 2]
    }
    #expect(try radius(rounds: 4) < 0.8 * radius(rounds: 1))
  }

  @Test("RADIO-29: one place that was taught often says nothing of what lies around it")
  mutating func onePlace() throws {
    let known = Self.hall.place(east: 5, north: 5)
    for number in 0..<40 {
      map.teach(scan(at: known, floor: 0, second: number * 10), at: known, floor: 0)
    }
    for (number, place) in [(50, 40), (45, 50), (55, 30)].enumerated() {
      let second = Self.day + number * 300
      let place = Self.hall.place(east: Double(place.0), north: Double(place.1))
      let found = try #require(fix(scan(at: place, floor: 0, second: second), second))
      #expect(found.horizontalAccuracy > 0.4 * error(of: found, at: place))
    }
  }

  @Test("RADIO-34: where one transmitter alone is received, the radius is its range")
  mutating func alone() throws {
    let known = Self.hall.place(east: 5, north: 5)
    for number in 0..<40 { map.teach(single(-60, second: number * 10), at: known, floor: 0) }
    let found = try #require(fix(single(-85, second: Self.day), Self.day))
    #expect(found.horizontalAccuracy > 20)
  }

  private func single(_ level: Double, second: Int) -> RadioScan {
    RadioScan([reading(1, level)], time: Self.time(second))
  }

  @Test("RADIO-29: no radius is smaller than a place of the map, however well a scan is known")
  mutating func smallest() throws {
    for _ in 0..<4 { teach() }
    for number in 0..<20 {
      let place = Self.hall.place(east: Double(number % 21) * 3, north: 0)
      let scan = scan(at: place, floor: 0, second: number * 10)
      let second = Self.day + number * 300
      let repeated = RadioScan(scan.readings, time: Self.time(second))
      let found = try #require(fix(repeated, second))
      #expect(found.horizontalAccuracy >= 3)
    }
  }

  @Test("RADIO-28: the floor is that of the likest place, and seldom changes between two scans")
  mutating func floors() throws {
    ceiling = 4
    teach()
    var right = 0
    for (number, place) in Self.way(seed: 7).enumerated() {
      let second = Self.day + number * 5
      let scan = scan(at: place, floor: 1, second: second, noise: 9)
      if try #require(fix(scan, second)).floor == 1 { right += 1 }
    }
    #expect(right >= 57, "\(right) of 60")
    // By stairs: a few scans, and it is believed.
    let place = Self.hall.place(east: 20, north: 20)
    var floors: [Int?] = []
    for number in 0..<10 {
      let second = Self.day + 300 + number * 5
      floors.append(fix(scan(at: place, floor: 0, second: second), second)?.floor)
    }
    #expect(floors.last == 0, "\(floors)")
  }

  @Test(
    "RADIO-28: where places of two floors are alike, it is the one on which all is heard louder")
  mutating func louderFloor() throws {
    for number in 0..<20 {
      let place = Self.hall.place(east: Double(number) * 3, north: 5)
      for (floor, level) in [(0 as Int8, -45.0), (1, -75)] {
        let second = Int(floor) * 5000 + number * 10
        map.teach(alike(level, second: second), at: place, floor: floor)
      }
    }
    for number in 0..<3 {
      let second = Self.day + number * 300
      #expect(try #require(fix(alike(-55, second: second), second)).floor == 0)
    }
  }

  @Test("RADIO-28: where no floor is known, that of before counts for two minutes at most")
  mutating func outside() throws {
    let (hall, yard) = (Self.hall.place(east: 5, north: 5), Self.hall.place(east: 5, north: 150))
    func received(_ second: Int) -> RadioScan {
      RadioScan((11...13).map { reading($0, -50) }, time: Self.time(second))
    }
    for number in 0..<20 {
      let second = number * 10
      map.teach(alike(-45, second: second), at: hall, floor: 0)
      map.teach(alike(-75, second: 5000 + second), at: hall, floor: 1)
      map.teach(received(10_000 + second), at: yard)
    }
    #expect(try #require(fix(alike(-55, second: Self.day), Self.day)).floor == 0)
    let floors = try (1...14).map { number in
      let second = Self.day + number * 10
      return try #require(fix(received(second), second)).floor
    }
    #expect(floors.prefix(11).allSatisfy { $0 == 0 }, "\(floors)")
    #expect(floors.suffix(3).allSatisfy { $0 == nil }, "\(floors)")
  }

  /// Three transmitters, each as loud as the others.
  private func alike(_ level: Double, second: Int) -> RadioScan {
    RadioScan((1...3).map { reading($0, level) }, time: Self.time(second))
  }

  // MARK: The hall

  /// Sixty places of a way that crosses the hall.
  private static func way(seed: UInt64) -> [Coordinate] {
    var random = SeededRandom(seed: seed)
    return (0..<60).map { _ in
      hall.place(
        east: Double.random(in: 2...58, using: &random),
        north: Double.random(in: 2...58, using: &random))
    }
  }

  private mutating func teach(companions: Int = 0) {
    for floor in 0...1 {
      for number in 0..<441 {
        let place = Self.hall.place(
          east: Double(number % 21) * 3, north: Double(number / 21) * 3)
        let scan = scan(
          at: place, floor: floor, second: floor * 5000 + number * 10, companions: companions)
        map.teach(scan, at: place, floor: Int8(floor))
      }
    }
  }

  private func scan(
    at place: Coordinate, floor: Int, second: Int, companions: Int = 0, isReplaced: Bool = false,
    noise: Double = 3
  ) -> RadioScan {
    let offset = Self.hall.offset(of: place)
    var random = SeededRandom(seed: UInt64(second))
    var readings: [RadioScan.Reading] = []
    for number in 0..<50 {
      let (story, spot) = (number / 25, number % 25)
      let (east, north) = (Double(spot % 5) * 15, Double(spot / 5) * 15)
      let distance = max(hypotenuse(offset.east - east, offset.north - north), 1)
      let level =
        -40 - 30 * logarithm(distance) / logarithm(10) - (story == floor ? 0 : ceiling)
        + Double.random(in: -noise...noise, using: &random)
      guard level > -92 else { continue }
      let isNew = isReplaced && number % 2 == 0
      readings.append(reading(UInt64(isNew ? 500 + number : number + 1), level))
    }
    for number in 0..<companions {
      readings.append(
        reading(UInt64(900 + number), -50 + Double.random(in: -8...8, using: &random)))
    }
    return RadioScan(readings, time: Self.time(second))
  }

  private func reading(_ number: UInt64, _ level: Double) -> RadioScan.Reading {
    RadioScan.Reading(.accessPoint(BSSID(0x1000_0000_0000 | number << 8)), level: level)
  }

  private mutating func fix(_ scan: RadioScan, _ second: Int) -> Fix? {
    let moment = Moment(uptime: .start + .seconds(second), unixTime: Self.time(second))
    for case .fix(let fix, _) in map.handle(.scan(scan, from: ProviderID(0)), at: moment) {
      return fix
    }
    return nil
  }

  private func error(of fix: Fix, at place: Coordinate) -> Double {
    LocalFrame(center: place).distance(to: fix.coordinate)
  }

  private static func time(_ second: Int) -> UnixTime {
    UnixTime(seconds: 1_600_000_000 + Double(second))
  }
}
