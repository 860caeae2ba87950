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
    case .start(let region) where !canMonitor(region.target):
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
    outputs += coordinators[coordinator].beginPending(client)
  }

  /// Whether this computer has what the target needs (AVAIL-4).
  private func canMonitor(_ target: ConditionTarget) -> Bool {
    switch target {
    case .circle: watch.hasSource
    case .beacon: beacons.reception != nil
    case .polygon, .unsupported: true
    }
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
      // A subscriber has one monitor; opening again starts it anew.
      closeMonitor(of: subscriber, client, at: now, to: &outputs)
      coordinators[coordinator].monitors.open(
        MonitorKey(app: app, name: name), of: subscriber, client)
    }
    guard let place = coordinators[coordinator].monitors.index(of: subscriber, client) else {
      return
    }
    let request = coordinators[coordinator].monitors.numbered(
      request.permitted(app), of: place)
    let mayReceive = coordinators[coordinator].mayReceiveConditions
    let monitor = coordinators[coordinator].monitors.entries[place]
    let concerned = conditions.identifiers(concernedBy: request, of: monitor.key)
    let input = coordinators[coordinator].monitors.take(request, of: place, mayReceive: mayReceive)
    if let input { carry(conditions.handle(input, at: now), at: now, to: &outputs) }
    switch request {
    case .next: outputs += coordinators[coordinator].hold(.iterate(monitor.iteration), at: now)
    case .leave:
      outputs += coordinators[coordinator].hold(.endIteration(monitor.iteration), at: now)
    case .open, .add, .remove: break
    }
    deliverRecords(of: concerned, in: monitor, after: monitor.requests + 1, to: &outputs)
  }

  /// Delivers the records of these conditions, or all with `nil`.
  private func deliverRecords(
    of concerned: [String]?, in monitor: AppMonitors.Entry, after requests: Int,
    to outputs: inout [Output]
  ) {
    var records: [NamedRecord] = []
    var removed: [String] = []
    for identifier in concerned ?? conditions.identifiers(of: monitor.key) {
      if let record = conditions.record(of: identifier, in: monitor.key) {
        records.append(NamedRecord(identifier: identifier, record: record))
      } else {
        removed.append(identifier)
      }
    }
    let delivery: MonitorDelivery =
      concerned == nil
      ? .records(after: requests, records)
      : .changed(after: requests, records, removed: removed)
    outputs.append(.deliver(monitor.client, .monitor(monitor.subscriber, delivery)))
  }

  /// Closes a monitor, so that its name is free (MON-3).
  mutating func closeMonitor(
    of subscriber: SubscriberID, _ client: ClientID, at now: Moment, to outputs: inout [Output]
  ) {
    guard let app = app(of: client), let coordinator = coordinatorIndex(of: app),
      let monitor = coordinators[coordinator].monitors.close(subscriber, client)
    else { return }
    let close = Conditions.Input.close(monitor.key, opener: monitor.opener)
    carry(conditions.handle(close, at: now), at: now, to: &outputs)
    outputs += coordinators[coordinator].hold(.endIteration(monitor.iteration), at: now)
  }

  mutating func closeMonitors(
    of client: ClientID, at now: Moment, to outputs: inout [Output]
  ) {
    guard let app = app(of: client), let coordinator = coordinatorIndex(of: app) else { return }
    for monitor in coordinators[coordinator].monitors.entries where monitor.client == client {
      closeMonitor(of: monitor.subscriber, client, at: now, to: &outputs)
    }
  }

  // MARK: Access

  /// Passes each app's changed access to the conditions.
  mutating func settleAccess(at now: Moment, to outputs: inout [Output]) {
    for index in coordinators.indices {
      if let access = coordinators[index].monitors.settleAccess() {
        carry(
          conditions.handle(.access(coordinators[index].app, access), at: now), at: now,
          to: &outputs)
      }
      let mayVisit = coordinators[index].verdicts.visits.announces
      if mayVisit != coordinators[index].mayVisit {
        coordinators[index].mayVisit = mayVisit
        takeVisits(.access(coordinators[index].app, mayVisit), at: now, to: &outputs)
      }
      let mayReceive = coordinators[index].mayReceiveConditions
      for input in coordinators[index].monitors.settle(mayReceive: mayReceive) {
        carry(conditions.handle(input, at: now), at: now, to: &outputs)
      }
    }
  }

  // MARK: Events

  /// Delivers the outputs of the conditions to their apps.
  mutating func carry(
    _ decisions: [Conditions.Output],
    askedBy asker: (client: ClientID, subscriber: SubscriberID)? = nil,
    _ region: RegionDescription? = nil, at now: Moment, to outputs: inout [Output]
  ) {
    for output in decisions {
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
      case .event(let key, let number, let event):
        announce(event, number, of: key, at: now, to: &outputs)
      case .waiting(let key):
        call(key, at: now, to: &outputs)
      case .region(let key, let event):
        deliver(event, of: key, askedBy: asker, region, at: now, to: &outputs)
      case .insideOnDisplay(let key):
        guard let coordinator = coordinatorIndex(of: key.app),
          let region = regions(of: key.app).first(where: { $0.identifier == key.identifier })
        else { continue }
        let event = PendingEvent.region(region, .determined(.satisfied))
        guard !coordinators[coordinator].pending.has(event) else { continue }
        outputs += coordinators[coordinator].announce(
          event, coordinators[coordinator].verdicts.region, at: now)
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
      let monitor = coordinators[coordinator].monitors.removeLast(key)
    else { return }
    let first = AppCoordinator.subscriber(Int(opener)).0
    let process = first == monitor.client ? nil : coordinators[coordinator].number(of: first)
    outputs.append(
      .deliver(monitor.client, .monitor(monitor.subscriber, .refused(by: process))))
  }

  /// Rejects the subscriber that tried to open the monitor last.
  private mutating func bar(_ key: MonitorKey, to outputs: inout [Output]) {
    guard let coordinator = coordinatorIndex(of: key.app),
      let monitor = coordinators[coordinator].monitors.removeLast(key)
    else { return }
    let text =
      "a monitor is not opened: its name is none, or there are \(Bounds.monitors) already"
    outputs.append(.deliver(monitor.client, .monitor(monitor.subscriber, .refused(by: nil))))
    outputs.append(.note(.limit(key.app, text)))
  }

  private mutating func announce(
    _ event: ConditionEvent, _ number: EventNumber, of key: MonitorKey, at now: Moment,
    to outputs: inout [Output]
  ) {
    guard let coordinator = coordinatorIndex(of: key.app),
      let monitor = coordinators[coordinator].monitors.beginHandling(number, of: key)
    else { return }
    let delivery = Delivery.monitor(monitor.subscriber, .event(number, event))
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
    if coordinators[coordinator].processes.isEmpty {
      coordinators[coordinator].pending.launch(for: .monitor)
    }
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

extension MonitorRequest {
  /// The request with what an app cannot have watched as unsupported (MON-20): polygons are the
  /// owner's (ADMIN-7).
  fileprivate func permitted(_ app: AppIdentity) -> MonitorRequest {
    guard case .add(let identifier, .polygon, let assumed) = self, app != .owner else {
      return self
    }
    return .add(identifier: identifier, .unsupported, assuming: assumed)
  }
}

extension AppCoordinator {
  /// Returns the process identifier; `nil` where the kernel does not report it.
  func number(of client: ClientID) -> Int32? {
    processes.first { $0.client == client }?.number
  }

  /// Whether events, or the diagnostics that replace them, may be delivered (MON-34).
  var mayReceiveConditions: Bool { verdicts.monitor.flows || !monitors.access.monitors.isEmpty }
}
