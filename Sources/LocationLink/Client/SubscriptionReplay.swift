package import LocationModel

/// The requests of an app that are still in force, sent again after the daemon was away.
///
/// Sees every message between app and daemon, and drops deliveries that the app already received:
/// an event, a callback for an authorization that did not change, diagnostics that did not change.
package struct SubscriptionReplay: Sendable {
  private var requests: [Request] = []
  private var monitors: [MonitorReplay] = []
  private var authorization: AuthorizationReport
  /// The number of the last pending event that the app received.
  private var lastEvent = EventNumber.none
  /// Managers that know their authorization; and those of them to which a daemon that has just come
  /// back will deliver the same authorization again.
  private var informed: Set<SubscriberID> = []
  private var unchanged: Set<SubscriberID> = []
  /// The last diagnostics that each loop over a session's diagnostics received.
  private var diagnostics: [SubscriberID: Diagnostics] = [:]
  private var life = AppLife.foreground
  /// Managers whose updates began in the foreground: they continue in the background (STD-47).
  private var begunInFront: Set<SubscriberID> = []

  package init(_ state: ClientState) {
    authorization = state.authorization
  }

  // MARK: The app asks

  /// Records a request of the app.
  package mutating func note(_ request: Request) {
    switch request {
    case .authorization: replace(request) { $0 == request }
    case .updates(let subscriber, let ask): note(ask, of: subscriber)
    case .live(let subscriber, let ask):
      replace(ask == .stop ? nil : request) { $0.isLive(of: subscriber) }
    case .significantChanges(let subscriber, let on):
      replace(on ? request : nil) { $0 == .significantChanges(subscriber, on: true) }
    // The daemon stores who wants visits, so the request to stop must be sent again, too.
    case .visits: replace(request) { if case .visits = $0 { true } else { false } }
    case .acknowledge(let number): note(taken: number)
    case .life(let life): self.life = life
    case .region:
      let region = request.watchedRegion
      requests.removeAll { $0 == request || region != nil && $0.watchedRegion == region }
      requests.append(request)
    case .heading(let subscriber, let ask): note(ask, of: subscriber)
    case .ranging(_, .start): replace(request) { $0 == request }
    case .ranging(let subscriber, .stop(let constraint)):
      requests.removeAll { $0 == .ranging(subscriber, .start(constraint)) }
    case .advertising(let subscriber, let ask):
      replace(ask == .stop ? nil : request) { $0.isAdvertising(of: subscriber) }
    case .monitor(let subscriber, let ask): note(ask, of: subscriber)
    case .session(let subscriber, let ask): note(ask, of: subscriber)
    case .end(let subscriber):
      requests.removeAll { $0.subscriber == subscriber }
      monitors.removeAll { $0.subscriber == subscriber }
      unchanged.remove(subscriber)
      informed.remove(subscriber)
      begunInFront.remove(subscriber)
      diagnostics[subscriber] = nil
    }
  }

  private mutating func note(_ ask: UpdatesRequest, of subscriber: SubscriberID) {
    let request = Request.updates(subscriber, ask)
    switch ask {
    case .start:
      if life == .foreground { begunInFront.insert(subscriber) }
      replace(request) { $0.isStart(of: subscriber) }
    case .change(let options):
      guard requests.contains(where: { $0.isStart(of: subscriber) }) else { return }
      replace(.updates(subscriber, .start(options))) { $0.isStart(of: subscriber) }
    case .stop: forgetUpdates(of: subscriber)
    case .once: replace(request) { $0.isOnce(of: subscriber) }
    case .deferUpdates: replace(request) { $0.isDeferral(of: subscriber) }
    case .endDeferral: requests.removeAll { $0.isDeferral(of: subscriber) }
    }
  }

  private mutating func forgetUpdates(of subscriber: SubscriberID) {
    requests.removeAll { $0.isUpdates(of: subscriber) }
    begunInFront.remove(subscriber)
  }

  private mutating func note(_ ask: HeadingRequest, of subscriber: SubscriberID) {
    switch ask {
    case .start(let options), .change(let options):
      let isOn = requests.contains { $0.isHeading(of: subscriber) }
      guard isOn || ask == .start(options) else { return }
      replace(.heading(subscriber, .start(options))) { $0.isHeading(of: subscriber) }
    case .stop: requests.removeAll { $0.isHeading(of: subscriber) }
    // The calibration display has gone with the daemon that requested it.
    case .calibrationAnswer, .dismissCalibration: break
    }
  }

  private mutating func note(_ ask: MonitorRequest, of subscriber: SubscriberID) {
    if case .open(let name) = ask {
      monitors.append(MonitorReplay(subscriber: subscriber, name: name))
    }
    guard let place = monitors.firstIndex(where: { $0.subscriber == subscriber }) else { return }
    monitors[place].note(ask)
  }

  private mutating func note(_ ask: SessionRequest, of subscriber: SubscriberID) {
    let request = Request.session(subscriber, ask)
    switch ask {
    case .open, .openBackgroundActivity, .diagnose: replace(request) { $0 == request }
    case .endDiagnosis(let stream):
      requests.removeAll { $0 == .session(subscriber, .diagnose(stream: stream)) }
    case .invalidate: requests.removeAll { $0.isSession(of: subscriber) }
    }
  }

  /// Managers on several threads may acknowledge in any order.
  private mutating func note(taken number: EventNumber) {
    let earlier = requests.firstIndex { if case .acknowledge = $0 { true } else { false } }
    guard let earlier else { return requests.append(.acknowledge(number)) }
    if case .acknowledge(let last) = requests[earlier], last > number { return }
    requests[earlier] = .acknowledge(number)
  }

  /// Replaces the request that this one supersedes, or appends it.
  private mutating func replace(_ request: Request?, _ isSuperseded: (Request) -> Bool) {
    let place = requests.firstIndex(where: isSuperseded)
    switch (place, request) {
    case (let place?, let request?): requests[place] = request
    case (let place?, nil): requests.remove(at: place)
    case (nil, let request?): requests.append(request)
    case (nil, nil): break
    }
  }

  // MARK: The daemon answers

  /// Returns what the app receives of a delivery; `nil` if nothing.
  package mutating func receive(_ delivery: Delivery) -> Delivery? {
    switch delivery {
    case .state(let state):
      authorization = state.authorization
      // Answered or ignored: it must not lead to a prompt later (AUTH-20).
      if !state.isAsking { requests.removeAll(where: \.isAuthorizationRequest) }
    case .authorizationChanged(let subscriber?):
      if unchanged.remove(subscriber) != nil { return nil }
      informed.insert(subscriber)
    case .temporaryFullAccuracy(let ticket, _):
      requests.removeAll { $0.isAccuracyRequest(ticket) }
    case .updates(let subscriber, .failed(.denied)):
      // Updates that were stopped this way must be started again by the app (STD-14).
      forgetUpdates(of: subscriber)
    case .updates(let subscriber, .fixes), .updates(let subscriber, .failed):
      requests.removeAll { $0.isOnce(of: subscriber) }
    case .updates(let subscriber, .deferralFinished):
      requests.removeAll { $0.isDeferral(of: subscriber) }
    case .region(_, let region, let event): settle(region, event)
    case .regions(let regions): settle(regions)
    case .monitor(let subscriber, let delivery):
      guard let place = monitors.firstIndex(where: { $0.subscriber == subscriber }) else { break }
      return .monitor(subscriber, monitors[place].receive(delivery))
    case .diagnostics(let loop, let flags):
      // A restarted daemon first sends the present flags; a loop receives only changes (SESS-17).
      if let flags, diagnostics[loop] == flags { return nil }
      diagnostics[loop] = flags
    case .pending(let number, _):
      guard number > lastEvent || number == .none else { return nil }
      lastEvent = number
    default: break
    }
    return delivery
  }

  /// Removes answered requests about a region; the daemon stores regions itself.
  private mutating func settle(_ region: RegionDescription, _ event: RegionEvent) {
    switch event {
    case .started, .failed:
      requests.removeAll { $0.isRegion(region.identifier, .start(region)) }
    case .determined: requests.removeAll { $0.isRegion(region.identifier, .state(region)) }
    case .entered, .exited: break
    }
  }

  private mutating func settle(_ regions: [RegionDescription]) {
    let identifiers = Set(regions.map(\.identifier))
    requests.removeAll {
      guard case .region(_, .stop(let identifier)) = $0 else { return false }
      return !identifiers.contains(identifier)
    }
  }

  // MARK: The daemon is back

  /// Returns all requests for the daemon that has just come back, in order.
  package mutating func again(_ state: ClientState) -> [Request] {
    unchanged = state.authorization == authorization ? informed : []
    authorization = state.authorization
    // The other requests depend on the lifecycle state. A process is in the foreground until it
    // says otherwise, as it was when these updates began.
    var all = life == .foreground ? [] : requests.filter(isBegunInFront) + [.life(life)]
    all += requests.filter { life == .foreground || !isBegunInFront($0) }
    for index in monitors.indices {
      let subscriber = monitors[index].subscriber
      all += monitors[index].again().map { .monitor(subscriber, $0) }
    }
    return all
  }

  private func isBegunInFront(_ request: Request) -> Bool {
    guard case .updates(let subscriber, .start) = request else { return false }
    return begunInFront.contains(subscriber)
  }

  // MARK: The daemon is away

  /// The deliveries to subscribers that wait for positions while the daemon is away.
  package var silence: [Delivery] { requests.compactMap(silence) }

  /// Returns the delivery to a subscriber that requests positions while the daemon is away.
  package func silence(for request: Request) -> Delivery? {
    switch request {
    // A denied or restricted app already knows that, and waits for nothing else.
    case .live(let subscriber, .start)
    where authorization.status != .denied && authorization.status != .restricted:
      .live(subscriber, LiveUpdate(fix: nil, diagnostics: .locationUnavailable))
    case .updates(let subscriber, .start):
      .updates(subscriber, .failed(.positionUnknown))
    default: nil
    }
  }

  /// Ends requests for one location with an error if the daemon stays away (STD-26).
  package mutating func giveUpWaiting() -> [Delivery] {
    let waiting = requests.compactMap { request -> SubscriberID? in
      if case .updates(let subscriber, .once) = request { subscriber } else { nil }
    }
    for subscriber in waiting { requests.removeAll { $0.isOnce(of: subscriber) } }
    return waiting.map { .updates($0, .failed(.positionUnknown)) }
  }

  /// Ends the loops over the diagnostics of an ended session, without the daemon (SESS-16).
  package func loops(endedBy request: Request) -> [Delivery] {
    guard case .session(let session, .invalidate) = request else { return [] }
    return requests.compactMap { request in
      guard case .session(session, .diagnose(let stream)) = request else { return nil }
      return .diagnostics(stream, nil)
    }
  }
}

