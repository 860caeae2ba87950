import LocationHost
import LocationLink
import LocationModel

/// Whether a prompt can be put when an app requests authorization.
struct AgentDiagnosis {
  private let agents: [AgentStatus]
  private let faults: [String]
  /// Whether all of them are configured, instead of the default.
  private let areNamed: Bool
  private let howToName: String
  /// The programs that are registered with a daemon.
  private let programs: [TrustedProgramStatus]
  /// The command that decides about a program.
  private let howToDecide: String
  /// How a command of the daemon's owner begins.
  private let command: String

  /// The agents of this process.
  init(_ environment: HostEnvironment = .current) {
    var faults: [String] = []
    agents = environment.agents { faults.append($0) }.map {
      AgentStatus(name: $0.name, obstacle: $0.obstacle)
    }
    self.faults = faults
    programs = []
    (howToDecide, command) = (Self.decision, "locationctl")
    areNamed = environment.variables[HostEnvironment.agentsVariable] != nil
    howToName = "\(Self.names) in $\(HostEnvironment.agentsVariable)"
  }

  /// The agents of a daemon; `nil` when it is too old to name them.
  ///
  /// - Parameters:
  ///   - daemon: its status.
  ///   - socket: where it answers.
  init?(of daemon: DaemonStatus, at socket: String) {
    guard let agents = daemon.agents else { return nil }
    self.agents = agents
    faults = []
    areNamed = false
    programs = daemon.programs ?? []
    command = RunningDaemon.command(at: socket)
    // A user's own daemon serves that user's programs alone.
    let isOwn = RunningDaemon.isOwn(socket)
    howToDecide =
      isOwn && socket != DaemonSocket.ofSystem
      ? Self.decision
      : Self.decision.replacing("PATH", with: "PATH@UID")
        .replacing("locationctl", with: command)
    howToName = "\(Self.names) in the configuration of locationd, or run locationctl agent"
  }

  /// The faults of configured agents, and of their files.
  var configured: [Finding] {
    let misnamed = faults.map { finding("agents", "agent_unknown", $0, howToName) }
    let untrusted = programs.compactMap { program in
      program.obstacle.map { obstacle in
        finding(
          "\(program.role)-program", "program_untrusted", obstacle,
          program.mend ?? "register another in the configuration of locationd")
      }
    }
    return misnamed + untrusted
      + agents.compactMap { agent in
        guard areNamed || agent.name.contains(":"), let obstacle = agent.obstacle else {
          return nil
        }
        return finding(agent.name, "agent_unusable", obstacle, "mend it, or name another")
      }
  }

  /// For an app without a decision: that no agent can put a prompt, if it is so.
  func unanswered(_ app: AppIdentity) -> Finding? {
    guard let obstacles else { return nil }
    return Finding(
      subject: app.name, code: "no_agent", verdict: .bad,
      message: "its question stays open, for nobody can be asked (\(obstacles))",
      next: "answer it: \(command) authorize \(app.name) whenInUse")
  }

  /// For all apps: that no agent can put a prompt, if it is so. No failure, since what is decided
  /// already counts.
  var unattended: Finding? {
    guard let obstacles else { return nil }
    return finding(
      "agents", "nobody_to_ask",
      "nobody can be asked, so a program without a decision gets no positions (\(obstacles))",
      "in a terminal of the person: locationctl agent; or decide: \(howToDecide)")
  }

  /// Why no agent can ask a person now; `nil` if one can.
  private var obstacles: String? {
    let obstacles = agents.compactMap { agent in
      agent.obstacle.map { "\(agent.name): \($0)" }
    }
    guard obstacles.count == agents.count else { return nil }
    return obstacles.isEmpty ? "no agent is named" : obstacles.joined(separator: "; ")
  }

  private func finding(_ subject: String, _ code: String, _ message: String, _ next: String)
    -> Finding
  {
    Finding(subject: subject, code: code, verdict: .doubtful, message: message, next: next)
  }

  private static let decision = "locationctl authorize PATH whenInUse"
  private static let names = "name policy:PATH, terminal, notification, or program:PATH"
}
