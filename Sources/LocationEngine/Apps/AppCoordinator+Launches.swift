import LocationModel

extension AppCoordinator {
  /// Keeps the running services of the last process, which has ended, as reasons to launch.
  mutating func leaveClaims(
    _ changes: SignificantChangeDetector?, live: Bool
  ) -> [Output] {
    guard processes.isEmpty else { return [] }
    launch.reasons.leave(changes, live: live)
    return storeClaims()
  }

  /// Drops the reasons to launch, once a process had its time for them.
  mutating func dropClaims() -> [Output] {
    launch.reasons.drop()
    pending.endLaunch(for: .service)
    return storeClaims()
  }

  private mutating func storeClaims() -> [Output] {
    launch.reasons.change(for: app).map { [.persist($0)] } ?? []
  }

  /// Whether an event now can launch the app: it does not run, and nothing has launched it yet.
  var mayClaim: Bool {
    processes.isEmpty && !pending.isLaunching(for: .service)
      && authorizationState.sessions.lifecycle.runtimeEnd == nil
  }

  /// Launches an app that does not run when one of its services has an event, once for each
  /// runtime, or has the person asked (SLC-8, LIVE-35, AUTH-33).
  mutating func settleClaims(
    _ input: SignificantChangeDetector.Input, at now: Moment
  ) -> [Output] {
    guard mayClaim, !launch.reasons.isEmpty else { return [] }
    for verdict in launch.reasons.handle(input, verdicts, at: now) {
      switch verdict.action {
      case .launch, .launchUnlessQuit:
        pending.launch(for: .service)
        return []
      case .holdAndAsk:
        return holdAndAsk(.launch, at: now)
      case .deliver, .queue, .queueLatest, .wake, .hold, .nothing: break
      }
    }
    return []
  }
}
