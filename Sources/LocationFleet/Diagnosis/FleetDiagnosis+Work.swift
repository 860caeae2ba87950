internal import LocationModel

// What workers and sinks do with the streams.
extension FleetDiagnosis {
  var partitions: [FleetFinding] {
    guard !survey.partitions.isEmpty, survey.status(of: .leases) != nil else {
      return notLookedAt("partitions", .leases)
    }
    var found: [FleetFinding] = []
    let free = survey.partitions.indices.filter {
      survey.partitions[$0].lease?.isHeld != true && !survey.partitions[$0].isLeaseUnread
    }
    let unread = survey.partitions.indices.filter {
      survey.partitions[$0].isLeaseUnread || survey.partitions[$0].isStateUnread
    }
    if !unread.isEmpty {
      found.append(Self.notLookedAt("partitions", Self.partitions(unread)))
    }
    if !free.isEmpty {
      let silent = Set(
        free.compactMap { survey.partitions[$0].lease?.owner }.filter { !$0.isEmpty })
      let cause =
        silent.isEmpty
        ? "" : "; \(Self.list(silent.sorted())) had it and has not renewed it for \(lease) s"
      found.append(
        FleetFinding(
          "partitions", "partitions_without_worker", .bad,
          "no worker has \(Self.partitions(free))\(cause)",
          next: "systemctl start locationfleet@1; what keeps one from it: "
            + "journalctl -u 'locationfleet@*'"))
    }
    found += heldUp + behind + buckets + settings
    guard found.isEmpty else { return found }
    var shares: [String: Int] = [:]
    for partition in survey.partitions { shares[partition.lease?.owner ?? "", default: 0] += 1 }
    let workers = shares.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    return [
      FleetFinding(
        "partitions", "partitions_work", .good,
        "\(survey.partitions.count), of \(Self.list(workers)); \(left(in: survey.partitions.indices)) "
          + "messages are not stored as judged")
    ]
  }

  private var lease: Int { Int(fleet.worker.lease.inSeconds) }

  /// Messages behind what is stored.
  private func left(in partitions: some Sequence<Int>) -> UInt64 {
    partitions.reduce(0) { sum, partition in
      let last = survey.status(of: .fixes(partition))?.last ?? 0
      let position = survey.partitions[partition].position
      return sum + (last > position ? last - position : 0)
    }
  }

  /// A worker stores how far it is each `snapshot`; who is behind by more judges too slowly, or not at all.
  private var behind: [FleetFinding] {
    guard let now = survey.now else { return [] }
    let limit = 2 * fleet.worker.partition.snapshotPeriod.inSeconds + 30
    var oldest = 0.0
    let late = survey.partitions.indices.filter { partition in
      guard !survey.partitions[partition].isStateUnread,
        let date = survey.partitions[partition].oldest
      else { return false }
      let age = now.seconds(since: date)
      guard age > limit else { return false }
      oldest = max(oldest, age)
      return true
    }
    guard !late.isEmpty else { return [] }
    return [
      FleetFinding(
        "partitions", "partitions_behind", .bad,
        "\(left(in: late)) messages of \(Self.partitions(late)) are not stored as judged, the oldest for "
          + "\(Int(oldest)) s",
        next: "what holds it up, such as a key that is missing: journalctl -u 'locationfleet@*' "
          + "-p warning; where nothing does, start further workers: systemctl start locationfleet@2"
      )
    ]
  }

