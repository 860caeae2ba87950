package import LocationModel

/// Decides which event is handed on next, when again, and when no more.
///
/// The events of a device keep their order: the next one is handed on when the one before is confirmed or
/// set aside. Devices do not wait for one another.
package struct DeliveryQueue: Sendable {
  package struct Settings: Hashable, Sendable {
    /// Events that are handed on together.
    package var batch = 1
    /// Deliveries on their way at once.
    package var parallel = 8
    /// Events of a partition that are neither confirmed nor set aside, and what lies between them.
    package var window = 1024
    /// How long an event is tried while the other side takes others.
    package var giveUp = Duration.seconds(3600)

    package init() {}
  }

  struct Waiting {
    var event: SinkEvent
    /// When it was last seen to be kept in the log.
    var seen: Instant
    var attempts = 0
    /// When it failed first, and what was confirmed until then.
    var failed: (at: Instant, confirmed: Int)?
    /// Handed on without others.
    var isAlone = false
  }

  private let settings: Settings
  var partitions: [OpenEvents]
  var waiting: [EventPlace: Waiting] = [:]
  /// By device, in the order of the events; the first one is handed on next.
  var devices: [FleetDeviceName: [EventPlace]] = [:]
  /// First ones that may be handed on, and those that may be later, in the order of that.
  var ready = Fifo<EventPlace>()
  private var later: [(at: Instant, place: EventPlace)] = []
  var flights: [UInt64: [EventPlace]] = [:]
  private var number: UInt64
  private var side = OtherSide()
  private var asides: [SetAside] = []
  private var confirmed = 0

  /// Begins behind `positions`, by partition the number up to which all is settled; `number` is that of the
  /// newest delivery of an earlier life.
  package init(_ settings: Settings, positions: [UInt64], number: UInt64 = 0) {
    self.settings = settings
    self.number = number
    partitions = positions.map { OpenEvents(settled: $0) }
  }

  // MARK: What is there

  /// By partition, the number up to which everything is confirmed or set aside.
  package var positions: [UInt64] { partitions.map(\.settled) }

  package var newest: UInt64 { number }
  package var isEmpty: Bool { waiting.isEmpty && asides.isEmpty }
  package var isInFlight: Bool { !flights.isEmpty }
  package var count: Int { waiting.count }
  /// Devices whose next event has failed.
  package var failing: Int { later.count }
  /// Why nothing is handed on, and until when; `nil` while the other side takes events.
  package var pause: (reason: String, until: Instant)? { side.pause }

  /// The number behind the newest event that was added.
  package func next(_ partition: Int) -> UInt64 { partitions[partition].next }

  /// How many more events of a partition may be added.
  package func room(_ partition: Int) -> Int {
    max(settings.window - partitions[partition].count, 0)
  }

  // MARK: What comes

  package mutating func add(_ event: SinkEvent, at now: Instant) {
    partitions[event.place.partition].add(event.place.sequence)
    waiting[event.place] = Waiting(event: event, seen: now)
    devices[event.device, default: []].append(event.place)
    if devices[event.device]?.count == 1 { ready.append(event.place) }
  }

  /// Has a message wait until it is kept aside, as it is no event.
  package mutating func hold(_ place: EventPlace) {
    partitions[place.partition].add(place.sequence)
  }

  /// Passes a message over that is not to be handed on.
  package mutating func skip(_ place: EventPlace) {
    partitions[place.partition].add(place.sequence)
    partitions[place.partition].settle(place.sequence)
  }

  /// Goes on behind messages that have gone.
  package mutating func advance(_ partition: Int, to sequence: UInt64) {
    partitions[partition] = OpenEvents(settled: sequence)
  }

  // MARK: What goes

  /// Returns what is to be handed on now.
  package mutating func deliveries(at now: Instant) -> [EventDelivery] {
    guard !side.isPaused(at: now) else { return [] }
    hasten(at: now)
    while let first = later.first, first.at <= now {
      ready.append(first.place)
      later.removeFirst()
    }
    var found: [EventDelivery] = []
    // After a failure of the other side one delivery shows whether it is there again.
    let most = side.isDoubtful ? 1 : settings.parallel
    while flights.count < most, let places = nextPlaces() {
      number += 1
      flights[number] = places
      found.append(EventDelivery(number: number, events: places.compactMap { waiting[$0]?.event }))
    }
    return found
  }

  /// When something may be handed on although nothing else happens.
  package var nextDeadline: Instant? {
    let first = ready.isEmpty ? later.first?.at : .start
    return first.map { max($0, side.pause?.until ?? .start) }
  }

  private mutating func nextPlaces() -> [EventPlace]? {
    var places: [EventPlace] = []
    while places.count < settings.batch, let first = ready.first {
      let isAlone = waiting[first]?.isAlone == true
      guard !isAlone || places.isEmpty else { break }
      _ = ready.popFirst()
      guard !isAlone, let device = waiting[first]?.event.device else { return [first] }
      let behind = (devices[device] ?? []).prefix(settings.batch - places.count)
      places += behind.prefix { waiting[$0]?.isAlone == false }
    }
    return places.isEmpty ? nil : places
  }

  /// Takes what has become of a delivery; one of an earlier life is not known any more.
  package mutating func settle(_ number: UInt64, _ outcome: DeliveryOutcome, at now: Instant) {
    guard let places = flights.removeValue(forKey: number), let first = places.first else { return }
    switch outcome {
    case .confirmed:
      side.answered()
      confirmed += places.count
      leave(places, isSettled: true)
    case .refused(let reason):
      guard places.count == 1 else { return alone(places) }
      let isBelieved = !side.refusesEverything
      side.refused(at: now)
      // What refuses everything is not believed about one.
      if isBelieved { setAside(first, reason) } else { rotate(places) }
    case .failed(let reason, let after):
      side.failed(reason, at: now)
      guard places.count == 1 else { return alone(places) }
      fail(first, reason, after: after, at: now)
    case .full(let reason):
      side.unreachable(reason, after: nil, at: now)
      rotate(places)
    case .unreachable(let reason, let after):
      side.unreachable(reason, after: after, at: now)
      guard places.count == 1, let known = waiting[first] else { return rotate(places) }
      // An event that makes the other side look as if it were away stops nobody but its device.
      if let failed = known.failed, confirmed > failed.confirmed {
        fail(first, reason, after: after, at: now)
      } else {
        if known.failed == nil { waiting[first]?.failed = (now, confirmed) }
        rotate(places)
      }
    }
  }

  private mutating func fail(
    _ place: EventPlace, _ reason: String, after: Duration?, at now: Instant
  ) {
    waiting[place]?.isAlone = true
    if isHopeless(place, at: now) {
      setAside(place, reason)
    } else {
      postpone([place], after: after, at: now)
    }
  }

  /// Which of a batch it is, shows when each is handed on alone.
  private mutating func alone(_ places: [EventPlace]) {
    for place in places { waiting[place]?.isAlone = true }
    again(places)
  }

  /// The first ones of their devices come again behind all others, so that another one shows next whether
  /// the other side is there.
  private mutating func rotate(_ places: [EventPlace]) {
    for head in heads(places) { ready.append(head) }
  }

  /// What was set aside and is not kept yet.
  package mutating func takeAsides() -> [SetAside] {
    defer { asides = [] }
    return asides
  }

  /// What was set aside is kept where it can be read.
  package mutating func keptAside(_ place: EventPlace) {
    partitions[place.partition].settle(place.sequence)
  }

  // MARK: Parts of it

  /// Lets the devices of some events go on with their next ones.
  private mutating func leave(_ places: [EventPlace], isSettled: Bool) {
    var (left, seen): ([FleetDeviceName], Set<FleetDeviceName>) = ([], [])
    for place in places {
      guard let device = waiting.removeValue(forKey: place)?.event.device else { continue }
      devices[device]?.removeFirst()
      if seen.insert(device).inserted { left.append(device) }
      if isSettled { partitions[place.partition].settle(place.sequence) }
    }
    for device in left {
      if let head = devices[device]?.first { ready.append(head) } else { devices[device] = nil }
    }
  }

  private mutating func setAside(_ place: EventPlace, _ reason: String) {
    guard let gone = waiting[place] else { return }
    asides.append(SetAside(event: gone.event, reason: reason, attempts: gone.attempts + 1))
    leave([place], isSettled: false)
  }

  /// The first ones of their devices come again before all others.
  private mutating func again(_ places: [EventPlace]) {
    for head in heads(places).reversed() { ready.prepend(head) }
  }

  private func heads(_ places: [EventPlace]) -> [EventPlace] {
    places.filter { place in
      waiting[place].flatMap { devices[$0.event.device]?.first } == place
    }
  }

  private mutating func postpone(_ places: [EventPlace], after: Duration?, at now: Instant) {
    for head in heads(places) {
      let attempts = (waiting[head]?.attempts ?? 0) + 1
      waiting[head]?.attempts = attempts
      if waiting[head]?.failed == nil { waiting[head]?.failed = (now, confirmed) }
      let pause = Backoff.pause(attempts, at: Int(truncatingIfNeeded: head.sequence))
      let time = now + max(pause, Backoff.bounded(after))
      let index = later.firstIndex { $0.at > time } ?? later.count
      later.insert((time, head), at: index)
    }
  }

  /// Has what nothing more fits behind come again soon, whatever it was to wait.
  private mutating func hasten(at now: Instant) {
    let limit = now + Self.longestInTheWay
    guard later.last.map({ $0.at > limit }) ?? false else { return }
    for (index, entry) in later.enumerated()
    where entry.at > limit && room(entry.place.partition) == 0 {
      later[index].at = limit
    }
    later.sort { ($0.at, $0.place) < ($1.at, $1.place) }
  }

  /// Whether an event that has failed again is given up: the other side takes others, and it was tried for
  /// long, or nothing more of its partition fits.
  private func isHopeless(_ place: EventPlace, at now: Instant) -> Bool {
    guard let known = waiting[place], let failed = known.failed, confirmed > failed.confirmed else {
      return false
    }
    return known.attempts + 1 >= Self.leastAttempts
      && (room(place.partition) == 0 || now - failed.at >= settings.giveUp)
  }

  private static let leastAttempts = 5
  private static let longestInTheWay = Duration.seconds(30)
}
