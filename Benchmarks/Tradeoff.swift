import Foundation
import LocationEngine
import LocationModel

/// Draws false transitions against delay, for our rule and four plain ones.
///
/// `Benchmarks tradeoff [FOLDER]` writes `conditions-tradeoff.md` and `.svg`, by default in `docs`.
func measureTradeoff() throws {
  let folder = URL(filePath: CommandLine.arguments.dropFirst(2).first ?? "docs")
  var points: [TradeoffPoint] = []
  for radius in [50.0, 100, 200, 500, 1000] {
    points.append(TradeoffPoint.measure(EvidenceRule.self, "evidence (ours)", radius))
    points.append(TradeoffPoint.measure(ContainmentRule.self, "containment", radius))
    points.append(TradeoffPoint.measure(DwellRule.self, "margin and 20 s", radius))
    points.append(TradeoffPoint.measure(OverlapRule.self, "overlap 75/25", radius))
    points.append(TradeoffPoint.measure(ConfirmationRule.self, "two fixes", radius))
  }
  for point in points { print(point.line) }
  for point in points where point.rule.hasPrefix("evidence") {
    let name = "tradeoff.\(Int(point.radius))"
    let label = "ours, \(Int(point.radius)) m"
    try Figure.report(name + ".false", point.falseTransitions, "/1000 h", label + ", false")
    try Figure.report(name + ".delay", point.delay, "s", label + ", exit delay, median")
  }
  let table = TradeoffDocument(points: points)
  try table.text.write(
    to: folder.appending(path: "conditions-tradeoff.md"), atomically: true, encoding: .utf8)
  try table.picture.write(
    to: folder.appending(path: "conditions-tradeoff.svg"), atomically: true, encoding: .utf8)
}

/// One rule at one radius.
struct TradeoffPoint {
  var rule: String
  /// Meters.
  var radius: Double
  /// Per 1,000 hours of a device that stays inside.
  var falseTransitions: Double
  /// Seconds from the true crossing of a walker to the exit: median and nine tenths.
  var delay: Double
  var delay90: Double

  var line: String {
    String(
      format: "| %d | %@ | %.1f | %.0f | %.0f |", Int(radius), rule, falseTransitions, delay,
      delay90)
  }

  private static let hours = 1000
  private static let walks = 200

  static func measure<R: FenceRule>(_: R.Type, _ name: String, _ radius: Double) -> TradeoffPoint {
    var transitions = 0
    // Twenty places in the circle, up to seven tenths of the radius from its center.
    for place in 0..<20 {
      var world = NoisyWalk<R>(radius: radius, seed: UInt64(place + 1))
      world.hasEpisodes = true
      world.distance = radius * 0.7 * Double(place) / 19
      world.run(seconds: hours * 3600 / 20)
      transitions += world.transitions
    }
    var delays: [Double] = []
    for walk in 0..<walks {
      var world = NoisyWalk<R>(radius: radius, seed: UInt64(1000 + walk))
      world.distance = max(radius - 100, 0)
      world.run(seconds: 120)
      world.speed = 1.4
      let way = radius - world.distance
      world.run(seconds: Int(way / 1.4))
      delays.append(Double(world.secondsUntilOutside(limit: 600)))
    }
    return TradeoffPoint(
      rule: name, radius: radius,
      falseTransitions: Double(transitions) * 1000 / Double(hours),
      delay: PhoneReport.quantile(0.5, delays), delay90: PhoneReport.quantile(0.9, delays))
  }
}

/// A device that stands or walks east of a circle's center, seen by a receiver that errs.
///
/// Errors: 8 m that stay alike for a minute, 3 m that do not, claims of 4 to 10 m; and every two
/// hours an episode of one to eight minutes, 200 m wrong with a claim of 2 m, that begins at once
/// or within ten seconds.
struct NoisyWalk<R: FenceRule> {
  var distance = 0.0
  var speed = 0.0
  var hasEpisodes = false
  private(set) var transitions = 0

  private var rule: R
  private var random: SeededRandom
  private var second = 0.0
  private var slow = SIMD2<Double>.zero
  private var bias = SIMD2<Double>.zero
  private var growth = 1.0
  private var episodeEnd = 0.0
  private var grown = 0.0
  private var wasInside = true
  private static var center: Coordinate { Coordinate(latitude: 45, longitude: 7) }

  init(radius: Double, seed: UInt64) {
    rule = R(circle: Circle(center: Self.center, radius: radius))
    random = SeededRandom(seed: seed)
  }

  mutating func run(seconds: Int) {
    for _ in 0..<seconds { step() }
  }

  mutating func secondsUntilOutside(limit: Int) -> Int {
    var waited = 0
    while wasInside, waited < limit {
      step()
      waited += 1
    }
    return waited
  }

  private mutating func step() {
    second += 1
    distance += speed
    advanceErrors()
    let white = SIMD2(gaussian(), gaussian()) * 3
    let isWrong = second < episodeEnd
    if isWrong { grown = min(grown + growth, 1) }
    let error = isWrong ? bias * grown + white * 0.3 : slow + white
    let east = distance + error.x
    let place = Coordinate(
      latitude: Self.center.latitude + error.y / 111_132,
      longitude: Self.center.longitude + east / 78_847)
    let time = UnixTime(seconds: 1_700_000_000 + second)
    let claim = isWrong ? 2 : Double.random(in: 4...10, using: &random)
    let fix = Fix(coordinate: place, horizontalAccuracy: claim, time: time)
    let now = Moment(uptime: Instant(nanoseconds: Int64(second * 1e9)), unixTime: time)
    let away = hypotenuse(east, error.y)
    let isInside = rule.observe(fix, distance: away, at: now)
    // The first minute settles the state.
    if isInside != wasInside, second > 60 { transitions += 1 }
    wasInside = isInside
  }

  private mutating func advanceErrors() {
    let keep = exponential(-1.0 / 60)
    let fresh = 8 * (1 - keep * keep).squareRoot()
    slow = slow * keep + SIMD2(gaussian(), gaussian()) * fresh
    guard hasEpisodes, second >= episodeEnd, Double.random(in: 0..<1, using: &random) < 1.0 / 7200
    else { return }
    let direction = Double.random(in: 0..<(2 * .pi), using: &random)
    bias = SIMD2(cosine(direction), sine(direction)) * 200
    growth = Bool.random(using: &random) ? 1 : 0.1
    grown = 0
    episodeEnd = second + .random(in: 60...480, using: &random)
  }

  private mutating func gaussian() -> Double {
    let radius = (-2 * logarithm(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
    return radius * cosine(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}
