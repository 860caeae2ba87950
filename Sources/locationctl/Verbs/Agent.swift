import LocationService
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  static let agent = Verb(
    name: "agent", summary: "Answer the questions of apps on this terminal",
    details: [
      """
      Connects to the daemon and asks the person here whenever an app wants to know where the device \
      is. For the apps of the same user; for root and the daemon's own user, for all. It must be the \
      locationctl that is installed beside locationd, in the foreground of a terminal that no app has \
      started. Runs until Ctrl-C; without an agent, the policy file and authorize decide.
      """
    ],
    examples: ["locationctl agent"],
    run: { _ in
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
