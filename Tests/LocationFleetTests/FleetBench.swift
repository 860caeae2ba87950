import LocationFleet
import LocationModel
import LocationSecrets
import TestSupport

/// A fleet in virtual time: devices that publish, and workers that may die.
struct FleetBench {
  private(set) var logs = MemoryLogs()
  let settings: FleetWorker.Settings
  private(set) var now = Instant.start
  private var waiting: [LogEntry] = []
  private(set) var walks: [FleetWalk]
  var tenantKeys = TenantKeySource.broker

  /// So many devices, each with a way of its own among the fences of the first.
  init(
    seed: UInt64, devices: Int, fixes: Int, partitions: Int = 1, buckets: Int = 8,
    longestValue: Int = 1 << 20
  ) throws {
    var settings = FleetWorker.Settings()
    settings.partitions = partitions
    settings.partition.buckets = buckets
    settings.partition.longestValue = longestValue
    settings.partition.snapshotPeriod = .seconds(6)
    self.settings = settings
    walks = (0..<devices).map { FleetWalk(seed: seed + UInt64($0), count: fixes) }
    for step in 0..<fixes {
      for (number, walk) in walks.enumerated() {
        waiting.append(Self.entry(walk.fixes[step], of: Self.name(number), partitions))
      }
    }
  }

  /// The same, before anything has come.
  func fresh() -> FleetBench {
    var copy = self
    copy.logs = MemoryLogs()
    return copy
  }

  static func name(_ number: Int) -> FleetDeviceName {
    FleetDeviceName(tenant: number.isMultiple(of: 2) ? "acme" : "", device: "truck \(number)")
  }

  static func entry(_ fix: Fix, of name: FleetDeviceName, _ partitions: Int) -> LogEntry {
    let partition = FleetAddress.partition(of: name, count: partitions)
    return LogEntry(
      subject: FleetAddress.fixes(of: name, partition: partition),
      bytes: Array(FleetWalk.line(fix, of: name).utf8))
  }

  func publishFences(shift: Double = 0, revision: Int = 1) throws {
    var broker = MemoryBroker(logs)
    _ = try FenceStore.publish(
      walks[0].fenceFile(shift: shift, revision: revision), partitions: settings.partitions,
      to: &broker)
  }

  var isPublished: Bool { waiting.isEmpty }

  /// Lets a second pass, in which some messages come.
  mutating func pass(messages: Int = 12) {
    now = now + .seconds(1)
    // Later than any fix of the ways.
    logs.time = UnixTime(seconds: 1_900_000_000 + now.seconds(since: .start))
    for entry in waiting.prefix(messages) {
      let partition = entry.subject.split(separator: ".")[1]
      _ = logs.add(entry, to: .fixes(Int(partition) ?? 0))
    }
    waiting.removeFirst(min(messages, waiting.count))
  }

  func worker(_ name: String) -> FleetWorker {
    FleetWorker(
      name: name, settings, secret: SecretKey(seed: UInt64(logs.end(.leases))),
      tenantKeys: tenantKeys, at: now)
  }

  /// Lets a second pass, and gives a worker its turn.
  mutating func turn(
    _ worker: inout FleetWorker, _ broker: inout MemoryBroker, messages: Int = 12
  ) {
    pass(messages: messages)
    let moment = moment
    _ = worker.turn(&broker) { moment }
  }

  var moment: Moment { Moment(uptime: now, unixTime: logs.time) }

  /// Whether a worker has judged everything.
  func isDone(_ worker: FleetWorker) -> Bool {
    isPublished
      && (0..<settings.partitions).allSatisfy {
        worker.figures(at: moment).partitions[$0]?.position ?? 0 == logs.end(.fixes($0))
      }
  }

  /// Runs one worker until everything is judged, or it has died in the call that its broker names.
  mutating func run(_ name: String, _ broker: inout MemoryBroker) {
    var worker = worker(name)
    for _ in 0..<2000 where !broker.isDead && !isDone(worker) {
      pass()
      let moment = moment
      _ = worker.turn(&broker) { moment }
    }
  }

  // MARK: What came of it

  /// The lines of each device, in their order.
  var events: [String: String] {
    var found: [String: String] = [:]
    for partition in 0..<settings.partitions {
      for message in logs.messages(.events(partition))
      where !message.entry.subject.hasSuffix(".-.mark") {
        let parts = message.entry.subject.split(separator: ".")
        found["\(parts[2]).\(parts[3])", default: ""] += String(
          decoding: message.entry.bytes, as: UTF8.self)
      }
    }
    return found
  }

  /// The marks of the events, which never repeat and never go back.
  var marks: [[EventMark]] {
    (0..<settings.partitions).map { logs.messages(.events($0)).compactMap(\.entry.mark) }
  }

  /// What the same fixes tell without any worker; of one device only those from a step on.
  func expected(_ one: Int? = nil, from step: Int = 0) throws -> [String: String] {
    var fleet = Fleet(try FenceFile.read(walks[0].fenceFile()))
    var found: [String: String] = [:]
    for (number, walk) in walks.enumerated() {
      let name = Self.name(number)
      let key = "\(FleetAddress.part(name.tenant)).\(FleetAddress.part(name.device))"
      for fix in walk.fixes.dropFirst(number == one ? step : 0) {
        guard let line = try FleetLineFix.read(FleetWalk.line(fix, of: name)) else { continue }
        for event in fleet.take(line, of: name, received: fix.time)?.events ?? [] {
          let line = FleetEventLine.encoded(event, of: name)
          found[key, default: ""] += String(decoding: line, as: UTF8.self)
        }
      }
    }
    return found
  }
}
