package import LocationModel

/// Decides for how long questions of apps are answered in a graphical session: while a program shows
/// notifications with buttons there, and no other agent of this kind runs in it (AUTH-58).
///
/// It attends each daemon that serves the person, the own one and that of the machine (AUTH-60). An agent that
/// nobody sees would keep each question from the next one, so it leaves them as soon as the notifications have
/// gone.
package struct DesktopSession: Machine {
  package enum Input: MachineInput {
    case begin
    case bus(BusEvent)
    /// There is no connection to the bus of the session.
    case closed(reason: String)
    /// The connection to a daemon has ended; with the reason where the daemon does not let this program
    /// answer.
    case detached(Int, refusal: String?)
    /// A daemon has sent a question.
    case asked(Int)
    /// The desktop could not show a question.
    case passed
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Connects to the bus of the session; `.bus(.connected)` or `.closed` follows.
    case enter
    case bus(BusAction)
    /// Connect to a daemon, and answer for the person; `.detached` follows when that has ended.
    case attend(Int)
    /// Leave every daemon.
    case leave
    /// There is nothing more to do, and why.
    case end(End)
  }

  package enum End: Hashable, Sendable {
    /// No question can be asked in this session, or another agent asks them.
    case unneeded(String)
    /// A daemon does not let this program answer, also when it was asked again, and no other one is attended.
    case refused(String)
  }

  /// What is between this program and one of the daemons.
  private enum Link: Hashable, Sendable {
    case attended
    /// The daemon is not there, or has refused this program once; looked for again at `retry`.
    case away(retry: Instant)
    /// It has refused this program twice.
    case refused

    var retry: Instant? {
      if case .away(let retry) = self { retry } else { nil }
    }
  }

  private enum State: Hashable, Sendable {
    case idle
    /// The name that only one agent of a session has is asked for.
    case entering
    /// The desktop is asked whether it shows buttons; one without notifications is asked no more after
    /// `until`.
    case asking(until: Instant)
    /// Nobody shows notifications: asked again when somebody does, and for the last time at `until`.
    case missing(until: Instant)
    case attending
    case ended
  }

  private var state = State.idle
  private var name = BusName(Self.agent)
  private var lastCall = 0
  /// What each daemon is to this program, in the order of their numbers, from 0.
  private var links: [Link]
  /// The daemons that have refused this program since their last question.
  private var refusing: Set<Int> = []

  /// Creates the agent of a session.
  ///
  /// - Parameter daemons: how many daemons may serve the person, 1 or more.
  package init(daemons: Int = 1) {
    links = Array(repeating: .attended, count: max(1, daemons))
  }

  package var nextDeadline: Instant? {
    switch state {
    case .missing(let until): until
    case .attending: links.compactMap(\.retry).min()
    case .idle, .entering, .asking, .ended: nil
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    guard state != .ended else { return [] }
    switch input {
    case .begin:
      guard state == .idle else { return [] }
      state = .entering
      return settle(name.handle(.begin, at: now), at: now)
    case .bus(let event): return take(event, at: now)
    case .closed(let reason): return settle(name.handle(.closed(reason: reason), at: now), at: now)
    case .detached(let daemon, let refusal): return detach(daemon, refusal, at: now)
    case .asked(let daemon):
      refusing.remove(daemon)
      return []
    case .passed: return state == .attending ? miss(at: now) : []
    case .wake: return wake(at: now)
    }
  }

  // MARK: The bus

  private mutating func take(_ event: BusEvent, at now: Moment) -> [Output] {
    switch event {
    case .reply(-lastCall, let reply): return takeCapabilities(reply, at: now)
    case .signal(let signal) where signal.presence(of: NotificationPresenter.service) != nil:
      return take(change: signal, at: now)
    case .connected, .disconnected, .reply, .signal, .called, .refused:
      return settle(name.handle(.bus(event), at: now), at: now)
    }
  }

  /// Carries out what the name of this agent needs.
  private mutating func settle(_ outputs: [BusName.Output], at now: Moment) -> [Output] {
    outputs.flatMap { output -> [Output] in
      switch output {
      case .enter: [.enter]
      case .bus(let action): [.bus(action)]
      case .changed(.owned):
        [.bus(.subscribe(.owner(of: NotificationPresenter.service)))]
          + ask(until: now.uptime + Self.grace)
      case .changed(.taken): end(.unneeded("another agent of this session asks already"))
      case .changed(.refused(let reason)):
        end(.unneeded("there is no bus of a session: \(reason)"))
      }
    }
  }

  /// Asks whether there are buttons, which also starts a desktop's service that is started on demand.
  private mutating func ask(until: Instant) -> [Output] {
    lastCall += 1
    state = .asking(until: until)
    let call = NotificationPresenter.call("GetCapabilities", reply: "as")
    return [.bus(.call(-lastCall, call))]
  }

  private mutating func takeCapabilities(_ reply: BusReply, at now: Moment) -> [Output] {
    guard case .asking(let until) = state else { return [] }
    guard case .values = reply else {
      guard now.uptime < until else {
        return end(.unneeded("no program shows notifications in this session"))
      }
      state = .missing(until: until)
      return []
    }
    guard reply.first?.elements?.contains(where: { $0.text == "actions" }) == true else {
      return end(.unneeded("the notifications of this session have no buttons"))
    }
    state = .attending
    return attend { _ in true }
  }

  /// Takes that the program that shows notifications has come, gone, or changed.
  private mutating func take(change: BusSignal, at now: Moment) -> [Output] {
    let isThere = change.presence(of: NotificationPresenter.service) == true
    switch state {
    case .attending:
      let outputs = miss(at: now)
      guard isThere, case .missing(let until) = state else { return outputs }
      return outputs + ask(until: until)
    case .missing(let until): return isThere ? ask(until: until) : []
    case .asking(let until) where isThere: return ask(until: until)
    case .idle, .entering, .asking, .ended: return []
    }
  }

  // MARK: The daemons

  /// Attends the daemons that are as `isDue` says, but for those that have refused.
  private mutating func attend(where isDue: (Link) -> Bool) -> [Output] {
    let due = links.indices.filter { links[$0] != .refused && isDue(links[$0]) }
    for daemon in due { links[daemon] = .attended }
    return due.map { .attend($0) }
  }

  private mutating func detach(_ daemon: Int, _ refusal: String?, at now: Moment) -> [Output] {
    guard state == .attending, links.indices.contains(daemon), links[daemon] == .attended else {
      return []
    }
    links[daemon] = .away(retry: now.uptime + Self.pause)
    // It may pass: a process was looked at while it began, or ended.
    guard let refusal, !refusing.insert(daemon).inserted else { return [] }
    links[daemon] = .refused
    return links.contains(.attended) ? [] : end(.refused(refusal))
  }

  /// Leaves the daemons until notifications are there again.
  private mutating func miss(at now: Moment) -> [Output] {
    defer { state = .missing(until: now.uptime + Self.grace) }
    return state == .attending ? [.leave] : []
  }

  private mutating func wake(at now: Moment) -> [Output] {
    switch state {
    case .missing(let until) where until <= now.uptime: return ask(until: until)
    case .attending: return attend { $0.retry.map { $0 <= now.uptime } ?? false }
    case .idle, .entering, .asking, .missing, .ended: return []
    }
  }

  private mutating func end(_ end: End) -> [Output] {
    defer { state = .ended }
    return (state == .attending ? [.leave] : []) + [.end(end)]
  }

  /// The name on the bus of the session that one agent has.
  private static let agent = "org.meridian.LocationAgent"
  /// How long a session may be without notifications. Chosen: longer than a desktop needs to start, or to
  /// start anew.
  package static let grace = Duration.seconds(60)
  /// Before a daemon that has gone, or has refused, is looked for again. Chosen: one that was updated is
  /// back by then.
  package static let pause = Duration.seconds(10)
}
