import Foundation
import LocationEngine
import LocationModel
import TestSupport

/// Draws false transitions against delay, for our rule and four plain ones, on simulated truth and
/// on recorded phones.
///
/// `Benchmarks tradeoff [FOLDER]` writes `conditions-tradeoff.md` and `.svg`, by default in `docs`.
func measureTradeoff() throws {
  let folder = URL(filePath: CommandLine.arguments.dropFirst(2).first ?? "docs")
  let days = try PhoneDay.withoutPause()
  var document = TradeoffDocument()
  for radius in [50.0, 100, 200, 500, 1000] {
    measure(EvidenceRule.self, TradeoffPoint.ours, radius, days, into: &document)
    measure(MovedEvidenceRule.self, TradeoffPoint.oursMoved, radius, days, into: &document)
    measure(ContainmentRule.self, "containment", radius, days, into: &document)
    measure(DwellRule.self, "margin and 20 s", radius, days, into: &document)
    measure(OverlapRule.self, "overlap 75/25", radius, days, into: &document)
    measure(ConfirmationRule.self, "two fixes", radius, days, into: &document)
  }
  if !days.isEmpty { document.phones = PhoneTable(days).text }
  print(document.text)
  for point in document.simulated where TradeoffPoint.isOurs(point.rule) {
    let isMoved = point.rule == TradeoffPoint.oursMoved
    let name = "tradeoff.\(isMoved ? "moved." : "")\(Int(point.radius))"
    let label = "ours\(isMoved ? " with a motion sensor" : ""), \(Int(point.radius)) m"
    try Figure.report(name + ".false", point.falseExits, "/1000 h", label + ", false exits")
    try Figure.report(name + ".delay", point.delay, "s", label + ", exit delay, median")
    try Figure.report(name + ".worst", point.worst, "s", label + ", exit delay, longest")
    let longest = point.undisturbed.max() ?? 0
    try Figure.report(name + ".undisturbed", longest, "s", label + ", the same, no reflection")
  }
  try document.text.write(
    to: folder.appending(path: "conditions-tradeoff.md"), atomically: true, encoding: .utf8)
  try document.picture.write(
    to: folder.appending(path: "conditions-tradeoff.svg"), atomically: true, encoding: .utf8)
}

private func measure<R: FenceRule>(
  _: R.Type, _ name: String, _ radius: Double, _ days: [PhoneDay],
  into document: inout TradeoffDocument
) {
  document.simulated.append(TradeoffPoint.simulate(R.self, name, radius))
  guard !days.isEmpty else { return }
  document.recorded.append(TradeoffPoint.replay(R.self, name, radius, days))
  guard radius > 100 else { return }
  document.nearEdge.append(TradeoffPoint.replay(R.self, name, radius, days, inset: 100))
}

/// One rule at one radius.
struct TradeoffPoint {
  static let ours = "evidence (ours)"
  /// With a motion sensor.
  static let oursMoved = "evidence and motion (ours)"

  var rule: String
  /// Meters.
  var radius: Double
  /// Hours for which the device stayed inside.
  var hours: Double
  /// Changes of the rule's mind in that time, per 1,000 hours.
  var falseTransitions: Double
  /// Of simulated truth, the exits among them; the others are the returns.
  var falseExits = 0.0
  /// Seconds from the true crossing to the exit: median, nine tenths, and the longest.
  var delay = 0.0
  var delay90 = 0.0
  var worst = 0.0
  /// Of the simulated walks, those that no reflection met from a minute before the crossing on, and
  /// their delays in seconds.
  var undisturbed: [Double] = []
  var missed: Int

  init(rule: String, radius: Double, transitions: Int, hours: Double, delays: [Double], missed: Int)
  {
    self.rule = rule
    self.radius = radius
    self.hours = hours
    self.missed = missed
    falseTransitions = Double(transitions) * 1000 / hours
    delay = PhoneReport.quantile(0.5, delays)
    delay90 = PhoneReport.quantile(0.9, delays)
    worst = delays.max() ?? 0
  }

  /// Whether this rule is both no later and no more often wrong, and better in one of the two.
  func dominates(_ other: TradeoffPoint) -> Bool {
    radius == other.radius && !(Self.isOurs(rule) && Self.isOurs(other.rule))
      && missed <= other.missed && delay <= other.delay
      && falseTransitions <= other.falseTransitions
      && (delay < other.delay || falseTransitions < other.falseTransitions)
  }

  static func isOurs(_ rule: String) -> Bool { rule == ours || rule == oursMoved }

  private static let places = 20
  private static let walks = 200

  /// A device at twenty places in the circle, and walks out of it.
  static func simulate<R: FenceRule>(_: R.Type, _ name: String, _ radius: Double) -> TradeoffPoint {
    // The plain rules need no long watch to be seen to err.
    let hours = isOurs(name) ? 5000 : 1000
    var (transitions, exits) = (0, 0)
    for place in 0..<places {
      var world = NoisyWalk<R>(radius: radius, seed: UInt64(place + 1))
      world.hasEpisodes = true
      // Spread evenly over the area that is farther from the boundary than a receiver errs.
      world.distance = max(radius - 25, 0) * ((Double(place) + 0.5) / Double(places)).squareRoot()
      world.run(seconds: hours * 3600 / places)
      transitions += world.transitions
      exits += world.exits
    }
    var delays: [Double] = []
    var undisturbed: [Double] = []
    var missed = 0
    for walk in 0..<walks {
      var world = NoisyWalk<R>(radius: radius, seed: UInt64(1000 + walk))
      // From 30 to 100 m inside.
      world.distance = max(radius - 30 - Double(walk % 8) * 10, 0)
      world.run(seconds: 120)
      world.speed = 1.4
      world.run(seconds: Int((radius - world.distance) / 1.4))
      let waited = world.secondsUntilOutside(limit: 600)
      if waited < 600 { delays.append(Double(waited)) } else { missed += 1 }
      if world.sinceReflection >= Double(waited + 60) { undisturbed.append(Double(waited)) }
    }
    var point = TradeoffPoint(
      rule: name, radius: radius, transitions: transitions, hours: Double(hours), delays: delays,
      missed: missed)
    point.undisturbed = undisturbed
    point.falseExits = Double(exits) * 1000 / Double(hours)
    return point
  }
}
