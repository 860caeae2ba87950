import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationSecrets

/// What is done once: making streams, publishing fences and fixes, printing events.
struct FleetTasks {
  private let configuration: FleetConfiguration

  init(_ configuration: FleetConfiguration) { self.configuration = configuration }

  static func connect(
    _ configuration: FleetConfiguration, name: String, longestWait: Duration = .seconds(5)
  ) throws(FleetFault) -> NATSBroker {
    do throws(BrokerFault) {
      return try NATSBroker(configuration.access, name: name, longestWait: longestWait)
    } catch {
      let servers = configuration.access.servers.joined(separator: ", ")
      throw FleetFault(reason: "\(servers): \(error)", status: 1)
    }
  }

  private func connect() throws(FleetFault) -> NATSBroker {
    try Self.connect(configuration, name: "locationfleet")
  }

  /// Does something again for as long as no server answers, a minute unless a date is given, and says so
  /// once; what it does must be the same when it is done twice.
  ///
  /// - Chosen (FLEET-79): a leader that has died has a successor after 4 to 10 s.
  static func attempt<Value>(
    _ broker: inout NATSBroker, until date: Instant? = nil, _ what: () -> String = { "" },
    _ body: (inout NATSBroker) throws(BrokerFault) -> Value
  ) throws(FleetFault) -> Value {
    let end = date ?? Self.now + Self.longestAttempt
    var isSaid = false
    while true {
      do throws(BrokerFault) { return try body(&broker) } catch {
        guard case .unreachable = error, Self.now < end, !isAskedToEnd else {
          throw FleetFault(reason: "\(error)\(what())", status: 1)
        }
        if !isSaid {
          let left = Int((end - Self.now).inSeconds)
          Log.line("locationfleet: \(error)\(what()); tries again for up to \(left) s")
        }
        isSaid = true
        broker.wait(.milliseconds(500))
      }
    }
  }

