package import LocationModel

/// A sink: reads the events of every partition, hands them on in order, and remembers in the broker how far
/// it is. What it remembers was confirmed by the other side, or is kept aside.
///
/// Of several processes for one sink one hands on; the others wait until it leaves or falls silent.
package struct Sink: Sendable {
  package struct Settings: Hashable, Sendable {
    package var queue = DeliveryQueue.Settings()
    package var partitions = 64
    package var lease = Duration.seconds(3)
    /// The kinds of events that are handed on; `nil` for all.
    package var kinds: Set<String>?
    /// The tenants whose events are handed on; `nil` for all, and for what concerns whole partitions.
    package var tenants: Set<ExactName>?

    package init() {}
  }

  /// What is known of the key of the sink while another process may have it.
  private struct Claim {
    var revision: UInt64
    var changed: Instant
  }

  let name: String
  private let life: String
  private let settings: Settings
  var queue: DeliveryQueue?
  /// Of deliveries in all lives.
  private var number: UInt64 = 0
  private var claim: Claim?
  private var revision: UInt64 = 0
  var stored: SinkPosition?
  private var lastPut: Instant = .start
  var asides: [SetAside] = []
  /// Whether each copy that was appended is of an event that is still there.
  var isSureOfCopies = true
  /// When the broker is used again, after a fault or while another process has the key.
  private var pausedUntil: Instant = .start
  private var faults = FaultSpell()
  private var repeated = RepeatedNotes()
  private var isDraining = false
  package private(set) var isDrained = false
  private var notes: [FleetWorker.Note] = []
  package internal(set) var figures = SinkFigures()
  private var lags: [Int: Int] = [:]

  /// A sink remembers how far it is under its name; `life` is of this process, and of no other one before.
  package init(name: String, life: String, _ settings: Settings) {
    self.name = name
    self.life = life
    self.settings = settings
  }

  package mutating func takeNotes() -> [FleetWorker.Note] {
    defer { notes = [] }
    return notes
  }

  /// Whether it is the one that hands on.
  package var isActive: Bool { queue != nil }
  package var isInFlight: Bool { queue?.isInFlight ?? false }

  /// Hands nothing more on; what is on its way is awaited.
  package mutating func drain() { isDraining = true }

  /// Does what is to be done with the broker, and returns what is to be handed on.
  package mutating func turn(
    _ broker: inout some FleetBroker, at now: Instant
  ) -> [EventDelivery] {
    // Nothing is on its way for one that does not hand on.
    if isDraining, queue == nil { isDrained = true }
    guard !isDrained else { return [] }
    if now >= pausedUntil {
      do throws(BrokerFault) {
        try use(&broker, at: now)
        if let times = faults.end(at: now) { note("the streams answer again\(times)") }
      } catch {
        fail(error, at: now)
      }
    }
    return isDraining ? [] : deliveries(&broker, at: now)
  }

  private mutating func use(
    _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) {
    if queue == nil { try acquire(&broker, at: now) }
    guard queue != nil else { return }
    // First, so that nothing keeps it from learning that another process has the key.
    try remember(&broker, at: now)
    try keepAsides(&broker)
    if !isDraining { try read(&broker, at: now) }
  }

  package mutating func settle(_ number: UInt64, _ outcome: DeliveryOutcome, at now: Instant) {
    guard queue != nil else { return }
    let before = queue?.pause?.reason
    queue?.settle(number, outcome, at: now)
    figures.count(outcome)
    asides += queue?.takeAsides() ?? []
    switch (before, queue?.pause?.reason) {
    case (nil, let reason?): note("waits: \(reason)", isFault: true)
    case (_?, nil): note("hands on again")
    default: break
    }
  }

  private mutating func deliveries(
    _ broker: inout some FleetBroker, at now: Instant
  ) -> [EventDelivery] {
    guard now >= pausedUntil, isOwner(at: now) else { return [] }
    var found: [EventDelivery] = []
    for delivery in queue?.deliveries(at: now) ?? [] {
      guard now >= pausedUntil else {
        queue?.takeBack(delivery, without: [])
        continue
      }
      do throws(BrokerFault) {
        guard try isKept(delivery, &broker, at: now) else { continue }
        found.append(delivery)
      } catch {
        queue?.takeBack(delivery, without: [])
        fail(error, at: now)
      }
    }
    number = queue?.newest ?? number
    return found
  }

  /// Whether no other process can have the key yet.
  package func isOwner(at now: Instant) -> Bool { now - lastPut < settings.lease }

  /// A delivery was not made, since the key may be another's by now.
  package mutating func takeBack(_ delivery: EventDelivery) {
    queue?.takeBack(delivery, without: [])
  }

  /// When something may be handed on although nothing else happens.
  package var nextDeadline: Instant? { queue?.nextDeadline }

  mutating func note(_ text: String, isFault: Bool = false, partition: Int? = nil) {
    notes.append(FleetWorker.Note(text: text, partition: partition, isFault: isFault))
  }

  private mutating func fail(_ fault: BrokerFault, at now: Instant) {
    figures.faults += 1
    if fault == .conflict {
      // Another process has the key; what is on its way here, it hands on once more.
      if queue != nil { note("another process hands on", isFault: true) }
      (queue, claim, asides, isSureOfCopies) = (nil, nil, [], true)
      return
    }
    let step = fault.isMissing ? "; locationfleet init makes what is missing" : ""
    if let text = repeated.text("\(fault)\(step)", at: now) { note(text, isFault: true) }
    faults.fail(at: now)
    pausedUntil = now + .seconds(1)
  }
}

