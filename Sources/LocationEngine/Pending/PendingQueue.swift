import LocationModel

/// Everything that an app has not received yet, in the order in which it happened: one queue for
/// each app.
///
/// Each entry has a number. How long an entry stays depends on its kind alone; see ``Content``.
struct PendingQueue: Sendable {
  enum Content: Sendable {
    /// A crossing or a visit, until the app acknowledges its number (LIFE-5). It is stored together
    /// with the state that it follows from, so a crash of the app, the engine, or both neither
    /// loses nor repeats it.
    case event(PendingEvent)
    /// A delivery, until the process can receive it (STD-50); for the process that connects next
    /// if no process is named. It is delivered once.
    case delivery(Delivery, for: ClientID?)
    /// What is withheld until the person has answered the question about Always (AUTH-32).
    case held(Held)
    /// A reason to launch the app, until a process connects.
    case launch(LaunchCause)
  }

  enum Held: Sendable {
    /// A crossing or a visit.
    case event(PendingEvent)
    /// A significant change, for the process that follows them.
    case change(Delivery, ClientID)
    /// The launch of an app that does not run (AUTH-33).
    case launch
    /// Events of a monitor, which are kept with their condition (MON-39).
    case condition
  }

  enum LaunchCause: Sendable {
    /// A service that outlives the process had an event (SLC-8, LIVE-35).
    case service
    /// A monitor has an event (MON-38).
    case monitor
  }

  struct Entry: Sendable {
    var number: EventNumber
    var content: Content
    /// When a stay ended, or a lasting one began, in steady time if that differs; at the latest
    /// when the entry was added.
    var steady: UnixTime?
  }

  private(set) var entries: [Entry] = []
  /// The greatest number that was ever used.
  private(set) var last = EventNumber.none
  /// Whether an event was ever pending: the last number is then kept in the store.
  private var isStored = false
  /// The number of fixes in deliveries.
  private var fixes = 0
  /// The time by which events are dated, however the clock was set.
  private var steady = SteadyTime()
  /// Whether exact positions were withheld from the app at the last look.
  private(set) var isImprecise = true

  /// Whether the app never had an event, and nothing is pending.
  var isBlank: Bool { entries.isEmpty && !isStored }

  init() {}

  /// Restores what was stored.
  init(events: [Entry], last: EventNumber) {
    (entries, self.last, isStored) = (events, last, true)
  }

  /// Removes entries, and returns whether there were any.
  private mutating func remove(_ isOver: (Entry) -> Bool) -> Bool {
    let before = entries.count
    entries.removeAll(where: isOver)
    guard entries.count < before else { return false }
    fixes = entries.reduce(0) { $0 + $1.fixes }
    return true
  }

  private mutating func append(_ content: Content) {
    last = EventNumber(rawValue: last.rawValue &+ 1)
    entries.append(Entry(number: last, content: content))
  }

  // MARK: Events

  /// The stored entries.
  var events: [Entry] { entries.filter { $0.event != nil } }

  /// Adds an event. Its number is near the uptime, so that numbers grow even if the store is lost:
  /// a client that remembers a number started after the computer did. Above
  /// ``Bounds/pendingEvents``, the oldest is dropped.
  mutating func add(_ event: PendingEvent, at now: Moment) {
    isStored = true
    last = EventNumber(rawValue: max(last.rawValue &+ 1, now.uptime.nanoseconds))
    var entry = Entry(number: last, content: .event(event))
    entry.steady = entry.visitDate.flatMap {
      SteadyTime.stored(steady.date(of: $0, at: now), beside: $0)
    }
    entries.append(entry)
    let events = entries.count { $0.event != nil }
    guard events > Bounds.pendingEvents,
      let oldest = entries.firstIndex(where: { $0.event != nil })
    else { return }
    entries.remove(at: oldest)
  }

  /// Whether an event is pending, or withheld until the person has answered.
  func has(_ event: PendingEvent) -> Bool {
    entries.contains { entry in
      switch entry.content {
      case .event(event), .held(.event(event)): true
      case .event, .held, .delivery, .launch: false
      }
    }
  }

