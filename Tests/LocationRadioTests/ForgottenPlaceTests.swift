import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("A place that the map forgets")
struct ForgottenPlaceTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let home = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let away = LocalFrame(center: home.place(east: 5000, north: 0))
  private static let provider = ProviderID(0)

  init() {
    // Two streets of 100 m, each with six access points.
    for east in 0..<100 {
      map.teach(scan(at: Double(east)), at: Self.home.place(east: Double(east), north: 0))
      map.teach(scan(at: Double(east), of: 900), at: Self.away.place(east: Double(east), north: 0))
    }
  }

  @Test("RADIO-89: is known no more, in memory and in what is stored; others are")
  mutating func place() throws {
    let rows = stored(map.changes(for: .save, at: moment(1)))
    let before = try summary()
    let changes = map.changes(for: .forgetNear(circle(1000)), at: moment(2))
    let after = try summary()
    #expect(map.forgotten.transmitters == 6)
    #expect(after.transmitters == before.transmitters - 6)
    #expect(map.forgotten.places > 60 && map.forgotten.places < 1000)
    #expect(silence(scan(at: 20)) == .nothingKnown)
    #expect(isPlaced(scan(at: 20, of: 900)))
    // By what was stored at once.
    let kept = rows.applying(changes)
    #expect(kept.count < rows.count)
    map = RadioMap(secret: SecretKey(seed: 3), restoring: kept)
    #expect(try summary().area == after.area)
    #expect(silence(scan(at: 20)) == .nothingKnown)
    #expect(isPlaced(scan(at: 20, of: 900)))
    #expect(map.changes(for: .save, at: moment(3)).isEmpty)
  }

  @Test("RADIO-89: leaves nothing inside of a circle that cuts through what is known")
  mutating func edge() throws {
    let rows = stored(map.changes(for: .save, at: moment(1)))
    let circle = circle(31)
    let changes = map.changes(for: .forgetNear(circle), at: moment(2))
    #expect(map.forgotten.places > 10)
    map = RadioMap(secret: SecretKey(seed: 3), restoring: rows.applying(changes))
    let layer = try #require(map.layer(.accessPoints))
    #expect(layer.cellCount > 10)
    for case (let index, _)? in layer.places {
      #expect(!circle.contains(index.middle(spacing: layer.grain.spacing)))
    }
    // All six are received outside, too: where they were received first is not kept.
    #expect(layer.stations.count == 12)
    // A place's middle may be outside where what was taught lies up to half of its width inside.
    var inner = circle
    inner.radius -= 1.5 * layer.grain.spacing
    #expect(layer.stations.values.allSatisfy { !inner.contains($0.place) })
    #expect(isPlaced(scan(at: 80)))
  }

  @Test("RADIO-89: what an imported list places there goes with it")
  mutating func list() throws {
    let cells = [Self.home, Self.away].enumerated().map { number, frame in
      RadioObservation.placed(
        .cell(
          CellIdentity(radio: .lte, country: 262, network: 1, area: 5, cell: UInt64(number + 1))),
        PlacedStations.Place(frame.center, range: 1000, day: 20_000))
    }
    map.learn(cells, at: moment(1))
    let rows = stored(map.changes(for: .save, at: moment(1)))
    let changes = map.changes(for: .forgetNear(circle(1000)), at: moment(2))
    #expect(map.forgotten.transmitters == 7)
    #expect(map.summaries(on: moment(2).unixTime)[1].imported == 1)
    map = RadioMap(secret: SecretKey(seed: 3), restoring: rows.applying(changes))
    #expect(map.summaries(on: moment(2).unixTime)[1].imported == 1)
  }

  @Test("RADIO-89: a scan from there that waits for a position is not taught after it")
  mutating func waiting() throws {
    func fix(_ second: Int) -> RadioMap.Input {
      .fix(
        Fix(
          coordinate: Self.home.place(east: Double(second), north: 0), horizontalAccuracy: 4,
          time: moment(second).unixTime))
    }
    _ = map.handle(fix(10), at: moment(10))
    _ = map.handle(.scan(scan(at: 10, second: 10), from: Self.provider), at: moment(10))
    _ = map.handle(.forgetNear(circle(1000)), at: moment(10))
    let area = try summary().area
    _ = map.handle(fix(11), at: moment(11))
    _ = map.handle(fix(12), at: moment(12))
    #expect(try summary().area == area)
  }

  @Test("RADIO-89: where nothing is known, nothing changes, and a circle may hold all of the earth")
  mutating func extremes() throws {
    _ = map.changes(for: .save, at: moment(1))
    let pole = Circle(center: Coordinate(latitude: -90, longitude: 0), radius: 1000)
    #expect(map.changes(for: .forgetNear(pole), at: moment(2)).isEmpty)
    #expect(map.forgotten.places == 0 && map.forgotten.transmitters == 0)
    _ = map.handle(.forgetNear(circle(2.1e7)), at: moment(3))
    #expect(map.layer(.accessPoints)?.cellCount == 0)
    #expect(map.layer(.accessPoints)?.stations.isEmpty == true)
  }

  @Test("RADIO-88: the region of a cell is withdrawn with a place, too")
  mutating func region() {
    let cell = CellIdentity(radio: .lte, country: 262, network: 1, area: 5, cell: 0x101)
    let reading = RadioScan.Reading(.cell(cell), level: -90, isServing: true)
    let scan = RadioScan([reading], time: moment(1).unixTime)
    _ = map.handle(.scan(scan, from: Self.provider), at: moment(1))
    #expect(map.handle(.wake, at: moment(1)).count == 1)
    #expect(
      map.handle(.forgetNear(circle(1000)), at: moment(2)).contains(.noRegion(Self.provider)))
  }

  // MARK: The streets

  private func circle(_ radius: Double) -> Circle {
    Circle(center: Self.home.center, radius: radius)
  }

  private func scan(at east: Double, of first: UInt64 = 1, second: Int = 0) -> RadioScan {
    let readings = (0..<6).map { number in
      RadioScan.Reading(
        .accessPoint(BSSID(0x1000_0000_0000 | (first + UInt64(number)) << 8)),
        level: -40 - abs(east - Double(number) * 20) * 0.8)
    }
    return RadioScan(readings, time: moment(second).unixTime)
  }

  private func summary() throws -> RadioMapSummary {
    try #require(map.summaries(on: moment(0).unixTime).first)
  }

  private mutating func silence(_ scan: RadioScan) -> RadioSilence? {
    for case .silent(_, let reason) in map.handle(
      .scan(scan, from: Self.provider), at: moment(100))
    {
      return reason
    }
    return nil
  }

  private mutating func isPlaced(_ scan: RadioScan) -> Bool { silence(scan) == nil }

  private func moment(_ second: Int) -> Moment {
    let time = UnixTime(seconds: 1_600_000_000 + Double(second))
    return Moment(uptime: .start + .seconds(second), unixTime: time)
  }

  private func stored(_ changes: [StateChange]) -> [StateEntry] { [].applying(changes) }
}

extension [StateEntry] {
  /// What is stored after some changes.
  fileprivate func applying(_ changes: [StateChange]) -> [StateEntry] {
    var rows = Dictionary(map { ($0.key, $0.value) }) { $1 }
    for change in changes {
      switch change {
      case .set(let key, let value): rows[key] = value
      case .remove(let key): rows[key] = nil
      }
    }
    return rows.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }
  }
}
