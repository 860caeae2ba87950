import LocationModel

extension AppCoordinator {
  // MARK: Processes

  mutating func connect(
    _ client: ClientID, _ description: ClientDescription, at now: Moment, isLaunched: Bool
  ) -> [Output] {
    // A process that connects late for a pending event also gets its runtime (LIFE-6).
    let isAwaited = isLaunched || description.life == .background && isPending
    processes.append(
      Process(client: client, number: description.process, observed: description.life))
    program = description.program
    pending.endLaunch(for: .monitor)
    pending.endLaunch(for: .service)
    // There is nothing to launch for once the person has opened the app.
    var outputs = description.life == .foreground ? dropClaims() : []
    outputs += noteQuit(false)
    outputs += stand(.manifest(description.manifest), at: now) + settleLife(at: now)
    guard isAwaited else { return outputs }
    return outputs + hold(.lifecycle(.woken(runtime: AppLifecycleState.eventRuntime)), at: now)
  }

  /// Notes the lifecycle state that the system observes. One that reports to be suspended, and is
  /// seen to run, reports nothing any more: else what is queued for it would wait forever.
  mutating func move(_ client: ClientID, to life: AppLife, at now: Moment) -> [Output] {
    change(client, at: now) { process in
      process.observed = life
      if life != .suspended && process.reported == .suspended { process.reported = nil }
    }
  }

  /// Notes the lifecycle state that the app's framework reports, which is not observed.
  mutating func report(_ life: AppLife, by client: ClientID, at now: Moment) -> [Output] {
    change(client, at: now) { $0.reported = life }
  }

  /// Notes that the system has frozen or thawed the process.
  mutating func freeze(_ client: ClientID, _ isFrozen: Bool, at now: Moment) -> [Output] {
    change(client, at: now) { $0.isFrozen = isFrozen }
  }

  private mutating func change(
    _ client: ClientID, at now: Moment, _ body: (inout Process) -> Void
  ) -> [Output] {
    guard let index = processes.firstIndex(where: { $0.client == client }) else { return [] }
    let wasSuspended = processes[index].life == .suspended
    body(&processes[index])
    let isSuspended = processes[index].life == .suspended
    let outputs = settleLife(at: now)
    guard wasSuspended && !isSuspended else { return outputs }
    return outputs + deliverWaiting(to: client) + deliverPending(at: index)
  }

  /// Removes a process that has ended; by the person, if its framework reported that (LIFE-4).
  mutating func disconnect(_ client: ClientID, at now: Moment) -> [Output] {
    let hasQuit = processes.contains { $0.client == client && $0.reported == .quit }
    processes.removeAll { $0.client == client }
    standard.removeAll(of: client)
    let changes = significant.entries.first { $0.client == client && $0.service.isRunning }?.service
    significant.removeAll(of: client)
    heading.removeAll(of: client)
    ranging.removeAll(of: client)
    advertising.removeAll(of: client)
    let iterates = live.entries.contains { $0.client == client }
    live.removeAll(of: client)
    monitors.removeAll(of: client)
    pending.forgetDeliveries(for: client)
    let outputs = leaveClaims(changes, live: iterates) + settleBeaconDemand(at: now)
    return outputs + noteQuit(hasQuit && processes.isEmpty)
      + settleLife(at: now, absent: hasQuit ? .quit : .terminated)
      + stand(.processEnded(Self.numbers(of: client)), at: now)
  }

  /// Stores that the person has ended the app, for the next run of the engine, until it runs again.
  private mutating func noteQuit(_ quit: Bool) -> [Output] {
    guard quit != hasQuit, launch.policy.honorsQuit || !quit else { return [] }
    hasQuit = quit
    return [.persist(quit ? .set(Self.quitKey(of: app), [1]) : .remove(Self.quitKey(of: app)))]
  }

  /// Restores that the person has ended the app.
  mutating func restoreQuit(_ stored: [StateEntry], at now: Moment) -> [Output] {
    hasQuit = stored.contains { $0.key == Self.quitKey(of: app) }
    return hasQuit ? hold(.lifecycle(.life(.quit)), at: now) : []
  }

  private static func quitKey(of app: AppIdentity) -> StateKey {
    StateKey(domain: "quit", owner: app.name)
  }

  private mutating func settleLife(at now: Moment, absent: AppLife = .terminated) -> [Output] {
    hold(.lifecycle(.life(processes.isEmpty ? absent : life)), at: now) + settleHolds(at: now)
  }

  /// Keeps the app in use while standard updates continue in the background (STD-47).
  mutating func settleHolds(at now: Moment) -> [Output] {
    let options = standard.entries.filter { $0.service.isRunning && $0.service.beganInFront }
      .map(\.service.currentOptions).filter(\.allowsBackground)
    let wanted = options.isEmpty ? nil : options.contains(where: \.showsIndicator)
    guard wanted != holding else { return [] }
    holding = wanted
    let reason: AppLifecycleState.Input =
      wanted == nil ? .release(.continuousUpdates) : .hold(.continuousUpdates)
    return hold(.lifecycle(.showsIndicator(wanted ?? false)), at: now)
      + hold(.lifecycle(reason), at: now)
  }

  // MARK: Requests

  mutating func handle(
    _ request: AuthorizationRequest, of client: ClientID, at now: Moment
  ) -> [Output] {
    switch request {
    case .observe(let subscriber):
      return authorize(.managerCreated(Self.number(of: subscriber, client)), at: now)
        + deliverWaiting(to: client) + beginPending(client)
    case .request(let goal, let subscriber):
      // The client keeps a request until it is informed that nothing waits for an answer.
      return authorize(.request(goal, manager: Self.number(of: subscriber, client)), at: now)
        + [.deliver(client, .state(state))]
    case .temporaryFullAccuracy(let key, let ticket):
      let requester = AccuracyRequester.call(Self.number(of: ticket, client))
      let key = Bounds.cut(key, to: Bounds.purposeBytes)
      return authorize(.temporaryAccuracy(requester, purposeKey: key), at: now)
    }
  }

  mutating func handle(
    _ request: SessionRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    let session = Self.number(of: subscriber, client)
    switch request {
    case .open(let goal, let purpose):
      let purpose = purpose.map { Bounds.cut($0, to: Bounds.purposeBytes) }
      return hold(.open(session, SessionGoal(goal, purposeKey: purpose)), at: now)
    case .openBackgroundActivity:
      return hold(.openBackgroundActivity(session), at: now)
    case .diagnose(let stream):
      return hold(.diagnose(stream: Self.number(of: stream, client), session: session), at: now)
    case .endDiagnosis(let stream):
      return hold(.endDiagnosis(stream: Self.number(of: stream, client)), at: now)
    case .invalidate:
      return hold(.invalidate(session), at: now)
    }
  }

  /// Ends all that a subscriber has requested.
  mutating func end(
    _ subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    standard.remove(subscriber, client)
    significant.remove(subscriber, client)
    for index in processes.indices
    where processes[index].client == client && processes[index].visitor == subscriber {
      processes[index].visitor = nil
    }
    let calibration = carryOut(heading.end(subscriber, client, at: now))
    ranging.remove(subscriber, client)
    advertising.remove(subscriber, client)
    var outputs = calibration + stopLive(subscriber, client, at: now) + settleHolds(at: now)
    outputs += authorize(.managerReleased(Self.number(of: subscriber, client)), at: now)
    return outputs + settleBeaconDemand(at: now)
  }
}
