internal import LocationEngine
package import LocationModel

/// The detectors of one device of a fleet: the same as those of a single device, in the same order.
///
/// Time is the device's own: between two fixes every deadline is woken in its turn, so that a
/// backlog is judged as it would have been live.
package struct FleetDevice: Sendable {
  package struct Settings: Hashable, Sendable {
    /// Seconds for which fixes wait for earlier ones.
    package var window = 0.0
    package var visits = true
    package var moves = true
    /// No fix may be dated later, where it does not say when it came.
    package var limit = UnixTime(nanoseconds: .max / 2)
    /// For how long dates may be ahead of their arrival.
    package var clockBounds = ClockBounds()

    package init() {}
  }

  /// What has become of a fix.
  package struct Outcome: Sendable {
    package var events: [FleetEvent] = []
    /// Why it, or what waited, is not handed on.
    package var rejected: [FixOrder.Reason] = []
    /// Whether its date is not as its device has said it.
    package var isCorrected = false
  }

  /// A fence that the device is in, and since when.
  struct Inside: Sendable {
    var slot: FleetFences.Slot
    var since: UnixTime
    /// Whether its dwell was reported, or is none.
    var isOver: Bool
  }

  package let name: FleetDeviceName
  package var group: String?
  var order = FixOrder()
  var motion = MotionEstimator()
  var follower = CircleFollower()
  var visits = VisitDetector()
  var moves = SignificantChangeDetector(isRunning: true)
  /// Whether a fix has shown which fences the device may be in.
  var isPlaced = false
  /// Fences of which the first state is sought, in the order of their slots.
  var sought: [FleetFences.Slot] = []
  var inside: [Inside] = []
  /// Uptime minus the date: grows when the clock is set back.
  var shift = Duration.zero
  var newest: Fix?
  /// Seconds by which the date of that one was corrected.
  var newestAhead = 0
  /// Events that a change of the fences has caused, reported with the next step.
  var pending: [FleetEvent] = []

  package init(_ name: FleetDeviceName, group: String? = nil) {
    self.name = name
    self.group = group
  }

  /// Takes a fix as it comes, and returns its events and the reasons of what is not handed on.
  package mutating func take(
    _ fix: Fix, received: UnixTime?, _ fences: borrowing FleetFences, _ settings: Settings
  ) -> Outcome {
    let (limit, window) = (settings.limit, settings.window)
    if order.takeNext(
      fix, received: received, limit: limit, window: window, bound: settings.clockBounds.least)
    {
      var outcome = Outcome()
      step(fix, ahead: 0, fences, settings, &outcome.events)
      return outcome
    }
    let bound = settings.clockBounds.of(name.tenant)
    var outcome = carry(
      order.take(fix, received: received, limit: limit, window: window, bound: bound), fences,
      settings)
    outcome.isCorrected = outcome.rejected.isEmpty && order.correction > 0
    return outcome
  }

  /// Hands on the fixes that wait; nothing earlier will come.
  package mutating func flush(
    _ fences: borrowing FleetFences, _ settings: Settings
  ) -> [FleetEvent] {
    carry(order.flush(), fences, settings).events
  }

  /// Lets silence decide until a date.
  package mutating func pass(
    until date: UnixTime, _ fences: borrowing FleetFences, _ settings: Settings
  ) -> [FleetEvent] {
    var events: [FleetEvent] = []
    wake(until: Instant(nanoseconds: (date + shift).nanoseconds), fences, settings, &events)
    return events
  }

  private mutating func carry(
    _ outputs: [FixOrder.Output], _ fences: borrowing FleetFences, _ settings: Settings
  ) -> Outcome {
    var outcome = Outcome()
    for output in outputs {
      switch output {
      case .rejected(let reason): outcome.rejected.append(reason)
      case .fix(let fix, let ahead): step(fix, ahead: ahead, fences, settings, &outcome.events)
      case .setBack(let fix, let ahead):
        if let newest { shift += newest.time - fix.time }
        step(fix, ahead: ahead, fences, settings, &outcome.events)
      }
    }
    return outcome
  }
}

// MARK: - One step

extension FleetDevice {
  private mutating func step(
    _ fix: Fix, ahead: Int, _ fences: borrowing FleetFences, _ settings: Settings,
    _ events: inout [FleetEvent]
  ) {
    let uptime = Instant(nanoseconds: (fix.time + shift).nanoseconds)
    wake(until: uptime, fences, settings, &events)
    let now = Moment(uptime: uptime, unixTime: fix.time)
    newest = fix
    newestAhead = ahead
    var step = pending
    pending = []
    let point = GeocentricPoint(fix.coordinate)
    if settings.moves { Self.add(moves.observe(fix, point, at: now), at: now, to: &step) }
    let estimate = motion.observe(fix, point, at: now)
    follow(fix, point, estimate, fences, at: now, &step)
    if settings.visits {
      visits.take(estimate)
      Self.add(visits.observe(fix, point, at: now), at: now, to: &step)
    }
    finish(step, &events)
  }

