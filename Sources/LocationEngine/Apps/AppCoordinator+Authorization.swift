import LocationCoding
import LocationModel

extension AppCoordinator {
  typealias Output = LocationEngine.Output

  /// Begins with the stored state. An app that may not reconnect has ended while no engine ran.
  mutating func begin(
    with stored: [StateEntry], mayReturn: Bool, at now: Moment
  ) -> [Output] {
    var outputs = carryOut(restore(stored, at: now), at: now) + restoreQuit(stored, at: now)
    if !mayReturn { outputs += authorize(.ended, at: now) }
    return outputs + authorize(.services(on: servicesAreOn), at: now) + reviewPending()
  }

  /// Adopts what another process has stored since.
  mutating func adopt(_ stored: [StateEntry], at now: Moment) -> [Output] {
    let key = AuthorizationRecord.key(of: app)
    let record = stored.first { $0.key == key }.flatMap { AuthorizationRecord(stored: $0.value) }
    let beacon = BeaconPermission(of: app, in: stored)
    guard (record ?? authorization.record) != authorization.record || beacon != authorization.beacon
    else { return [] }
    return authorize(.stored(record, beacon), at: now)
  }

  mutating func authorize(_ input: Authorization.Input, at now: Moment) -> [Output] {
    if case .services(let on) = input { servicesAreOn = on }
    return stand(.authorization(input), at: now)
  }

  mutating func hold(_ input: Sessions.Input, at now: Moment) -> [Output] {
    stand(.sessions(input), at: now)
  }

  /// Hands an input to the authorization state, and carries out its outputs.
  mutating func stand(_ input: AppAuthorizationState.Input, at now: Moment) -> [Output] {
    carryOut(decide(input, at: now), at: now)
  }

  private mutating func carryOut(
    _ outputs: [AppAuthorizationState.Output], at now: Moment
  ) -> [Output] {
    var all: [Output] = []
    for output in outputs {
      switch output {
      case .authorization(let output): all += carryOut(output, at: now)
      case .sessions(let output): all += carryOut(output, at: now)
      }
    }
    return all + settleVerdicts(at: now)
  }

  private mutating func carryOut(
    _ output: Authorization.Output, at now: Moment
  ) -> [Output] {
    switch output {
    case .report(_, let manager):
      let (client, subscriber) = Self.subscriber(manager)
      return [.deliver(client, .state(state)), .deliver(client, .authorizationChanged(subscriber))]
    case .changed:
      readable = presentReadable
      return clients.flatMap { client -> [Output] in
        [.deliver(client, .state(state))] + post(.authorizationChanged(nil), to: client)
      }
    case .prompt(var prompt):
      prompt.program = program
      return [.prompt(prompt)]
    case .withdraw(let prompt): return [.withdraw(prompt)]
    case .completed(.call(let ticket), let refusal):
      let (client, subscriber) = Self.subscriber(ticket)
      return post(.temporaryFullAccuracy(subscriber, refusal), to: client)
    case .completed(.session, _), .postponed: return []
    case .release(let event): return release(event, at: now)
    case .drop(let event, _):
      _ = pending.release(event)
      return []
    case .explain(let explanation): return [.note(.authorization(app, explanation))]
    case .persist(let change): return [.persist(change)]
    }
  }

  private mutating func carryOut(_ output: Sessions.Output, at now: Moment) -> [Output] {
    switch output {
    case .diagnostics(let stream, let flags):
      let (client, subscriber) = Self.subscriber(stream)
      return [.deliver(client, .diagnostics(subscriber, flags))]
    case .finished(let stream):
      let (client, subscriber) = Self.subscriber(stream)
      return [.deliver(client, .diagnostics(subscriber, nil))]
    case .indicator(let shown): return [.indicator(app, shown)]
    case .runtimeOver:
      // One that could not be woken has had no time yet, and finds its events when it continues.
      guard life != .suspended else { return [.runtimeOver(app)] }
      pending.forgetDeliveries(for: nil)
      return dropClaims() + dropPending() + [.runtimeOver(app)]
    case .explain(let explanation): return [.note(.session(app, explanation))]
    case .persist(let change): return [.persist(change)]
    case .goal, .use, .askAccuracy: return []
    }
  }

  /// Derives what may be delivered now, and passes the differences to the services.
  mutating func settleVerdicts(at now: Moment) -> [Output] {
    verdicts = Verdicts(circumstances)
    monitors.access = conditionAccess
    let isImprecise = !authorization.status.isGranted || isCoarse
    var outputs: [Output] = []
    if pending.settle(isImprecise: isImprecise) {
      outputs.append(.persist(pending.change(for: app)))
    }
    for index in standard.entries.indices {
      // A fix cached with another accuracy is not what the app may know now.
      standard.entries[index].service.cached = place(
        for: standard.entries[index].service.currentOptions)
      let flow = flow(of: standard.entries[index].service)
      outputs += passStandard(index, .flow(flow), at: now)
      outputs += passOutage(index, at: now)
    }
    outputs += passAllChanges(.reduced(isCoarse), at: now)
    outputs += carryOut(heading.suspend(!verdicts.heading.flows, at: now))
    let coarse = isCoarse ? world.coarse : nil
    let input = LiveUpdates.Input.diagnostics(liveDiagnostics, coarse: coarse)
    for index in live.entries.indices { passLive(index, input, at: now, to: &outputs) }
    return outputs + settleReadable()
  }

  private var presentReadable: Readable {
    Readable(
      servicesAreOn: servicesAreOn, isEffective: authorization.isEffective,
      isAsking: authorization.isAsking)
  }

