import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

/// The pressure that two phones measured on 25 walks (shared/data/barometer).
@Suite(
  "The recorded barometers",
  .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
struct RecordedPressureTests {
  private struct Walk {
    var name: String
    var phone: String
    var pressures: [Double] = []

    var heights: [Double] { pressures.map { AltitudeEstimator.height(at: $0) } }
    var isLevel: Bool { !name.hasPrefix("trial51") && !name.hasPrefix("trial52") }
  }

  private let walks: [Walk]

  init() throws {
    var walks: [Walk] = []
    for line in try SharedData.lines("barometer/ipin2023-pressure.csv.gz").dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count > 3, let pressure = Double(fields[3]) else { continue }
      if walks.last?.name != String(fields[0]) {
        walks.append(Walk(name: String(fields[0]), phone: String(fields[1])))
      }
      walks[walks.count - 1].pressures.append(pressure)
    }
    self.walks = walks
  }

  private func changes(_ walk: Walk) -> [Int] {
    var counter = FloorCounter()
    return walk.heights.enumerated().compactMap { second, height in
      guard case .changed(let floors) = counter.take(height, at: .start + .seconds(second)) else {
        return nil
      }
      return floors
    }
  }

  @Test("RADIO-32: seven of eight changes of floors are counted, the eighth ends with the log")
  func stairs() throws {
    let walk = try #require(walks.first { $0.name == "trial51-rep02" })
    #expect(changes(walk) == [-1, -1, 1, 1, -1, -1, 1])
  }

  @Test("RADIO-32: 24 walks on one floor change none")
  func level() {
    let level = walks.filter(\.isLevel)
    #expect(level.count == 24)
    for walk in level { #expect(changes(walk).isEmpty, "\(walk.name)") }
  }

  /// The walks of a phone, one after the other, without the steps between them.
  private func joined(_ phone: String) -> [Double] {
    var heights: [Double] = []
    for walk in walks where walk.phone == phone && walk.isLevel {
      let next = walk.heights
      let last = heights.suffix(5).reduce(0, +) / 5
      let step = heights.isEmpty ? 0 : last - next.prefix(5).reduce(0, +) / 5
      heights += next.map { $0 + step }
    }
    return heights
  }

  @Test(
    "RADIO-31: ten minutes after satellites are lost, two thirds are within 2.5 m and the claim")
  func drift() throws {
    var errors: [(error: Double, claim: Double)] = []
    var random = SeededRandom(seed: 7)
    for phone in ["SM-A520F", "SM-G930F"] {
      let heights = joined(phone)
      for start in stride(from: 0, to: heights.count - 1800, by: 20) {
        // Besides the recorded air, weather of a random and steady direction.
        let weather = gaussian(&random) * 6e-4
        var (estimator, error) = (AltitudeEstimator(), gaussian(&random) * 4)
        var fix = Fix(
          coordinate: Coordinate(latitude: 49.45, longitude: 11.08), horizontalAccuracy: 5,
          time: UnixTime(seconds: 1_700_000_000))
        for second in 0..<1800 {
          let now = Instant.start + .seconds(second)
          let height = heights[start + second] + weather * Double(second)
          estimator.take(PressureSample(hectopascals: Self.pressure(height)), at: now)
          let kept = exponential(-1.0 / 60)
          error = error * kept + gaussian(&random) * 4 * (1 - kept * kept).squareRoot()
          fix.altitude = second < 1200 ? 320 + error : nil
          fix.verticalAccuracy = second < 1200 ? 4 : nil
          if second < 1200 || second == 1799 { fix = estimator.refine(fix, at: now) }
        }
        let altitude = try #require(fix.altitude)
        errors.append((abs(altitude - 320), try #require(fix.verticalAccuracy)))
      }
    }
    let sorted = errors.map(\.error).sorted()
    let share = Double(errors.count { $0.error <= $0.claim }) / Double(errors.count)
    let claims = errors.map(\.claim).sorted()
    print(
      "altitude after ten minutes: 68 % within \(sorted[sorted.count * 68 / 100]) m, 95 % within "
        + "\(sorted[sorted.count * 95 / 100]) m; claim \(claims[claims.count / 2]) m holds \(share)"
    )
    #expect(sorted[sorted.count * 68 / 100] <= 2.5)
    #expect((0.6...0.9).contains(share))
  }

  private static func pressure(_ height: Double) -> Double {
    1013.25 * power(1 - height / 44_330.77, 1 / 0.190_263)
  }
}
