import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationProviders
import TestSupport

/// A server, a worker, and an ingress, and those who send to them.
final class FleetLatencySite {
  private let server: NATSServer
  private let folder: TemporaryFolder
  private let mqtt, port: Int
  private var broker: NATSBroker
  private var traffic = FleetTraffic()
  private var worker: RunningProgram?
  private var ingress: RunningProgram?
  private var devices: PacedDevices?
  /// When each fix was sent to an ingress, by device and its seconds.
  private var sent: [Int: UnixTime] = [:]
  private var firstSent: UnixTime?

  init() async throws {
    server = try await NATSServer()
    folder = server.folder
    mqtt = try Loopback.freePort()
    port = try Loopback.freePort()
    broker = try NATSBroker(servers: [server.address], name: "benchmark")
    for log in NATSBroker.logs(partitions: FleetTraffic.partitions) {
      _ = try broker.create(log, NATSBroker.Storage())
    }
    let fences = try FleetWorld(fences: 100_000).file
    _ = try FenceStore.publish(fences, partitions: FleetTraffic.partitions, to: &broker)
    try write("port = \(port)\n", to: "fleet.conf")
  }

  private func write(_ more: String, to name: String) throws {
    let text = "server = \(server.address)\npartitions = \(FleetTraffic.partitions)\n"
    try (text + more).write(toFile: folder.file(name), atomically: true, encoding: .utf8)
  }

  private var now: UnixTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UnixTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  // MARK: Into the streams

  /// How many fixes a second a worker judges that finds many of them.
  func workerRate() async throws -> Double {
    for _ in 0..<150 {
      let entries = (0..<2000).map { traffic.entry($0 % FleetTraffic.tenants) }
      _ = try broker.append(entries, to: .fixes(0), expecting: nil)
    }
    worker = try RunningProgram(
      BuiltProgram.path("locationfleet"), ["run", "--config", folder.file("fleet.conf")])
    try drain()
    // Without its start and its leases: from the first event to the last one.
    var (inputs, begin, end) = (0.0, UnixTime(seconds: 1e10), UnixTime(seconds: 0))
    for partition in 0..<FleetTraffic.partitions {
      var marks: [UInt64] = []
      try forEach(.events(partition)) { message in
        guard let mark = message.entry.mark else { return }
        marks.append(mark.input)
        (begin, end) = (min(begin, message.time), max(end, message.time))
      }
      if let first = marks.first, let last = marks.last { inputs += Double(last - first) }
    }
    return inputs / end.seconds(since: begin)
  }

  /// How many fixes a second are published by one who sends as many as he can, and judged meanwhile.
  func streamRate() throws -> Double {
    let begin = now
    let phase = try publish([Double](repeating: 1e5, count: FleetTraffic.tenants), for: 5)
    return Double(phase.sent) / now.seconds(since: begin)
  }

  /// Publishes at rates, and waits until all is judged.
  func publish(_ rates: [Double], for seconds: Double) throws -> FleetPhase {
    var pace = FleetPace(rates)
    let begin = now
    var turn = 0
    while now.seconds(since: begin) < seconds {
      let elapsed = now.seconds(since: begin)
      var entries: [LogEntry] = []
      turn += 1
      for offset in rates.indices {
        let tenant = (turn + offset) % rates.count
        let count = pace.due(tenant, after: elapsed, most: 2000)
        for _ in 0..<count { entries.append(traffic.entry(tenant)) }
        pace.send(tenant, count)
      }
      if !entries.isEmpty { _ = try broker.append(entries, to: .fixes(0), expecting: nil) }
      let left = elapsed + 0.01 - now.seconds(since: begin)
      if left > 0 { Thread.sleep(forTimeInterval: left) }
    }
    return try phase(begin, pace, Int(rates.reduce(0, +) * seconds))
  }

  private func phase(_ begin: UnixTime, _ pace: FleetPace, _ wanted: Int) throws -> FleetPhase {
    let phase = FleetPhase(begin: begin, end: now, sent: pace.total, wanted: wanted)
    try drain()
    return phase
  }

