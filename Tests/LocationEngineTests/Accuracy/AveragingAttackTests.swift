import Foundation
import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

/// Tries to find a person whose apps all have reduced accuracy, with everything such apps can
/// gather in weeks, knowing how the place is made, all but the secret.
@Suite("Averaging over the coarse place")
struct AveragingAttackTests {
  typealias Observation = (at: Double, place: Coordinate)

  /// Meters. Of a person of whom nothing is known but a cell of 5 km, 95 % are within this of its
  /// middle: the stated cell (`reducedCell`).
  static let cellAt95 = 2_970.0
  /// `MERIDIAN_PEOPLE=1000` measures the table of docs/decisions/0015, and prints it.
  static let asked = ProcessInfo.processInfo.environment["MERIDIAN_PEOPLE"].flatMap { Int($0) }
  static let people = asked ?? 120
  static let days = 14.0

  /// The place an app receives every quarter of an hour, or the middle of those several apps receive.
  static func observe(
    _ person: Wanderer, secret: UInt64, apps: Int = 1, step: Double = 900
  ) -> [Observation] {
    var locator = CoarseLocator(secret: SecretKey(seed: secret))
    var points = (0..<apps).map { locator.points(of: AppIdentity("org.example.\($0)")) }
    var observations: [Observation] = []
    for seconds in stride(from: 0, to: days * 86_400, by: step) {
      let now = Moment(uptime: .start + .seconds(seconds), unixTime: UnixTime(seconds: seconds))
      let fix = Fix(
        coordinate: person.position(at: seconds), horizontalAccuracy: 10, time: now.unixTime)
      _ = locator.handle(.fix(fix), at: now)
      guard let place = locator.place else { continue }
      let delivered = points.indices.map { points[$0].point(of: place.cell) }
      observations.append((seconds, mean(delivered)))
    }
    return observations
  }

  static func isNight(_ seconds: Double) -> Bool {
    let hour = seconds.truncatingRemainder(dividingBy: 86_400) / 3600
    return hour < 6 || hour >= 22
  }

  static func mean(_ places: [Coordinate]) -> Coordinate {
    let count = Double(max(1, places.count))
    return Coordinate(
      latitude: places.reduce(0) { $0 + $1.latitude } / count,
      longitude: places.reduce(0) { $0 + $1.longitude } / count)
  }

  /// The ways to guess a home.
  enum Estimator: CaseIterable {
    case meanOfAll
    case meanOfNights
    case commonestAtNight
    /// The middle of the distinct places seen at night: a home near a border shows both sides.
    case middleOfNightCells
    /// The middle of what all night cells, with their margins, have in common.
    case overlapOfNightCells

    func home(_ observations: [Observation]) -> Coordinate {
      let nights = observations.filter { isNight($0.at) }.map(\.place)
      var distinct: [(place: Coordinate, count: Int)] = []
      for place in nights {
        if let index = distinct.firstIndex(where: { $0.place == place }) {
          distinct[index].count += 1
        } else {
          distinct.append((place, 1))
        }
      }
      switch self {
      case .meanOfAll: return mean(observations.map(\.place))
      case .meanOfNights: return mean(nights)
      case .commonestAtNight: return distinct.max { $0.count < $1.count }?.place ?? mean(nights)
      case .middleOfNightCells: return mean(distinct.map(\.place))
      case .overlapOfNightCells: return overlap(distinct.map(\.place))
      }
    }

    private func overlap(_ cells: [Coordinate]) -> Coordinate {
      let reach = CoarseGrid.side / 2 + CoarseLocator.margin
      let low = cells.map { $0.moved(east: -reach, north: -reach) }
      let high = cells.map { $0.moved(east: reach, north: reach) }
      let south = low.map(\.latitude).max() ?? 0
      let north = high.map(\.latitude).min() ?? 0
      let west = low.map(\.longitude).max() ?? 0
      let east = high.map(\.longitude).min() ?? 0
      return Coordinate(latitude: (south + north) / 2, longitude: (west + east) / 2)
    }
  }

  static func at95(_ errors: [Double]) -> Double {
    errors.sorted()[Int(Double(errors.count) * 0.95)]
  }

