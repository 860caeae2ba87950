import LocationModel
import Testing

@testable import LocationProviders
@testable import LocationSimulation

@Suite("Virtual radios")
struct VirtualRadioTests {
  private static let berlin = Coordinate(latitude: 52.52, longitude: 13.40)

  /// What a radio reports at a place, scan by scan.
  private func scans(
    _ radio: VirtualRadio, at truth: Truth, _ count: Int = 1
  ) throws -> [[RadioScan.Reading]] {
    var radio = radio
    var now = Moment(uptime: .start, unixTime: Scenario.standardDate)
    radio.open(at: now.uptime)
    return try (0..<count).map { _ in
      let due = try #require(radio.nextDeadline)
      now = Moment(uptime: due, unixTime: now.unixTime + (due - now.uptime))
      let line = radio.wake(at: now, truth: truth)
      let read = try ScanLine.read(line, at: now.unixTime)
      #expect(read.refusals.isEmpty)
      return read.scan.readings
    }
  }

  private func place(_ east: Double, _ north: Double = 0) -> Coordinate {
    LocalFrame(center: Self.berlin).place(east: east, north: north)
  }

  private func cells(_ places: [Coordinate]) -> [VirtualCell] {
    places.enumerated().map { VirtualCell(.simulated($0), at: $1) }
  }

  // MARK: Cells

  @Test("SIM-17: a cell is received as its distance has it, the same at each visit of a place")
  func pathLoss() throws {
    let radio = VirtualRadio(cells: cells([Self.berlin]), seed: 2)
    for (meters, expected) in [(100.0, -70.0), (1000, -105)] {
      var sum = 0.0
      for bearing in 0..<120 {
        let truth = Truth(Self.berlin.moved(by: meters, towards: Double(bearing) * 3))
        let levels = try scans(radio, at: truth, 4).map { $0.first?.level ?? -121 }
        sum += levels[0]
        // What varies from report to report is little.
        #expect((levels.max() ?? 0) - (levels.min() ?? 0) <= 12)
      }
      #expect(abs(sum / 120 - expected) < 3, "\(sum / 120) dBm at \(meters) m")
    }
    let far = Truth(Self.berlin.moved(by: 12_000, towards: 10))
    #expect(try scans(radio, at: far) == [[]])
  }

  @Test("SIM-17: the loudest cell serves until another is louder by 3 dB")
  func hysteresis() throws {
    var radio = VirtualRadio(
      cells: cells([place(0), place(1500), place(700, 900)]), seed: 4)
    var now = Moment(uptime: .start, unixTime: Scenario.standardDate)
    radio.open(at: now.uptime)
    var last: Transmitter?
    var changes = 0
    var louder = 0
    for step in 0...150 {
      let due = try #require(radio.nextDeadline)
      now = Moment(uptime: due, unixTime: now.unixTime + (due - now.uptime))
      let line = radio.wake(at: now, truth: Truth(place(Double(step) * 10)))
      let readings = try ScanLine.read(line, at: now.unixTime).scan.readings
      let first = readings.first { $0.isServing }
      let serving = try #require(first)
      let level = try #require(serving.level)
      let loudest = readings.compactMap(\.level).max() ?? -130
      #expect(readings.count { $0.isServing } == 1)
      #expect(loudest < level + 3)
      if loudest > level { louder += 1 }
      if let last, last != serving.transmitter {
        changes += 1
        let before = readings.first { $0.transmitter == last }?.level ?? -121
        #expect(level >= before + 3)
      }
      last = serving.transmitter
    }
    #expect((1...30).contains(changes), "\(changes) changes")
    #expect(louder > 0, "a louder neighbor does not always take over")
  }

  @Test("SIM-17: at most eight neighbors are reported, the loudest, down to -120 dBm")
  func neighbors() throws {
    let around = (0..<30).map { number in
      Self.berlin.moved(by: 300 + 40 * Double(number), towards: Double(number) * 47)
    }
    let readings = try scans(VirtualRadio(cells: cells(around)), at: Truth(Self.berlin))[0]
    #expect(readings.count == 9)
    #expect(readings.allSatisfy { ($0.level ?? -200) >= -120 && ($0.level ?? 0) <= -44 })
    let one = VirtualRadio(cells: cells([place(40_000)]))
    #expect(try scans(one, at: Truth(Self.berlin)) == [[]])
  }

  @Test("SIM-17, SIM-22: a cell changes nothing of what is received of others")
  func cellAside() throws {
    let all = cells([place(300), place(-400, 100), place(0, 500), place(600, 600)])
    let truth = Truth(Self.berlin)
    func levels(_ cells: [VirtualCell]) throws -> [[Double?]] {
      try scans(VirtualRadio(cells: cells), at: truth, 20).map { readings in
        all.dropFirst().map { cell in
          readings.first { $0.transmitter == .cell(cell.identity) }?.level
        }
      }
    }
    let alone = try levels(Array(all.dropFirst()))
    #expect(try levels(all) == alone)
    #expect(Set(alone.map { $0[0] }).count > 2, "they vary from report to report")
  }

