import Glibc
import LocationEngine
import LocationHost
import LocationLink
import LocationModel
import LocationProviders

/// How the location daemon that apps use stands; `nil` where they run an engine of their own.
struct DaemonDiagnosis {
  private let socket: String
  private let answer: Result<(status: DaemonStatus, apps: [AppStatus]), Failure>

  init?(_ environment: HostEnvironment = .current) {
    guard let socket = DaemonSocket.inUse(environment.variables) else { return nil }
    self.socket = socket
    do throws(Failure) {
      let daemon = try RunningDaemon.needed()
      answer = .success(
        (try daemon.ask(.status(places: false), "status"), try daemon.ask(.apps, "apps")))
    } catch { answer = .failure(error) }
  }

  private var command: String { RunningDaemon.command(at: socket) }

  /// The sources that the daemon was given.
  var configured: [Source] {
    guard case .success(let (status, _)) = answer else { return [] }
    return status.sources.compactMap { try? Source(url: $0.url) }
  }

  /// How each source stands.
  var sources: [Finding] {
    guard case .success(let (status, _)) = answer else { return [] }
    let (since, now) = (status.since, HostClock.now.unixTime)
    return status.sources.flatMap { status in
      let source = try? Source(url: status.url)
      let date = status.wrongDate(since: since, at: now)
      return [
        Self.finding(status), date?.finding(source?.shownURL ?? status.url),
        source.flatMap { SourceDiagnosis.exposure(of: $0) },
      ].compactMap(\.self)
    }
  }

  /// How the daemon itself stands, and the switch of the whole machine.
  var circumstances: [Finding] {
    switch answer {
    case .failure(.usage(let message, let next)): return [problem(message, next)]
    case .failure(.refused(let message, let next)): return [problem(message, next)]
    case .success(let (status, _)):
      let daemon = Finding(
        subject: "location daemon", code: "daemon_running", verdict: .good,
        message: "process \(status.pid) serves \(status.clients.count - 1) programs at \(socket)",
        next: nil)
      let services = Finding(
        subject: "location services", code: "services_off", verdict: .bad,
        message: status.servicesReason ?? "switched off for the whole machine",
        next: "\(command) services on")
      let unstored = status.unstored.map {
        Finding(
          subject: "state", code: "state_not_stored", verdict: .bad,
          message: "what was decided last is not in \(status.state): \($0)",
          next: "make room there (df \(status.state)), or end the process that writes: "
            + "fuser \(status.state)/state.sqlite")
      }
      let simulated = Finding(
        subject: "place", code: "simulated", verdict: .doubtful,
        message: "set from outside, in place of what the sources give",
        next: "\(command) location clear")
      let doors = [
        status.geoclue.map { Self.finding($0) }, status.gpsd.map { Self.finding($0) },
        status.uplink.map { Self.finding($0) },
      ]
      return [daemon, outdated(status), refusedReload(status)].compactMap(\.self)
        + doors.compactMap(\.self)
        + (status.servicesEnabled ? [] : [services])
        + (status.isSimulated == true ? [simulated] : [])
        + [unstored, Self.unread(status), status.key.map { .key($0) }].compactMap(\.self)
    }
  }

  /// That another program than the installed one runs, as after an update that did not restart it.
  private func outdated(_ status: DaemonStatus) -> Finding? {
    status.outdated.map {
      Finding(
        subject: "location daemon", code: "daemon_outdated", verdict: .doubtful, message: $0,
        next: RunningDaemon.restart(at: socket))
    }
  }

  /// That the configuration on disk is not in force.
  private func refusedReload(_ status: DaemonStatus) -> Finding? {
    status.refusedReload.map {
      let isOfSystem = socket == DaemonSocket.ofSystem
      let (check, reload) =
        isOfSystem
        ? ("sudo locationd --check --system", "sudo systemctl reload locationd")
        : ("locationd --check", "systemctl --user reload locationd")
      return Finding(
        subject: "configuration", code: "configuration_refused", verdict: .bad,
        message:
          "the former one is in force since \($0.since.plain) UTC, as the one on disk is refused: "
          + $0.words,
        next: "mend it, look with \(check), then: \(reload)")
    }
  }

