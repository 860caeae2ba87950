import LocationHost
import LocationModel

/// Decides when suspended processes are woken for an event that is queued for their app, and
/// suspended again when the time for it is over (docs/decisions/0079, 0083).
///
/// Nothing counts as woken before the system has confirmed it.
struct SleepingApps: Machine {
  /// How a process is suspended.
  enum Sleep: Hashable, Comparable {
    /// Its unit is frozen; empty if no unit of systemd is.
    case frozen(unit: String)
    /// A signal has stopped it.
    case stopped(ProcessMark)

    static func < (left: Sleep, right: Sleep) -> Bool {
      switch (left, right) {
      case (.frozen(let left), .frozen(let right)): left < right
      case (.stopped(let left), .stopped(let right)):
        (left.pid, left.start) < (right.pid, right.start)
      case (.frozen, .stopped): true
      case (.stopped, .frozen): false
      }
    }
  }

  enum Input: MachineInput {
    /// An event is queued for an app with a process that is suspended.
    case event(AppIdentity, Sleep, ClientID)
    /// The system has answered; `nil` if the process or unit was woken.
    case answered(AppIdentity, Sleep, fault: String?)
    /// The time for the event is over.
    case runtimeOver(AppIdentity)
    /// The last process of the app has ended.
    case ended(AppIdentity)
    case wake
  }

  enum Output: Hashable {
    case wake(AppIdentity, Sleep)
    case suspend(AppIdentity, Sleep)
    /// These processes run in the background now.
    case woken([ClientID])
    /// The app cannot be woken, for this reason; its events stay queued until it continues.
    case refused(AppIdentity, String)
  }

  private enum State {
    /// The system was asked to wake it for these processes; `isOver` if the time for the event ended
    /// meanwhile.
    case waking([ClientID], isOver: Bool)
    /// It was woken, and is to be suspended again.
    case awake
    /// The system refused; it is asked again for an event after this time.
    case refused(String, until: Instant)
  }

  private var states: [AppIdentity: [Sleep: State]] = [:]

  let nextDeadline: Instant? = nil

  mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .event(let app, let sleep, let client): return take(app, sleep, client, at: now)
    case .answered(let app, let sleep, let fault): return settle(app, sleep, fault, at: now)
    case .runtimeOver(let app): return suspend(app)
    case .ended(let app):
      states[app] = nil
      return []
    case .wake: return []
    }
  }

  /// Why the app cannot be woken; `nil` if that is not known.
  func obstacle(of app: AppIdentity) -> String? {
    (states[app] ?? [:]).sorted { $0.key < $1.key }.lazy.compactMap { _, state in
      if case .refused(let fault, _) = state { fault } else { nil }
    }.first
  }

  private mutating func take(
    _ app: AppIdentity, _ sleep: Sleep, _ client: ClientID, at now: Moment
  ) -> [Output] {
    switch states[app]?[sleep] {
    case .waking(let clients, _):
      let known = clients.contains(client) ? clients : clients + [client]
      states[app]?[sleep] = .waking(known, isOver: false)
      return []
    case .refused(_, let end) where now.uptime < end: return []
    // One that was woken, and is suspended all the same, was suspended by somebody else.
    case .awake, .refused, nil:
      states[app, default: [:]][sleep] = .waking([client], isOver: false)
      return [.wake(app, sleep)]
    }
  }

  private mutating func settle(
    _ app: AppIdentity, _ sleep: Sleep, _ fault: String?, at now: Moment
  ) -> [Output] {
    guard case .waking(let clients, let isOver) = states[app]?[sleep] else { return [] }
    if let fault {
      let isKnown = obstacle(of: app) == fault
      states[app]?[sleep] = .refused(fault, until: now.uptime + Self.pause)
      return isKnown ? [] : [.refused(app, fault)]
    }
    if isOver {
      states[app]?[sleep] = nil
      return [.suspend(app, sleep)]
    }
    states[app]?[sleep] = .awake
    return [.woken(clients)]
  }

  private mutating func suspend(_ app: AppIdentity) -> [Output] {
    var outputs: [Output] = []
    for (sleep, state) in (states[app] ?? [:]).sorted(by: { $0.key < $1.key }) {
      switch state {
      case .waking(let clients, _): states[app]?[sleep] = .waking(clients, isOver: true)
      case .awake:
        states[app]?[sleep] = nil
        outputs.append(.suspend(app, sleep))
      case .refused: break
      }
    }
    return outputs
  }

  /// Chosen: how long nobody tries again to wake what could not be woken.
  static let pause = Duration.seconds(60)
}
