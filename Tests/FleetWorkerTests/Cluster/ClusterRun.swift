import Foundation
import LocationFleet
import LocationModel
import TestSupport
import Testing

/// A fleet on three servers under a steady load, two workers, and what comes of it.
final class ClusterRun {
  let cluster: NATSCluster
  let site: FleetSite
  private(set) var workers: [RunningProgram] = []
  let publisher: SteadyPublisher
  private let walks: [FleetWalk]
  /// Whose fix of which step a line is.
  private var places: [[UInt8]: Int] = [:]
  /// When something was done to it.
  private(set) var disturbances: [(date: Date, name: String)] = []

  init(
    _ cluster: NATSCluster, settings: String, steps: Int, devices: Int = 24, partitions: Int = 2
  ) throws {
    self.cluster = cluster
    site = try FleetSite(partitions: partitions, on: cluster, settings: settings)
    walks = (1...UInt64(devices)).map { FleetWalk(seed: $0, count: steps) }
    try site.prepare(walks[0])
    var entries: [[LogEntry]] = []
    for step in 0..<steps {
      var round: [LogEntry] = []
      for number in walks.indices {
        let name = Self.name(number)
        let bytes = Array(FleetWalk.line(walks[number].fixes[step], of: name).utf8)
        let partition = FleetAddress.partition(of: name, count: partitions)
        places[bytes] = step
        round.append(
          LogEntry(subject: FleetAddress.fixes(of: name, partition: partition), bytes: bytes))
      }
      entries.append(round)
    }
    publisher = SteadyPublisher(cluster.addresses, entries, each: 0.25)
    for _ in 0..<2 { workers.append(try site.worker("other.conf")) }
  }

  private static func name(_ number: Int) -> FleetDeviceName {
    FleetDeviceName(tenant: number.isMultiple(of: 2) ? "acme" : "", device: "truck \(number)")
  }

  /// Kills a node, has the others go on without it, and starts it again until it is current.
  func kill(_ node: Int, _ name: String) async throws {
    note(name)
    cluster.end(node)
    try waitForSteps(12)
    try await cluster.start(node)
    try cluster.waitUntilReady()
    try waitForSteps(4)
  }

  /// Ends a worker with SIGTERM, and starts another one in its place.
  func restart(_ number: Int) throws {
    note("worker \(number)")
    workers[number].terminate()
    workers[number] = try site.worker("other.conf")
    try waitForSteps(12)
  }

  /// Waits until so many more steps are kept.
  func waitForSteps(_ more: Int) throws { try orSay { try publisher.waitForSteps(more) } }

  /// Says how the servers are where something fails.
  private func orSay<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      print(cluster.text)
      throw error
    }
  }

  /// Notes that something is done now.
  func note(_ name: String) { disturbances.append((Date(), name)) }

  struct Pauses {
    /// Seconds from the first sending of a fix to the event that it causes: over all events, sorted.
    var all: [Double]
    /// The longest one around each of them, and the longest from when a fix was kept.
    var longest: [(name: String, seconds: Double, kept: Double)]

    var text: String {
      let sorted = longest.map(\.seconds).sorted()
      let median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
      let lines = longest.map { String(format: "%@ %.1f (%.1f) s", $0.name, $0.seconds, $0.kept) }
      return lines.joined(separator: "; ")
        + String(
          format:
            "\n%d disturbances, longest pause of each: median %.1f s, most %.1f s; "
            + "all events: %d, median %.3f s, most %.1f s",
          sorted.count, median, sorted.last ?? 0, all.count,
          all.isEmpty ? 0 : all[all.count / 2], all.last ?? 0)
    }
  }

  /// Ends the load, and compares what is there with what replay prints for the same fixes.
  func finish() throws -> Pauses {
    let begins = try orSay { try publisher.end() }
    try orSay { try site.waitUntilStored() }
    for worker in workers { worker.terminate() }
    let lines = (0..<begins.count).flatMap { step in
      walks.indices.map { FleetWalk.line(walks[$0].fixes[step], of: Self.name($0)) + "\n" }
    }.joined()
    let found = try site.fleet(["events"]).output
    let wanted = try FinishedProgram(
      "locationctl", ["fleet", "replay", "--fences", site.file("fences.geojson")], input: lines)
    compare(found, wanted.output)
    return try orSay { try pauses(begins) }
  }

  private func compare(_ found: String, _ wanted: String) {
    let (found, wanted) = (found.split(separator: "\n"), wanted.split(separator: "\n"))
    let isSame = found == wanted
    #expect(isSame && !wanted.isEmpty)
    let lost = Set(wanted).subtracting(found).count
    let more = Set(found).subtracting(wanted).count
    let repeated = found.count - Set(found).count
    print("\(wanted.count) events wanted: \(lost) lost, \(repeated) repeated, \(more) others")
  }

  private func pauses(_ begins: [Date]) throws -> Pauses {
    var all: [(begin: Date, seconds: Double, kept: Double)] = []
    for partition in 0..<site.partitions {
      var causes: [UInt64: (begin: Date, kept: UnixTime)] = [:]
      for message in try site.all(.fixes(partition)) {
        causes[message.sequence] = places[message.entry.bytes].map { (begins[$0], message.time) }
      }
      for message in try site.all(.events(partition)) {
        guard let cause = message.entry.mark.flatMap({ causes[$0.input] }) else { continue }
        let date = Date(timeIntervalSince1970: Double(message.time.nanoseconds) / 1e9)
        let kept = message.time.seconds(since: cause.kept)
        all.append((cause.begin, date.timeIntervalSince(cause.begin), kept))
      }
    }
    let longest = disturbances.indices.map { number in
      let from = disturbances[number].date - 3
      let to =
        number + 1 < disturbances.count ? disturbances[number + 1].date - 3 : Date.distantFuture
      let around = all.filter { $0.begin >= from && $0.begin < to }
      return (
        disturbances[number].name, around.map(\.seconds).max() ?? 0, around.map(\.kept).max() ?? 0
      )
    }
    return Pauses(all: all.map(\.seconds).sorted(), longest: longest)
  }
}
