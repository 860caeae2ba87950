import Dispatch
import Glibc
package import LocationLink
import LocationModel
package import LocationProviders
import LocationService
import Synchronization

/// Answers questions of a daemon for the person of a graphical session, by notifications with buttons.
///
/// ``DesktopSession`` decides for how long.
package actor DesktopAgent: SessionBusAgent {
  /// Why it has ended.
  package enum End: Error, Hashable, Sendable {
    case unneeded(String)
    case refused(AccessRefusal)
  }

  /// The connection to the daemon; both are called from any thread while it lives.
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
  /// Where the daemon is now; `nil` while there is none.
  nonisolated private let socket: @Sendable () -> String?
  nonisolated private let ended: @Sendable (End) -> Void
  nonisolated private let notifications: NotificationAgent
  nonisolated private let link = Mutex<Link?>(nil)
  package var bus: BusConnection?
  private var session = DesktopSession()
  /// The number of the connection that counts; an earlier one may still be ending.
  private var attempt = 0
  private var refusal: AccessRefusal?
  /// The questions that are on the screen.
  private var shown: [Prompt.ID] = []
  /// The deadline for which a wake is scheduled.
  private var armed: Instant?

  /// Creates an agent on the bus of a session; `ended` is called once, on its queue.
  package init(
    bus address: String, daemon socket: @escaping @Sendable () -> String?,
    ended: @escaping @Sendable (End) -> Void
  ) {
    (self.address, self.socket, self.ended) = (address, socket, ended)
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
      case .attend: attend()
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

  // MARK: The daemon

  /// Connects to the daemon, with the process whose notifications the person sees.
  private func attend() {
    attempt += 1
    let number = attempt
    findShower { agent, shower in
      guard number == agent.attempt else { return }
      guard let shower, let path = agent.socket() else {
        return agent.detach(number, because: nil)
      }
      DispatchQueue(label: "meridian.desktop.link").async { [weak agent] in
        let refusal = agent?.answer(path, shownBy: shower, number)
        agent?.enter { $0.detach(number, because: refusal) }
      }
    }
  }

  private func leave() {
    attempt += 1
    clear()
    link.withLock { $0?.end() }
  }

  /// Takes the questions from the screen: the daemon asks again when it is there again.
  private func clear() {
    for id in shown { notifications.withdraw(id) }
    shown = []
  }

  private func detach(_ number: Int, because refusal: AccessRefusal?) {
    guard number == attempt else { return }
    clear()
    self.refusal = refusal
    step(.detached(refusal: refusal?.reason))
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
  nonisolated private func answer(
    _ path: String, shownBy shower: Int32, _ number: Int
  ) -> AccessRefusal? {
    do throws(AgentConnection.Fault) {
      var connection = try AgentConnection(at: path, shownBy: shower)
      let (answer, end) = (connection.answering, connection.ending)
      guard keep(Link(number: number, answer: answer, end: end)) else { return nil }
      defer {
        link.withLock { if $0?.number == number { $0 = nil } }
        // Until nobody has the descriptor.
        extendLifetime(connection)
      }
      // It may have been left before there was a connection to end.
      enter { agent in
        guard agent.attempt != number else { return }
        agent.link.withLock { if $0?.number == number { $0?.end() } }
      }
      while true {
        for case .event(let event) in try connection.next() { enter { $0.take(event, number) } }
      }
    } catch { return error.refusal }
  }

  /// Keeps a connection as the one that answers, and ends an older one; a thread may be so slow that a newer
  /// one is there already, which stays.
  ///
  /// - Returns: whether it is kept.
  nonisolated private func keep(_ new: Link) -> Bool {
    link.withLock { link in
      if let link, link.number > new.number { return false }
      link?.end()
      link = new
      return true
    }
  }

  private func take(_ event: AgentEvent, _ number: Int) {
    guard number == attempt else { return }
    switch event {
    case .withdrawn(let id): withdraw(id)
    case .question(let prompt, let token):
      step(.asked)
      shown.append(prompt.id)
      notifications.show(prompt) { [weak self] reply in
        self?.enter { $0.take(reply, to: prompt.id, token, number) }
      }
    }
  }

  private func withdraw(_ id: Prompt.ID) {
    if remove(id) { notifications.withdraw(id) }
  }

  /// Returns whether the question was on the screen.
  private func remove(_ id: Prompt.ID) -> Bool {
    guard let index = shown.firstIndex(of: id) else { return false }
    shown.remove(at: index)
    return true
  }

  private func take(_ reply: AgentReply, to id: Prompt.ID, _ token: String?, _ number: Int) {
    guard number == attempt, remove(id) else { return }
    guard case .answer(let choice, let precise) = reply else { return step(.passed) }
    findShower { agent, shower in
      guard number == agent.attempt else { return }
      // Whoever has shown it has gone.
      guard let shower else { return agent.step(.passed) }
      let answer = AgentAnswer(
        id: id, answer: choice, precise: precise, token: token, shownBy: shower)
      agent.link.withLock { $0?.answer(answer) }
    }
  }
}

extension DesktopSession.Input: SessionBusInput {}