  /// Returns the events after a number.
  func events(after number: EventNumber) -> [(number: EventNumber, event: PendingEvent)] {
    entries.compactMap { entry in
      entry.number > number ? entry.event.map { (entry.number, $0) } : nil
    }
  }

  /// Removes the acknowledged events; returns whether any of them was pending.
  mutating func acknowledge(upTo number: EventNumber) -> Bool {
    remove { $0.event != nil && $0.number <= number }
  }

  /// Removes all events; returns whether there were any.
  mutating func dropEvents() -> Bool { acknowledge(upTo: last) }

  /// Drops events that reveal more than a coarse place; returns whether there were any.
  mutating func dropExactEvents() -> Bool {
    remove { entry in
      switch entry.event {
      case .visit(let visit): visit.horizontalAccuracy < CoarseLocator.accuracy
      case .region: true
      case nil: false
      }
    }
  }

  /// When the oldest stay ended, or began if it lasts, in steady time.
  var oldestVisit: UnixTime? { entries.compactMap(\.steadyVisitDate).min() }

  /// Drops what reveals places when exact positions begin to be withheld (AUTH-8); returns whether
  /// events were dropped.
  mutating func settle(isImprecise: Bool) -> Bool {
    let begins = isImprecise && !self.isImprecise
    self.isImprecise = isImprecise
    guard begins else { return false }
    forgetPlaces()
    return dropEvents()
  }

  /// Adopts the steady time, and changes dates after it to it, so that no event is kept forever;
  /// returns whether any was.
  mutating func settle(_ steady: SteadyTime, at now: Moment) -> Bool {
    self.steady = steady
    let today = steady.date(at: now)
    let late = entries.indices.filter { entries[$0].steadyVisitDate.map { $0 > today } ?? false }
    for index in late { entries[index].steady = today }
    return !late.isEmpty
  }

  /// Drops stays that ended, or began and last, before a steady time; returns whether any was.
  mutating func forgetVisits(before date: UnixTime) -> Bool {
    remove { $0.steadyVisitDate.map { $0 < date } ?? false }
  }

  // MARK: Deliveries

  /// Adds a delivery. Fixes join those before them, the newest thousand, unless the subscriber has
  /// another delivery in between (STD-50). Above ``Bounds/waiting`` deliveries and
  /// ``Bounds/waitingFixes``, the oldest are dropped.
  mutating func add(_ delivery: Delivery, for client: ClientID?) {
    if case .updates(let subscriber, .fixes(let new)) = delivery,
      let place = entries.lastIndex(where: { $0.concerns(subscriber, of: client) }),
      case .delivery(.updates(_, .fixes(let old)), _) = entries[place].content
    {
      let kept = Array((old + new).suffix(Bounds.waiting))
      fixes += kept.count - old.count
      entries[place].content = .delivery(.updates(subscriber, .fixes(kept)), for: client)
    } else {
      append(.delivery(delivery, for: client))
      fixes += entries.last?.fixes ?? 0
      if case .live(let subscriber, _) = delivery { dropOldLive(of: subscriber, client) }
    }
    while fixes > Bounds.waitingFixes || entries.count(where: \.isDelivery) > Bounds.waiting,
      let oldest = entries.firstIndex(where: \.isDelivery)
    {
      fixes -= entries.remove(at: oldest).fixes
    }
  }

  /// Drops the oldest plain locations of live updates above ``Bounds/waitingLive``; an element with
  /// other diagnostics, or another `stationary`, than the one before it is kept (LIVE-30, LIVE-31).
  private mutating func dropOldLive(of subscriber: SubscriberID, _ client: ClientID?) {
    var (plain, last): ([Int], LiveUpdate?) = ([], nil)
    for index in entries.indices {
      guard case .delivery(.live(subscriber, let update), client) = entries[index].content else {
        continue
      }
      if let last, update.isPlain(after: last) { plain.append(index) }
      last = update
    }
    for index in plain.prefix(max(0, plain.count - Bounds.waitingLive)).reversed() {
      entries.remove(at: index)
    }
  }

