import LocationModel

extension AppCoordinator {
  // MARK: Standard updates

  mutating func handle(
    _ request: UpdatesRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    let index =
      standard.index(of: subscriber, client)
      ?? standard.add(
        subscriber, client, StandardUpdates(flow: flow(of: .init(flow: .undetermined))))
    standard.entries[index].service.cached = place(for: request)
    standard.entries[index].service.isInFront = life == .foreground
    standard.entries[index].service.pauseNeedsRestart = settings.pauseNeedsRestart
    var outputs = passStandard(index, .request(request), at: now)
    let flow = flow(of: standard.entries[index].service)
    outputs += passStandard(index, .flow(flow), at: now)
    outputs += passOutage(index, at: now)
    return outputs + settleHolds(at: now)
  }

  /// Returns the position that a request may start with.
  private func place(for request: UpdatesRequest) -> Fix? {
    switch request {
    case .start(let options), .change(let options), .once(let options): place(for: options)
    case .stop, .deferUpdates, .endDeferral: visible
    }
  }

  func place(for options: UpdateOptions) -> Fix? {
    options.accuracy == .reduced ? world.coarse : visible
  }

  mutating func passStandard(
    _ index: Int, _ input: StandardUpdates.Input, at now: Moment
  ) -> [Output] {
    let entry = standard.entries[index]
    let verdict = entry.service.isOnce ? verdicts.oneShot : verdicts.standard
    return standard.entries[index].service.handle(input, at: now).flatMap { delivery in
      convey(.updates(entry.subscriber, delivery), to: entry.client, verdict)
    }
  }

  /// Delivers an output of standard updates at once, or queues it until the process runs again.
  private mutating func convey(
    _ delivery: Delivery, to client: ClientID, _ verdict: DeliveryRule.Verdict
  ) -> [Output] {
    guard verdict.action == .queue else { return post(delivery, to: client) }
    pending.add(delivery, for: client)
    return []
  }

  // MARK: Live updates

  mutating func handle(
    _ request: LiveRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    switch request {
    case .start(let options): startLive(options, of: subscriber, client, at: now)
    case .stop: stopLive(subscriber, client, at: now)
    }
  }

  private mutating func startLive(
    _ options: LiveOptions, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    let asked = hold(.iterate(Self.number(of: subscriber, client)), at: now)
    let service = LiveUpdates(
      options: options, diagnostics: liveDiagnostics, cached: verdicts.live.flows ? visible : nil,
      isOut: world.isOut, at: now)
    let index = live.add(subscriber, client, service)
    let opening = live.entries[index].service.opening(at: now)
    return asked + opening.flatMap { post(.live(subscriber, $0), to: client) }
  }

  mutating func stopLive(
    _ subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    guard live.index(of: subscriber, client) != nil else { return [] }
    live.remove(subscriber, client)
    return hold(.endIteration(Self.number(of: subscriber, client)), at: now)
  }

  mutating func passLive(
    _ index: Int, _ input: LiveUpdates.Input, at now: Moment, to outputs: inout [Output]
  ) {
    let entry = live.entries[index]
    for update in live.entries[index].service.handle(input, at: now) {
      outputs += announce(.live(entry.subscriber, update), to: entry.client, liveVerdict, at: now)
    }
  }

  /// Delivers diagnostics to a loop that runs, even while locations may not be delivered (LIVE-33).
  @inline(__always)
  private var liveVerdict: DeliveryRule.Verdict {
    guard !verdicts.live.flows, life != .suspended else { return verdicts.live }
    return DeliveryRule.Verdict(.deliver)
  }

  // MARK: Significant changes and visits

  mutating func watchChanges(
    _ on: Bool, of subscriber: SubscriberID, _ client: ClientID, at now: Moment
  ) -> [Output] {
    if on, authorization.status == .denied || authorization.status == .restricted {
      return post(.updates(subscriber, .failed(.denied)), to: client)
    }
    let index =
      significant.index(of: subscriber, client)
      ?? significant.add(
        subscriber, client, SignificantChangeDetector(heartbeat: settings.heartbeat))
    let cached = verdicts.significant.flows ? visible : nil
    let inputs: [SignificantChangeDetector.Input] = [
      .reduced(isCoarse), on ? .start(cached: cached) : .stop,
    ]
    let outputs = inputs.flatMap {
      announce(significant.entries[index].service.handle($0, at: now), index, at: now)
    }
    return on && world.isHopeless ? outputs + fail(subscriber, client) : outputs
  }