  /// That parts of the state do not open.
  private static func unread(_ status: DaemonStatus) -> Finding? {
    status.unread.map {
      Finding(
        subject: "state", code: "state_unread", verdict: .doubtful, message: $0,
        next:
          "look at the disk of \(status.state); what does not open is removed by: locationctl data rekey"
      )
    }
  }

  /// How programs fare that ask GeoClue.
  private static func finding(_ geoclue: GeoClueStatus) -> Finding {
    let next =
      switch geoclue.state {
      case "serving": nil as String?
      case "taken": "end it and keep it from being started: systemctl mask --now geoclue.service"
      default:
        "only the daemon of the system may have it: install the policy of the bus (make install), "
          + "then: systemctl reload dbus"
      }
    return Finding(
      subject: "org.freedesktop.GeoClue2", code: "geoclue_\(geoclue.state)",
      verdict: geoclue.reason == nil ? .good : .bad,
      message: geoclue.reason ?? "programs that ask GeoClue are served by locationd", next: next)
  }

  /// How programs that know gpsd alone fare, and that nobody knows which they are.
  static func finding(_ gpsd: GpsdPortStatus) -> Finding {
    let words =
      switch gpsd.state {
      case "serving":
        (
          "\(gpsd.programs) programs for gpsd are served; any program of any user that connects learns "
            + "where this computer is, and TCP does not say which it was",
          "to serve none: locationctl authorize gpsd-programs never, or gpsd-port = no"
        )
      case "taken":
        (
          gpsd.reason ?? "another program has it",
          "look whose it is: ss -ltnp 'sport = :\(gpsd.port)'; for gpsd: "
            + "systemctl disable --now gpsd.socket gpsd; then: systemctl reload locationd"
        )
      default: (gpsd.reason ?? gpsd.state, "name another port, or no, as gpsd-port")
      }
    return Finding(
      subject: "gpsd's port \(gpsd.port)", code: "gpsd_port_\(gpsd.state)",
      verdict: gpsd.reason == nil ? .doubtful : .bad, message: words.0, next: words.1)
  }

  /// How fixes go to the ingress of a fleet.
  private static func finding(_ uplink: UplinkStatus) -> Finding {
    let next =
      uplink.state == "waiting"
      ? "look whether it is reached from here: curl -sS \(uplink.server)/ ; the unit of the system lets the "
        + "daemon reach the loopback alone until IPAddressAllow= names the ingress: systemctl edit locationd"
      : uplink.next
    return Finding(
      subject: "uplink", code: "uplink_\(uplink.state)",
      verdict: ["refused", "faulty"].contains(uplink.state)
        ? .bad : uplink.reason != nil || uplink.dropped > 0 ? .doubtful : .good,
      message: uplink.words, next: next)
  }

  private func problem(_ message: String, _ next: String?) -> Finding {
    Finding(
      subject: "location daemon", code: "daemon_silent", verdict: .bad, message: message, next: next
    )
  }

  private static func finding(_ source: SourceStatus) -> Finding {
    let positions = source.fixes == 1 ? "1 position" : "\(source.fixes) positions"
    let url = (try? Source(url: source.url))?.shownURL ?? source.url
    let alone = "try it alone: locationctl doctor --source '\(url)'"
    func finding(_ verdict: Finding.Verdict, _ message: String, _ next: String?) -> Finding {
      Finding(
        subject: url, code: source.status, verdict: verdict, message: message, next: next)
    }
    return switch source.status {
    case "working": finding(.good, positions, nil)
    case "idle":
      finding(
        .good, "closed, because no app asks, or a cheaper source serves; \(positions) so far", nil)
    case "searching": finding(.doubtful, "open, and no position yet", alone)
    default: finding(.bad, source.reason ?? source.status, alone)
    }
  }