// MARK: - Whose it is

extension Sink {
  /// Takes the key where nobody has it, or who has it does not renew it.
  private mutating func acquire(
    _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) {
    let known = try broker.last(of: .sinks, key: name).message
    var position = SinkPosition(settled: Array(repeating: 0, count: settings.partitions))
    if let known {
      guard let read = SinkPosition(known.entry.bytes) else { throw .damaged(name) }
      guard read.settled.count == settings.partitions else {
        throw .refused("\(name) is of a fleet with \(read.settled.count) partitions")
      }
      // Events of a tenant that was not among those before have been passed over.
      guard read.tenants == tenants else {
        throw .refused(
          "\(name) has handed on the events of \(Self.list(read.tenants)), and is to hand on those "
            + "of \(Self.list(tenants)): give this one another --name, or let locationfleet "
            + "forget-sink have it begin anew")
      }
      position = read
    }
    let newest = known?.sequence ?? 0
    guard position.owner.isEmpty || position.owner == life || isOver(newest, at: now) else {
      // It looks again when that may have run out.
      pausedUntil = now + settings.lease / 3
      return
    }
    try eraseUnsureCopies(behind: position.settled, &broker)
    var settled = position.settled
    for partition in settled.indices {
      settled[partition] = try begin(partition, settled[partition], &broker)
    }
    position = SinkPosition(owner: life, settled: settled, tenants: tenants)
    revision = try broker.put(position.encoded, at: name, in: .sinks, expecting: newest)
    (stored, lastPut, claim) = (position, now, nil)
    queue = DeliveryQueue(settings.queue, positions: settled, number: number)
    figures.takeovers += 1
    note("hands on")
  }

  private var tenants: [String]? { Self.labels(settings.tenants) }

  /// Tenants as a position names them.
  static func labels(_ tenants: Set<ExactName>?) -> [String]? {
    tenants?.sorted().map { FleetAddress.label(of: $0.text) }
  }

  /// Those as a person reads them.
  static func list(_ tenants: [String]?) -> String {
    guard let tenants else { return "all tenants" }
    return (tenants.count == 1 ? "tenant " : "tenants ") + FleetDiagnosis.list(tenants)
  }

  /// Whether a key has not changed for the time of a lease, by this process's clock alone.
  private mutating func isOver(_ newest: UInt64, at now: Instant) -> Bool {
    guard let claim, claim.revision == newest else {
      claim = Claim(revision: newest, changed: now)
      return false
    }
    return now - claim.changed >= settings.lease
  }

