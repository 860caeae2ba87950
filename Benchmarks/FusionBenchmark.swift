import Foundation
import LocationEngine
import LocationModel

/// How far off the position is with two sources: each of them alone, the one that the arbiter
/// chooses, and both fused.
///
/// `Benchmarks fusion`: seeded worlds, and recorded walks of a museum whose other walks have taught
/// the map. An error is the distance of the last fix from the device, each second; a radius holds if
/// it holds the place at the time of the fix. Then how far off the map is that the phone's own receiver
/// has taught in the museum.
func measureFusion() throws {
  for world in FusionWorld.all {
    try report(FusionResult(world.name, (1...20).map { world.walk(seed: $0) }))
  }
  if let walks = try MuseumWalks.read() { try report(FusionResult("museum", walks)) }
  if let found = try MuseumWalks.taughtByReceiver(), !found.isEmpty {
    let errors = found.map(\.error)
    let held = 100 * Double(found.count { $0.error <= $0.radius }) / Double(found.count)
    for (name, value, unit) in [
      ("median", errors.median, "m"), ("p90", errors.quantile(0.9), "m"), ("held", held, "%"),
    ] {
      try Figure.report(
        "fusion.museum-own.\(name)", value, unit, "museum, taught by the phone's receiver, \(name)")
    }
  }
}

private func report(_ result: FusionResult) throws {
  print(result.text)
  for (name, value, unit) in result.figures {
    try Figure.report("fusion.\(result.name).\(name)", value, unit, "\(result.name), \(name)")
  }
}

/// One walk: what two sources said, and where the device was.
struct FusionWalk {
  /// In the order in which the fixes came.
  var fixes: [(provider: ProviderID, fix: Fix)]
  /// The true place at a time; `nil` where it is not known.
  var truth: (UnixTime) -> Coordinate?
}

/// The errors of several walks.
struct FusionResult {
  /// The errors of one way to a position, in meters, and how often the radius held them.
  private struct Errors {
    var errors: [Double] = []
    private var inside = 0
    private var fixes = 0
    private var last: Fix?

    mutating func begin() { last = nil }

    mutating func add(_ fix: Fix, _ truth: Coordinate) {
      last = fix
      fixes += 1
      if FusionResult.distance(fix, truth) <= fix.horizontalAccuracy { inside += 1 }
    }

    mutating func look(_ truth: Coordinate) {
      if let last { errors.append(FusionResult.distance(last, truth)) }
    }

    var isKnown: Bool { last != nil }
    var held: Double { 100 * Double(inside) / Double(max(fixes, 1)) }

    var text: String {
      guard !errors.isEmpty else { return "none" }
      return String(
        format: "%.1f / %.1f m, holds %.0f %%, %d fixes", errors.median, errors.quantile(0.9), held,
        fixes)
    }
  }

  let name: String
  private var alone = [Errors(), Errors()]
  private var chosen = Errors()
  private var fused = Errors()
  /// Fixes that rest on two sources, and those of them that are nearer the truth than the better
  /// claim, and farther.
  private var joined = 0
  private var wins = 0
  private var losses = 0

  init(_ name: String, _ walks: [FusionWalk]) {
    self.name = name
    for walk in walks { add(walk) }
  }

  private mutating func add(_ walk: FusionWalk) {
    var (choosing, fusing) = (ProviderArbiter(), ProviderArbiter())
    for index in alone.indices { alone[index].begin() }
    chosen.begin()
    fused.begin()
    guard var second = walk.fixes.first?.fix.time else { return }
    for (provider, fix) in walk.fixes {
      while second < fix.time {
        look(walk.truth(second))
        second = second + .seconds(1)
      }
      guard let truth = walk.truth(fix.time) else { continue }
      let now = Moment(
        uptime: .start + (fix.time - UnixTime(seconds: 1_600_000_000)), unixTime: fix.time)
      alone[provider.index].add(fix, truth)
      if case .current(let fix, _)? = choosing.handle(.fix(fix, provider), at: now).first {
        chosen.add(fix, truth)
      }
      guard let judgment = fusing.handle(.fix(fix, provider), at: now).first else { continue }
      if let joint = fusing.fuse(judgment, at: now) {
        fused.add(joint, truth)
        count(joint, instead: choosing.current ?? fix, truth)
      } else if case .current(let fix, _) = judgment {
        fused.add(fix, truth)
      }
    }
  }

  /// Compares all of them while both sources have given a fix.
  private mutating func look(_ truth: Coordinate?) {
    guard let truth, alone.allSatisfy({ $0.isKnown }) else { return }
    for index in alone.indices { alone[index].look(truth) }
    chosen.look(truth)
    fused.look(truth)
  }

  private mutating func count(_ joint: Fix, instead chosen: Fix, _ truth: Coordinate) {
    joined += 1
    let gain = Self.distance(chosen, truth) - Self.distance(joint, truth)
    if gain > 1 { wins += 1 }
    if gain < -1 { losses += 1 }
  }

  private static func distance(_ fix: Fix, _ truth: Coordinate) -> Double {
    LocalFrame(center: truth).distance(to: fix.coordinate)
  }

  var figures: [(String, Double, String)] {
    guard !fused.errors.isEmpty, alone.allSatisfy({ !$0.errors.isEmpty }) else { return [] }
    let better = (
      alone.map { $0.errors.median }.min() ?? 0, alone.map { $0.errors.quantile(0.9) }.min() ?? 0
    )
    return [
      ("median", fused.errors.median, "m"), ("p90", fused.errors.quantile(0.9), "m"),
      ("held", fused.held, "%"),
      ("median-share", 100 * fused.errors.median / better.0, "%"),
      ("p90-share", 100 * fused.errors.quantile(0.9) / better.1, "%"),
    ]
  }