  var fences: [FleetFinding] {
    guard let store = survey.status(of: .fences) else { return notLookedAt("fences", .fences) }
    guard survey.erasing.isEmpty else {
      let names = survey.erasing.sorted()
      return [
        FleetFinding(
          "fences", "fences_held_back", .doubtful,
          "being erased: tenant \(Self.list(names)); no fences can be published until that has ended",
          next: "wait for it; if nobody goes on with it: locationfleet erase \(names[0]) --all")
      ]
    }
    guard store.messages > 0 else {
      return [
        FleetFinding(
          "fences", "fences_none", .doubtful,
          "none were ever published: only visits and moves are judged",
          next: "locationfleet fences FILE")
      ]
    }
    var versions: [String: [Int]] = [:]
    for (number, partition) in survey.partitions.enumerated() {
      guard let version = partition.fences else { continue }
      versions[version.isEmpty ? "none" : version, default: []].append(number)
    }
    guard versions.count > 1 else {
      let all = survey.partitions.count
      let version = versions.first.map { version, found in
        found.count == all
          ? "\(version) in \(all) partitions"
          : "\(version) in \(found.count) of \(all) partitions; the others have not stored by which "
            + "they judge"
      }
      let unread = survey.partitions.indices.filter { survey.partitions[$0].isStateUnread }
      guard unread.isEmpty, !survey.unread.contains(.fences) else {
        return [Self.notLookedAt("fences", unread.isEmpty ? nil : Self.partitions(unread))]
      }
      return [
        FleetFinding(
          "fences", "fences_work", .good,
          version ?? "published; no partition has stored by which it judges yet")
      ]
    }
    let parts = versions.sorted { $0.key < $1.key }
      .map { "\($0.key) in \(Self.partitions($0.value))" }
    return [
      FleetFinding(
        "fences", "fences_differ", .doubtful, parts.joined(separator: "; "),
        next: "a partition stores by which it judges each "
          + "\(Int(fleet.worker.partition.snapshotPeriod.inSeconds)) s: ask again then; if it stays so, "
          + "publish the file once more: locationfleet fences FILE")
    ]
  }

  var keys: [FleetFinding] {
    guard let folder = fleet.tenantKeys, let count = survey.keys else { return [] }
    // Who has devices without being known here, the workers have found.
    guard survey.keyFaults.isEmpty, !obstacles.contains(where: { $0.obstacle.tenant != nil }) else {
      return keyFaults
    }
    return [
      FleetFinding(
        "tenant keys", "tenant_keys_work", .good,
        "\(folder) has a key for each of \(count) known tenants; keep a copy of them elsewhere")
    ]
  }

  private var keyFaults: [FleetFinding] {
    survey.keyFaults.prefix(8).map {
      FleetFinding(
        "tenant keys", "tenant_key_faulty", .bad, $0,
        next:
          "locationfleet tenant-key makes one where nothing is sealed yet, else bring it back from "
          + "a copy; each computer with workers needs it; its owner is root, its group locationfleet, "
          + "its mode 640")
    }
  }

  var sinks: [FleetFinding] {
    guard survey.status(of: .sinks) != nil else { return notLookedAt("sinks", .sinks) }
    var found = survey.sinks.map { finding($0) }
    let known = Set(survey.sinks.map(\.name))
    let isUnread = survey.unread.contains(.sinks)
    if isUnread { found.append(Self.notLookedAt("sinks", known.isEmpty ? nil : "all others")) }
    for kind in SinkKind.allCases
    where !isUnread && configuration.isNamed(kind) && !known.contains(kind.rawValue) {
      found.append(
        FleetFinding(
          "sink \(kind.rawValue)", "sink_never", .bad,
          "it is in the configuration, and has never handed anything on",
          next: "systemctl enable --now locationfleet-sink@\(kind.rawValue); journalctl -u "
            + "locationfleet-sink@\(kind.rawValue)"))
    }
    if let count = survey.status(of: .refused)?.messages, count > 0 {
      found.append(
        FleetFinding(
          "sinks", "events_set_aside", .doubtful, "\(count) events were set aside",
          next: "which ones, and why: locationfleet refused"))
    }
    return found
  }

