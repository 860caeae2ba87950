import LocationService
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  private static let desktop = Option(
    name: "desktop", summary: "Ask by notifications of this graphical session, without a terminal")

  static let agent = Verb(
    name: "agent", summary: "Answer the questions of apps on this terminal, or on the desktop",
    details: [
      """
      Connects to the daemon and asks the person here whenever an app wants to know where the device \
      is. For the apps of the same user; for root and the daemon's own user, for all. It must be the \
      locationctl that is installed beside locationd, in the foreground of a terminal that no app has \
      started. Runs until Ctrl-C; without an agent, the policy file and authorize decide.
      """,
      """
      With --desktop it asks by notifications with buttons instead. The package meridian-geoclue starts it \
      so in each graphical session (/etc/xdg/autostart/locationctl-agent.desktop); a session that starts \
      nothing by itself has it in its own configuration. It ends, with the reason, where there is no display, \
      where for a minute no program shows notifications with buttons, where another one of the session \
      asks already, and with the session. Agents on terminals go on beside it: the first answer counts. \
      The program that shows the notifications must be no app.
      """,
    ],
    options: [desktop],
    examples: ["locationctl agent", "locationctl agent --desktop"],
    run: { invocation in
      guard !invocation.has(desktop) else { return try await attendDesktop() }
      guard let terminal = TerminalAgent() else {
        throw Failure.refused(
          "there is no terminal to ask on", next: "run it in the foreground of one")
      }
      guard let socket = DaemonSocket.inUse(HostEnvironment.current.variables) else {
        throw Failure.refused("no location service is running", next: "locationd")
      }
      var isFirst = true
      while true {
        do throws(AgentConnection.Fault) {
          try attend(socket, terminal)
        } catch {
          if let refusal = error.refusal {
            throw Failure.refused(
              "the location daemon at \(socket) refuses: \(refusal.reason)", next: refusal.next)
          }
          guard !isFirst else {
            throw Failure.refused("\(error)", next: "check that locationd runs")
          }
          Output.error.line("locationctl: \(error); waiting for it to come back")
        }
        isFirst = false
        try await Task.sleep(for: .seconds(1))
      }
    })

  /// Asks on the desktop until there is nobody to ask; that is no failure, for a session starts it always.
  private static func attendDesktop() async throws {
    let variables = HostEnvironment.current.variables
    guard ["WAYLAND_DISPLAY", "DISPLAY"].contains(where: { variables[$0]?.isEmpty == false }) else {
      throw Failure.refused(
        "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set",
        next: "in a terminal: locationctl agent")
    }
    guard let address = SessionBus.address(variables) else {
      throw Failure.refused(
        "there is no bus of a session", next: "in a terminal: locationctl agent")
    }
    let (ends, continuation) = AsyncStream.makeStream(
      of: DesktopAgent.End.self, bufferingPolicy: .bufferingOldest(1))
    let agent = DesktopAgent(bus: address, daemon: { DaemonSocket.inUse(variables) }) {
      continuation.yield($0)
      continuation.finish()
    }
    agent.begin()
    for await end in ends {
      switch end {
      case .unneeded(let reason): Output.error.line("locationctl: asks nobody: \(reason)")
      case .refused(let refusal):
        throw Failure.refused(
          "the location daemon refuses: \(refusal.reason)", next: refusal.next)
      }
    }
    extendLifetime(agent)
  }

  /// Asks until the daemon goes away.
  private static func attend(
    _ socket: String, _ terminal: TerminalAgent
  ) throws(AgentConnection.Fault) {
    var connection = try AgentConnection(at: socket)
    let answer = connection.answering
    Output.error.line("locationctl: attending at \(socket)")
    while true {
      for arrival in try connection.next() {
        switch arrival {
        case .event(.question(let prompt, let token)):
          terminal.show(prompt) { reply in
            switch reply {
            case .answer(let choice, let precise):
              answer(
                AgentAnswer(id: prompt.id, answer: choice, precise: precise, token: token))
            case .passed(let reason): Output.error.line("locationctl: not answered: \(reason)")
            }
          }
        case .event(.withdrawn(let id)): terminal.withdraw(id)
        case .answered: break
        }
      }
    }
  }
}