  // MARK: Hotspots and floors

  @Test("SIM-18: a hotspot is received wherever the device is, as loudly, until it is turned off")
  func hotspot() throws {
    let hotspot = VirtualAccessPoint(.simulated(7), at: nil)
    var radio = VirtualRadio([hotspot])
    for east in [0.0, 5000, 900_000] {
      let readings = try scans(radio, at: Truth(place(east), altitude: east / 100), 5)
      #expect(readings.allSatisfy { $0.count == 1 && (-65 ... -45).contains($0[0].level ?? 0) })
    }
    radio.hasCompany = false
    #expect(try scans(radio, at: Truth(Self.berlin)) == [[]])
  }

  @Test("SIM-18, SIM-22: a hotspot changes nothing of what else is received")
  func aside() throws {
    let fixed = (0..<5).map { VirtualAccessPoint(.simulated($0), at: place(Double($0) * 20)) }
    let hotspot = VirtualAccessPoint(.simulated(9), at: nil)
    let alone = try scans(VirtualRadio(fixed), at: Truth(Self.berlin), 5)
    let beside = try scans(VirtualRadio(fixed + [hotspot]), at: Truth(Self.berlin), 5)
    #expect(beside.map { $0.filter { $0.transmitter != .accessPoint(hotspot.address) } } == alone)
  }

  @Test("SIM-19: each ceiling between an access point and the device costs 15 dB")
  func ceilings() throws {
    func levels(_ altitude: Double?, device: Double = 0) throws -> [Double?] {
      let accessPoint = VirtualAccessPoint(
        .simulated(1), at: place(20), altitude: altitude, level: -20)
      let truth = Truth(Self.berlin, altitude: device)
      return try scans(VirtualRadio([accessPoint]), at: truth, 100).map { $0.first?.level ?? nil }
    }
    let same = try levels(nil)
    #expect(try levels(0) == same)
    #expect(try levels(12, device: 12) == same)
    for (altitude, loss) in [(3.5, 15.0), (-7, 30)] {
      let pairs = zip(same, try levels(altitude)).compactMap { here, there in
        here.flatMap { here in there.map { here - $0 } }
      }
      try #require(pairs.count > 5)
      // The way is a little longer, too.
      #expect(pairs.allSatisfy { abs($0 - loss) <= 2 }, "\(pairs)")
    }
    #expect(try levels(35).allSatisfy { $0 == nil })
  }

  @Test(
    "SIM-25: a survey has what is received every two seconds of a way, with its floor, and no more")
  func survey() throws {
    let accessPoints = [
      VirtualAccessPoint(.simulated(0), at: place(10), level: -20),
      VirtualAccessPoint(.simulated(9, travels: true), at: nil),
    ]
    let radio = VirtualRadio(accessPoints, cells: cells([place(300)]))
    let now = Moment(uptime: .start + .seconds(60), unixTime: Scenario.standardDate)
    var way = Journey(from: Self.berlin, altitude: 35, floor: 0)
    way.move(to: place(20), in: .seconds(20))
    way.climb(by: 3.5, in: .seconds(10))
    let findings = radio.survey(of: way, from: now)
    #expect(findings.count == 16)
    #expect(findings.map(\.floor) == Array(repeating: 0, count: 13) + [1, 1, 1])
    for (number, finding) in findings.enumerated() {
      let truth = way.truth(at: .seconds(number * 2))
      #expect(finding.place == truth.coordinate && finding.scan.time == now.unixTime)
      #expect(finding.scan.readings.map(\.transmitter) == [.accessPoint(.simulated(0))])
    }
    way.stay(for: .seconds(400_000))
    #expect(radio.survey(of: way, from: now).count == 10_001)
    #expect(radio.survey(of: Journey(from: Self.berlin), from: now).map(\.floor) == [nil])
  }

  // MARK: Chance

  @Test("SIM-22: what is received of an access point depends on no other, and on no scan before")
  func own() throws {
    let all = (0..<40).map {
      VirtualAccessPoint(.simulated($0), at: place(Double($0) * 12 - 240, 5))
    }
    let truth = Truth(Self.berlin)
    func kept(_ accessPoints: [VirtualAccessPoint]) throws -> [[RadioScan.Reading]] {
      let addresses = Set(all[10..<30].map { Transmitter.accessPoint($0.address) })
      return try scans(VirtualRadio(accessPoints, seed: 6), at: truth, 20).map { readings in
        readings.filter { addresses.contains($0.transmitter) }
      }
    }
    let alone = try kept(Array(all[10..<30]))
    #expect(alone.allSatisfy { $0.count > 3 } && Set(alone).count > 15)
    #expect(try kept(all) == alone)
    #expect(try kept(all.reversed()) == alone)
    // Louder by far, so that the squares of the map are others.
    let loud = VirtualAccessPoint(.simulated(50), at: place(30), level: -20)
    #expect(try kept([loud] + all) == alone)
    // A radio that begins later receives the same.
    let first = try scans(VirtualRadio(all, seed: 6), at: truth, 3)
    var late = VirtualRadio(all, seed: 6)
    late.open(at: .start + .seconds(20))
    let due = try #require(late.nextDeadline)
    let now = Moment(uptime: due, unixTime: Scenario.standardDate + (due - .start))
    let line = late.wake(at: now, truth: truth)
    #expect(try ScanLine.read(line, at: now.unixTime).scan.readings == first[2])
  }

