import LocationModel

extension AppCoordinator {
  /// An event that the app is told once, and again until it has taken it.
  mutating func announce(
    _ event: PendingEvent, _ verdict: DeliveryRule.Verdict, at now: Moment
  ) -> [Output] {
    switch verdict.action {
    case .hold, .nothing: return []
    case .holdAndAsk:
      return holdAndAsk(.event(event), at: now)
    case .queue, .queueLatest, .launch, .launchUnlessQuit:
      return addPending(event, at: now)
    case .deliver:
      return addPending(event, at: now) + deliverPending()
    case .wake:
      let outputs = addPending(event, at: now)
      let woken = hold(.presence(.woken(runtime: AppLifecycleState.eventRuntime)), at: now)
      return outputs + [.wakeApp(app)] + deliverPending() + woken
    }
  }

  private mutating func addPending(_ event: PendingEvent, at now: Moment) -> [Output] {
    pending.add(event, steady, at: now)
    return [.persist(pending.change(for: app))]
  }

  /// The process has a manager now: it hears what waited for one, in order (LIFE-5).
  mutating func beginHearing(_ client: ClientID) -> [Output] {
    guard let index = processes.firstIndex(where: { $0.client == client }) else { return [] }
    if processes[index].heard == nil { processes[index].heard = EventNumber.none }
    return deliverPending(at: index)
  }

  /// Tells each process with a manager what it has not heard.
  private mutating func deliverPending() -> [Output] {
    processes.indices.flatMap { deliverPending(at: $0) }
  }

  /// Tells one process what it has not heard, if it has a manager.
  mutating func deliverPending(at index: Int) -> [Output] {
    guard let heard = processes[index].heard else { return [] }
    let news = pending.after(heard)
    processes[index].heard = news.last?.number ?? heard
    return news.map { .deliver(processes[index].client, .pending($0.number, $0.event)) }
  }

  /// The app has taken what it was owed.
  mutating func settlePending(upTo number: EventNumber) -> [Output] {
    pending.settle(upTo: number) ? [.persist(pending.change(for: app))] : []
  }

  /// Nobody may hear of it any more, or nobody came for it (AUTH-8, LIFE-6).
  mutating func dropPending() -> [Output] {
    pending.drop() ? [.persist(pending.change(for: app))] : []
  }

  /// What was owed when the engine ended may tell more than the app may know now (AUTH-8).
  mutating func reviewPending() -> [Output] {
    guard isImprecise, isCoarse ? pending.dropExact() : pending.drop() else { return [] }
    return [.persist(pending.change(for: app))]
  }

  /// Takes over how time has passed since the computer was first used.
  mutating func settle(_ steady: SteadyTime, at now: Moment) -> [Output] {
    self.steady = steady
    return pending.settleDates(steady.date(at: now)) ? [.persist(pending.change(for: app))] : []
  }

  mutating func forgetVisits(before date: UnixTime) -> [Output] {
    pending.forgetVisits(before: date) ? [.persist(pending.change(for: app))] : []
  }
}
