import Foundation
import LocationEngine
import LocationModel

/// Measures the index of circles and the whole step, with 20 to a million circles.
func measureCircles() throws {
  for count in [20, 1000, 100_000, 1_000_000] { try measureCircles(count) }
}

private func measureCircles(_ count: Int) throws {
  var random = SeededRandom(seed: 42)
  // As dense everywhere: a country of one circle of 100 m in four square kilometers.
  let side = Double(count).squareRoot() * 0.02
  let circles = (0..<count).map { _ in
    Circle(
      center: Coordinate(
        latitude: 45 + .random(in: 0...min(side, 30), using: &random),
        longitude: .random(in: 0...min(side, 60), using: &random)),
      radius: 100)
  }
  let clock = ContinuousClock()
  var index = ConditionIndex()
  var slots: [ConditionIndex.Slot] = []
  let build = clock.measure {
    slots = circles.map { index.insert(center: $0.center, radius: $0.radius) }
  }
  let label = "\(count) circles"
  try Figure.report(
    "circles.\(count).build", build / .nanoseconds(count), "ns", label + ", insertion")
  try Figure.report(
    "circles.\(count).bytes", Double(index.footprint) / Double(count), "B", label + ", per circle")
  let probes = (0..<100_000).map { _ in
    Coordinate(
      latitude: 45 + .random(in: 0...min(side, 30), using: &random),
      longitude: .random(in: 0...min(side, 60), using: &random))
  }
  let steps = probes.indices.map {
    Coordinate(latitude: 45.001 + Double($0) * 1e-6, longitude: 0.001 + Double($0) * 1e-6)
  }
  try report("far apart", probes, count, index)
  try report("one walk", steps, count, index)
  try reportStep(circles, steps)
  let removal = clock.measure { for slot in slots { index.remove(slot) } }
  try Figure.report(
    "circles.\(count).removal", removal / .nanoseconds(count), "ns", label + ", removal")
}

private func report(
  _ way: String, _ places: [Coordinate], _ count: Int, _ index: ConditionIndex
) throws {
  var found: [ConditionIndex.Slot] = []
  var hits = 0
  let seconds = shortestTime(of: 5) {
    for place in places {
      found.removeAll(keepingCapacity: true)
      index.collect(at: place, into: &found)
      hits += found.count
    }
  }
  let name = way.replacing(" ", with: "-")
  try Figure.report(
    "circles.\(count).look-up.\(name)", seconds / Double(places.count) * 1e9, "ns",
    "\(count) circles, look-up, \(way) (\(hits / 5) found)")
}

/// The whole step of the tracker, decision included, on a walk.
private func reportStep(_ circles: [Circle], _ places: [Coordinate]) throws {
  var tracker = ConditionTracker()
  for circle in circles { _ = tracker.insert(circle) }
  var time = 0.0
  func fix(_ place: Coordinate) -> (Fix, Moment) {
    time += 1
    let unixTime = UnixTime(seconds: 1_700_000_000 + time)
    let now = Moment(uptime: Instant(nanoseconds: Int64(time * 1e9)), unixTime: unixTime)
    return (Fix(coordinate: place, horizontalAccuracy: 5, time: unixTime), now)
  }
  let (first, now) = fix(places[0])
  _ = tracker.observe(first, at: now)
  let inputs = places.dropFirst().map { fix($0) }
  var decisions = 0
  let clock = ContinuousClock()
  let duration = clock.measure {
    for (fix, now) in inputs { decisions += tracker.observe(fix, at: now).count }
  }
  try Figure.report(
    "circles.\(circles.count).step", duration / .nanoseconds(inputs.count), "ns",
    "\(circles.count) circles, whole step (\(decisions) decisions)")
}