  @Test(
    "border 6: no way to guess homes places 95 % of people within less than the stated cell",
    arguments: [1, 10])
  func homes(apps: Int) {
    let worlds = (0..<Self.people).map { index in
      let person = Wanderer(seed: UInt64(index) &* 7919 &+ 1)
      return (person, Self.observe(person, secret: UInt64(index) &* 104_729 &+ 3, apps: apps))
    }
    for estimator in Estimator.allCases {
      let errors = worlds.map { person, observations in
        estimator.home(observations).planeDistance(to: person.home)
      }
      #expect(Self.at95(errors) > Self.cellAt95, "\(estimator)")
      Self.print("\(apps) app(s), \(estimator)", errors)
    }
  }

  /// For the table; nothing in a usual run.
  static func print(_ name: String, _ errors: [Double]) {
    guard asked != nil else { return }
    let median = errors.sorted()[errors.count / 2]
    Swift.print("\(name): median \(Int(median)) m, 95 % within \(Int(at95(errors))) m")
  }

  @Test("100,000 fixes of one moving person give no better place at any time")
  func tracking() throws {
    let step = 12.0
    let person = Wanderer(seed: 4)
    let observations = Self.observe(person, secret: 11, step: step)
    #expect(observations.count > 100_000)
    let errors = observations.map { $0.place.planeDistance(to: person.position(at: $0.at)) }
    #expect(Self.at95(errors) > Self.cellAt95)
    Self.print("tracking", errors)
    // Right after a change the person is near the border of the two cells, no nearer.
    var changes: [Double] = []
    for (before, after) in zip(observations, observations.dropFirst())
    where before.place != after.place {
      let border = Self.mean([before.place, after.place])
      changes.append(border.planeDistance(to: person.position(at: after.at)))
    }
    #expect(changes.count > 30)
    #expect(Self.at95(changes) > Self.cellAt95)
    Self.print("right after a change", changes)
  }

  @Test("ten apps that pool what they got have what one has")
  func pooling() {
    let person = Wanderer(seed: 21)
    var locator = CoarseLocator(secret: SecretKey(seed: 8))
    var random = SeededRandom(seed: 5)
    var pooled: Set<CoarseLocator.Place> = []
    var stream: Set<CoarseLocator.Place> = []
    for seconds in stride(from: 0, to: 7 * 86_400.0, by: 120) {
      let now = Moment(uptime: .start + .seconds(seconds), unixTime: UnixTime(seconds: seconds))
      let fix = Fix(
        coordinate: person.position(at: seconds), horizontalAccuracy: 10, time: now.unixTime)
      _ = locator.handle(.fix(fix), at: now)
      // Each app asks when it likes; none of them changes what the others get.
      for _ in 0..<10 where Int.random(in: 0..<4, using: &random) == 0 {
        if let place = locator.place { pooled.insert(place) }
      }
      if let place = locator.place { stream.insert(place) }
    }
    #expect(pooled.isSubset(of: stream))
    #expect(stream.count <= 7 * 24 * 4 + 1)
  }

  @Test("the stated accuracy holds the person 68 % of the time")
  func statedAccuracy() {
    var within = 0
    var all = 0
    for index in 0..<(Self.asked ?? 40) {
      let person = Wanderer(seed: UInt64(index) &+ 500)
      for (at, place) in Self.observe(person, secret: UInt64(index) &* 31 &+ 7, step: 1800) {
        all += 1
        let error = place.planeDistance(to: person.position(at: at))
        if error <= CoarseLocator.accuracy { within += 1 }
      }
    }
    let share = Double(within) / Double(all)
    #expect((0.65...0.75).contains(share), "\(share)")
    if Self.asked != nil { Swift.print("within the stated accuracy: \(share)") }
  }

  @Test("the attack finds homes behind mere noise, so the net holds")
  func net() {
    let errors = (0..<40).map { index in
      let person = Wanderer(seed: UInt64(index) &+ 900)
      var random = SeededRandom(seed: UInt64(index))
      let observations = (0..<1300).map { turn -> Observation in
        let at = Double(turn) * 900
        let noisy = person.position(at: at).moved(
          east: .random(in: -8_000...8_000, using: &random),
          north: .random(in: -8_000...8_000, using: &random))
        return (at, noisy)
      }
      return Estimator.meanOfNights.home(observations).planeDistance(to: person.home)
    }
    #expect(Self.at95(errors) < 1_000)
  }
}
