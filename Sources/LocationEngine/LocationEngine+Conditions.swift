import LocationModel

extension LocationEngine {
  // MARK: Regions

  mutating func handle(
    _ request: RegionRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment,
    to outputs: inout [Output]
  ) {
    guard let app = app(of: client) else { return }
    settleAccess(at: now, to: &outputs)
    let asker = (client: client, subscriber: subscriber)
    switch request {
    case .start(let region) where region.target.isBeacon && beacons.reception == nil:
      let failed = Delivery.region(subscriber, region, .failed(.unavailable))
      return outputs.append(.deliver(client, failed))
    case .start(let region):
      let input = Conditions.Input.register(key(region, app), region.target, region.notices)
      carry(conditions.handle(input, at: now), askedBy: asker, region, at: now, to: &outputs)
    case .stop(let identifier):
      let key = ConditionKey(app: app, owner: .regions, identifier: identifier)
      carry(conditions.handle(.remove(key), at: now), at: now, to: &outputs)
    case .state(let region):
      let fix = coordinatorIndex(of: app).flatMap { coordinators[$0].visible }
      let input = Conditions.Input.requestState(key(region, app), region.target, seen: fix)
      carry(conditions.handle(input, at: now), askedBy: asker, region, at: now, to: &outputs)
      return
    }
    guard let coordinator = coordinatorIndex(of: app) else { return }
    let all = regions(of: app)
    outputs += coordinators[coordinator].clients.map { .deliver($0, .regions(all)) }
    outputs += coordinators[coordinator].beginHearing(client)
  }

  private func key(_ region: RegionDescription, _ app: AppIdentity) -> ConditionKey {
    ConditionKey(app: app, owner: .regions, identifier: region.identifier)
  }

  /// Returns the regions of an app as it described them (REG-10).
  func regions(of app: AppIdentity) -> [RegionDescription] {
    conditions.regions(of: app).map {
      RegionDescription(identifier: $0.identifier, target: $0.target, notices: $0.notices)
    }
  }

  // MARK: Monitors

  mutating func handle(
    _ request: MonitorRequest, of subscriber: SubscriberID, _ client: ClientID, at now: Moment,
    to outputs: inout [Output]
  ) {
    guard let app = app(of: client), let coordinator = coordinatorIndex(of: app) else { return }
    settleAccess(at: now, to: &outputs)
    if case .open(let name) = request {
      let key = MonitorKey(app: app, name: name)
      // A subscriber has one monitor; opening again starts it anew.
      closeMonitor(of: subscriber, client, at: now, to: &outputs)
      coordinators[coordinator].monitors.append(
        AppCoordinator.OpenMonitor(client: client, subscriber: subscriber, key: key))
    }
    guard
      let place = coordinators[coordinator].monitors.firstIndex(where: {
        $0.client == client && $0.subscriber == subscriber
      })
    else { return }
    coordinators[coordinator].monitors[place].requests += 1
    let monitor = coordinators[coordinator].monitors[place]
    let input = coordinators[coordinator].input(request, of: place)
    carry(conditions.handle(input, at: now), at: now, to: &outputs)
    if case .next = request {
      outputs += coordinators[coordinator].hold(.iterate(monitor.iteration), at: now)
    } else if case .leave = request {
      outputs += coordinators[coordinator].hold(.endIteration(monitor.iteration), at: now)
    }
    tellRecords(of: monitor, to: &outputs)
  }

  private func tellRecords(of monitor: AppCoordinator.OpenMonitor, to outputs: inout [Output]) {
    let records = conditions.identifiers(of: monitor.key).compactMap { identifier in
      conditions.record(of: identifier, in: monitor.key).map {
        NamedRecord(identifier: identifier, record: $0)
      }
    }
    let delivery = MonitorDelivery.records(after: monitor.requests, records)
    outputs.append(.deliver(monitor.client, .monitor(monitor.subscriber, delivery)))
  }

  /// Closes a monitor, so that its name is free (MON-3).
  mutating func closeMonitor(
    of subscriber: SubscriberID, _ client: ClientID, at now: Moment, to outputs: inout [Output]
  ) {
    guard let app = app(of: client), let coordinator = coordinatorIndex(of: app) else { return }
    for monitor in coordinators[coordinator].monitors
    where monitor.client == client && monitor.subscriber == subscriber {
      let close = Conditions.Input.close(monitor.key, opener: monitor.opener)
      carry(conditions.handle(close, at: now), at: now, to: &outputs)
      outputs += coordinators[coordinator].hold(.endIteration(monitor.iteration), at: now)
    }
    coordinators[coordinator].monitors.removeAll {
      $0.client == client && $0.subscriber == subscriber
    }
  }

