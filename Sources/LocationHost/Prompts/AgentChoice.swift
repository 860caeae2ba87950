import Glibc
import LocationService
import LocationModel

/// An agent as named in a configuration; docs/formats/agents.md lists them.
package enum AgentChoice: Hashable, Sendable {
  case policy(path: String)
  case terminal
  case notification
  case program(path: String)

  /// Why a name denotes no agent.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// Parses a name such as `policy:/etc/meridian/policy`.
  package init(_ text: String) throws(Fault) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.count == 2 ? String(parts[1]) : nil
    switch (String(parts[0]), path) {
    case ("terminal", nil): self = .terminal
    case ("notification", nil): self = .notification
    case ("policy", let path?) where path.hasPrefix("/"): self = .policy(path: path)
    case ("program", let path?) where path.hasPrefix("/"): self = .program(path: path)
    case ("policy", _), ("program", _):
      throw Fault(description: "`\(text)`: expected `\(parts[0]):` and an absolute path")
    default:
      throw Fault(
        description: "unknown agent `\(text)`; known are policy:PATH, terminal, notification, "
          + "program:PATH")
    }
  }

  /// The name in the form that is parsed.
  package var name: String {
    switch self {
    case .policy(let path): "policy:\(path)"
    case .terminal: "terminal"
    case .notification: "notification"
    case .program(let path): "program:\(path)"
    }
  }

  /// Creates the agent in the environment of this process.
  package func agent(_ variables: [String: String]) -> any PromptAgent {
    switch self {
    case .policy(let path): PolicyAgent(path: path)
    case .terminal:
      TerminalAgent() ?? AbsentAgent(name, because: "the process has none to itself")
    case .notification: NotificationAgent(bus: SessionBus.address(variables))
    case .program(let path): ProgramAgent(path: path, variables: variables)
    }
  }

  /// Returns the policy files that exist: the person's own, and the machine's.
  package static func policies(_ variables: [String: String]) -> [AgentChoice] {
    let home = variables["HOME"].map { $0 + "/.config" }
    let own = (variables["XDG_CONFIG_HOME"] ?? home).map { $0 + "/meridian/policy" }
    return [own, machinePolicy].compactMap(\.self)
      .filter { $0.hasPrefix("/") && access($0, F_OK) == 0 }.map { .policy(path: $0) }
  }

  /// The path of the policy of the whole machine.
  package static let machinePolicy = "/etc/meridian/policy"
}

extension HostEnvironment {
  /// Returns the agents named in `$CORELOCATION_AGENTS`, else the policy files that exist, then the
  /// terminal, then notifications.
  ///
  /// An agent that cannot be parsed is left out, and `noting` is called with the reason.
  package func agents(noting: (String) -> Void) -> [any PromptAgent] {
    agentChoices(noting: noting).map { $0.agent(variables) }
  }

  private func agentChoices(noting: (String) -> Void) -> [AgentChoice] {
    guard let named = variables[Self.agentsVariable] else {
      return AgentChoice.policies(variables) + [.terminal, .notification]
    }
    return named.split(separator: " ").compactMap { word in
      do throws(AgentChoice.Fault) { return try AgentChoice(String(word)) } catch {
        noting("\(Self.agentsVariable): \(error)")
        return nil
      }
    }
  }

  package static let agentsVariable = "CORELOCATION_AGENTS"
}
