import LocationEngine
import LocationModel

/// A device that stands or walks east of a circle's center, seen by a receiver that errs.
///
/// Errors: 8 m that stay alike for a minute, 3 m that do not, claims of 4 to 10 m; every quarter of
/// an hour 20 to 60 m for up to a minute, as by reflections; and every two hours an episode of one
/// to eight minutes, 200 m wrong with a claim of 2 m, that begins at once or within 3 to 20
/// seconds.
struct NoisyWalk<R: FenceRule> {
  var distance = 0.0
  var speed = 0.0
  var hasEpisodes = false
  private(set) var transitions = 0
  /// Those of the transitions that were exits.
  private(set) var exits = 0
  /// Seconds since a reflection ended; negative while one lasts.
  var sinceReflection: Double { second - reflectionEnd }

  private var rule: R
  private var random: SeededRandom
  private var second = 0.0
  private var slow = SIMD2<Double>.zero
  private var bias = SIMD2<Double>.zero
  private var growth = 1.0
  private var reflection = SIMD2<Double>.zero
  private var reflectionEnd = -Double.infinity
  private var episodeEnd = 0.0
  private var grown = 0.0
  private var wasInside = true
  /// Seconds for which it has walked; negative, stood.
  private var felt = 0
  private var strollEnd = 0.0
  /// Meters.
  private var stroll = 0.0
  private var strolled = 0
  private var habits: SeededRandom
  private static var center: Coordinate { Coordinate(latitude: 45, longitude: 7) }

  init(radius: Double, seed: UInt64) {
    rule = R(circle: Circle(center: Self.center, radius: radius))
    random = SeededRandom(seed: seed)
    habits = SeededRandom(seed: seed ^ 0x57A1)
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

  private var now: Moment {
    Moment(
      uptime: Instant(nanoseconds: Int64(second * 1e9)),
      unixTime: UnixTime(seconds: 1_700_000_000 + second))
  }

  private mutating func step() {
    second += 1
    distance += speed
    advanceErrors()
    feel()
    let white = SIMD2(gaussian(), gaussian()) * 3
    let isWrong = second < episodeEnd
    if isWrong { grown = min(grown + growth, 1) }
    let error = isWrong ? bias * grown + white * 0.3 : slow + white + reflection
    let (east, north) = (distance + error.x, stroll + error.y)
    let place = Coordinate(
      latitude: Self.center.latitude + north / 111_132,
      longitude: Self.center.longitude + east / 78_847)
    let claim = isWrong ? 2 : Double.random(in: 4...10, using: &random)
    let fix = Fix(coordinate: place, horizontalAccuracy: claim, time: now.unixTime)
    let away = hypotenuse(east, north)
    let isInside = rule.observe(fix, distance: away, at: now)
    // The first minute settles the state.
    if isInside != wasInside, second > 60 {
      transitions += 1
      exits += isInside ? 0 : 1
    }
    wasInside = isInside
  }

  /// The motion sensor tells a walk and a rest some seconds late. Who stays walks about twice an hour
  /// for up to three minutes, four times as often as the carriers of the recorded phones: 14 m to
  /// and fro along the boundary. For ten minutes after that the device is held, and the sensor knows
  /// nothing.
  private mutating func feel() {
    if Double.random(in: 0..<1, using: &habits) < 1.0 / 1800 {
      strollEnd = second + .random(in: 20...180, using: &habits)
    }
    let isWalking = speed > 0 || second < strollEnd
    if isWalking, speed == 0 {
      strolled += 1
      // 12 s away, 12 s back.
      stroll = 1.2 * Double(12 - abs(strolled % 24 - 12))
    }
    felt = isWalking ? max(felt, 0) + 1 : min(felt, 0) - 1
    guard felt == 6 || felt == -10 || felt == -600 else { return }
    rule.feel(
      MotionActivity(felt > 0 ? .walking : felt == -10 ? .unknown : .stationary), at: now)
  }

  private mutating func advanceErrors() {
    let keep = exponential(-1.0 / 60)
    let fresh = 8 * (1 - keep * keep).squareRoot()
    slow = slow * keep + SIMD2(gaussian(), gaussian()) * fresh
    if second >= reflectionEnd { reflection = .zero }
    if Double.random(in: 0..<1, using: &random) < 1.0 / 900 {
      reflection = direction() * Double.random(in: 20...60, using: &random)
      reflectionEnd = second + .random(in: 5...60, using: &random)
    }
    guard hasEpisodes, second >= episodeEnd, Double.random(in: 0..<1, using: &random) < 1.0 / 7200
    else { return }
    bias = direction() * 200
    growth = 1 / ([1.0, 3, 10, 20].randomElement(using: &random) ?? 1)
    grown = 0
    episodeEnd = second + .random(in: 60...480, using: &random)
  }

  private mutating func direction() -> SIMD2<Double> {
    let angle = Double.random(in: 0..<(2 * .pi), using: &random)
    return SIMD2(cosine(angle), sine(angle))
  }

  private mutating func gaussian() -> Double {
    let radius = (-2 * logarithm(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
    return radius * cosine(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}