  @Test("SIM-22: levels vary by 2 dB from scan to scan, those of each access point for themselves")
  func fading() throws {
    let near = (0..<6).map {
      VirtualAccessPoint(.simulated($0), at: place(3 + Double($0)), level: -30)
    }
    let scans = try scans(VirtualRadio(near, seed: 2), at: Truth(Self.berlin), 400)
    let series = near.map { accessPoint in
      scans.compactMap { scan in
        scan.first { $0.transmitter == .accessPoint(accessPoint.address) }?.level ?? nil
      }
    }
    try #require(series.allSatisfy { $0.count == 400 })
    let means = series.map { $0.reduce(0, +) / 400 }
    func product(_ one: Int, _ other: Int, lag: Int = 0) -> Double {
      zip(series[one].dropFirst(lag), series[other]).reduce(0) {
        $0 + ($1.0 - means[one]) * ($1.1 - means[other])
      } / 400
    }
    for one in near.indices {
      let variance = product(one, one)
      #expect((1.6 * 1.6...2.4 * 2.4).contains(variance), "\(variance)")
      #expect(abs(product(one, one, lag: 1)) < 0.25 * variance)
      for other in near.indices where other != one {
        #expect(abs(product(one, other)) < 0.25 * variance)
      }
    }
  }

  // MARK: A city

  private func city(_ count: Int, around center: Coordinate, meters: Double) -> [VirtualAccessPoint]
  {
    var random = SeededRandom(seed: 5)
    func share() -> Double { Double(random.next() >> 11) * 0x1p-53 }
    return (0..<count).map { number in
      let place = center.moved(by: meters * share(), towards: 360 * share())
      return VirtualAccessPoint(.simulated(UInt64(number)), at: place)
    }
  }

  @Test(
    "SIM-21: of a city, exactly those within reach are considered, also at the edges of the map",
    arguments: [
      Coordinate(latitude: 49.87, longitude: 8.65), Coordinate(latitude: -17.8, longitude: 179.999),
      Coordinate(latitude: 0.0005, longitude: -179.9995),
      Coordinate(latitude: 78.2, longitude: 15.6),
    ])
  func grid(center: Coordinate) {
    let accessPoints = city(3000, around: center, meters: 3000)
    let grid = AccessPointGrid(accessPoints, reach: 300)
    for bearing in stride(from: 0.0, to: 360, by: 15) {
      let place = center.moved(by: 10 * bearing, towards: bearing)
      let frame = LocalFrame(center: place)
      let expected = accessPoints.filter { accessPoint in
        accessPoint.place.map { frame.chord(to: $0) <= 300 } ?? false
      }
      #expect(grid.near(place) == expected)
    }
  }

  @Test("SIM-21: what is far away in a city changes nothing of a scan, and near ones are received")
  func cityScans() throws {
    let near = city(2000, around: Self.berlin, meters: 1500)
    let far = (0..<2000).map {
      VirtualAccessPoint(.simulated(10_000 + $0), at: place(40_000 + Double($0)))
    }
    let readings = try scans(VirtualRadio(near, seed: 3), at: Truth(Self.berlin), 4)
    #expect(readings.allSatisfy { $0.count > 10 })
    #expect(try scans(VirtualRadio(near + far, seed: 3), at: Truth(Self.berlin), 4) == readings)
    #expect(try scans(VirtualRadio(near, seed: 4), at: Truth(Self.berlin), 4) != readings)
  }

  @Test("SIM-21: a scan has at most 400 access points, and what has no place is left out")
  func crowd() throws {
    let crowd = city(3000, around: Self.berlin, meters: 30)
    let readings = try scans(VirtualRadio(crowd), at: Truth(Self.berlin))[0]
    #expect(readings.count == 400)
    let nowhere = Coordinate(latitude: .nan, longitude: 13)
    let wrong = [
      VirtualAccessPoint(.simulated(1), at: nowhere),
      VirtualAccessPoint(.simulated(2), at: Self.berlin, level: .infinity),
    ]
    let radio = VirtualRadio(wrong, cells: [VirtualCell(.simulated(0), at: nowhere)])
    #expect(try scans(radio, at: Truth(Self.berlin)) == [[]])
  }
}
