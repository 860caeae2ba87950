import LocationEngine
import LocationHost
import LocationLink
import LocationModel

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

  /// How each source stands.
  var sources: [Finding] {
    guard case .success(let (status, _)) = answer else { return [] }
    return status.sources.map { Self.finding($0) }
  }

  /// How the daemon itself stands, and the switch of the whole machine.
  var circumstances: [Finding] {
    switch answer {
    case .failure(.usage(let said, let next)): return [problem(said, next)]
    case .failure(.refused(let said, let next)): return [problem(said, next)]
    case .success(let (status, _)):
      let daemon = Finding(
        subject: "location daemon", code: "daemon_running", verdict: .good,
        said: "process \(status.pid) serves \(status.clients.count - 1) programs at \(socket)",
        next: nil)
      let services = Finding(
        subject: "location services", code: "services_off", verdict: .bad,
        said: status.servicesReason ?? "switched off for the whole machine",
        next: "locationctl services on")
      let unstored = status.unstored.map {
        Finding(
          subject: "state", code: "state_not_stored", verdict: .bad,
          said: "what was decided last waits for \(status.state): \($0)",
          next: "make room there (df \(status.state)), or end the process that writes: "
            + "fuser \(status.state)/state.sqlite")
      }
      return [daemon] + (status.servicesEnabled ? [] : [services]) + [unstored].compactMap(\.self)
    }
  }

  private func problem(_ said: String, _ next: String?) -> Finding {
    Finding(
      subject: "location daemon", code: "daemon_silent", verdict: .bad, said: said, next: next)
  }

  private static func finding(_ source: SourceStatus) -> Finding {
    let positions = source.fixes == 1 ? "1 position" : "\(source.fixes) positions"
    let alone = "try it alone: locationctl doctor --source '\(source.url)'"
    func finding(_ verdict: Finding.Verdict, _ said: String, _ next: String?) -> Finding {
      Finding(subject: source.url, code: source.status, verdict: verdict, said: said, next: next)
    }
    return switch source.status {
    case "working": finding(.good, positions, nil)
    case "idle": finding(.good, "closed, because no app asks; \(positions) so far", nil)
    case "searching": finding(.doubtful, "open, and no position yet", alone)
    default: finding(.bad, source.reason ?? source.status, alone)
    }
  }

  /// Why an app hears nothing of the daemon, beside its circumstances.
  func findings(about app: InstalledApp) -> [Finding] {
    guard case .success(let (_, apps)) = answer else { return [] }
    let known = apps.first { $0.app == app.identity.name }
    let findings = AppDiagnosis(
      app: app, standing: known.map { Decision.Standing($0) },
      servicesAreOn: true
    ).findings
    guard (known?.level ?? AuthorizationLevel.ask.rawValue) == AuthorizationLevel.ask.rawValue
    else {
      return findings
    }
    return findings + [agents?.unanswered(app.identity)].compactMap(\.self)
  }

  /// Its agents; `nil` when it does not answer, or does not say.
  var agents: AgentDiagnosis? {
    guard case .success(let (status, _)) = answer else { return nil }
    return AgentDiagnosis(of: status)
  }
}
