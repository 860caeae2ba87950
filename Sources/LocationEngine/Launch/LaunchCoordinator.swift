package import LocationModel

/// Decides when an app that does not run is launched for pending events (LIFE-1).
///
/// One launch serves all pending events. If the app ends without taking them it is launched again,
/// after a pause that doubles each time, so that an app that crashes is not launched endlessly.
package struct LaunchCoordinator: Machine {
  package enum Input: MachineInput {
    /// The app does not run and has pending events; may be repeated.
    case pending(AppIdentity)
    /// The daemon has just started; a process of the app may reconnect (LIFE-9).
    case restored(AppIdentity)
    case connected(AppIdentity)
    /// The last process of the app has ended.
    case ended(AppIdentity, isPending: Bool)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case launch(AppIdentity)
  }

  /// The state of an app; `launches` counts successive launches that left events pending.
  private enum State: Sendable {
    /// The app was launched, and has until then to connect.
    case starting(until: Instant, launches: Int)
    /// A launched process has connected.
    case running(launches: Int)
    case resting(until: Instant, launches: Int)
    /// The pause is over.
    case ready(launches: Int)
  }

  private struct Entry: Sendable {
    var app: AppIdentity
    var state: State
  }

  /// In the order in which the apps were added.
  private var entries: [Entry] = []

  package init() {}

  package var nextDeadline: Instant? {
    entries.reduce(nil) { next, entry in
      switch entry.state {
      case .starting(let until, _), .resting(let until, _): earliest(next, until)
      case .running, .ready: next
      }
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .pending(let app): return launch(app, at: now)
    case .restored(let app):
      self[app] = .resting(until: now.uptime + AppLifecycleState.reclaimWindow, launches: 0)
    case .connected(let app): connect(app)
    case .ended(let app, let isPending): end(app, isPending, at: now)
    case .wake: wake(at: now)
    }
    return []
  }

  /// Whether the app was launched and has not connected yet.
  package func isStarting(_ app: AppIdentity) -> Bool {
    if case .starting = self[app] { true } else { false }
  }

  private mutating func launch(_ app: AppIdentity, at now: Moment) -> [Output] {
    let launches: Int
    switch self[app] {
    case nil: launches = 1
    case .ready(let before): launches = before + 1
    case .starting, .running, .resting: return []
    }
    self[app] = .starting(until: now.uptime + Self.timeout, launches: launches)
    return [.launch(app)]
  }

  private mutating func connect(_ app: AppIdentity) {
    switch self[app] {
    case .starting(_, let launches): self[app] = .running(launches: launches)
    case .resting, .ready: self[app] = nil
    case .running, nil: break
    }
  }

  private mutating func end(_ app: AppIdentity, _ isPending: Bool, at now: Moment) {
    guard isPending else { return self[app] = nil }
    switch self[app] {
    case .running(let launches): rest(app, after: launches, at: now)
    case nil: rest(app, after: 0, at: now)
    case .starting, .resting, .ready: break
    }
  }

  private mutating func wake(at now: Moment) {
    for entry in entries {
      switch entry.state {
      case .starting(let until, let launches) where now.uptime >= until:
        rest(entry.app, after: launches, at: now)
      case .resting(let until, let launches) where now.uptime >= until:
        self[entry.app] = .ready(launches: launches)
      case .starting, .resting, .running, .ready: break
      }
    }
  }

  private mutating func rest(_ app: AppIdentity, after launches: Int, at now: Moment) {
    let pause = Self.firstPause * (1 << min(max(0, launches - 1), 10))
    self[app] = .resting(until: now.uptime + min(pause, Self.longestPause), launches: launches)
  }

  private subscript(app: AppIdentity) -> State? {
    get { entries.first { $0.app == app }?.state }
    set {
      let place = entries.firstIndex { $0.app == app }
      switch (place, newValue) {
      case (let place?, let state?): entries[place].state = state
      case (let place?, nil): entries.remove(at: place)
      case (nil, let state?): entries.append(Entry(app: app, state: state))
      case (nil, nil): break
      }
    }
  }

  /// Chosen: a program that has not connected by then has failed.
  package static let timeout = Duration.seconds(30)
  /// Chosen, from the end of one process to the start of the next; doubles with each launch.
  package static let firstPause = Duration.seconds(10)
  /// Chosen.
  package static let longestPause = Duration.seconds(3600)
}