  /// Whether a signal has come that was blocked, so that a descriptor or a wait takes it.
  private static var isAskedToEnd: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return [SIGINT, SIGTERM].contains { sigismember(&pending, $0) == 1 }
  }

  /// Looks whether the fleet has as many partitions as the configuration says: with another number the fixes and the
  /// events of devices are in partitions that are not theirs.
  ///
  /// - Chosen (FLEET-112): an answer is awaited for as long as by a command.
  /// - Parameters:
  ///   - configuration: whose `partitions` are compared.
  ///   - broker: a way to the streams; its user may ask how these stand.
  ///   - consequence: what is not done with another number.
  ///   - logs: further streams that are looked at.
  /// - Returns: how the further ones stand.
  /// - Throws: a fault with the next step, and status 2, where the number is another one.
  @discardableResult
  static func requirePartitions(
    _ configuration: FleetConfiguration, _ broker: inout NATSBroker, else consequence: String,
    and logs: [FleetLog] = []
  ) throws(FleetFault) -> [FleetSurvey.Stream] {
    let ends = FleetSurvey.ends(ofPartitions: configuration.worker.partitions)
    let found = try answered(ends + logs, &broker)
    try compare(configuration, found, &broker, else: consequence)
    return Array(found.dropFirst(ends.count))
  }

  /// How streams stand, once all have answered.
  private static func answered(
    _ logs: [FleetLog], _ broker: inout NATSBroker, until end: Instant? = nil
  ) throws(FleetFault) -> [FleetSurvey.Stream] {
    let hint = { "; where it runs, this user needs $JS.API.STREAM.INFO.> (docs/fleet-server.conf)" }
    return try attempt(&broker, until: end, hint) {
      (broker: inout NATSBroker) throws(BrokerFault) in
      let found = broker.look(at: logs)
      if let cause = FleetSurvey.silence(found) {
        throw found.contains { $0.isDenied } ? .denied(cause) : .unreachable(cause)
      }
      return found
    }
  }

  /// The same for those who wait without end for streams that do not answer, or are still to be made: they look
  /// once whether others are there.
  static func refuseOtherPartitions(
    _ configuration: FleetConfiguration, _ broker: inout NATSBroker, else consequence: String
  ) throws(FleetFault) {
    let ends = FleetSurvey.ends(ofPartitions: configuration.worker.partitions)
    let found = broker.look(at: ends + [.fixes(0)])
    // The last one is made first.
    let isBegun = FleetSurvey.number(ofPartitions: found) != nil
    if isBegun { try compare(configuration, found, &broker, else: consequence) }
  }

  private static func compare(
    _ configuration: FleetConfiguration, _ streams: [FleetSurvey.Stream],
    _ broker: inout NATSBroker, else consequence: String
  ) throws(FleetFault) {
    let count = configuration.worker.partitions
    guard let fault = FleetSurvey.fault(ofPartitions: count, streams) else { return }
    let step = FleetSurvey.step(ofPartitions: broker.look(at: FleetSurvey.everyPartition))
    throw FleetFault(reason: "\(fault): \(consequence); next: \(step)")
  }

  private static let longestAttempt = Duration.seconds(60)
  /// How long streams may take to be made: right after the start of servers there is no leader.
  private static let longestMaking = Duration.seconds(180)

  private static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Refuses to make streams beside those of a fleet with another number of partitions.
  ///
  /// - Chosen (FLEET-157): what was begun with the same number is gone on with.
  private func refuseOtherFleet(
    _ broker: inout NATSBroker, until end: Instant
  ) throws(FleetFault) {
    let count = configuration.worker.partitions
    let ends = try Self.answered(FleetSurvey.ends(ofPartitions: count), &broker, until: end)
    guard let fault = FleetSurvey.fault(ofPartitions: count, ends) else { return }
    let all = try Self.answered(FleetSurvey.everyPartition, &broker, until: end)
    guard FleetSurvey.number(ofPartitions: all) != nil else { return }
    throw FleetFault(
      reason: "\(fault): no stream was made; next: \(FleetSurvey.step(ofPartitions: all))")
  }

  func initialize() throws(FleetFault) {
    var broker = try connect()
    var storage = NATSBroker.Storage()
    storage.replicas = configuration.replicas
    storage.hoursOfFixes = configuration.hoursOfFixes
    storage.daysOfEvents = configuration.daysOfEvents
    let partitions = configuration.worker.partitions
    let end = Self.now + Self.longestMaking
    try refuseOtherFleet(&broker, until: end)
    // Its number says to everybody how many there are to be.
    let last = FleetLog.fixes(partitions - 1)
    let logs = [last] + NATSBroker.logs(partitions: partitions).filter { $0 != last }
    var made = 0
    for (number, log) in logs.enumerated() {
      var attempts = 0
      let isMade = try Self.attempt(
        &broker, until: end, { "; \(number) of \(logs.count) streams are there" }
      ) { (broker: inout NATSBroker) throws(BrokerFault) in
        attempts += 1
        return try broker.create(log, storage)
      }
      // One that was asked for without an answer, and is there, was made all the same.
      if isMade || attempts > 1 { made += 1 }
    }
    try Printout.line("\(partitions) partitions, \(made) streams made")
  }

  /// Forgets how far a sink is that is used no more.
  ///
  /// Whether a process still has it, its renewals say: they are waited for as long as its lease lasts.
  func forgetSink(_ name: String) throws(FleetFault) {
    var broker = try connect()
    let known = try Self.attempt(&broker) { (broker: inout NATSBroker) throws(BrokerFault) in
      try Sink.known(name, &broker)
    }
    guard let known else {
      throw FleetFault(
        reason: "no sink is called \(name); locationfleet doctor names all sinks", status: 1)
    }
    if known.isOwned {
      let end = Self.now + configuration.worker.lease + .milliseconds(500)
      while Self.now < end { broker.wait(end - Self.now) }
    }
    let isForgotten = try Self.attempt(&broker) { (broker: inout NATSBroker) throws(BrokerFault) in
      try Sink.forget(name, known.sequence, &broker)
    }
    guard isForgotten else {
      throw FleetFault(
        reason: "a process hands on as \(name): stop it first, then ask again", status: 1)
    }
    try Printout.line(
      "forgot sink \(name); one started under this name hands on every event that is kept")
  }

  /// Makes the key of a tenant.
  ///
  /// - Chosen (FLEET-155): refused where devices are sealed with one, as no key but that opens these, and where
  ///   the leases do not say it. Before `init` nothing is sealed.
  func makeKey(of tenant: String) throws(FleetFault) {
    guard let folder = configuration.tenantKeys else {
      throw FleetFault(reason: "`tenant-keys` is not set: a key would be nowhere read")
    }
    let files = TenantKeyFiles(folder: folder)
    // Refused for itself, without a server.
    guard !files.has(tenant) else { return try files.make(tenant) }
    var broker = try connect()
    let hint = { "; no key was made, as it is not known whether devices are sealed with one" }
    let isSealed = try Self.attempt(&broker, hint) { (broker) throws(BrokerFault) in
      do throws(BrokerFault) { return try TenantKeyRecord.isKept(of: tenant, &broker) } catch {
        guard error.isMissing else { throw error }
        return false
      }
    }
    guard !isSealed else {
      let label = FleetAddress.label(of: tenant)
      throw FleetFault(
        reason: "devices of tenant \(label) are sealed with a key, and there is no "
          + "\(files.path(of: tenant)); next: \(TenantKeyFault.missing.next(for: label))", status: 1
      )
    }
    try files.make(tenant)
  }

  /// Prints the hash of a password: the first line of standard input.
  static func printHash() throws(FleetFault) {
    var input = StandardInput(longest: 255)
    var password = try input.next() ?? []
    defer { wipe(&password) }
    if password.last == UInt8(ascii: "\r") { password.removeLast() }
    guard (1...255).contains(password.count) else {
      throw FleetFault(reason: "a password of 1 to 255 bytes is expected on standard input")
    }
    // One of 128 random bits as text has 22 letters or more, and needs no costly hash.
    let isLong = password.count >= 22
    guard let hash = PasswordHash.make(password, isLong ? .random : .chosen) else {
      throw FleetFault(reason: "there is not enough memory", status: 1)
    }
    try Printout.line(hash)
  }

  // MARK: Events

  /// Prints the events of each device in the order of the devices' names, as `locationctl fleet
  /// replay` does.
  func printEvents() throws(FleetFault) {
    var broker = try connect()
    try Self.requirePartitions(configuration, &broker, else: "nothing was printed")
    var lines: [String: [UInt8]] = [:]
    for partition in 0..<configuration.worker.partitions {
      var from: UInt64 = 1
      while true {
        let batch = try Self.attempt(&broker) { (broker: inout NATSBroker) throws(BrokerFault) in
          try broker.read(.events(partition), from: from, most: 1000)
        }
        for message in batch.messages {
          from = message.sequence + 1
          let parts = message.entry.subject.split(separator: ".")
          // Marks are no events.
          guard parts.count >= 4, parts[2] != "-" || parts[3] != "mark" else { continue }
          lines["\(parts[2]).\(parts[3])", default: []] += message.entry.bytes
        }
        guard batch.left > 0 else { break }
      }
    }
    let devices = lines.map { key, bytes in
      let parts = key.split(separator: ".")
      let name = FleetDeviceName(
        tenant: FleetAddress.name(parts[0]) ?? key, device: FleetAddress.name(parts[1]) ?? key)
      return (name, bytes)
    }
    for (_, bytes) in devices.sorted(by: { $0.0 < $1.0 }) { try Printout.write(bytes) }
  }

  /// Prints what sinks have set aside, the oldest first.
  func printRefused() throws(FleetFault) {
    var broker = try connect()
    var from: UInt64 = 1
    while true {
      let batch = try Self.attempt(&broker) { (broker: inout NATSBroker) throws(BrokerFault) in
        try broker.read(.refused, from: from, most: 1000)
      }
      if let last = batch.messages.last { from = last.sequence + 1 }
      try Printout.write(batch.messages.flatMap { $0.entry.bytes + [UInt8(ascii: "\n")] })
      guard batch.left > 0 else { return }
    }
  }
}