  private func finding(_ sink: FleetSurvey.Sink) -> FleetFinding {
    let name = "sink \(sink.name)"
    let left = survey.left(for: sink)
    guard sink.settled.count == fleet.worker.partitions else {
      return FleetFinding(
        name, "sink_of_another_fleet", .bad,
        "it remembers \(sink.settled.count) partitions, and `partitions` is "
          + "\(fleet.worker.partitions)",
        next: "mend `partitions`, which never changes; or have the sink begin anew: "
          + "locationfleet forget-sink \(sink.name)")
    }
    if let found = otherTenants(sink) { return found }
    guard !sink.isUnread else { return Self.notLookedAt(name) }
    guard sink.claim.isHeld else {
      let unit = SinkKind(rawValue: sink.name).map { "locationfleet-sink@\($0.rawValue)" }
      return FleetFinding(
        name, "sink_gone", .bad, "no process hands on, and \(left) events wait",
        next: unit.map { "systemctl start \($0); journalctl -u \($0)" }
          ?? "start it again: locationfleet sink KIND --name \(sink.name); or, if it is used no more: "
          + "locationfleet forget-sink \(sink.name)")
    }
    guard left == 0 || sink.isMoving else {
      return FleetFinding(
        name, "sink_stalled", .doubtful,
        "a process has it, \(left) events wait\(since(sink)), and none was confirmed in the "
          + "\(lease) s of this look",
        next: "why the other side does not take them: journalctl -u 'locationfleet-sink@*'")
    }
    guard left > Self.mostWaiting else {
      let whose = sink.tenants.map { " the events of \(Sink.list($0))" } ?? ""
      return FleetFinding(name, "sink_works", .good, "it hands on\(whose); \(left) events wait")
    }
    return FleetFinding(
      name, "sink_behind", .doubtful, "it hands on, and \(left) events wait",
      next:
        "whether the other side answers, and how fast: locationctl fleet status --port with its "
        + "port of figures")
  }

  /// For how long the oldest event has waited.
  private func since(_ sink: FleetSurvey.Sink) -> String {
    guard let now = survey.now ?? sink.put, let oldest = sink.oldest else { return "" }
    return ", the oldest for \(Int(max(now.seconds(since: oldest), 0))) s"
  }

  /// A sink of the configuration whose tenants are others than it remembers; it hands nothing on.
  private func otherTenants(_ sink: FleetSurvey.Sink) -> FleetFinding? {
    let wanted = Sink.labels(configuration.tenants)
    guard let kind = SinkKind(rawValue: sink.name), configuration.isNamed(kind),
      sink.tenants != wanted
    else { return nil }
    return FleetFinding(
      "sink \(sink.name)", "sink_of_other_tenants", .bad,
      "it has handed on the events of \(Sink.list(sink.tenants)), and by `sink-tenant` is to hand "
        + "on those of \(Sink.list(wanted))",
      next: "mend `sink-tenant`; or give the sink another --name; or have it begin anew: "
        + "locationfleet forget-sink \(sink.name)")
  }

  /// What is said of a part whose stream has not answered; nothing where the stream is missing, which is said for
  /// itself.
  private func notLookedAt(_ subject: String, _ log: FleetLog) -> [FleetFinding] {
    let known = survey.streams.first { $0.log == log } ?? survey.streams.first
    return known?.isSilent == true ? [Self.notLookedAt(subject)] : []
  }

  /// What is said of something that nothing has answered about.
  ///
  /// - Chosen (FLEET-160): no answer is no sign that there is none.
  private static func notLookedAt(_ subject: String, _ part: String? = nil) -> FleetFinding {
    FleetFinding(
      subject, "not_looked_at", .doubtful,
      "not looked at\(part.map { ": \($0)" } ?? ""), as the streams have not answered",
      next: "mend what is wrong with servers and streams, then ask again: locationfleet doctor")
  }

  /// Events that wait for a sink in the ordinary course.
  private static let mostWaiting = 10_000
}

extension SinkConfiguration {
  /// Whether a kind of sink has settings.
  fileprivate func isNamed(_ kind: SinkKind) -> Bool {
    switch kind {
    case .webhook: webhook.url != nil
    case .postgis: postgis.connection != nil
    case .mqtt: mqtt.broker != nil
    case .nats: !nats.access.servers.isEmpty
    }
  }
}