  /// Begins or ends visits for a process: delivers why there are none (STD-12, AVAIL-4), and its
  /// pending events.
  mutating func watchVisits(
    _ on: Bool, of subscriber: SubscriberID?, _ client: ClientID
  ) -> [Output] {
    setVisitor(on ? subscriber : nil, of: client) + beginPending(client)
  }

  private mutating func setVisitor(
    _ subscriber: SubscriberID?, of client: ClientID
  ) -> [Output] {
    guard let index = processes.firstIndex(where: { $0.client == client }) else { return [] }
    processes[index].visitor = subscriber
    guard let subscriber else { return [] }
    switch authorization.status {
    case .denied, .restricted: return post(.updates(subscriber, .failed(.denied)), to: client)
    case .notDetermined, .whenInUse, .always:
      return world.isHopeless ? fail(subscriber, client) : []
    }
  }

  /// Delivers that there is no position, to a subscriber that waits for a change of it.
  private mutating func fail(_ subscriber: SubscriberID, _ client: ClientID) -> [Output] {
    guard authorization.status.isGranted else { return [] }
    return post(.updates(subscriber, .failed(.positionUnknown)), to: client)
  }

  /// Passes an input to the significant-change services if their events may be delivered or held.
  private mutating func passChanges(
    _ input: SignificantChangeDetector.Input, at now: Moment
  ) -> [Output] {
    verdicts.significant.tracks ? passAllChanges(input, at: now) : []
  }

  mutating func passAllChanges(
    _ input: SignificantChangeDetector.Input, at now: Moment
  ) -> [Output] {
    significant.entries.indices.flatMap { index in
      announce(significant.entries[index].service.handle(input, at: now), index, at: now)
    }
  }

  private mutating func announce(
    _ decisions: [SignificantChangeDetector.Output], _ index: Int, at now: Moment
  ) -> [Output] {
    let entry = significant.entries[index]
    return decisions.flatMap { output -> [Output] in
      guard case .announce(let fix) = output else { return [] }
      let delivery = Delivery.updates(entry.subscriber, .fixes([fix]))
      guard verdicts.significant.action != .holdAndAsk else {
        return holdAndAsk(.change(delivery, entry.client), at: now)
      }
      return announce(delivery, to: entry.client, verdicts.significant, at: now)
    }
  }

  /// Delivers that a stay began or ended (VISIT-2, VISIT-3); with reduced accuracy, the point of
  /// `cell` replaces its position (VISIT-13).
  mutating func take(
    _ visit: Visit, in cell: CoarseGrid.Cell, at now: Moment
  ) -> [Output] {
    let visit = verdicts.visits.isCoarse ? world.points.visit(visit, in: cell) : visit
    return announce(.visit(visit), verdicts.visits, at: now)
  }

  /// Adopts the owner's settings for the services that run.
  mutating func settle(_ settings: ServiceSettings) {
    self.settings = settings
    for index in standard.entries.indices {
      standard.entries[index].service.pauseNeedsRestart = settings.pauseNeedsRestart
    }
    for index in significant.entries.indices {
      significant.entries[index].service.heartbeat = settings.heartbeat
    }
    launch.reasons.settle(heartbeat: settings.heartbeat)
  }

  // MARK: The world

  /// Delivers a new current fix, if the app may know exact positions.
  mutating func take(_ fix: Fix, at now: Moment, to outputs: inout [Output]) {
    world.current = fix
    guard !isCoarse else { return }
    if processes.isEmpty { outputs += settleClaims(.fix(fix), at: now) }
    for index in standard.entries.indices
    where standard.entries[index].service.currentOptions.accuracy != .reduced {
      outputs += passStandard(index, .fix(fix), at: now)
    }
    for index in live.entries.indices { passLive(index, .fix(fix), at: now, to: &outputs) }
    if !significant.isEmpty { outputs += passChanges(.fix(fix), at: now) }
  }

  /// Forgets the last position at the end of its retention.
  mutating func forgetPosition() {
    world.current = nil
    place(nil)
  }

  /// Stores the coarse place of the device, and the fix of this app for it.
  mutating func place(_ place: CoarseLocator.Place?) {
    world.place = place
    world.coarse = place.map { world.points.fix(of: $0) }
  }

