import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel

/// Looks at every part of a fleet, and prints how each stands, the cause of what is wrong, and the next step.
/// It changes nothing.
struct DoctorTask {
  private let options: FleetOptions

  init(_ options: FleetOptions) { self.options = options }

  /// - Throws: a fault that names the codes of what was found, unless nothing is bad.
  func run() throws(FleetFault) {
    // A server that hangs up does not end this.
    signal(SIGPIPE, SIG_IGN)
    var findings: [FleetFinding] = []
    do throws(FleetFault) {
      let configuration = try options.configuration()
      try AccessFiles.check(configuration.ingress.fleet.access)
      findings.append(
        FleetFinding(
          "configuration", "configuration_valid", .good, "\(options.shownPlace): no faults"))
      findings += AccessFiles.certificates(
        of: configuration.ingress, and: configuration.nats.access,
        at: UnixTime(nanoseconds: Self.clock(CLOCK_REALTIME)))
      findings += look(configuration)
    } catch {
      findings.append(
        FleetFinding(
          "configuration", "configuration_faulty", .bad,
          error.reason.split(separator: "\n").joined(separator: "; "),
          next: "mend it as locationfleet(8) says, then: locationfleet --check"))
    }
    for finding in findings {
      try Printout.line(options.isJSON ? finding.json : finding.text)
    }
    guard findings.contains(where: { $0.verdict == .bad }) else { return }
    let codes = findings.filter { $0.verdict != .good }.map(\.code)
    throw FleetFault(reason: "found: \(codes.joined(separator: ", "))", status: 1)
  }

  private func look(_ configuration: SinkConfiguration) -> [FleetFinding] {
    var survey = FleetSurvey()
    let fleet = configuration.ingress.fleet
    survey.servers = fleet.access.servers.map { Self.server($0, fleet.access) }
    let faults = Self.lookAtKeys(configuration, &survey)
    var working = fleet.access
    working.servers = zip(fleet.access.servers, survey.servers).compactMap { server, seen in
      seen.keepsStreams ? server : nil
    }
    if !working.servers.isEmpty {
      do throws(BrokerFault) {
        var broker = try NATSBroker(working, name: "locationfleet doctor")
        Self.look(configuration, &survey, &broker)
      } catch {
        survey.streams = [FleetSurvey.Stream(.leases, "all", .silent("\(error)"))]
      }
    }
    return faults + FleetDiagnosis(configuration, survey).findings
  }

  // MARK: Servers

  private static func server(_ server: String, _ access: BrokerAccess) -> FleetSurvey.Server {
    guard let address = ServerAddress(server) else {
      return FleetSurvey.Server("server", .unreachable("`server` has no HOST, or no PORT"))
    }
    switch ServerProbe.ask(address, access) {
    case .fault(let cause): return FleetSurvey.Server(address.shown, .unreachable(cause))
    case .stranger: return FleetSurvey.Server(address.shown, .stranger)
    case .greeting(let greeting):
      var alone = access
      alone.servers = [server]
      do throws(BrokerFault) {
        _ = try NATSBroker(alone, name: "locationfleet doctor")
        return FleetSurvey.Server(address.shown, .works(greeting))
      } catch {
        let cause = if case .unreachable(let cause) = error { cause } else { "\(error)" }
        return FleetSurvey.Server(address.shown, .refuses(greeting, cause))
      }
    }
  }

  // MARK: Streams

  private static func look(
    _ configuration: SinkConfiguration, _ survey: inout FleetSurvey, _ broker: inout NATSBroker
  ) {
    let fleet = configuration.ingress.fleet
    let count = fleet.worker.partitions
    survey.streams = broker.look(at: NATSBroker.logs(partitions: count) + [.fixes(count)])
    survey.further = survey.streams.popLast()
    if survey.fault(ofPartitions: count) != nil {
      survey.everyPartition = broker.look(at: FleetSurvey.everyPartition)
    }
    // Who has not answered to any of these answers to nothing.
    guard !survey.streams.allSatisfy(\.isSilent) else { return }
    survey.partitions = Array(repeating: FleetSurvey.Partition(), count: count)
    let questions = (0..<count).flatMap { FleetSurvey.questions(of: $0) }
    let answers = broker.answers(questions)
    for partition in 0..<count {
      let found = answers[(2 * partition)...].prefix(2)
      guard let first = found.indices.first else { continue }
      survey.take(partition, lease: found[first], checkpoint: found[first + 1])
    }
    lookAtNotes(&survey, &broker)
    awaitRenewals(fleet.worker.lease, &survey, &broker)
    lookAtOldest(&survey, &broker)
    lookAtWaiting(&survey, &broker)
    lookAtOverdue(configuration.ingress, &survey, &broker)
  }

  private static func lookAtNotes(_ survey: inout FleetSurvey, _ broker: inout NATSBroker) {
    forEach("$KV.SINKS.>", in: .sinks, &survey, &broker) { $0.take(sink: $1) }
    forEach(FleetSurvey.erasures, in: .fences, &survey, &broker) { $0.take(erasure: $1) }
  }

