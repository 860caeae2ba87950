import LocationModel

extension AppDesk {
  /// An event that the app is told once, and again until it has taken it.
  mutating func announce(
    _ event: OwedEvent, _ verdict: DeliveryRule.Verdict, at now: Moment
  ) -> [Output] {
    switch verdict.action {
    case .hold, .nothing: return []
    case .holdAndAsk:
      return holdAndAsk(.event(event), at: now)
    case .queue, .queueLatest, .launch, .launchUnlessQuit:
      return owe(event, at: now)
    case .deliver:
      return owe(event, at: now) + tellOwed()
    case .wake:
      let outputs = owe(event, at: now)
      let woken = hold(.presence(.woken(runtime: AppPresence.eventRuntime)), at: now)
      return outputs + [.wakeApp(app)] + tellOwed() + woken
    }
  }

  private mutating func owe(_ event: OwedEvent, at now: Moment) -> [Output] {
    owed.add(event, steady, at: now)
    return [.persist(owed.change(for: app))]
  }

  /// The process has a manager now: it hears what waited for one, in order (LIFE-5).
  mutating func beginHearing(_ client: ClientID) -> [Output] {
    guard let index = processes.firstIndex(where: { $0.client == client }) else { return [] }
    if processes[index].heard == nil { processes[index].heard = EventNumber.none }
    return tellOwed(at: index)
  }

  /// Tells each process with a manager what it has not heard.
  private mutating func tellOwed() -> [Output] {
    processes.indices.flatMap { tellOwed(at: $0) }
  }

  /// Tells one process what it has not heard, if it has a manager.
  mutating func tellOwed(at index: Int) -> [Output] {
    guard let heard = processes[index].heard else { return [] }
    let news = owed.after(heard)
    processes[index].heard = news.last?.number ?? heard
    return news.map { .deliver(processes[index].client, .owed($0.number, $0.event)) }
  }

  /// The app has taken what it was owed.
  mutating func settleOwed(upTo number: EventNumber) -> [Output] {
    owed.settle(upTo: number) ? [.persist(owed.change(for: app))] : []
  }

  /// Nobody may hear of it any more, or nobody came for it (AUTH-8, LIFE-6).
  mutating func dropOwed() -> [Output] {
    owed.drop() ? [.persist(owed.change(for: app))] : []
  }

  /// What was owed when the engine ended may tell more than the app may know now (AUTH-8).
  mutating func reviewOwed() -> [Output] {
    guard isImprecise, isCoarse ? owed.dropExact() : owed.drop() else { return [] }
    return [.persist(owed.change(for: app))]
  }

  /// Takes over how time has passed since the computer was first used.
  mutating func settle(_ steady: SteadyTime, at now: Moment) -> [Output] {
    self.steady = steady
    return owed.settleDates(steady.date(at: now)) ? [.persist(owed.change(for: app))] : []
  }

  mutating func forgetVisits(before date: UnixTime) -> [Output] {
    owed.forgetVisits(before: date) ? [.persist(owed.change(for: app))] : []
  }
}