  mutating func closeMonitors(
    of client: ClientID, at now: Moment, to outputs: inout [Output]
  ) {
    guard let app = app(of: client), let coordinator = coordinatorIndex(of: app) else { return }
    for monitor in coordinators[coordinator].monitors where monitor.client == client {
      closeMonitor(of: monitor.subscriber, client, at: now, to: &outputs)
    }
  }

  // MARK: Access

  /// Passes each app's changed access to the conditions.
  mutating func settleAccess(at now: Moment, to outputs: inout [Output]) {
    for index in coordinators.indices {
      if let access = coordinators[index].settleAccess() {
        carry(
          conditions.handle(.access(coordinators[index].app, access), at: now), at: now,
          to: &outputs)
      }
      let mayVisit = coordinators[index].verdicts.visits.announces
      if mayVisit != coordinators[index].mayVisit {
        coordinators[index].mayVisit = mayVisit
        _ = visits.handle(.access(coordinators[index].app, mayVisit), at: now)
      }
      for input in coordinators[index].settleMonitors() {
        carry(conditions.handle(input, at: now), at: now, to: &outputs)
      }
    }
  }

  // MARK: News

  /// Delivers the outputs of the conditions to their apps.
  mutating func carry(
    _ news: [Conditions.Output], askedBy asker: (client: ClientID, subscriber: SubscriberID)? = nil,
    _ region: RegionDescription? = nil, at now: Moment, to outputs: inout [Output]
  ) {
    for output in news {
      switch output {
      case .store(let change): outputs.append(.persist(change))
      case .opened: break
      case .barred(let key):
        bar(key, to: &outputs)
      case .rejected(let key):
        // A name may reveal a place.
        let text = "a condition is not added: too many wait already, or its name is too long"
        outputs.append(.note(.limit(key.app, text)))
      case .refused(let key, let opener):
        refuse(key, openedBy: opener, to: &outputs)
      case .event(let key, let event):
        announce(event, of: key, at: now, to: &outputs)
      case .waiting(let key):
        call(key, at: now, to: &outputs)
      case .region(let key, let event):
        deliver(event, of: key, askedBy: asker, region, at: now, to: &outputs)
      case .state(_, let state):
        guard let asker, let region else { continue }
        outputs.append(
          .deliver(asker.client, .region(asker.subscriber, region, .determined(state))))
      }
    }
  }

  /// Rejects the subscriber that opened the monitor last, as another has it open.
  private mutating func refuse(
    _ key: MonitorKey, openedBy opener: UInt64, to outputs: inout [Output]
  ) {
    guard let coordinator = coordinatorIndex(of: key.app),
      let place = coordinators[coordinator].monitors.lastIndex(where: { $0.key == key })
    else { return }
    let monitor = coordinators[coordinator].monitors.remove(at: place)
    let first = AppCoordinator.subscriber(Int(opener)).0
    let process = first == monitor.client ? nil : coordinators[coordinator].number(of: first)
    outputs.append(
      .deliver(monitor.client, .monitor(monitor.subscriber, .refused(by: process))))
  }

  /// Rejects the subscriber that tried to open the monitor last.
  private mutating func bar(_ key: MonitorKey, to outputs: inout [Output]) {
    guard let coordinator = coordinatorIndex(of: key.app),
      let place = coordinators[coordinator].monitors.lastIndex(where: { $0.key == key })
    else { return }
    let monitor = coordinators[coordinator].monitors.remove(at: place)
    let text =
      "a monitor is not opened: its name is none, or there are \(Bounds.monitors) already"
    outputs.append(.deliver(monitor.client, .monitor(monitor.subscriber, .refused(by: nil))))
    outputs.append(.note(.limit(key.app, text)))
  }

  private mutating func announce(
    _ event: ConditionEvent, of key: MonitorKey, at now: Moment, to outputs: inout [Output]
  ) {
    guard let coordinator = coordinatorIndex(of: key.app),
      let place = coordinators[coordinator].monitors.firstIndex(where: { $0.key == key })
    else { return }
    // The loop handles this event now, and asks for the next one afterwards.
    coordinators[coordinator].monitors[place].wantsNext = false
    coordinators[coordinator].monitors[place].isAsking = false
    let monitor = coordinators[coordinator].monitors[place]
    let delivery = Delivery.monitor(monitor.subscriber, .event(event))
    let verdict = coordinators[coordinator].verdicts.monitor
    // Diagnostics wake no app.
    outputs +=
      verdict.flows
      ? coordinators[coordinator].announce(delivery, to: monitor.client, verdict, at: now)
      : coordinators[coordinator].post(delivery, to: monitor.client)
  }

