package import LocationModel

/// Decides when an app that does not run is started for what it is owed (LIFE-1).
///
/// Once for everything that waits; again when it ended without taking it, after a pause that doubles
/// each time, so that an app which crashes is not started for ever without rest.
package struct LaunchCoordinator: Machine {
  package enum Input: MachineInput {
    /// The app does not run and is owed something; said as often as one likes.
    case pending(AppIdentity)
    /// The daemon has just started; a process of the app may be on its way back (LIFE-9).
    case restored(AppIdentity)
    case connected(AppIdentity)
    /// Its last process is gone.
    case ended(AppIdentity, isPending: Bool)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case launch(AppIdentity)
  }

  /// How far an app has come; `launches` counts those in a row that did not end the debt.
  private enum State: Sendable {
    /// It was started, and has so long to connect.
    case starting(until: Instant, launches: Int)
    /// A process that was started connected.
    case running(launches: Int)
    case resting(until: Instant, launches: Int)
    /// It has rested.
    case ready(launches: Int)
  }

  private struct Entry: Sendable {
    var app: AppIdentity
    var state: State
  }

  /// In the order in which the apps came.
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

  /// Whether the app was started and has not connected yet.
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
