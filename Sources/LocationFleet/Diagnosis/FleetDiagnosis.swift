internal import LocationModel

/// What a look at a fleet means: how each part stands, its cause, and the next step.
package struct FleetDiagnosis: Sendable {
  let configuration: SinkConfiguration
  let survey: FleetSurvey

  package init(_ configuration: SinkConfiguration, _ survey: FleetSurvey) {
    (self.configuration, self.survey) = (configuration, survey)
  }

  var fleet: FleetConfiguration { configuration.ingress.fleet }

  /// In the order in which they are to be mended: what comes later often follows from what is wrong before.
  package var findings: [FleetFinding] {
    let servers = survey.servers.map { finding($0) }
    guard survey.servers.contains(where: { $0.keepsStreams }) else { return servers + keys }
    return servers + number + streams + copies + retention + partitions + fences + keys + sinks
  }

  /// Some numbers, or names, and how many there are beside them.
  static func list(_ names: [String]) -> String {
    let more = names.count > mostNamed ? " and \(names.count - mostNamed) more" : ""
    return names.prefix(mostNamed).joined(separator: ", ") + more
  }

  static func partitions(_ numbers: [Int]) -> String {
    (numbers.count == 1 ? "partition " : "partitions ") + list(numbers.map { "\($0)" })
  }

  private static let mostNamed = 8
}

// MARK: - Servers

extension FleetSurvey.Server {
  /// Whether the streams can be asked for there.
  package var keepsStreams: Bool {
    if case .works(let greeting) = state { greeting.hasJetStream } else { false }
  }
}

extension FleetDiagnosis {
  /// Whether every server lets this user in, and streams are silent all the same: one of the servers may do
  /// nothing more than take connections.
  ///
  /// - Chosen (FLEET-160): which one it is no other server says, nor does JetStream.
  private var mayHang: Bool {
    survey.servers.allSatisfy(\.keepsStreams)
      && survey.streams.contains { $0.isSilent && !$0.isDenied }
  }

  private func finding(_ server: FleetSurvey.Server) -> FleetFinding {
    func bad(_ code: String, _ message: String, _ next: String) -> FleetFinding {
      FleetFinding(server.address, code, .bad, message, next: next)
    }
    switch server.state {
    case .unreachable(let cause):
      return bad(
        "server_unreachable", cause,
        "on that computer: systemctl status nats-server; journalctl -u nats-server; and look whether a "
          + "firewall closes the port")
    case .stranger:
      return bad(
        "server_stranger", "what answers there is no server of NATS",
        "mend `server`, or look whose port it is: ss -ltnp")
    case .refuses(let greeting, let cause):
      return bad(
        "server_refuses",
        "nats-server \(greeting.version) answers and lets this user not in: \(cause)"
          + (greeting.needsTLS ? "; it wants TLS" : ""),
        "compare `nkey-seed` or `credentials`, and `authorities`, `certificate`, `certificate-key` with the "
          + "server's configuration; it says why: journalctl -u nats-server")
    case .works(let greeting):
      let name = "nats-server \(greeting.version) (\(greeting.name))"
      guard greeting.isRecent else {
        return bad("server_old", "\(name) is older than 2.9", "install nats-server 2.9 or later")
      }
      guard greeting.hasJetStream else {
        return bad(
          "server_without_jetstream", "\(name) keeps nothing: JetStream is off",
          "add jetstream { store_dir: \"…\" } to its configuration, as in docs/fleet-server.conf, and "
            + "start it again")
      }
      let what = "\(name), with JetStream\(greeting.needsTLS ? " and TLS" : "")"
      guard !mayHang else {
        return FleetFinding(
          server.address, "server_may_hang", .doubtful,
          "\(what), lets this user in; but streams do not answer, so one of the servers may hang, as "
            + "with a full disk",
          next: "on its computer: curl -m 3 127.0.0.1:8222/healthz; df; where nothing is answered: "
            + "systemctl kill -s KILL nats-server, make room, and start it "
            + "(locationfleet-watchdog kills it by itself)")
      }
      return FleetFinding(server.address, "server_works", .good, what)
    }
  }
}

// MARK: - Streams

extension FleetDiagnosis {
  /// Streams that are missing of the same fleet are found for themselves.
  private var number: [FleetFinding] {
    guard let fault = survey.fault(ofPartitions: fleet.worker.partitions) else { return [] }
    let step =
      survey.everyPartition.isEmpty
      ? FleetSurvey.partitionsStep : FleetSurvey.step(ofPartitions: survey.everyPartition)
    return [FleetFinding("streams", "partitions_differ", .bad, fault, next: step)]
  }

