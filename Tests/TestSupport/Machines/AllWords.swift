package import LocationModel

extension Samples {
  /// Every kind of request, once.
  package mutating func requests() -> [Request] {
    let authorization: [AuthorizationRequest] = [
      .observe(subscriber()), .request(member(), by: subscriber()),
      .temporaryFullAccuracy(purposeKey: text(), ticket: subscriber()),
    ]
    let deferral = DeferralEnd(
      distance: maybe { $0.number() }, timeout: maybe { .nanoseconds($0.pick(1 << 40)) })
    let updates: [UpdatesRequest] = [
      .start(options()), .change(options()), .stop, .once(options()),
      .deferUpdates(until: deferral), .endDeferral,
    ]
    let live: [LiveRequest] = [.start(LiveOptions(activity: member())), .stop]
    let regions: [RegionRequest] = [.start(region()), .stop(identifier: text()), .state(region())]
    let monitor: [MonitorRequest] = [
      .open(name: "m\(pick(9))"), .add(identifier: text(), target(), assuming: member()),
      .remove(identifier: text()),
      .next(after: EventNumber(rawValue: Int64(pick(9)))), .leave,
    ]
    let options = HeadingOptions(filter: maybe { $0.number() }, orientation: member())
    let heading: [HeadingRequest] = [
      .start(options), .change(options), .stop, .calibrationAnswer(flag()), .dismissCalibration,
    ]
    let ranging: [RangingRequest] = [.start(constraint()), .stop(constraint())]
    let advert = IBeaconAdvert(identity: beacon().identity, measuredPower: Int8(pick(99)) - 98)
    let advertising: [AdvertisingRequest] = [.start(advert), .stop]
    let session: [SessionRequest] = [
      .open(member(), purposeKey: maybe { $0.text() }), .openBackgroundActivity,
      .diagnose(stream: subscriber()), .endDiagnosis(stream: subscriber()), .invalidate,
    ]
    return authorization.map { .authorization($0) }
      + updates.map { .updates(subscriber(), $0) } + live.map { .live(subscriber(), $0) }
      + [.significantChanges(subscriber(), on: flag()), .visits(on: flag())]
      + [.acknowledge(EventNumber(rawValue: Int64(pick(9))))]
      + regions.map { .region(subscriber(), $0) } + monitor.map { .monitor(subscriber(), $0) }
      + heading.map { .heading(subscriber(), $0) } + ranging.map { .ranging(subscriber(), $0) }
      + advertising.map { .advertising(subscriber(), $0) }
      + session.map { .session(subscriber(), $0) }
      + [.life(member()), .end(subscriber())]
  }

  /// Every kind of delivery, once.
  package mutating func deliveries() -> [Delivery] {
    let updates: [UpdatesDelivery] = [
      .fixes((0...pick(3)).map { _ in fix() }), .failed(member()), .paused, .resumed,
      .deferralFinished(maybe { $0.member() }),
    ]
    let regions: [RegionEvent] = [.started, .failed(member()), .determined(member())]
    let pending: [PendingEvent] = [
      .visit(visit()), .region(region(), .entered(maybe { $0.evidence() })),
      .region(region(), .exited(maybe { $0.evidence() })),
    ]
    let monitor: [MonitorDelivery] = [
      .refused(by: maybe { Int32($0.pick(9)) }), .records(after: pick(9), records()),
      .changed(after: pick(9), records(), removed: [text(), text()]),
      .event(EventNumber(rawValue: Int64(pick(9)) + 1), event()),
    ]
    let heading: [HeadingDelivery] = [.heading(self.heading()), .failed, .askCalibration]
    let ranging: [RangingDelivery] = [
      .ranged(constraint(), (0..<pick(3)).map { _ in beacon() }), .failed(constraint(), member()),
    ]
    let advertising: [BeaconAdvertising] = [
      .stopped, .advertising, .waiting, .unavailable, .refused(text()),
    ]
    return [
      .state(state()), .authorizationChanged(maybe { $0.subscriber() }),
      .temporaryFullAccuracy(subscriber(), [nil, .promptDeclined, .denied][pick(3)]),
      .live(subscriber(), update()),
      .regions((0..<pick(3)).map { _ in region() }),
      .diagnostics(subscriber(), maybe { $0.diagnostics() }),
    ] + updates.map { .updates(subscriber(), $0) }
      + pending.map { .pending(EventNumber(rawValue: Int64(pick(9))), $0) }
      + regions.map { .region(maybe { $0.subscriber() }, region(), $0) }
      + monitor.map { .monitor(subscriber(), $0) }
      + heading.map { .heading(subscriber(), $0) } + ranging.map { .ranging(subscriber(), $0) }
      + advertising.map { .advertising(subscriber(), $0) }
  }
}

/// The name under which each kind of request is listed here; does not compile when one is missing.
package func kind(_ request: Request) -> String {
  switch request {
  case .authorization: "authorization"
  case .updates: "updates"
  case .live: "live"
  case .significantChanges: "significantChanges"
  case .visits: "visits"
  case .acknowledge: "took"
  case .region: "region"
  case .monitor: "monitor"
  case .heading: "heading"
  case .ranging: "ranging"
  case .advertising: "advertising"
  case .session: "session"
  case .life: "life"
  case .end: "end"
  }
}

/// The same for deliveries.
package func kind(_ delivery: Delivery) -> String {
  switch delivery {
  case .state: "state"
  case .authorizationChanged: "authorizationChanged"
  case .temporaryFullAccuracy: "temporaryFullAccuracy"
  case .updates: "updates"
  case .live: "live"
  case .pending(_, .visit): "visit"
  case .pending(_, .region): "region"
  case .region: "region"
  case .regions: "regions"
  case .monitor: "monitor"
  case .heading: "heading"
  case .ranging: "ranging"
  case .advertising: "advertising"
  case .diagnostics: "diagnostics"
  }
}
