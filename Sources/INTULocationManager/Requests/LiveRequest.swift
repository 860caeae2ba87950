/// A request that has not received its last answer.
struct LiveRequest: Hashable, Sendable {
  enum Need: Hashable, Sendable {
    case once(INTULocationAccuracy, Countdown)
    case updates(INTULocationAccuracy)
    case significantChanges
  }

  enum Countdown: Hashable, Sendable {
    /// Waits forever.
    case none
    /// Starts when the person grants permission (INTU-19).
    case held(Duration)
    /// Ends at an uptime; never starts again (INTU-20).
    case running(until: Duration)
  }

  let id: INTULocationRequestID
  private(set) var need: Need

  /// Makes a live request; a request for `none` becomes one for `city` (INTU-10).
  init(_ request: LocationRequest, services: INTULocationServicesState, at now: RequestTime) {
    id = request.id
    switch request.mode {
    case .once(let accuracy, .unlimited):
      need = .once(max(accuracy, .city), .none)
    case .once(let accuracy, .limited(let time, fromAuthorization: true))
    where services == .notDetermined:
      need = .once(max(accuracy, .city), .held(time))
    case .once(let accuracy, .limited(let time, _)):
      need = .once(max(accuracy, .city), .running(until: now.uptime + time))
    case .updates(let accuracy):
      need = .updates(max(accuracy, .city))
    case .significantChanges:
      need = .significantChanges
    }
  }

  var isSubscription: Bool {
    switch need {
    case .once: false
    case .updates, .significantChanges: true
    }
  }

  /// The uptime at which the timeout ends; `nil` while it does not run.
  var deadline: Duration? {
    guard case .once(_, .running(let end)) = need else { return nil }
    return end
  }

  mutating func beginCountdown(at now: RequestTime) {
    guard case .once(let accuracy, .held(let time)) = need else { return }
    need = .once(accuracy, .running(until: now.uptime + time))
  }
}