  /// Removes and returns the deliveries.
  mutating func takeDeliveries() -> [(delivery: Delivery, client: ClientID?)] {
    let taken = entries.compactMap { entry -> (Delivery, ClientID?)? in
      if case .delivery(let delivery, let client) = entry.content {
        (delivery, client)
      } else {
        nil
      }
    }
    if !taken.isEmpty { _ = remove(\.isDelivery) }
    return taken
  }

  /// Drops the deliveries for a process that has ended; for the next process with `nil`, after none
  /// connected in time (LIFE-6).
  mutating func forgetDeliveries(for client: ClientID?) {
    _ = remove { if case .delivery(_, client) = $0.content { true } else { false } }
  }

  /// Drops exact places that no process may receive any more, apart from events (STD-50, AUTH-8).
  mutating func forgetPlaces() { _ = remove(\.revealsPlace) }

  // MARK: Withheld

  /// Withholds something until the person has answered; returns its number.
  mutating func hold(_ held: Held) -> EventNumber {
    append(.held(held))
    return last
  }

  /// Removes and returns what was withheld under a number; `nil` if it was dropped since.
  mutating func release(_ number: EventNumber) -> Held? {
    guard
      let index = entries.firstIndex(where: { $0.number == number }),
      case .held(let held) = entries[index].content
    else { return nil }
    entries.remove(at: index)
    return held
  }

  // MARK: Launches

  func isLaunching(for cause: LaunchCause) -> Bool {
    entries.contains { if case .launch(cause) = $0.content { true } else { false } }
  }

  /// Adds a reason to launch the app, once.
  mutating func launch(for cause: LaunchCause) {
    if !isLaunching(for: cause) { append(.launch(cause)) }
  }

  mutating func endLaunch(for cause: LaunchCause) {
    _ = remove { if case .launch(cause) = $0.content { true } else { false } }
  }

  /// Whether an app that does not run may be launched for an entry.
  func launches(_ verdicts: Verdicts) -> Bool {
    entries.contains { entry in
      switch entry.content {
      case .event: verdicts.region.launches || verdicts.visits.launches
      case .delivery: verdicts.significant.launches
      case .held: false
      case .launch(.service): true
      case .launch(.monitor): verdicts.monitor.launches
      }
    }
  }
}

extension PendingQueue.Entry {
  fileprivate var event: PendingEvent? {
    if case .event(let event) = content { event } else { nil }
  }

  /// When a stay ended, or a lasting one began; `nil` for everything else.
  fileprivate var visitDate: UnixTime? {
    guard case .visit(let visit) = event else { return nil }
    return visit.departure ?? visit.arrival
  }

  /// The same in steady time.
  fileprivate var steadyVisitDate: UnixTime? { visitDate.map { steady ?? $0 } }

  fileprivate var isDelivery: Bool {
    if case .delivery = content { true } else { false }
  }

  fileprivate var fixes: Int {
    if case .delivery(.updates(_, .fixes(let fixes)), _) = content { fixes.count } else { 0 }
  }

  /// Whether it is a delivery of standard updates or of the authorization for this subscriber.
  fileprivate func concerns(_ subscriber: SubscriberID, of client: ClientID?) -> Bool {
    switch content {
    case .delivery(.updates(subscriber, _), client),
      .delivery(.authorizationChanged(subscriber), client),
      .delivery(.authorizationChanged(nil), client):
      true
    case .event, .delivery, .held, .launch: false
    }
  }

  /// Whether it reveals exactly where the device was; events have rules of their own.
  fileprivate var revealsPlace: Bool {
    switch content {
    case .delivery(.updates(_, .fixes), _), .delivery(.region(_, _, .determined), _),
      .held(.event), .held(.change):
      true
    case .delivery(.live(_, let update), _): update.fix != nil
    case .event, .delivery, .held, .launch: false
    }
  }
}

extension DeliveryRule.Verdict {
  /// Whether an event launches an app that does not run.
  fileprivate var launches: Bool { action == .launch || action == .launchUnlessQuit }
}
