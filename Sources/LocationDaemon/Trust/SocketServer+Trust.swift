import Dispatch
import Glibc
import LocationHost
import LocationLink
import LocationModel
import LocationSecrets

/// What is known when a process is checked, which may look at every process of the computer and so
/// runs beside the queue.
struct TrustCheck: Sendable {
  let programs: TrustedPrograms
  let served: ServedProcesses
  /// The programs of all apps that are connected or have stored data: those that hold an identifier,
  /// and those that are known by their path.
  let apps: Set<AppProgram>

  /// Checks that a process is the owner's.
  ///
  /// - Throws: `AccessRefusal` with the reason if it is not.
  func checkOwner(_ peer: Peer) throws(AccessRefusal) {
    guard peer.user == 0 || peer.user == getuid() else {
      throw AccessRefusal(
        reason: "user \(peer.user) is not the owner; it answers only root and user \(getuid())",
        next: "the same with sudo")
    }
    let chain = try Self.chain(of: peer)
    let isTool = try checkProgram(of: peer, for: .owner)
    let next = isTool ? Self.ownerAlone : "check the program, then start it again"
    if let fault = judge().fault(of: chain) { throw AccessRefusal(reason: fault, next: next) }
  }

  /// Checks that a connection may answer for a person, who sees its questions on its terminal, or where
  /// another process shows them.
  ///
  /// - Throws: `AccessRefusal` with the reason if it may not.
  func checkAgent(_ peer: Peer, shownBy shower: Int32?) throws(AccessRefusal) {
    let chain = try Self.chain(of: peer)
    if let refusal = served.refusal(of: peer) { throw refusal }
    let needsTerminal = try checkProgram(of: peer, for: .agent)
    let judge = judge()
    if let fault = judge.fault(of: chain) {
      throw AccessRefusal(reason: fault, next: Self.ownTerminal)
    }
    guard needsTerminal, let first = chain.first else { return }
    // That the installed tool says so itself is enough: its code is its own, and it asks nowhere else then.
    if let shower { return try check(shower, of: peer, judge) }
    let terminal = PeerTerminal(chain, first, user: peer.user, judge: judge)
    if let fault = terminal.fault { throw AccessRefusal(reason: fault, next: Self.ownTerminal) }
  }

  /// Checks the process whose notifications the person sees.
  ///
  /// - Throws: `AccessRefusal` with the reason if it may be an app, which could press its own buttons.
  private func check(
    _ shower: Int32, of peer: Peer, _ judge: AncestryJudge<RunningProcesses>
  ) throws(AccessRefusal) {
    let process = Shower(
      pid: shower, program: programs.kind(ofProgramOf: shower),
      tracer: RunningProcesses.status(of: shower)?.tracer ?? 0)
    guard let fault = judge.fault(shownBy: process, to: peer.user) else { return }
    throw AccessRefusal(reason: fault, next: Self.ownDesktop)
  }

  private static let ownDesktop =
    "name the desktop's program in the configuration of locationd (agent-program = PATH), or run "
    + "locationctl agent in the foreground of a terminal that no app has started"
  private static let ownerAlone = "type it in a terminal that no app has started"
  private static let ownTerminal =
    "run locationctl agent in the foreground of a terminal that no app has started, or register a "
    + "program of yours: agent-program = PATH in the configuration of locationd"

  /// Returns the process and its parents, if it is still the one that has connected.
  static func chain(of peer: Peer) throws(AccessRefusal) -> [ProcessFacts] {
    let chain: [ProcessFacts]
    do throws(ProgramAncestry.Fault) {
      chain = try ProgramAncestry(of: peer.pid, in: RunningProcesses()).chain
    } catch { throw AccessRefusal(reason: error.reason) }
    guard chain.first?.mark == peer.mark else {
      throw AccessRefusal(reason: "process \(peer.pid) has ended")
    }
    return chain
  }

  /// Checks the program of a process, and what it has loaded.
  ///
  /// - Returns: whether it is the installed tool, and not registered for this role.
  /// - Throws: `AccessRefusal` with the reason if it is not trusted.
  private func checkProgram(
    of peer: Peer, for role: TrustedPrograms.Role
  ) throws(AccessRefusal) -> Bool {
    let registered = programs.registered(for: role)
    guard peer.sandbox == nil,
      let path = (registered + [programs.tool]).first(where: {
        $0 == peer.executable && TrustedPrograms.isFile(at: $0, runBy: peer.pid)
      })
    else {
      throw AccessRefusal(
        reason: "\(peer.executable) is neither the installed locationctl nor registered",
        next: "use \(programs.tool), or name the program in the configuration of locationd: "
          + "\(role.key) = PATH")
    }
    let owners = TrustedPrograms.owners(of: role, for: peer.user)
    if let fault = TrustedPrograms.fault(of: path, owners: owners) {
      throw AccessRefusal(reason: fault.cause, next: fault.mend)
    }
    if let fault = PeerIsolation.fault(of: peer.pid) {
      throw AccessRefusal(reason: fault, next: "run it outside of the sandbox")
    }
    if let fault = LoadedCode.fault(of: peer.pid, owners: Self.owners(ofCodeIn: path)) {
      throw AccessRefusal(reason: fault, next: "start it without a debugger or foreign libraries")
    }
    return !registered.contains(path)
  }

  /// Returns root, and the owner of the program's own file.
  private static func owners(ofCodeIn path: String) -> Set<UInt32> {
    var status = stat()
    return stat(path, &status) == 0 ? [0, status.st_uid] : [0]
  }