  /// Handles an event for a loop that does not ask or does not exist: puts the prompt, or launches
  /// the app, as the table says (AUTH-33, MON-38).
  private mutating func call(_ key: MonitorKey, at now: Moment, to outputs: inout [Output]) {
    guard let coordinator = coordinatorIndex(of: key.app) else { return }
    if coordinators[coordinator].processes.isEmpty { coordinators[coordinator].isCalled = true }
    guard coordinators[coordinator].verdicts.monitor.action == .holdAndAsk else { return }
    outputs += coordinators[coordinator].holdAndAsk(.condition, at: now)
  }

  private mutating func deliver(
    _ event: RegionEvent, of key: ConditionKey,
    askedBy asker: (client: ClientID, subscriber: SubscriberID)?, _ region: RegionDescription?,
    at now: Moment, to outputs: inout [Output]
  ) {
    guard let coordinator = coordinatorIndex(of: key.app),
      let description = region
        ?? regions(of: key.app).first(where: { $0.identifier == key.identifier })
    else { return }
    switch event {
    case .started, .failed:
      let delivery = Delivery.region(asker?.subscriber, description, event)
      for client in asker.map({ [$0.client] }) ?? coordinators[coordinator].clients {
        outputs.append(.deliver(client, delivery))
      }
    case .determined:
      // A state alone wakes and launches no app (REG-24).
      guard coordinators[coordinator].verdicts.region.flows else { return }
      for client in coordinators[coordinator].clients {
        outputs += coordinators[coordinator].post(.region(nil, description, event), to: client)
      }
    case .entered, .exited:
      outputs += coordinators[coordinator].announce(
        .region(description, event), coordinators[coordinator].verdicts.region, at: now)
    }
  }
}

extension AppCoordinator.OpenMonitor {
  /// The number of its loop as a modern use (SESS-9).
  var iteration: Int { AppCoordinator.number(of: subscriber, client) }

  /// The number of its subscriber, unique across all processes.
  var opener: UInt64 { UInt64(AppCoordinator.number(of: subscriber, client)) }
}

extension AppCoordinator {
  /// Returns the process identifier; `nil` where the kernel does not tell it.
  func number(of client: ClientID) -> Int32? {
    processes.first { $0.client == client }?.number
  }

  /// Converts a monitor's request; a loop that may not receive events waits here.
  mutating func input(_ request: MonitorRequest, of place: Int) -> Conditions.Input {
    let monitor = monitors[place]
    func key(_ identifier: String) -> ConditionKey {
      ConditionKey(app: app, owner: .monitor(monitor.key.name), identifier: identifier)
    }
    switch request {
    case .open: return .open(monitor.key, opener: monitor.opener)
    case .add(let identifier, let target, let assumed):
      return .add(key(identifier), target, assuming: assumed)
    case .remove(let identifier): return .remove(key(identifier))
    case .leave:
      monitors[place].wantsNext = false
      monitors[place].isAsking = false
      return .leave(monitor.key)
    case .next:
      monitors[place].wantsNext = true
      monitors[place].isAsking = mayHearConditions
      return mayHearConditions ? .next(monitor.key) : .handled(monitor.key)
    }
  }

  /// Returns the new access of the app to its conditions; `nil` when it is unchanged.
  mutating func settleAccess() -> ConditionAccess? {
    guard access != deliveredAccess else { return nil }
    deliveredAccess = access
    return access
  }

  /// Starts or stops the asking of loops as the authorization of the app changes (SESS-13, MON-39).
  mutating func settleMonitors() -> [Conditions.Input] {
    var inputs: [Conditions.Input] = []
    for place in monitors.indices where monitors[place].wantsNext {
      guard monitors[place].isAsking != mayHearConditions else { continue }
      monitors[place].isAsking = mayHearConditions
      let key = monitors[place].key
      inputs.append(mayHearConditions ? .next(key) : .leave(key))
    }
    return inputs
  }

  /// Whether events, or the diagnostics that replace them, may be delivered (MON-34).
  private var mayHearConditions: Bool { verdicts.monitor.flows || !access.monitors.isEmpty }
}