  /// Waits until everything is judged.
  func drain() throws {
    let limit = now + .seconds(300)
    for partition in 0..<FleetTraffic.partitions {
      let end = try broker.last(of: .fixes(partition), key: nil).last
      let name = "meridian_fleet_position{partition=\"\(partition)\"} "
      while true {
        let line = figures().first { $0.hasPrefix(name) }
        if let line, UInt64(line.dropFirst(name.count)) ?? 0 >= end { break }
        guard now < limit else { throw InvalidMeasurement(text: "the worker does not end") }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }

  /// What the worker's port says; nothing while it is starting.
  private func figures() -> [Substring] {
    Loopback.get("/metrics", port: port)?.split(separator: "\n") ?? []
  }

  // MARK: Through an ingress

  /// Starts an ingress that takes so many fixes a second of each tenant; 0 for any number.
  func startIngress(share: Double) async throws {
    devices = nil
    ingress?.terminate()
    let accounts = folder.file("accounts")
    if ingress == nil {
      let program = BuiltProgram.path("locationfleet")
      let hashing = try RunningProgram(
        "/bin/sh", ["-c", "echo \(MQTTSocket.password) | \(program) password"])
      let hash = try await hashing.lines.next()
      let lines = (0..<FleetTraffic.tenants).map {
        "\(FleetTraffic.tenant($0)) \(FleetTraffic.tenant($0)) * - \(hash)\n"
      }
      try lines.joined().write(toFile: accounts, atomically: true, encoding: .utf8)
      chmod(accounts, 0o600)
    }
    try write(
      """
      mqtt-port = \(mqtt)
      accounts = \(accounts)
      device-rate = 0
      tenant-rate = \(Int(share))

      """, to: "ingress.conf")
    let program = try RunningProgram(
      BuiltProgram.path("locationfleet"), ["ingress", "--config", folder.file("ingress.conf")])
    _ = try await program.lines.next { $0.contains("takes fixes") }
    ingress = program
    devices = try PacedDevices(port: mqtt)
  }

  /// How many fixes a second are acknowledged by an ingress without limits, while the worker judges them.
  func ingressRate() async throws -> Double {
    try await startIngress(share: 0)
    let rates = [Double](repeating: 1e5, count: FleetTraffic.tenants)
    let (begin, before) = (now, devices?.acknowledged ?? 0)
    _ = try send(rates, for: 5)
    return Double((devices?.acknowledged ?? 0) - before) / now.seconds(since: begin)
  }

  /// Sends at rates, and waits until all that was acknowledged is judged.
  func send(_ rates: [Double], for seconds: Double) throws -> FleetPhase {
    var pace = FleetPace(rates)
    let begin = now
    firstSent = firstSent ?? begin
    while now.seconds(since: begin) < seconds {
      let elapsed = now.seconds(since: begin)
      try devices?.turn { tenant in
        let count = pace.due(tenant, after: elapsed, most: 50)
        pace.send(tenant, count)
        return (0..<count).map { _ in
          let report = traffic.report(tenant)
          sent[report.device << 32 | report.seconds] = now
          return ("in/\(FleetTraffic.tenant(tenant))/device-\(report.device)", report.payload)
        }
      }
    }
    return try phase(begin, pace, Int(rates.reduce(0, +) * seconds))
  }

  // MARK: What came of it

  /// From when a fix was published, or was sent to the ingress, to its event.
  func delays() throws -> EventDelays {
    var delays = EventDelays()
    for partition in 0..<FleetTraffic.partitions {
      try forEach(.fixes(partition)) { message in
        delays.take(message, of: .fixes(partition), begin: sendingTime(of: message))
      }
      try forEach(.events(partition)) { delays.take($0, of: .events(partition)) }
    }
    return delays
  }

  private func sendingTime(of message: LogMessage) -> UnixTime? {
    guard let first = firstSent, message.time >= first,
      let line = try? FleetLine(message.entry.bytes),
      let device = Int(line.device.dropFirst("device-".count))
    else { return nil }
    return sent[device << 32 | Int(line.fix.time.seconds(since: FleetTraffic.start))]
  }

  private func forEach(_ log: FleetLog, _ body: (LogMessage) throws -> Void) throws {
    try broker.forEach(log, waiting: { $0.wait(.seconds(1)) }, body)
  }
}
