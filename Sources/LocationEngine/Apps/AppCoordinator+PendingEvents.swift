import LocationModel

extension AppCoordinator {
  /// Makes an event pending; it is delivered again until the app acknowledges it.
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
      let woken = hold(.lifecycle(.woken(runtime: AppLifecycleState.eventRuntime)), at: now)
      return outputs + [.wakeApp(app)] + deliverPending() + woken
    }
  }

  private mutating func addPending(_ event: PendingEvent, at now: Moment) -> [Output] {
    pending.add(event, at: now)
    return [.persist(pending.change(for: app))]
  }

  /// Delivers pending events in order to a process that has its first manager (LIFE-5).
  mutating func beginPending(_ client: ClientID) -> [Output] {
    guard let index = processes.firstIndex(where: { $0.client == client }) else { return [] }
    if processes[index].lastEvent == nil { processes[index].lastEvent = EventNumber.none }
    return deliverPending(at: index)
  }

  /// Delivers to each process with a manager the pending events that it has not received.
  private mutating func deliverPending() -> [Output] {
    processes.indices.flatMap { deliverPending(at: $0) }
  }

  /// Delivers to one process the pending events that it has not received, if it runs and has a
  /// manager.
  mutating func deliverPending(at index: Int) -> [Output] {
    guard processes[index].life != .suspended, let last = processes[index].lastEvent else {
      return []
    }
    let events = pending.events(after: last)
    processes[index].lastEvent = events.last?.number ?? last
    return events.map { .deliver(processes[index].client, .pending($0.number, $0.event)) }
  }

  /// Removes the events that the app has acknowledged.
  mutating func acknowledge(_ number: EventNumber) -> [Output] {
    pending.acknowledge(upTo: number) ? [.persist(pending.change(for: app))] : []
  }

  /// Drops events that the app may not know any more, or did not take in time (AUTH-8, LIFE-6).
  mutating func dropPending() -> [Output] {
    pending.dropEvents() ? [.persist(pending.change(for: app))] : []
  }

  /// Drops stored events that reveal more than the app may know now (AUTH-8).
  mutating func reviewPending() -> [Output] {
    guard pending.isImprecise, isCoarse ? pending.dropExactEvents() : pending.dropEvents() else {
      return []
    }
    return [.persist(pending.change(for: app))]
  }

  /// Adopts the steady time, and dates pending events by it.
  mutating func settle(_ steady: SteadyTime, at now: Moment) -> [Output] {
    pending.settle(steady, at: now) ? [.persist(pending.change(for: app))] : []
  }

  mutating func forgetVisits(before date: UnixTime) -> [Output] {
    pending.forgetVisits(before: date) ? [.persist(pending.change(for: app))] : []
  }
}