  private var streams: [FleetFinding] {
    let missing = survey.streams.filter { $0.state == .missing }.map(\.name)
    let leaderless = survey.streams.filter { $0.status?.hasLeader == false }.map(\.name)
    var silent: [String: [String]] = [:]
    for stream in survey.streams {
      if case .silent(let cause) = stream.state { silent[cause, default: []].append(stream.name) }
    }
    let denied = Set(survey.streams.filter(\.isDenied).map(\.name))
    var found: [FleetFinding] = []
    // Else `init` would be for a fleet with another number of partitions.
    if !missing.isEmpty, number.isEmpty {
      found.append(
        FleetFinding(
          "streams", "streams_missing", .bad,
          "\(missing.count) of \(survey.streams.count) are not there: \(Self.list(missing))",
          next: "locationfleet init"))
    }
    for (cause, names) in silent.sorted(by: { $0.key < $1.key }) {
      found.append(
        FleetFinding(
          "streams", "streams_silent", .bad, "\(Self.list(names)): \(cause)",
          next: silentStep(isDenied: !denied.isDisjoint(with: names))))
    }
    if !leaderless.isEmpty {
      found.append(
        FleetFinding(
          "streams", "streams_leaderless", .bad, "nobody leads \(Self.list(leaderless))",
          next: "more than half of the servers must run: start those that are gone"))
    }
    guard found.isEmpty, missing.isEmpty else { return found }
    let copies = survey.streams.compactMap { $0.status?.replicas }.min() ?? 1
    return [
      FleetFinding(
        "streams", "streams_work", .good,
        "\(survey.streams.count) are there"
          + (copies > 1 ? ", each with \(copies) copies or more" : ""))
    ]
  }

  private func silentStep(isDenied: Bool) -> String {
    let isOK = "until curl 127.0.0.1:8222/healthz on each of their computers says ok"
    if isDenied {
      return "give the user $JS.API.STREAM.INFO.> and $JS.API.STREAM.MSG.GET.> "
        + "(docs/fleet-server.conf)"
    }
    return mayHang
      ? "kill and start the server that does not answer its /healthz, and wait \(isOK); where all say "
        + "so, ask again after 10 s, in which a leader is elected"
      : "start the servers that are gone, and wait \(isOK)"
  }

  private var copies: [FleetFinding] {
    var found: [FleetFinding] = []
    let differing = survey.streams.filter {
      $0.status.map { $0.replicas != fleet.replicas } ?? false
    }
    if let first = differing.first, let status = first.status {
      let isLess = differing.contains { $0.status?.replicas ?? 0 < fleet.replicas }
      found.append(
        FleetFinding(
          "copies", "replicas_differ", isLess ? .bad : .doubtful,
          "`replicas` is \(fleet.replicas), and \(Self.list(differing.map(\.name))) "
            + "\(differing.count == 1 ? "has" : "have") \(status.replicas)",
          next:
            "set `replicas` to what the streams have, as those that are there stay as they are; or change each "
            + "with NATS' own tool, natscli, which Debian has not: nats stream edit \(first.name) "
            + "--replicas \(fleet.replicas)"))
    }
    var behind: [String: (gone: Bool, lag: Int, streams: [String])] = [:]
    for stream in survey.streams {
      for copy in stream.status?.copies ?? [] where !copy.isCurrent || copy.isOffline {
        var seen = behind[copy.server] ?? (false, 0, [])
        seen.gone = seen.gone || copy.isOffline
        seen.lag += copy.lag
        seen.streams.append(stream.name)
        behind[copy.server] = seen
      }
    }
    for (server, seen) in behind.sorted(by: { $0.key < $1.key }) {
      let state = seen.gone ? "is gone" : "is \(seen.lag) operations behind"
      found.append(
        FleetFinding(
          "copies", "copies_behind", .bad,
          "\(server) \(state): its copies of \(Self.list(seen.streams)) are not current",
          next: (seen.gone ? "start it" : "let it catch up")
            + ", and stop no other server until curl 127.0.0.1:8222/healthz there says ok"))
    }
    return found
  }

  private var retention: [FleetFinding] {
    let wanted = [
      ("keep-fixes-hours", fleet.hoursOfFixes, 3600, "FIX"),
      ("keep-events-days", fleet.daysOfEvents, 86_400, "EVT"),
    ]
    var found: [FleetFinding] = []
    for (key, value, unit, prefix) in wanted {
      let other = survey.streams.first {
        guard $0.name.hasPrefix("\(prefix)_"), let status = $0.status else { return false }
        return status.age != value * unit * 1_000_000_000
      }
      guard let other, let status = other.status else { continue }
      let age = status.age == 0 ? "everything" : "\(status.age / unit / 1_000_000_000)"
      found.append(
        FleetFinding(
          "retention", "retention_differs", .doubtful,
          "`\(key)` is \(value), and \(other.name) keeps \(age)",
          next:
            "set `\(key)` to what the streams keep, as those that are there stay as they are; or change each "
            + "with NATS' own tool, natscli, which Debian has not: nats stream edit \(other.name) "
            + "--max-age …"))
    }
    if !survey.overdue.isEmpty {
      let names = survey.overdue.map { FleetAddress.label(of: $0) }
      found.append(
        FleetFinding(
          "retention", "expire_overdue", .bad,
          "events of \(Self.list(names)) are there two days longer than `tenant` keeps them",
          next: "systemctl enable --now locationfleet-expire.timer; "
            + "journalctl -u locationfleet-expire"))
    }
    return found
  }
}