extension Request {
  fileprivate func isLive(of subscriber: SubscriberID) -> Bool {
    if case .live(subscriber, _) = self { true } else { false }
  }

  fileprivate func isUpdates(of subscriber: SubscriberID) -> Bool {
    if case .updates(subscriber, _) = self { true } else { false }
  }

  fileprivate func isStart(of subscriber: SubscriberID) -> Bool {
    if case .updates(subscriber, .start) = self { true } else { false }
  }

  fileprivate func isOnce(of subscriber: SubscriberID) -> Bool {
    if case .updates(subscriber, .once) = self { true } else { false }
  }

  fileprivate func isDeferral(of subscriber: SubscriberID) -> Bool {
    if case .updates(subscriber, .deferUpdates) = self { true } else { false }
  }

  fileprivate func isHeading(of subscriber: SubscriberID) -> Bool {
    if case .heading(subscriber, _) = self { true } else { false }
  }

  fileprivate func isAdvertising(of subscriber: SubscriberID) -> Bool {
    if case .advertising(subscriber, _) = self { true } else { false }
  }

  fileprivate func isSession(of subscriber: SubscriberID) -> Bool {
    if case .session(subscriber, _) = self { true } else { false }
  }

  fileprivate var isAuthorizationRequest: Bool {
    if case .authorization(.request) = self { true } else { false }
  }

  fileprivate func isAccuracyRequest(_ ticket: SubscriberID) -> Bool {
    if case .authorization(.temporaryFullAccuracy(_, ticket)) = self { true } else { false }
  }

  /// The region whose monitoring it starts or stops: the last such request for a region counts.
  fileprivate var watchedRegion: String? {
    switch self {
    case .region(_, .start(let region)): region.identifier
    case .region(_, .stop(let identifier)): identifier
    default: nil
    }
  }

  /// Whether it is this request for the region, whatever else its description contains.
  fileprivate func isRegion(_ identifier: String, _ kind: RegionRequest) -> Bool {
    guard case .region(_, let ask) = self else { return false }
    return switch (ask, kind) {
    case (.start(let region), .start), (.state(let region), .state):
      region.identifier == identifier
    case (.start, _), (.state, _), (.stop, _): false
    }
  }
}
