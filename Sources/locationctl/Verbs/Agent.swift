import Dispatch
import Glibc
import LocationService
import LocationHost
import LocationLink
import LocationModel
import Synchronization

extension Verb {
  private static let desktop = Option(
    name: "desktop", summary: "Ask by notifications of this graphical session, without a terminal")

  private static let socket = Option(
    name: "socket", value: .text("PATH"), repeats: true,
    summary:
      "Attend the daemon at this socket alone; else $LOCATIOND_SOCKET, else your own daemon and "
      + "that of the machine")

  static let agent = Verb(
    name: "agent", summary: "Answer the questions of apps on this terminal, or on the desktop",
    details: [
      """
      Connects to your own daemon and to that of the machine, and asks the person here whenever an app wants \
      to know where the device is. It says which of them it attends, looks for one that is not there, and comes \
      back to one that starts anew. For the apps of the same user; for root and the daemon's own user, for all. It must be the \
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
    options: [desktop, socket],
    examples: [
      "locationctl agent", "locationctl agent --desktop",
      "locationctl agent --socket \(DaemonSocket.ofSystem)",
    ],
    run: { invocation in
      let named = invocation.texts(socket)
      let sockets = named.isEmpty ? DaemonSocket.all(HostEnvironment.current.variables) : named
      guard !invocation.has(desktop) else { return try await attendDesktop(sockets) }
      guard let terminal = TerminalAgent() else {
        throw Failure.refused(
          "there is no terminal to ask on", next: "run it in the foreground of one")
      }
      guard sockets.contains(where: DaemonSocket.answers) else {
        throw Failure.refused(
          "no location daemon answers"
            + (sockets.isEmpty ? "" : " at \(sockets.joined(separator: " or "))"),
          next: RunningDaemon.howToStart)
      }
      try await attend(sockets, terminal)
    })

  /// Asks on the desktop until there is nobody to ask; that is no failure, for a session starts it always.
  private static func attendDesktop(_ sockets: [String]) async throws {
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
    let agent = DesktopAgent(
      bus: address, daemons: sockets,
      attended: { Output.error.line("locationctl: attending at \($0)") },
      ended: {
        continuation.yield($0)
        continuation.finish()
      })
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

  /// Asks on the terminal until no daemon is left that lets this program answer.
  private static func attend(_ sockets: [String], _ terminal: TerminalAgent) async throws {
    let (refusals, continuation) = AsyncStream<(socket: String, refusal: AccessRefusal)>
      .makeStream(bufferingPolicy: .bufferingOldest(sockets.count))
    for socket in sockets {
      DispatchQueue(label: "locationctl.agent").async {
        let refusal = AttendedDaemon(socket: socket, terminal: terminal).attend()
        continuation.yield((socket, refusal))
      }
    }
    var left = sockets
    for await (socket, refusal) in refusals {
      left.removeAll { $0 == socket }
      let failure = Failure.refused(
        "the location daemon at \(socket) refuses: \(refusal.reason)", next: refusal.next)
      guard left.contains(where: DaemonSocket.answers) else { throw failure }
      Output.error.line(failure.message)
    }
  }
}

/// A daemon whose questions are asked on the terminal.
private struct AttendedDaemon: Sendable {
  let socket: String
  let terminal: TerminalAgent

  /// Whether a connection is still there, for answers that are typed later.
  private final class Presence: Sendable {
    let isThere = Mutex(true)
  }

  /// Asks, and looks each second for a daemon that is not there.
  ///
  /// - Returns: why it does not let this program answer.
  func attend() -> AccessRefusal {
    while true {
      do throws(AgentConnection.Fault) {
        var connection = try AgentConnection(at: socket)
        Output.error.line("locationctl: attending at \(socket)")
        let fault = ask(over: &connection)
        if let refusal = fault.refusal { return refusal }
        Output.error.line("locationctl: \(socket): \(fault); waiting for it to come back")
      } catch {
        // It is not there now.
      }
      sleep(1)
    }
  }

  /// Asks until the connection ends, and returns why.
  private func ask(over connection: inout AgentConnection) -> AgentConnection.Fault {
    let (answer, presence) = (connection.answering, Presence())
    defer { presence.isThere.withLock { $0 = false } }
    do throws(AgentConnection.Fault) {
      while true {
        for case .event(let event) in try connection.next() {
          switch event {
          case .withdrawn(let id): terminal.withdraw(id)
          case .question(let prompt, let token):
            terminal.show(prompt) { reply in
              let reason = presence.isThere.withLock { isThere in
                isThere ? pass(reply, to: prompt.id, token, by: answer) : "\(socket) has gone"
              }
              if let reason { Output.error.line("locationctl: not answered: \(reason)") }
            }
          }
        }
      }
    } catch { return error }
  }

  /// Sends an answer; returns why there is none to send.
  private func pass(
    _ reply: AgentReply, to id: Prompt.ID, _ token: String?, by answer: (AgentAnswer) -> Void
  ) -> String? {
    switch reply {
    case .passed(let reason): return reason
    case .answer(let choice, let precise):
      answer(AgentAnswer(id: id, answer: choice, precise: precise, token: token))
      return nil
    }
  }
}
