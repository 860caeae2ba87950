import Foundation
import LocationEngine
import LocationModel

/// Measures the index of circles and the whole step, with 20 to a million circles, against other
/// indexes on the same work; time on the wall. Look-ups are the best of ``rounds`` rounds for all.
///
/// `Benchmarks circles [FOLDER [PEER…]]` writes `circle-cost.md`, by default in `docs`.
func measureCircles() throws {
  let folder = try Peers.folder("circles")
  defer { try? FileManager.default.removeItem(at: folder) }
  let arguments = Array(CommandLine.arguments.dropFirst(2))
  var peers = try CirclePeers(in: folder, only: arguments.dropFirst())
  var rows: [CircleRow] = []
  for arrangement in CircleWorld.Arrangement.allCases {
    for count in [20, 1000, 100_000, 1_000_000] {
      let world = CircleWorld(arrangement, count: count)
      var row = CircleRow(arrangement: arrangement, count: count, own: ownCost(of: world))
      if arrangement == .far { row.step = stepCost(of: world) }
      row.peers = try peers.measure(world)
      try row.report()
      rows.append(row)
    }
  }
  for (name, reason) in peers.missing.sorted(by: { $0.key < $1.key }) {
    print("not compared with \(name): \(reason)")
  }
  try reportRatios(of: rows)
  let target = arguments.first ?? "docs"
  try CircleDocument(rows: rows, missing: peers.missing).text.write(
    to: URL(filePath: target, relativeTo: Peers.packageRoot).appending(path: "circle-cost.md"),
    atomically: true, encoding: .utf8)
}

/// The index on one world.
private func ownCost(of world: CircleWorld) -> CircleCost {
  let clock = ContinuousClock()
  var cost = CircleCost()
  var index = ConditionIndex()
  var slots: [ConditionIndex.Slot] = []
  let build = clock.measure { slots = world.circles.map { index.insert($0) } }
  cost.values["build"] = build / .nanoseconds(world.circles.count)
  cost.values["bytes"] = Double(index.footprint) / Double(world.circles.count)
  for (name, places) in [("devices", world.devices), ("walk", world.walk)] {
    (cost.values[name], cost.answers[name]) = lookUp(places, in: index)
  }
  let churn = slots.prefix(CirclePeers.churn)
  let removal = clock.measure { for slot in churn { index.remove(slot) } }
  cost.values["removal"] = removal / .nanoseconds(churn.count)
  let insertion = clock.measure {
    for circle in world.circles.prefix(churn.count) { index.insert(circle) }
  }
  cost.values["insertion"] = insertion / .nanoseconds(churn.count)
  return cost
}

/// Nanoseconds of a look-up, and the answers of all.
private func lookUp(_ places: [Coordinate], in index: ConditionIndex) -> (Double, Int) {
  var found: [ConditionIndex.Slot] = []
  var answers = 0
  var best = Double.infinity
  for _ in 0..<rounds {
    answers = 0
    let seconds = wallTime {
      for place in places {
        found.removeAll(keepingCapacity: true)
        index.collect(at: place, into: &found)
        answers += found.count
      }
    }
    best = min(best, seconds)
  }
  return (best / Double(places.count) * 1e9, answers)
}

/// Nanoseconds of the tracker's whole step on the walk, decision included.
private func stepCost(of world: CircleWorld) -> Double {
  var tracker = ConditionTracker()
  var motion = MotionEstimator()
  func step(_ fix: Fix, _ now: Moment) {
    tracker.take(motion.observe(fix, at: now))
    _ = tracker.observe(fix, at: now)
  }
  for circle in world.circles { _ = tracker.insert(circle) }
  var time = 0.0
  let inputs = world.walk.map { place -> (Fix, Moment) in
    time += 1
    let unixTime = UnixTime(seconds: 1_700_000_000 + time)
    let now = Moment(uptime: Instant(nanoseconds: Int64(time * 1e9)), unixTime: unixTime)
    return (Fix(coordinate: place, horizontalAccuracy: 5, time: unixTime), now)
  }
  // The first fixes settle where every circle is.
  let settling = 100
  for (fix, now) in inputs.prefix(settling) { step(fix, now) }
  let duration = ContinuousClock().measure {
    for (fix, now) in inputs.dropFirst(settling) { step(fix, now) }
  }
  return duration / .nanoseconds(inputs.count - settling)
}

/// The figures that have bounds: the worst of all worlds.
private func reportRatios(of rows: [CircleRow]) throws {
  let ratios = rows.flatMap(\.ratios)
  if let worst = ratios.max() {
    try Figure.report("circles.ratio", worst, "", "look-up against Boost's R-tree, worst")
  }
  let steps = rows.compactMap(\.step)
  try Figure.report("circles.step", steps.max() ?? 0, "ns", "whole step, none near, longest")
  try Figure.report(
    "circles.step.ratio", (steps.max() ?? 0) / (steps.min() ?? 1), "",
    "whole step, longest against shortest")
  let bytes = rows.compactMap { $0.own.values["bytes"] }.max() ?? 0
  try Figure.report("circles.bytes", bytes, "B", "index, per circle, most")
  let wrong = rows.flatMap(\.disagreements)
  for line in wrong { print("other answers: " + line) }
  try Figure.report("circles.disagreements", Double(wrong.count), "", "other answers than ours")
}