  /// Why an app receives nothing from the daemon, apart from its authorization.
  func findings(about word: InstalledApp) -> [Finding] {
    let app = named(word)
    let closed = [app.path.flatMap { ClosedPlace.finding(about: $0, socket: socket) }]
      .compactMap(\.self)
    guard case .success(let (status, apps)) = answer else { return closed }
    let known = apps.first { $0.app == app.identity.name }
    let findings =
      closed
      + AppDiagnosis(
        app: app, decided: known.map { Decision.Level($0) },
        servicesAreOn: true,
        use: known.flatMap { app in app.life.map { ($0, app.ground ?? "nothing") } },
        limits: known?.limits ?? [],
        asleep: known?.asleep, mayAskGeoClue: status.geoclue != nil,
        command: command
      ).findings
    guard (known?.level ?? AuthorizationLevel.ask.rawValue) == AuthorizationLevel.ask.rawValue
    else {
      return findings
    }
    return findings + [agents?.unanswered(app.identity)].compactMap(\.self)
  }

  /// An app as the daemon names it: the program that a desktop entry of that name starts, and at the daemon of
  /// the machine the program of the person who types, where nobody's is named.
  private func named(_ app: InstalledApp) -> InstalledApp {
    guard case .success(let (status, apps)) = answer else { return app }
    func isKnown(_ app: InstalledApp) -> Bool { apps.contains { $0.app == app.identity.name } }
    guard !isKnown(app) else { return app }
    let variables = HostEnvironment.current.variables
    let program =
      status.geoclue == nil || app.path != nil
      ? nil : DesktopPrograms(variables).program(of: app.identity.name)
    let found = program.flatMap { try? InstalledApp($0) } ?? app
    guard socket == DaemonSocket.ofSystem, !isKnown(found) else { return found }
    return found.asRun(by: variables["SUDO_UID"].flatMap { UInt32($0) } ?? getuid())
  }

  /// Its agents; `nil` when it does not answer, or does not report them.
  var agents: AgentDiagnosis? {
    guard case .success(let (status, _)) = answer else { return nil }
    return AgentDiagnosis(of: status, at: socket)
  }
}

extension SourceStatus {
  /// That the date of its newest fix is wrong; `nil` where it may be right, and for a recording.
  ///
  /// - Parameters:
  ///   - begin: when the daemon began.
  ///   - now: this computer's date.
  /// - Returns: how it differs.
  func wrongDate(since begin: UnixTime, at now: UnixTime) -> DateDiagnosis? {
    guard let fix, (try? Source(url: url))?.isRecording != true else { return nil }
    return DateDiagnosis(fix.time, since: begin, at: now)
  }
}

extension Finding {
  /// Where the key of the state is from, and what that protects from.
  static func key(_ origin: String) -> Finding {
    Finding(subject: "state key", code: "state_key", verdict: .good, message: origin, next: nil)
  }
}

extension ClosedPlace {
  /// That a daemon of another user cannot look at an app, as far as modes of folders show; `nil` when
  /// it can, and for a daemon of the same user.
  fileprivate static func finding(about path: String, socket: String) -> Finding? {
    var status = stat()
    guard stat(socket, &status) == 0, status.st_uid != getuid() || getuid() == 0 else { return nil }
    let folders = path.indices.dropFirst().lazy.filter { path[$0] == "/" }.map { path[..<$0] }
    let closed = folders.first { stat(String($0), &status) == 0 && status.st_mode & S_IXOTH == 0 }
    guard let closed else { return nil }
    return Finding(
      subject: path, code: "folder_closed", verdict: .doubtful,
      message:
        "\(closed) is closed to others: a location daemon that is not root's refuses the app",
      next: advice(String(closed)))
  }
}
