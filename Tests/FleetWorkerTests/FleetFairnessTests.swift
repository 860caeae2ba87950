import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import TestSupport
import Testing

@Suite(
  "A tenant that sends ten times its share", .serialized,
  .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct FleetFairnessTests {
  private static let count = 40

  /// What OwnTracks sends of the ways of a test.
  private static func report(_ walk: FleetWalk, _ number: Int) -> String {
    let fix = walk.fixes[number]
    let seconds = Int(fix.time.nanoseconds / 1_000_000_000)
    return """
      {"_type":"location","lat":\(fix.coordinate.latitude),"lon":\(fix.coordinate.longitude),\
      "acc":\(Int(fix.horizontalAccuracy)),"tst":\(seconds)}
      """
  }

  @Test(
    "FLEET-92: its messages wait for their turn, and the events of all are there, those of the others soon after their fixes"
  )
  func tenfold() async throws {
    let site = try await IngressSite(
      devices: 1, others: ["zeta"],
      more: "device-rate = 0\ntenant = acme rate=100 burst=100\nlease = 1\n")
    let walks = [FleetWalk(seed: 1, count: 10 * Self.count), FleetWalk(seed: 1, count: Self.count)]
    let (conf, fences) = (site.folder.file("fleet.conf"), site.folder.file("fences.geojson"))
    try Data(walks[0].fenceFile()).write(to: URL(fileURLWithPath: fences))
    let published = try FinishedProgram("locationfleet", ["fences", fences, "--config", conf])
    #expect(published.status == 0, "\(published.error)")
    let worker = try RunningProgram(
      BuiltProgram.path("locationfleet"), ["run", "--config", conf])
    var (hot, other) = (try site.device("dev-0"), try site.device("zeta"))
    try hot.publish(
      (0..<10 * Self.count).map { Self.report(walks[0], $0) }, to: "in/acme/truck-0")
    for number in 0..<Self.count {
      try other.publish(Self.report(walks[1], number), to: "in/zeta/zeta")
      try other.waitForAcknowledgements(number + 1)
    }
    try hot.waitForAcknowledgements(10 * Self.count)
    // A partition is handed over when all of it is judged, and an end is waited for.
    try await Self.settle(site)
    worker.terminate()
    let lines = try site.lines().map { String(decoding: $0, as: UTF8.self) }
    let wanted = try FinishedProgram(
      "locationctl", ["fleet", "replay", "--fences", fences],
      input: lines.joined(separator: "\n") + "\n")
    let found = try FinishedProgram("locationfleet", ["events", "--config", conf])
    let delays = try Self.delays(site)
    #expect(found.output == wanted.output && delays.map(\.tenant).contains("zeta"))
    #expect(delays.count == found.output.split(separator: "\n").count)
    // Far more than it takes: that it is measured is what counts here.
    #expect(delays.allSatisfy { (0..<60).contains($0.seconds) })
  }

  /// Waits until the worker has judged what there is: a mark is asked for behind it.
  private static func settle(_ site: IngressSite) async throws {
    var broker = try site.broker()
    for partition in 0..<site.partitions {
      try TenantRetention.askForMark(partition, &broker)
      let input = try broker.last(of: .fixes(partition), key: nil).last
      let limit = Date(timeIntervalSinceNow: 60)
      while try broker.last(of: .events(partition), key: nil).message?.entry.mark?.input != input {
        guard Date() < limit else { throw FleetSite.NotStored(partition: partition) }
        broker.wait(.milliseconds(50))
      }
    }
  }

  private static func delays(_ site: IngressSite) throws -> [EventDelays.Delay] {
    var (delays, broker) = (EventDelays(), try site.broker())
    for log in (0..<site.partitions).flatMap({ [FleetLog.fixes($0), .events($0)] }) {
      try broker.forEach(log, waiting: { $0.wait(.seconds(1)) }) { delays.take($0, of: log) }
    }
    return delays.all
  }
}