  private func judge() -> AncestryJudge<RunningProcesses> {
    AncestryJudge(RunningProcesses(), served: served, apps: apps) { [programs] process in
      // The process runs the registered file, and has loaded no foreign code.
      programs.owners.contains { path in
        TrustedPrograms.isFile(at: path, runBy: process.pid)
          && TrustedPrograms.fault(of: path, owners: [0, getuid()]) == nil
          && LoadedCode.fault(of: process.pid, owners: Self.owners(ofCodeIn: path)) == nil
      }
    }
  }
}

// Checks who may administer, and who may answer for a person (docs/decisions/0066). No statement of
// the process itself is trusted; everything is looked up anew for each call.
extension SocketServer {
  /// Checks a connection beside the queue, and continues with the result on it; until then the
  /// connection is not read. Of one user, one check runs at a time, and the user's program pays.
  func check(
    _ number: Int, _ check: @escaping @Sendable (TrustCheck, Peer) throws(AccessRefusal) -> Void,
    then body: @escaping @Sendable (isolated SocketServer, AccessRefusal?) -> Void
  ) {
    guard let connection = connections[number] else { return }
    connection.pause()
    let (peer, payer) = (connection.peer, connection.payer)
    let terms = TrustCheck(
      programs: trust.programs, served: trust.served, apps: knownPrograms())
    trust.queue(of: payer.user).async { [weak self] in
      let begin = ProcessorTime.ofThread
      var refusal: AccessRefusal?
      do throws(AccessRefusal) { try check(terms, peer) } catch { refusal = error }
      let (cost, result) = (ProcessorTime.ofThread - begin, refusal)
      guard let server = self else { return }
      server.queue.async {
        server.onQueue {
          $0.trust.leaveQueue(of: payer.user)
          $0.shares.charge(cost, to: payer, at: $0.host.now.uptime, pacing: .nobody)
          guard $0.connections[number] != nil else { return }
          body($0, result)
          $0.goOn(number)
        }
      }
    }
  }

  private func knownPrograms() -> Set<AppProgram> {
    host.onQueue { $0.appPrograms }.union(trust.appPrograms)
  }

  // MARK: Apps

  /// Remembers that a process is served as an app, by what was seen of it when it was identified: at
  /// most a bounded number of processes are looked at here, and none before the user's memory is full.
  ///
  /// - Returns: why it may not be served; `nil` if it may.
  func noteServed(_ peer: Peer, as app: AppIdentity) -> String? {
    guard !connections.values.contains(where: { $0.isAttending && $0.peer.mark == peer.mark })
    else { return "it answers questions for a person, so it is not served as an app" }
    guard trust.served.processes[peer.mark] == nil else { return nil }
    let descent: Peer.Descent
    do { descent = try peer.descent.get() } catch { return error.description }
    let table = RunningProcesses()
    let process = ServedProcesses.Process(
      app: app.name, user: peer.user, session: descent.session,
      controlGroup: descent.controlGroup, ancestors: descent.ancestors, began: descent.began)
    let isRoom = trust.served.note(peer.mark, process) { table.facts(of: $0.pid)?.mark == $0 }
    guard !isRoom else { return nil }
    return "\(ServedProcesses.most) processes of user \(peer.user) were served and still run"
  }

  // MARK: Agents

  /// Registers a client as an agent, if it may answer for a person.
  func admitAgent(_ number: Int, shownBy shower: Int32?) {
    check(
      number,
      { check, peer throws(AccessRefusal) in try check.checkAgent(peer, shownBy: shower) }
    ) { server, refusal in
      guard let connection = server.connections[number] else { return }
      // It may have become an app meanwhile, or another connection of it.
      let refusal = refusal ?? server.trust.served.refusal(of: connection.peer)
      if let refusal {
        server.refuse(refusal, connection)
        return server.handle(.notAgent(refusal), of: number)
      }
      connection.isAttending = true
      server.handle(.attending(token: SecretKey.random().hexadecimal), of: number)
      server.agents.attend(number, user: connection.peer.user) { [weak server] event in
        server?.onQueue { $0.handle(.agentEvent(event), of: number) }
      }
    }
  }

  /// Applies a person's answer, if the client still may answer.
  func take(_ answer: AgentAnswer, _ number: Int) {
    check(
      number,
      { check, peer throws(AccessRefusal) in try check.checkAgent(peer, shownBy: answer.shownBy) }
    ) { server, refusal in
      guard let connection = server.connections[number] else { return }
      if let refusal = refusal ?? server.trust.served.refusal(of: connection.peer) {
        server.refuse(refusal, connection)
        connection.isAttending = false
        server.agents.leave(number)
        return server.handle(.notAgent(refusal), of: number)
      }
      let isTaken = server.agents.take(answer, of: number, user: connection.peer.user)
      if !isTaken { server.fine(connection.payer) }
      server.handle(.answered(isTaken), of: number)
    }
  }

  /// Logs a refusal once for a process and a cause, and charges for it.
  func refuse(_ refusal: AccessRefusal, _ connection: LinkConnection) {
    fine(connection.payer, isTyped: connection.peer.executable == trust.programs.tool)
    guard trust.isNew(refusal, of: connection.peer.mark) else { return }
    note(
      "refused \(connection.peer.executable) (process \(connection.peer.pid)): \(refusal.reason)",
      about: connection, isFault: true)
  }
}
