package import LocationEngine
package import LocationFleet
package import LocationModel

/// A phone alone, as `locationd` judges it: the whole engine, with an app that monitors circles, visits, and
/// significant changes. Its deliveries in the form of a fleet's events.
package struct LonePhone {
  private static let app = AppIdentity("org.example.phone")
  private static let client = ClientID(1)
  private static let (monitor, changes) = (SubscriberID(1), SubscriberID(2))

  private var engine = LocationEngine(providers: 1, limits: Conditions.Limits(perApp: nil))
  private let fences: [String: FleetFence]
  /// The fences of which the state was delivered.
  private var known: Set<String> = []
  private var inside: Set<String> = []
  private var newest: Fix?
  private(set) package var events: [FleetEvent] = []
  /// Why fixes did not become the current one.
  package private(set) var ignored: [IgnoreReason: Int] = [:]

  /// - Parameters:
  ///   - fences: circles for the app to monitor.
  ///   - begin: before the first fix.
  package init(_ fences: [FleetFence], startingAt begin: UnixTime) {
    self.fences = Dictionary(fences.map { ($0.id, $0) }) { first, _ in first }
    let now = Self.moment(begin)
    let description = ClientDescription(
      app: Self.app, manifest: Manifest([Manifest.Key.always: .string("To draw your day.")]))
    hand(.stored([]), at: now)
    hand(.client(Self.client, .connected(description)), at: now)
    hand(.setting(.authorization(Self.app, .always)), at: now)
    request(.monitor(Self.monitor, .open(name: "phone")), at: now)
    for fence in fences {
      guard case .circle(let circle) = fence.area else { continue }
      let add = MonitorRequest.add(identifier: fence.id, .circle(circle), assuming: .unknown)
      request(.monitor(Self.monitor, add), at: now)
    }
    request(.monitor(Self.monitor, .next(after: .none)), at: now)
    request(.visits(on: true), at: now)
    request(.significantChanges(Self.changes, on: true), at: now)
  }

  /// Takes a fix that comes at a time.
  package mutating func take(_ fix: Fix, at time: UnixTime) {
    wake(before: time)
    newest = fix
    hand(.fix(fix, from: ProviderID(0)), at: Self.moment(time))
  }

  /// Takes a report of the motion sensor.
  package mutating func take(_ activity: MotionActivity, at time: UnixTime) {
    wake(before: time)
    hand(.sensor(.motion(activity)), at: Self.moment(time))
  }

  /// As a device of a fleet counts it.
  private static func moment(_ time: UnixTime) -> Moment {
    Moment(uptime: Instant(nanoseconds: time.nanoseconds), unixTime: time)
  }

  private mutating func wake(before time: UnixTime) {
    while let due = engine.nextDeadline, due.nanoseconds < time.nanoseconds {
      hand(.wake, at: Self.moment(UnixTime(nanoseconds: due.nanoseconds)))
    }
  }

  private mutating func request(_ request: Request, at now: Moment) {
    hand(.client(Self.client, .request(request)), at: now)
  }

  private mutating func hand(_ input: LocationEngine.Input, at now: Moment) {
    for output in engine.handle(input, at: now) {
      switch output {
      case .deliver(_, let delivery): note(delivery, at: now)
      case .ignored(_, _, let reason): ignored[reason, default: 0] += 1
      default: break
      }
    }
  }

  /// Notes an event, and acknowledges it as the app does.
  private mutating func note(_ delivery: Delivery, at now: Moment) {
    switch delivery {
    case .monitor(_, .event(let number, let event)):
      note(event)
      request(.monitor(Self.monitor, .next(after: number)), at: now)
    case .pending(let number, .visit(let visit)):
      let kind = visit.departure == nil ? FleetEvent.Kind.arrived : .departed
      let time = visit.departure ?? visit.arrival ?? now.unixTime
      note(
        FleetEvent(
          kind, at: time, decided: now.unixTime, evidence: visit.evidence, visit: visit))
      request(.acknowledge(number), at: now)
    case .updates(Self.changes, .fixes(let fixes)):
      for fix in fixes { note(FleetEvent(.moved, at: fix.time, decided: now.unixTime)) }
    default: break
    }
  }

  private mutating func note(_ event: ConditionEvent) {
    guard let fence = fences[event.identifier], let evidence = event.evidence else { return }
    let isFirst = known.insert(fence.id).inserted
    var kind = FleetEvent.Kind.exited
    if event.state == .satisfied {
      kind = isFirst ? .found : .entered
      inside.insert(fence.id)
    } else {
      // A fleet does not report the first state outside.
      guard inside.remove(fence.id) != nil else { return }
    }
    note(
      FleetEvent(
        kind, fence: fence, at: evidence.crossed ?? evidence.firstFix,
        decided: evidence.decided, evidence: .crossing(evidence)))
  }

  private mutating func note(_ event: FleetEvent) {
    var event = event
    event.fix = newest
    events.append(event)
  }
}
