import LocationModel

/// What waits until the person has answered about Always.
enum HeldDelivery: Sendable {
  /// A crossing or a visit.
  case event(PendingEvent)
  /// A significant change, for the process that follows them.
  case change(Delivery, ClientID)
  /// What is owed to the app while it does not run (AUTH-33).
  case launch
  /// News of a monitor, which wait with its condition (MON-39).
  case condition

  /// Whether it tells where the device was.
  var isPlace: Bool {
    switch self {
    case .event, .change: true
    case .launch, .condition: false
    }
  }
}

extension AppCoordinator {
  /// The last process has gone, with these services running.
  mutating func leaveClaims(
    _ changes: SignificantChangeDetector?, live: Bool
  ) -> [Output] {
    guard processes.isEmpty else { return [] }
    claims.leave(changes, live: live)
    return storeClaims()
  }

  /// Nothing is owed to a process that had its time.
  mutating func dropClaims() -> [Output] {
    claims.drop()
    isClaimed = false
    return storeClaims()
  }

  private mutating func storeClaims() -> [Output] {
    claims.change(for: app).map { [.persist($0)] } ?? []
  }

  /// Whether what comes due now launches the app: it does not run, and nothing has launched it yet.
  var mayClaim: Bool {
    processes.isEmpty && !isClaimed && standing.sessions.presence.runtimeEnd == nil
  }

  /// Lets an app that does not run have what is owed to it: it is launched, once for each time it
  /// is given, or the person is asked (SLC-8, LIVE-35, AUTH-33).
  mutating func settleClaims(
    _ input: SignificantChangeDetector.Input, at now: Moment
  ) -> [Output] {
    guard mayClaim, !claims.isEmpty else { return [] }
    for verdict in claims.handle(input, verdicts, at: now) {
      switch verdict.action {
      case .launch, .launchUnlessQuit:
        isClaimed = true
        return []
      case .holdAndAsk:
        return holdAndAsk(.launch, at: now)
      case .deliver, .queue, .queueLatest, .wake, .hold, .nothing: break
      }
    }
    return []
  }
}