  private mutating func settleReadable() -> [Output] {
    guard readable != presentReadable else { return [] }
    readable = presentReadable
    return clients.map { .deliver($0, .state(state)) }
  }

  /// Returns what authorization and the delivery table allow for standard updates.
  func flow(of service: StandardUpdates) -> Flow {
    switch authorization.status {
    case .notDetermined: return .undetermined
    case .restricted, .denied: return .denied
    case .always, .whenInUse:
      let verdict = service.isOnce ? verdicts.oneShot : verdicts.standard
      guard verdict.flows else { return .notInUse }
      return verdict.isCoarse ? .coarse : .open
    }
  }

  /// The diagnostics that bar or limit live updates of the app (LIVE-11 to LIVE-16).
  var liveDiagnostics: Diagnostics {
    var flags = verdicts.live.flags
    if authorization.status == .notDetermined, flags.isEmpty {
      flags.insert(.authorizationRequestInProgress)
    }
    if authorizationState.sessions.needsSession { flags.insert(.serviceSessionRequired) }
    if !verdicts.live.flows, flags.isDisjoint(with: .barring) { flags.insert(.insufficientlyInUse) }
    return flags
  }

  /// The access of the app to its conditions (REG-33, MON-33, MON-34).
  private var conditionAccess: ConditionAccess {
    var flags = authorizationState.authorization.facts.denial
    if isCoarse { flags.insert(.accuracyLimited) }
    if authorization.status == .notDetermined { flags.insert(.authorizationRequestInProgress) }
    var access = ConditionAccess(ConditionDiagnostics(flags))
    if authorizationState.sessions.needsSession { access.monitors.insert(.serviceSessionRequired) }
    // Reduced accuracy bars everything, in use or not, so it alone is said.
    guard authorization.status.isGranted, !isCoarse, !verdicts.region.announces else {
      return access
    }
    access.regions.insert(.insufficientlyInUse)
    if !verdicts.monitor.announces { access.monitors.insert(.insufficientlyInUse) }
    return access
  }

  // MARK: Delivering

  /// Delivers to a process that runs at once, to a suspended one when it runs again.
  mutating func post(_ delivery: Delivery, to client: ClientID) -> [Output] {
    guard processes.contains(where: { $0.client == client && $0.life == .suspended }) else {
      return [.deliver(client, delivery)]
    }
    pending.add(delivery, for: client)
    return []
  }

  /// Delivers to one process, or to all where none is given.
  private mutating func postToAll(_ delivery: Delivery, or client: ClientID?) -> [Output] {
    guard let client else { return clients.flatMap { post(delivery, to: $0) } }
    return post(delivery, to: client)
  }

  /// Carries out the verdict on an event: delivers or queues it, or wakes the app for it.
  mutating func announce(
    _ delivery: Delivery, to client: ClientID?, _ verdict: DeliveryRule.Verdict, at now: Moment
  ) -> [Output] {
    switch verdict.action {
    case .deliver:
      var outputs = postToAll(delivery, or: client)
      // After a restart an app may be about to reconnect (LIFE-9).
      if client == nil, processes.isEmpty { pending.add(delivery, for: nil) }
      if authorizationState.sessions.lifecycle.runtimeEnd != nil {
        grantRuntime(for: delivery, at: now, to: &outputs)
      }
      return outputs
    case .queue, .queueLatest:
      pending.add(delivery, for: client)
      return []
    case .wake:
      // It stays queued until a process runs, which may be never (docs/decisions/0083).
      let outputs = postToAll(delivery, or: client)
      let woken = hold(.lifecycle(.woken(runtime: AppLifecycleState.eventRuntime)), at: now)
      return outputs + [.wakeApp(app)] + woken
    case .launch, .launchUnlessQuit:
      pending.add(delivery, for: nil)
      return []
    case .hold, .holdAndAsk, .nothing: return []
    }
  }

  /// Extends with each live update the runtime that the app has for an event (LIVE-37).
  private mutating func grantRuntime(
    for delivery: Delivery, at now: Moment, to outputs: inout [Output]
  ) {
    guard case .live = delivery else { return }
    outputs += hold(.lifecycle(.woken(runtime: AppLifecycleState.liveUpdateRuntime)), at: now)
  }

  /// Holds the event until the person has answered the question about Always (AUTH-33).
  mutating func holdAndAsk(_ held: PendingQueue.Held, at now: Moment) -> [Output] {
    let number = pending.hold(held)
    return authorize(.alwaysEvent(number), at: now)
  }

  /// Releases an event that was held for Always (AUTH-34).
  private mutating func release(_ number: EventNumber, at now: Moment) -> [Output] {
    let verdicts = Verdicts(circumstances)
    switch pending.release(number) {
    case .event(let event):
      if case .visit = event { return announce(event, verdicts.visits, at: now) }
      return announce(event, verdicts.region, at: now)
    case .change(let delivery, let client) where clients.contains(client):
      return announce(delivery, to: client, verdicts.significant, at: now)
    case .launch, .change:
      // One that the person has ended may be launched for nothing (LIFE-4).
      let launches = verdicts.significant.flows || verdicts.live.flows
      if processes.isEmpty && launches { pending.launch(for: .service) }
      return []
    case .condition, nil: return []
    }
  }

  /// Delivers what is queued to the process that runs now.
  mutating func deliverWaiting(to client: ClientID) -> [Output] {
    pending.takeDeliveries().map { .deliver($0.client ?? client, $0.delivery) }
  }
}