  /// Says so where events were gone before they were handed on, and returns from where to go on.
  private mutating func begin(
    _ partition: Int, _ settled: UInt64, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> UInt64 {
    let end = try broker.last(of: .events(partition), key: nil)
    if settled > end.last {
      note(
        "\(settled) events were handed on, and there are \(end.last): begins anew", isFault: true,
        partition: partition)
      return end.first - 1
    }
    // At its first beginning a sink hands on what is there.
    if settled > 0, end.first > settled + 1 {
      figures.missed += Int(clamping: end.first - settled - 1)
      note(
        "events \(settled + 1) to \(end.first - 1) were gone before they were handed on",
        isFault: true, partition: partition)
    }
    return max(settled, end.first - 1)
  }

  /// Remembers how far it is, at least as often as keeps the key its own.
  private mutating func remember(
    _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) {
    guard let queue else { return }
    let isOver = isDraining && !queue.isInFlight && asides.isEmpty
    let position = SinkPosition(
      owner: isOver ? "" : life, settled: queue.positions, tenants: tenants)
    let pause = position == stored ? settings.lease / 3 : min(settings.lease / 3, .seconds(1))
    guard isOver || now - lastPut >= pause else { return }
    revision = try broker.put(position.encoded, at: name, in: .sinks, expecting: revision)
    (stored, lastPut) = (position, now)
    guard isOver else { return }
    figures.waiting = queue.count
    self.queue = nil
  }
}

// MARK: - The end of one

extension Sink {
  /// The message under which it is remembered how far a sink is, and whether a process has it or had it when it
  /// ended; `nil` where no sink has that name.
  package static func known(
    _ name: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> (sequence: UInt64, isOwned: Bool)? {
    guard let known = try broker.last(of: .sinks, key: name).message else { return nil }
    return (known.sequence, SinkPosition(known.entry.bytes)?.owner.isEmpty == false)
  }

  /// Forgets how far a sink is, unless it has put something else since that was found; returns whether it did.
  ///
  /// - Chosen (FLEET-96): one that is started under its name hands on from the first event that is kept.
  package static func forget(
    _ name: String, _ sequence: UInt64, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Bool {
    _ = try broker.erase([sequence], of: .sinks)
    return try broker.last(of: .sinks, key: name).message == nil
  }
}

// MARK: - What is handed on

extension Sink {
  private mutating func read(
    _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) {
    for partition in 0..<settings.partitions {
      guard let next = queue?.next(partition), let room = queue?.room(partition), room > 0 else {
        continue
      }
      let batch = try broker.read(
        .events(partition), from: next, most: min(room, Self.mostRead))
      lags[partition] = batch.left
      for message in batch.messages { take(message, partition, at: now) }
    }
  }

  private mutating func take(_ message: LogMessage, _ partition: Int, at now: Instant) {
    let place = EventPlace(partition: partition, sequence: message.sequence)
    // Behind what is to be erased; it is no event.
    guard message.entry.subject != FleetAddress.mark(of: partition) else {
      queue?.skip(place)
      return
    }
    guard isOfTenant(message.entry.subject) else {
      figures.read += 1
      figures.passedOver += 1
      queue?.skip(place)
      return
    }
    guard let event = SinkEvent(message, partition: partition) else {
      queue?.hold(place)
      asides.append(SetAside(unreadable: message, at: place))
      return
    }
    figures.read += 1
    guard settings.kinds?.contains(event.kind) ?? true else {
      figures.passedOver += 1
      queue?.skip(place)
      return
    }
    queue?.add(event, at: now)
  }

  /// Whether what has a subject is handed on, as far as its tenant says.
  ///
  /// - Chosen (FLEET-109): of what is no event only its own tenant has a copy, too.
  private func isOfTenant(_ subject: String) -> Bool {
    guard let tenants = settings.tenants else { return true }
    guard let device = SinkEvent.device(of: subject), !device.device.isEmpty else { return false }
    return tenants.contains(ExactName(device.tenant))
  }

  /// How it stands.
  package func figures(at now: Instant) -> SinkFigures {
    var found: SinkFigures = self.figures
    found.isActive = queue != nil
    if let queue { found.waiting = queue.count }
    found.failing = queue?.failing ?? 0
    found.lag = lags.values.reduce(0, +)
    found.pausedFor = queue?.pause.map { max($0.until.seconds(since: now), 0) } ?? 0
    return found
  }

  private static let mostRead = 500
}