  /// Delivers a coarse place to subscribers that may have, or ask for, no better one. One that is
  /// unchanged is delivered only to subscribers that have none yet (AUTH-41).
  mutating func takeCoarse(
    _ place: CoarseLocator.Place, _ isNew: Bool, at now: Moment
  ) -> [Output] {
    self.place(place)
    guard let fix = world.coarse else { return [] }
    var outputs: [Output] = []
    for index in standard.entries.indices
    where isCoarse || standard.entries[index].service.currentOptions.accuracy == .reduced {
      guard isNew || standard.entries[index].service.awaitsFix else { continue }
      outputs += passStandard(index, .fix(fix), at: now)
    }
    guard isCoarse else { return outputs }
    if isNew { outputs += settleClaims(.fix(fix), at: now) }
    for index in live.entries.indices where isNew || live.entries[index].service.awaitsFix {
      passLive(index, .fix(fix), at: now, to: &outputs)
    }
    return outputs + passChanges(.fix(fix), at: now)
  }

  /// Notes why there is no position now; `nil` if there may be one again (STD-32, STD-33).
  mutating func outage(_ failure: Failure?, at now: Moment) -> [Output] {
    world.outage = failure
    if failure == nil { world.isHopeless = false }
    var outputs: [Output] = []
    for index in live.entries.indices {
      passLive(index, .outage(world.isOut), at: now, to: &outputs)
    }
    for index in standard.entries.indices { outputs += passOutage(index, at: now) }
    return outputs
  }

  /// Passes the present outage, if there is one, to a subscriber of standard updates.
  mutating func passOutage(_ index: Int, at now: Moment) -> [Output] {
    guard let failure = world.outage else { return [] }
    return passRegion(index, at: now) ?? passStandard(index, .outage(failure), at: now)
  }

  /// Passes the region of the computer to the subscribers of standard updates that accept any position.
  mutating func offerRegion(at now: Moment) -> [Output] {
    standard.entries.indices.flatMap { passRegion($0, at: now) ?? [] }
  }

  /// Passes the region to a subscriber that accepts any position and has received none; `nil` for
  /// others (RADIO-40).
  private mutating func passRegion(_ index: Int, at now: Moment) -> [Output]? {
    let service = standard.entries[index].service
    let accepts = isCoarse || service.currentOptions.accuracy.tier == .cell
    guard accepts, service.awaitsFix, var fix = world.region else { return nil }
    fix.time = now.unixTime
    return passStandard(index, .fix(fix), at: now)
  }

  /// Delivers to the services that wait for a change, once in an outage, that none can be known
  /// (AVAIL-4).
  mutating func settleHope(isHopeless: Bool) -> [Output] {
    guard isHopeless, !world.isHopeless else { return [] }
    world.isHopeless = true
    var outputs: [Output] = []
    for entry in significant.entries where entry.service.isRunning {
      outputs += fail(entry.subscriber, entry.client)
    }
    for process in processes {
      if let visitor = process.visitor { outputs += fail(visitor, process.client) }
    }
    return outputs
  }

  /// Pauses the services for which the device is stationary, and resumes all others.
  mutating func settleStillness(_ still: StillnessAudience, at now: Moment) -> [Output] {
    var outputs: [Output] = []
    for index in standard.entries.indices {
      let options = standard.entries[index].service.currentOptions
      let isStill = options.pausesAutomatically && still.contains(.pausing(options.activity))
      guard isStill != standard.entries[index].service.isPaused else { continue }
      outputs += passStandard(index, .still(isStill), at: now)
    }
    if !outputs.isEmpty { outputs += settleHolds(at: now) }
    for index in live.entries.indices {
      let isStill = still.contains(.iterating(live.entries[index].service.options.activity))
      guard isStill != live.entries[index].service.isStationary else { continue }
      passLive(index, .still(isStill), at: now, to: &outputs)
    }
    return outputs
  }

  mutating func wake(at now: Moment) -> [Output] {
    var outputs: [Output] = []
    if let due = authorizationState.nextDeadline, now.uptime >= due {
      outputs += stand(.wake, at: now)
    }
    for index in standard.entries.indices { outputs += passStandard(index, .wake, at: now) }
    for index in live.entries.indices { passLive(index, .wake, at: now, to: &outputs) }
    outputs += passChanges(.wake, at: now)
    outputs += settleClaims(.wake, at: now)
    return outputs
  }
}