  private mutating func follow(
    _ fix: Fix, _ point: GeocentricPoint, _ estimate: MotionEstimate,
    _ fences: borrowing FleetFences, at now: Moment, _ step: inout [FleetEvent]
  ) {
    follower.take(estimate)
    if !isPlaced {
      // A coarser one does not show which fences the device may be in.
      guard fix.horizontalAccuracy <= Self.coarsest else { return }
      isPlaced = true
      var near: [FleetFences.Slot] = []
      fences.circles.collect(
        within: 2 * max(fix.horizontalAccuracy, 10) + 1, of: fix.coordinate, into: &near)
      for slot in near where fences.concerns(slot, name, group: group) {
        follower.follow(slot)
        sought.append(slot)
      }
    }
    let (name, group) = (name, group)
    let decisions = follower.observe(fix, point, of: fences.circles, at: now) {
      fences.concerns($0, name, group: group)
    }
    add(decisions, fences, at: now, to: &step)
    dwell(fences, at: now, &step)
  }

  /// Wakes every deadline before `uptime`, in order.
  private mutating func wake(
    until uptime: Instant, _ fences: borrowing FleetFences, _ settings: Settings,
    _ events: inout [FleetEvent]
  ) {
    var woken = 0
    while let due = deadline(fences, settings), due < uptime, woken < Self.mostWakes {
      woken += 1
      let now = Moment(
        uptime: due, unixTime: UnixTime(nanoseconds: due.nanoseconds) - shift)
      var step: [FleetEvent] = []
      if settings.moves, isDue(moves.nextDeadline, now) {
        Self.add(moves.handle(.wake, at: now), at: now, to: &step)
      }
      if isDue(follower.nextDeadline, now) {
        add(follower.wake(at: now), fences, at: now, to: &step)
      }
      dwell(fences, at: now, &step)
      if settings.visits, isDue(visits.nextDeadline, now) {
        Self.add(visits.handle(.wake, at: now), at: now, to: &step)
      }
      finish(step, &events)
    }
  }

  // Mutating, as a device of more than a kilobyte would be copied to be read.
  private mutating func deadline(
    _ fences: borrowing FleetFences, _ settings: Settings
  ) -> Instant? {
    var due = earliest(follower.nextDeadline, nextDwell(fences))
    if settings.moves { due = earliest(due, moves.nextDeadline) }
    return settings.visits ? earliest(due, visits.nextDeadline) : due
  }

  // Mutating for the same reason.
  private mutating func finish(_ step: [FleetEvent], _ events: inout [FleetEvent]) {
    guard !step.isEmpty else { return }
    for var event in step.sorted(by: FleetEvent.precedes) {
      event.fix = newest
      event.clockAhead = newestAhead
      events.append(event)
    }
  }

  /// Meters: coarser fixes decide nothing about most fences.
  private static let coarsest = 200.0
  /// More deadlines than a silence can have.
  private static let mostWakes = 100_000
}

// MARK: - Events

extension FleetDevice {
  private mutating func add(
    _ decisions: [(slot: FleetFences.Slot, decision: Decision)],
    _ fences: borrowing FleetFences, at now: Moment, to step: inout [FleetEvent]
  ) {
    for (slot, decision) in decisions {
      let isFirst = sought.firstIndex(of: slot).map { sought.remove(at: $0) } != nil
      guard case .changed(let crossing) = decision else { continue }
      let evidence = crossing.evidence
      let fence = fences[slot]
      let time = evidence.crossed ?? evidence.firstFix
      var kind = FleetEvent.Kind.exited
      if crossing.state == .satisfied {
        kind = isFirst ? .found : .entered
        inside.append(Inside(slot: slot, since: time, isOver: fence.dwell == nil))
      } else {
        // The first state outside is not reported.
        guard let place = inside.firstIndex(where: { $0.slot == slot }) else { continue }
        inside.remove(at: place)
      }
      step.append(
        FleetEvent(
          kind, fence: fence, at: time, decided: evidence.decided, evidence: .crossing(evidence)))
    }
  }

  /// When the first dwell is over, of fences that the device does not seem to leave.
  private mutating func nextDwell(_ fences: borrowing FleetFences) -> Instant? {
    var due: Instant?
    for stay in inside where !stay.isOver && !follower.isDoubted(stay.slot) {
      let over = stay.since + (fences[stay.slot].dwell ?? .zero) + shift
      due = earliest(due, Instant(nanoseconds: over.nanoseconds))
    }
    return due
  }

  private mutating func dwell(
    _ fences: borrowing FleetFences, at now: Moment, _ step: inout [FleetEvent]
  ) {
    for place in inside.indices where !inside[place].isOver {
      let (slot, since) = (inside[place].slot, inside[place].since)
      let time = since + (fences[slot].dwell ?? .zero)
      guard time <= now.unixTime, !follower.isDoubted(slot) else { continue }
      inside[place].isOver = true
      step.append(FleetEvent(.dwelled, fence: fences[slot], at: time, decided: now.unixTime))
    }
  }

  private static func add(
    _ outputs: [VisitDetector.Output], at now: Moment, to step: inout [FleetEvent]
  ) {
    for output in outputs {
      let (kind, visit): (FleetEvent.Kind, Visit) =
        switch output {
        case .arrived(let visit): (.arrived, visit)
        case .departed(let visit): (.departed, visit)
        }
      let time = (kind == .arrived ? visit.arrival : visit.departure) ?? now.unixTime
      step.append(
        FleetEvent(
          kind, at: time, decided: now.unixTime, evidence: visit.evidence, visit: visit))
    }
  }

  private static func add(
    _ outputs: [SignificantChangeDetector.Output], at now: Moment, to step: inout [FleetEvent]
  ) {
    for case .announce(let fix) in outputs {
      step.append(FleetEvent(.moved, at: fix.time, decided: now.unixTime))
    }
  }
}