  var text: String {
    """
    \(name): \(joined) fused, nearer than the chosen one by a meter \(wins), farther \(losses)
      first   \(alone[0].text)
      second  \(alone[1].text)
      chosen  \(chosen.text)
      fused   \(fused.text)
    """
  }
}

/// A world with two sources that err, for walks of twenty minutes: a minute of walking, a minute of
/// rest.
struct FusionWorld {
  /// A source whose error lasts, and changes with time and with the way.
  struct SourceModel {
    var method = PositionMethod.receiver
    /// Meters: what it claims, and the radius that holds 68 % of its errors.
    var claim: Double
    var radius: Double
    /// Seconds between two fixes.
    var interval = 1
    /// Seconds and meters over which an error lasts.
    var lasting: (seconds: Double, meters: Double) = (60, 50)
    var measuresSpeed = true
    /// Seconds of each five minutes in which it is 200 m off, without knowing.
    var lies = 0
  }

  var name: String
  var sources: [SourceModel]
  /// The share of the second source's errors that are those of the first.
  var common = 0.0

  static let all: [FusionWorld] = [
    FusionWorld(name: "open-sky", sources: [SourceModel(claim: 5, radius: 5), wifi(12)]),
    FusionWorld(name: "canyon", sources: [SourceModel(claim: 30, radius: 30), wifi(15)]),
    FusionWorld(name: "indoors", sources: [SourceModel(claim: 13, radius: 13), wifi(8)]),
    FusionWorld(
      name: "without-speed",
      sources: [SourceModel(claim: 13, radius: 13, measuresSpeed: false), wifi(8)]),
    FusionWorld(
      name: "two-receivers",
      sources: [SourceModel(claim: 9, radius: 9), SourceModel(claim: 11, radius: 11)], common: 0.6),
    FusionWorld(
      name: "coarse-cells",
      sources: [
        SourceModel(claim: 20, radius: 20),
        SourceModel(method: .cells, claim: 150, radius: 150, interval: 10, lasting: (1e9, 300)),
      ]),
    FusionWorld(name: "sure-receiver", sources: [SourceModel(claim: 9, radius: 20), wifi(8)]),
    FusionWorld(
      name: "lying-receiver", sources: [SourceModel(claim: 10, radius: 10, lies: 40), wifi(8)]),
    FusionWorld(
      name: "wrong-map", sources: [SourceModel(claim: 8, radius: 8), wifi(10, lies: 100)]),
  ]

  private static func wifi(_ radius: Double, lies: Int = 0) -> SourceModel {
    SourceModel(
      method: .accessPoints, claim: radius, radius: radius, interval: 10, lasting: (1e9, 15),
      measuresSpeed: false, lies: lies)
  }

  func walk(seed: UInt64) -> FusionWalk {
    var random = SeededRandom(seed: seed)
    let frame = LocalFrame(center: Coordinate(latitude: 49.4, longitude: 11.1))
    let begin = UnixTime(seconds: 1_700_000_000)
    var way: [SIMD2<Double>] = []
    var (place, heading) = (SIMD2<Double>.zero, 0.0)
    var errors = sources.map { _ in Self.pair(&random) }
    var fixes: [(ProviderID, Fix)] = []
    for second in 0..<1200 {
      let speed = second / 60 % 2 == 0 ? 1.3 : 0
      if second % 20 == 0 { heading += .random(in: -90...90, using: &random) }
      let angle = Angle(degrees: heading)
      place += SIMD2(sin(angle), cos(angle)) * speed
      way.append(place)
      for (index, source) in sources.enumerated() {
        let kept = exponential(-1 / source.lasting.seconds - speed / source.lasting.meters)
        errors[index] =
          errors[index] * kept + Self.pair(&random) * (1 - kept * kept).squareRoot()
        guard second % source.interval == index % source.interval else { continue }
        let shared = index == 0 ? 0 : common
        var error =
          (errors[0] * shared + errors[index] * (1 - shared * shared).squareRoot())
          * (source.radius / 1.51)
        error += Self.pair(&random) * source.radius * 0.15
        if second % 300 < source.lies { error += SIMD2(200, 0) }
        let seen = place + SIMD2(sin(angle), cos(angle)) * (speed * 0.5 * Double(index)) + error
        let claim = source.claim * Double.random(in: 0.8...1.25, using: &random)
        var fix = Fix(
          coordinate: frame.place(east: seen.x, north: seen.y), horizontalAccuracy: claim,
          time: begin + .seconds(Double(second) + 0.5 * Double(index)),
          origin: Fix.Origin(method: source.method))
        if source.measuresSpeed {
          fix.speed = max(0, speed + .random(in: -0.2...0.2, using: &random))
          fix.course = speed > 0 ? (heading + 3600).truncatingRemainder(dividingBy: 360) : nil
        }
        fixes.append((ProviderID(index), fix))
      }
    }
    return FusionWalk(fixes: fixes) { time in
      let seconds = time.seconds(since: begin)
      let (before, after) = (Int(seconds), min(Int(seconds) + 1, way.count - 1))
      let spot = way[before] + (way[after] - way[before]) * (seconds - Double(before))
      return frame.place(east: spot.x, north: spot.y)
    }
  }

  /// Two independent numbers of a normal distribution.
  private static func pair(_ random: inout SeededRandom) -> SIMD2<Double> {
    let length = (-2 * log(Double.random(in: 1e-12...1, using: &random))).squareRoot()
    let angle = Angle(degrees: .random(in: 0..<360, using: &random))
    return SIMD2(cos(angle), sin(angle)) * length
  }
}