  /// Every message of a log with a subject, up to a bound.
  private static func forEach(
    _ subject: String, in log: FleetLog, _ survey: inout FleetSurvey, _ broker: inout NATSBroker,
    _ body: (inout FleetSurvey, LogMessage) -> Void
  ) {
    var from: UInt64 = 1
    for _ in 0..<mostNotes {
      switch broker.answers([(log, .first(subject: subject, from: from))]).first {
      case .here(let message):
        body(&survey, message)
        from = message.sequence + 1
      case MessageAnswer.none?: return
      case .silent, nil:
        survey.unread.insert(log)
        return
      }
    }
  }

  /// Looks again until every owner has renewed what is its own, or could have for the time of a lease.
  private static func awaitRenewals(
    _ lease: Duration, _ survey: inout FleetSurvey, _ broker: inout NATSBroker
  ) {
    let end = clock(CLOCK_MONOTONIC) + Int64((lease.inSeconds + 0.5) * 1e9)
    while true {
      let (partitions, sinks) = (survey.unrenewedLeases, survey.unrenewedSinks)
      guard !partitions.isEmpty || !sinks.isEmpty, clock(CLOCK_MONOTONIC) < end else { return }
      broker.wait(pause)
      let found = broker.answers(
        partitions.map { (.leases, .last(key: "\($0)")) }
          + sinks.map { (.sinks, .last(key: survey.sinks[$0].name)) })
      for (partition, answer) in zip(partitions, found) { survey.renew(partition, answer) }
      for (sink, answer) in zip(sinks, found.dropFirst(partitions.count)) {
        survey.renew(sink: sink, answer)
      }
    }
  }

  private static func lookAtOldest(_ survey: inout FleetSurvey, _ broker: inout NATSBroker) {
    let behind = survey.partitions.indices.filter {
      !survey.partitions[$0].isStateUnread
        && survey.status(of: .fixes($0))?.last ?? 0 > survey.partitions[$0].position
    }
    let found = broker.messages(
      behind.map {
        (.fixes($0), .first(subject: ">", from: survey.partitions[$0].position + 1))
      })
    for (partition, message) in zip(behind, found) {
      survey.partitions[partition].oldest = message?.time
    }
  }

  /// Since when events wait for sinks.
  private static func lookAtWaiting(_ survey: inout FleetSurvey, _ broker: inout NATSBroker) {
    for index in survey.sinks.indices.prefix(mostWaited) {
      let found = broker.messages(survey.waiting(for: survey.sinks[index]))
      survey.sinks[index].oldest = found.compactMap { $0?.time }.min()
    }
  }

  /// Events of tenants that the timer of `expire` should have overwritten.
  private static func lookAtOverdue(
    _ ingress: IngressConfiguration, _ survey: inout FleetSurvey, _ broker: inout NATSBroker
  ) {
    let today = UnixTime(nanoseconds: clock(CLOCK_REALTIME) - 2 * 86_400_000_000_000)
    let partitions = ingress.fleet.worker.partitions
    let tenants = ingress.tenants.retentions(at: today).prefix(mostOldest / partitions)
    for (tenant, date) in tenants {
      let found = broker.messages(
        (0..<partitions).map { (.events($0), FleetSurvey.oldestEvent(of: tenant, in: $0)) })
      if found.contains(where: { ($0?.time).map { $0 < date } ?? false }) {
        survey.overdue.append(tenant)
      }
    }
  }

  // MARK: Keys

  /// Looks at the keys of the tenants of the configuration and of the accounts.
  private static func lookAtKeys(
    _ configuration: SinkConfiguration, _ survey: inout FleetSurvey
  ) -> [FleetFinding] {
    let ingress = configuration.ingress
    var findings: [FleetFinding] = []
    var tenants = Set(ingress.tenants.tenants.keys)
    do throws(FleetFault) {
      for account in try IngressProcess.accounts(ingress.accounts).byUser.values {
        tenants.insert(ExactName(account.tenant))
      }
    } catch {
      findings.append(
        FleetFinding(
          "accounts", "accounts_faulty", .bad,
          error.reason.split(separator: "\n").prefix(8).joined(separator: "; "),
          next: "its owner is root, its group locationfleet, its mode 640; mend it, then: "
            + "locationfleet ingress --check"))
    }
    guard let folder = ingress.fleet.tenantKeys else { return findings }
    let files = TenantKeyFiles(folder: folder)
    if let fault = files.fault {
      survey.keyFaults = ["`tenant-keys` \(folder): \(fault)"]
    } else {
      survey.keyFaults = tenants.sorted().compactMap { files.fault(of: $0.text) }
    }
    survey.keys = tenants.count
    return findings
  }

  private static func clock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static let pause = Duration.milliseconds(100)
  /// Sinks, and erasures.
  private static let mostNotes = 1000
  /// Sinks of which it is looked since when events wait.
  private static let mostWaited = 32
  /// Partitions, over all tenants, in which the oldest event is looked for.
  private static let mostOldest = 4096
}
