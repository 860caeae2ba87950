import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("The radius of a position found by radio")
struct RadioCalibrationTests {
  private var map = RadioMap(secret: SecretKey(seed: 3))
  private static let home = LocalFrame(center: Coordinate(latitude: 48.5, longitude: 9.25))
  private static let provider = ProviderID(0)

  // MARK: The factor

  /// The map errs by a normal error with a radius of 10 m at 68 %, and claims twice or half of it;
  /// the receiver by one with the radius that it claims.
  @Test(
    "RADIO-25: the factor comes to rest where the radius holds 68 %, whatever the receiver's error",
    arguments: [0.0, 3, 10], [0.5, 2])
  func unbiased(accuracy: Double, claim: Double) {
    var random = SeededRandom(seed: 11)
    var calibration = RadioCalibration()
    var scales: [Double] = []
    for number in 0..<6000 {
      let spread = 10 * claim
      let position = RadioPosition(
        coordinate: Self.normal(radius: 10, &random), radius: spread * calibration.scale,
        floor: nil, known: 9, heard: 9)
      let truth = Self.normal(radius: accuracy, &random)
      calibration.note(position, truth: truth, accuracy: accuracy)
      if number >= 1000 { scales.append(calibration.scale * claim) }
    }
    let mean = scales.reduce(0, +) / Double(scales.count)
    // A factor that is 8 % off holds 64 or 72 %.
    #expect((0.92...1.08).contains(mean), "\(mean)")
  }

  @Test("RADIO-25: a receiver that is much worse than the map moves the factor little, and not far")
  func uninformative() {
    var random = SeededRandom(seed: 12)
    var calibration = RadioCalibration(scale: 1)
    for _ in 0..<500 {
      let position = RadioPosition(
        coordinate: Self.normal(radius: 4, &random), radius: 4 * calibration.scale, floor: nil,
        known: 9, heard: 9)
      let truth = Self.normal(radius: 20, &random)
      calibration.note(position, truth: truth, accuracy: 20)
    }
    #expect((0.8...1.25).contains(calibration.scale))
  }

  private static func normal(radius: Double, _ random: inout SeededRandom) -> Coordinate {
    let length =
      radius
      * (-logarithm(1 - Double.random(in: 0..<1, using: &random)) / 1.139)
      .squareRoot()
    let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &random)
    return home.place(east: length * cosine(angle), north: length * sine(angle))
  }

  // MARK: What is compared

  @Test("RADIO-25: a visit that is the first is compared with nothing, however long it is")
  mutating func firstVisit() {
    for round in 0..<30 { walk(from: round * 100) }
    #expect(map.calibration(.accessPoints) == RadioCalibration())
    walk(from: 6000)
    #expect(map.calibration(.accessPoints).count > 5)
  }

  @Test("RADIO-25: a place that was not known is not compared, though its access points are")
  mutating func unknown() {
    walk(from: 0)
    for east in 70..<120 { teach(at: Double(east), second: 86_400 + east) }
    #expect(map.calibration(.accessPoints) == RadioCalibration())
    // On the next day it is known.
    for east in 70..<120 { teach(at: Double(east), second: 172_800 + east) }
    #expect(map.calibration(.accessPoints).count > 5)
  }

  @Test("RADIO-25: what a visit teaches does not make its own comparisons better")
  func visit() {
    // A week later every box is 30 m further on. That is learned on the way there, with rests.
    func calibration(pause: Int) -> RadioCalibration {
      var tests = RadioCalibrationTests()
      tests.walk(from: 0)
      for number in 0..<160 {
        tests.teach(at: Double(number / 20) * 8, second: 604_800 + number, shift: 30)
      }
      for number in 0..<7 {
        let second = 605_000 + pause + number
        tests.teach(at: 52 - Double(number) * 8, second: second, shift: 30)
      }
      return tests.map.calibration(.accessPoints)
    }
    // Right after it the way back still counts as wrong; in another visit it does not.
    let (same, other) = (calibration(pause: 0), calibration(pause: 3600))
    #expect(same.count > 9 && other.count > 9)
    #expect(same.scale > 1.015 * other.scale, "\(same) \(other)")
  }

  @Test("RADIO-25: a computer at rest compares a place once in a quarter of an hour")
  mutating func rest() {
    walk(from: 0)
    for second in 0..<3600 { teach(at: 50, second: 86_400 + second) }
    #expect((1...5).contains(map.calibration(.accessPoints).count))
  }

  @Test("RADIO-25: the factor and what it rests on are stored; one of an older version is not used")
  mutating func stored() throws {
    walk(from: 0)
    walk(from: 10_000)
    let calibration = map.calibration(.accessPoints)
    #expect(calibration.count > 0)
    let entries = map.changes(for: .save, at: moment(20_000)).compactMap { change in
      if case .set(let key, let value) = change { StateEntry(key: key, value: value) } else { nil }
    }
    let restored = RadioMap(secret: SecretKey(seed: 3), restoring: entries)
    #expect(restored.calibration(.accessPoints) == calibration)
    let row = try #require(entries.first { $0.key.name == "calibration" })
    let older = StateEntry(key: row.key, value: Array(row.value.prefix(16)))
    let fromOlder = RadioMap(secret: SecretKey(seed: 3), restoring: [older])
    #expect(fromOlder.calibration(.accessPoints) == RadioCalibration())
    for cut in 0..<row.value.count {
      let damaged = StateEntry(key: row.key, value: Array(row.value.prefix(cut)))
      let map = RadioMap(secret: SecretKey(seed: 3), restoring: [damaged])
      #expect(map.calibration(.accessPoints).scale.isFinite)
    }
  }

  // MARK: The street

  /// A minute along the street, with a scan each second.
  private mutating func walk(from start: Int, shift: Double = 0) {
    for second in 0..<60 { teach(at: Double(second), second: start + second, shift: shift) }
  }

  private mutating func teach(at east: Double, second: Int, shift: Double = 0) {
    let readings = (0..<6).map { number in
      RadioScan.Reading(
        .accessPoint(BSSID(0x1000_0000_0000 | UInt64(number + 1) << 8)),
        level: -40 - abs(east - shift - Double(number) * 20) * 0.8)
    }
    let scan = RadioScan(readings, time: time(second))
    _ = map.handle(.scan(scan, from: Self.provider), at: moment(second))
    let fix = Fix(
      coordinate: Self.home.place(east: east, north: 0), horizontalAccuracy: 2, time: time(second))
    _ = map.handle(.fix(fix), at: moment(second))
  }

  private func time(_ second: Int) -> UnixTime { UnixTime(seconds: 1_600_000_000 + Double(second)) }

  private func moment(_ second: Int) -> Moment {
    Moment(uptime: .start + .seconds(second), unixTime: time(second))
  }
}
