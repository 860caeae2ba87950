import Foundation
import LocationFleet
import LocationModel
import TestSupport

/// From a fix to its event, by the broker's own times, with a server and a worker on the loopback: at half of
/// the rate at which fixes are published and judged on this computer, and with one of ten tenants at ten times its share, sent into the stream
/// and through an ingress with limits.
func measureFleetLatency() async throws {
  guard NATSServer.isInstalled else { throw MissingPeer(text: "nats-server is not installed") }
  let site = try await FleetLatencySite()
  let seconds = ProcessInfo.processInfo.environment["FLEET_SECONDS"].flatMap { Double($0) } ?? 60
  let rate = try await site.workerRate()
  try Figure.report("fleet.latency.rate", rate, "/s", "judged by one worker with a backlog")

  let both = try site.streamRate()
  try Figure.report("fleet.latency.both", both, "/s", "published and judged at once")

  let share = both / 2 / Double(FleetTraffic.tenants)
  let even = [Double](repeating: share, count: FleetTraffic.tenants)
  let uneven = [10 * share] + even.dropFirst()
  let half = try site.publish(even, for: seconds)
  let hot = try site.publish(uneven, for: seconds / 2)

  let path = try await site.ingressRate()
  try Figure.report("fleet.latency.path", path, "/s", "acknowledged by ingress and worker together")
  let part = path / 2 / Double(FleetTraffic.tenants)
  try await site.startIngress(share: part * 1.25)
  let own = [Double](repeating: part, count: FleetTraffic.tenants)
  let before = try site.send(own, for: seconds / 2)
  let during = try site.send([10 * part] + own.dropFirst(), for: seconds / 2)
  try site.drain()

  let delays = try site.delays()
  let calm = try delays.report(half, "half", "at half load")
  verdict("p99 at half load, ms", 1000 * calm.p99, atMost: 250)
  let loaded = try delays.report(hot, "stream", "others, while one publishes ten times its share")
  verdict("others' p99 over before, in the stream", loaded.p99 / calm.p99, atMost: 2)
  let alone = try delays.report(before, "ingress.before", "by the ingress, at half load")
  let limited = try delays.report(
    during, "ingress", "the same, while one sends ten times its share")
  try Figure.report(
    "fleet.latency.ingress.ratio", limited.p99 / alone.p99, "", "others' p99 over before")
  verdict("others' p99 over before, by the ingress", limited.p99 / alone.p99, atMost: 2)
}

private func verdict(_ what: String, _ value: Double, atMost most: Double) {
  let text = String(format: "%.2f", value)
  print("\(value <= most ? "won " : "lost"): \(what), at most \(most.formatted()): \(text)")
}

/// A time in which something was sent, and how much of what was due.
struct FleetPhase {
  var begin: UnixTime
  var end: UnixTime
  var sent: Int
  var wanted: Int
}

extension EventDelays {
  /// Shows the delays of a phase; of all tenants but the first, who may have sent more than its share.
  fileprivate func report(
    _ phase: FleetPhase, _ name: String, _ label: String
  ) throws -> (p50: Double, p99: Double) {
    // What comes first finds everything cold.
    let begin = phase.begin + .seconds(2)
    let own = all.filter { $0.begin >= begin && $0.begin < phase.end }
    let others = own.filter { $0.tenant != FleetTraffic.tenant(0) }.map(\.seconds)
    let first = own.filter { $0.tenant == FleetTraffic.tenant(0) }.map(\.seconds)
    guard others.count > 100, !first.isEmpty else {
      throw InvalidMeasurement(text: "\(others.count) events are too few")
    }
    let share = Double(phase.sent) / Double(phase.wanted)
    try Figure.report("fleet.latency.\(name).sent", share, "", "sent of what was due, \(label)")
    for (key, value) in [
      ("p50", others.quantile(0.5)), ("p99", others.quantile(0.99)), ("max", others.max() ?? 0),
    ] {
      try Figure.report("fleet.latency.\(name).\(key)", 1000 * value, "ms", "\(key), \(label)")
    }
    // Whether something stands still now and then, or all is late.
    var longest: [Int: Double] = [:]
    for delay in own {
      let second = Int(delay.begin.seconds(since: begin))
      longest[second] = max(longest[second] ?? 0, delay.seconds)
    }
    let series = longest.sorted { $0.key < $1.key }.map { String(format: "%.0f", 1000 * $0.value) }
    print("the longest of each second, ms: " + series.joined(separator: " "))
    print(
      "\(others.count) events of nine tenants; of the first one \(first.count), p99 "
        + String(format: "%.4g ms", 1000 * first.quantile(0.99)))
    return (others.quantile(0.5), others.quantile(0.99))
  }
}
