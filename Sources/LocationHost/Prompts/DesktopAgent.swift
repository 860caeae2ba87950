import Dispatch
import Glibc
package import LocationLink
import LocationModel
package import LocationProviders
import LocationService
import Synchronization

/// Answers questions of daemons for the person of a graphical session, by notifications with buttons.
///
/// ``DesktopSession`` decides for how long.
package actor DesktopAgent: SessionBusAgent {
  /// Why it has ended.
  package enum End: Error, Hashable, Sendable {
    case unneeded(String)
    case refused(AccessRefusal)
  }

  /// One connection to a daemon: the number of the daemon, and that of the connection.
  private struct Attempt: Hashable, Sendable {
    var daemon: Int
    var number: Int
  }

  /// The connection to a daemon; both are called from any thread while it lives.
  private struct Link: Sendable {
    var number: Int
    var answer: @Sendable (AgentAnswer) -> Void
    var end: @Sendable () -> Void
  }

  nonisolated package let executor = HostQueue(label: "meridian.desktop")
  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
  nonisolated package let address: String?
  /// Where each daemon answers, if it runs.
  nonisolated private let sockets: [String]
  nonisolated private let attended: @Sendable (String) -> Void
  nonisolated private let ended: @Sendable (End) -> Void
  nonisolated private let notifications: NotificationAgent
  /// The connections, by the number of the daemon.
  nonisolated private let links = Mutex<[Int: Link]>([:])
  package var bus: BusConnection?
  private var session: DesktopSession
  /// The number of the last connection.
  private var lastAttempt = 0
  /// The connection that counts of each daemon; an earlier one may still be ending.
  private var attempts: [Int: Attempt] = [:]
  private var refusal: AccessRefusal?
  /// The questions that are on the screen, and the daemon that asks.
  private var shown: [(id: Prompt.ID, daemon: Int)] = []
  /// The deadline for which a wake is scheduled.
  private var armed: Instant?

  /// Creates an agent on the bus of a session.
  ///
  /// - Parameters:
  ///   - address: the bus.
  ///   - sockets: where the daemons answer that it attends, those that run.
  ///   - attended: receives the socket of a daemon whenever the agent is connected to it, on any thread.
  ///   - ended: is called once, on its queue.
  package init(
    bus address: String, daemons sockets: [String],
    attended: @escaping @Sendable (String) -> Void, ended: @escaping @Sendable (End) -> Void
  ) {
    (self.address, self.sockets, self.attended, self.ended) = (address, sockets, attended, ended)
    session = DesktopSession(daemons: sockets.count)
    notifications = NotificationAgent(bus: address)
  }

  nonisolated package func begin() {
    enter { $0.step(.begin) }
  }

  package func step(_ input: DesktopSession.Input) {
    for output in session.handle(input, at: HostClock.now) {
      switch output {
      case .enter: enterBus()
      case .bus(let action): bus?.carryOut(action)
      case .attend(let daemon): attend(daemon)
      case .leave: leave()
      case .end(let end): self.end(end)
      }
    }
    // What was called leaves after this step.
    enter { $0.serve() }
    arm()
  }

  private func arm() {
    guard let due = session.nextDeadline, armed.map({ due < $0 }) ?? true else { return }
    armed = due
    enter(at: due) { agent in
      agent.armed = nil
      agent.step(.wake)
    }
  }

  private func end(_ end: DesktopSession.End) {
    leaveBus()
    switch end {
    case .unneeded(let reason): ended(.unneeded(reason))
    case .refused(let reason): ended(.refused(refusal ?? AccessRefusal(reason: reason)))
    }
  }

  // MARK: The daemons

  /// Connects to a daemon, with the process whose notifications the person sees.
  private func attend(_ daemon: Int) {
    guard sockets.indices.contains(daemon) else { return }
    lastAttempt += 1
    let attempt = Attempt(daemon: daemon, number: lastAttempt)
    attempts[daemon] = attempt
    findShower { agent, shower in
      guard agent.counts(attempt) else { return }
      guard let shower else { return agent.detach(attempt, because: nil) }
      DispatchQueue(label: "meridian.desktop.link").async { [weak agent] in
        let refusal = agent?.answer(attempt, shownBy: shower)
        agent?.enter { $0.detach(attempt, because: refusal) }
      }
    }
  }

  private func counts(_ attempt: Attempt) -> Bool { attempts[attempt.daemon] == attempt }

  private func leave() {
    attempts = [:]
    clear { _ in true }
    links.withLock { for link in $0.values { link.end() } }
  }

  /// Takes the questions of daemons from the screen: they ask again when they are there again.
  private func clear(of isTheirs: (Int) -> Bool) {
    for (id, daemon) in shown where isTheirs(daemon) { notifications.withdraw(id) }
    shown.removeAll { isTheirs($0.daemon) }
  }

  private func detach(_ attempt: Attempt, because refusal: AccessRefusal?) {
    guard counts(attempt) else { return }
    clear { $0 == attempt.daemon }
    if let refusal { self.refusal = refusal }
    step(.detached(attempt.daemon, refusal: refusal?.reason))
  }

  /// Finds the process that shows notifications now; `nil` if the bus does not know, or it has ended.
  private func findShower(_ body: @escaping @Sendable (isolated DesktopAgent, Int32?) -> Void) {
    guard let bus else { return enter { body($0, nil) } }
    bus.inquire(about: NotificationPresenter.service) { [weak self] credentials in
      let pid = credentials?.takeNumber()
      self?.enter { body($0, pid) }
    }
    enter { $0.serve() }
  }

  /// Takes questions, on a thread of its own, until the connection ends.
  ///
  /// - Returns: why the daemon does not let this program answer, if that is so.
  nonisolated private func answer(_ attempt: Attempt, shownBy shower: Int32) -> AccessRefusal? {
    let (daemon, number) = (attempt.daemon, attempt.number)
    do throws(AgentConnection.Fault) {
      var connection = try AgentConnection(at: sockets[daemon], shownBy: shower)
      let (answer, end) = (connection.answering, connection.ending)
      guard keep(Link(number: number, answer: answer, end: end), to: daemon) else { return nil }
      defer {
        links.withLock { if $0[daemon]?.number == number { $0[daemon] = nil } }
        // Until nobody has the descriptor.
        extendLifetime(connection)
      }
      attended(sockets[daemon])
      // It may have been left before there was a connection to end.
      enter { agent in
        guard !agent.counts(attempt) else { return }
        agent.links.withLock { if $0[daemon]?.number == number { $0[daemon]?.end() } }
      }
      while true {
        for case .event(let event) in try connection.next() {
          enter { $0.take(event, attempt) }
        }
      }
    } catch { return error.refusal }
  }

  /// Keeps a connection as the one that answers a daemon, and ends an older one; a thread may be so slow that
  /// a newer one is there already, which stays.
  ///
  /// - Returns: whether it is kept.
  nonisolated private func keep(_ new: Link, to daemon: Int) -> Bool {
    links.withLock { links in
      if let link = links[daemon], link.number > new.number { return false }
      links[daemon]?.end()
      links[daemon] = new
      return true
    }
  }

  private func take(_ event: AgentEvent, _ attempt: Attempt) {
    guard counts(attempt) else { return }
    let daemon = attempt.daemon
    switch event {
    case .withdrawn(let id):
      if remove(id, of: daemon) { notifications.withdraw(id) }
    case .question(let prompt, let token):
      step(.asked(daemon))
      shown.append((prompt.id, daemon))
      notifications.show(prompt) { [weak self] reply in
        self?.enter { $0.take(reply, to: prompt.id, token, attempt) }
      }
    }
  }

  /// Returns whether the question was on the screen.
  private func remove(_ id: Prompt.ID, of daemon: Int) -> Bool {
    guard let index = shown.firstIndex(where: { $0 == (id, daemon) }) else { return false }
    shown.remove(at: index)
    return true
  }

  private func take(
    _ reply: AgentReply, to id: Prompt.ID, _ token: String?, _ attempt: Attempt
  ) {
    guard counts(attempt), remove(id, of: attempt.daemon) else { return }
    guard case .answer(let choice, let precise) = reply else { return step(.passed) }
    findShower { agent, shower in
      guard agent.counts(attempt) else { return }
      // Whoever has shown it has gone.
      guard let shower else { return agent.step(.passed) }
      let answer = AgentAnswer(
        id: id, answer: choice, precise: precise, token: token, shownBy: shower)
      agent.links.withLock { $0[attempt.daemon]?.answer(answer) }
    }
  }
}

extension DesktopSession.Input: SessionBusInput {}
