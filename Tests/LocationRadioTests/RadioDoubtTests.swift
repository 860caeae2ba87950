import LocationModel
import LocationRadio
import LocationSecrets
import Testing

/// A street of 60 m with six access points, and what was taught of them elsewhere.
@Suite("Positions by radio on a map that is partly wrong")
struct RadioDoubtTests {
  private var map = RadioMap(secret: SecretKey(seed: 11))
  private static let street = LocalFrame(center: Coordinate(latitude: 52.1, longitude: 11.6))
  private static let away = LocalFrame(center: street.place(east: 3000, north: 0))
  private static let day = 86_400
  private static let all = [1, 2, 3, 4, 5, 6]

  @Test("RADIO-35: a minority that is known elsewhere decides neither the position nor the radius")
  mutating func minority() throws {
    teach([1, 3, 4, 6], in: Self.street)
    var clean = self
    // Two boxes were only ever taught three kilometers away.
    teach([2, 5], in: Self.away)
    for meters in stride(from: 5.0, through: 55, by: 10) {
      let place = Self.street.place(east: meters, north: 0)
      let found = try #require(fix(scan(Self.all, at: meters, second: Self.day)))
      let without = clean.fix(scan([1, 3, 4, 6], at: meters, second: Self.day))
      let expected = try #require(without)
      #expect(LocalFrame(center: place).distance(to: found.coordinate) < 8)
      #expect(found.coordinate == expected.coordinate)
      #expect(found.horizontalAccuracy == expected.horizontalAccuracy)
    }
  }

  @Test("RADIO-35: where no majority agrees, nothing is left out")
  mutating func thirds() throws {
    teach([1, 2], in: Self.street)
    teach([3, 4], in: Self.away)
    teach([5, 6], in: LocalFrame(center: Self.street.place(east: 0, north: 3000)))
    // Equally loud: who is right cannot be known.
    let readings = Self.all.map { reading($0, -60) }
    let found = try #require(
      fix(RadioScan(readings, time: Self.time(Self.day))))
    // What is heard is unlike all.
    var alone = RadioDoubtTests()
    alone.teach([1, 2], in: Self.street)
    let fewer = alone.fix(RadioScan(Array(readings.prefix(2)), time: Self.time(Self.day)))
    let certain = try #require(fewer)
    #expect(found.horizontalAccuracy > certain.horizontalAccuracy)
  }

  // MARK: The street

  private mutating func teach(_ boxes: [Int], in frame: LocalFrame) {
    for meters in stride(from: 0.0, through: 60, by: 1) {
      map.teach(
        scan(boxes, at: meters, second: Int(meters)), at: frame.place(east: meters, north: 0))
    }
  }

  /// What the boxes sound like so many meters along the street; they stand twelve meters apart.
  private func scan(_ boxes: [Int], at meters: Double, second: Int) -> RadioScan {
    RadioScan(
      boxes.map { reading($0, -45 - 0.9 * abs(Double($0 - 1) * 12 - meters)) },
      time: Self.time(second))
  }

  private func reading(_ box: Int, _ level: Double) -> RadioScan.Reading {
    RadioScan.Reading(.accessPoint(BSSID(0x1000_0000_0000 | UInt64(box) << 8)), level: level)
  }

  private mutating func fix(_ scan: RadioScan) -> Fix? {
    let now = Moment(uptime: Instant(nanoseconds: scan.time.nanoseconds), unixTime: scan.time)
    for case .fix(let fix, _) in map.handle(.scan(scan, from: ProviderID(0)), at: now) {
      return fix
    }
    return nil
  }

  private static func time(_ second: Int) -> UnixTime {
    UnixTime(seconds: 1_600_000_000 + Double(second))
  }
}
