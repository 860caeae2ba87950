package import LocationModel

/// Watches the conditions of all apps: the regions of location managers and those of monitors.
///
/// Both kinds use one tracker and share one limit (REG-3); the states of beacons are inputs. The
/// event that an app should have is derived from the observation and the app's access, and compared
/// with the last one delivered. So one crossing is one event, a crossing and its return while no
/// loop asks are none, and no event is lost with the process.
package struct Conditions: Machine {
  package enum Input: MachineInput {
    /// Registers or replaces a region (REG-1, REG-4).
    case register(ConditionKey, ConditionTarget, RegionNotices)
    /// Adds or replaces a condition of a monitor (MON-9 to MON-13).
    case add(ConditionKey, ConditionTarget, assuming: ConditionState)
    case remove(ConditionKey)
    /// Requests the state of a region, monitored or not (REG-26); with the current fix, as far as
    /// the app may know it.
    case requestState(ConditionKey, ConditionTarget, seen: Fix?)
    /// Opens a monitor for one client; a name has one opener (MON-2, MON-40).
    case open(MonitorKey, opener: UInt64)
    case close(MonitorKey, opener: UInt64)
    /// The loop of a monitor asks for its next event; the one with this number is handled (MON-23).
    case next(MonitorKey, after: EventNumber)
    /// The event with this number is handled; the loop may receive no other now.
    case handled(MonitorKey, EventNumber)
    /// The loop was left; its last event was not handled (MON-24).
    case leave(MonitorKey)
    /// The access of an app from now on.
    case access(AppIdentity, ConditionAccess)
    case fix(Fix)
    /// How the device moves from now on; for a fix, before it.
    case motion(MotionEstimate)
    /// The observed state of a beacon, and its date (MON-32).
    case beacon(ConditionKey, ConditionState, refinement: BeaconIdentity?, seen: UnixTime)
    /// The display of a user turned on; `nil` is the engine's own user (BEACON-24).
    case display(user: UInt32?)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case store(StateChange)
    case opened(MonitorKey)
    /// Another client has this name open.
    case refused(MonitorKey, openedBy: UInt64)
    /// The app has too many monitors, or the name is not valid: this one is not opened.
    case barred(MonitorKey)
    /// The app has too many unwatched conditions: this one is not added.
    case rejected(ConditionKey)
    /// An event for the loop that asked, and the number by which it acknowledges the event.
    case event(MonitorKey, EventNumber, ConditionEvent)
    /// An event waits for a monitor whose loop does not ask: a reason to launch the app (MON-38).
    case waiting(MonitorKey)
    case region(ConditionKey, RegionEvent)
    /// The device is inside a region whose app asked for that when the display turns on; the app is
    /// woken for it, as for a crossing (BEACON-24).
    case insideOnDisplay(ConditionKey)
    /// The answer to a request for the state of a region.
    case state(ConditionKey, ConditionState)
  }

  /// The numbers that may be changed.
  package struct Limits: Hashable, Sendable {
    /// Conditions of all kinds per app; `nil` lifts the limit. Documented: 20 (REG-2).
    package var perApp: Int?
    /// Meters. Chosen (REG-5).
    package var maximumRadius: Double

    package init(perApp: Int? = 20, maximumRadius: Double = 1_000_000) {
      self.perApp = perApp
      self.maximumRadius = maximumRadius
    }
  }

  let limits: Limits
  /// Whether there is a source of positions; without one, circles added from now on are not
  /// supported (MON-20).
  var hasPositions: Bool
  /// Whether what is decided outlives this run (MON-6).
  var isKept = true
  var conditions = ConditionTable()
  var keysBySlot: [ConditionKey?] = []
  /// The number of monitored conditions of each app.
  var monitoredCounts: [AppIdentity: Int] = [:]
  /// The surplus of each app, earliest first.
  var surplus: [AppIdentity: [ConditionKey]] = [:]
  /// The number of unwatched conditions of each app.
  var unwatched: [AppIdentity: Unwatched] = [:]
  var monitors: [MonitorKey: MonitorLoop] = [:]
  /// Stored conditions that were moved aside, oldest first (MON-7).
  var damaged: [StateKey] = []
  /// The access of each app, and since when its monitors have it.
  var access: [AppIdentity: (flags: ConditionAccess, since: UnixTime)] = [:]
  var tracker = ConditionTracker()
  var nextOrdinal: UInt64 = 0

  /// Restores the conditions that an earlier engine stored; their states must be confirmed again.
  package init(
    restoring entries: [StateEntry] = [], limits: Limits = Limits(), hasPositions: Bool = true
  ) {
    self.limits = limits
    self.hasPositions = hasPositions
    restore(entries)
  }

  @inline(__always)
  package var nextDeadline: Instant? { tracker.nextDeadline }

  /// What speaks against the present state of a circle or polygon.
  func belief(of condition: WatchedCondition) -> Belief? {
    guard case .area(let slot) = condition.watch else { return nil }
    return tracker.belief(of: slot)
  }

  /// The conditions against whose state anything speaks.
  var beliefs: [OpenBelief] {
    tracker.beliefs.compactMap { slot, belief in
      keysBySlot[Int(slot)].map { OpenBelief(identifier: $0.identifier, belief: belief) }
    }
  }

  /// Whether there is nothing to watch.
  package var isEmpty: Bool { conditions.isEmpty }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .register(let key, let target, let notices):
      return register(key, target, notices, at: now)
    case .add(let key, let target, let assumed):
      return add(key, target, assuming: assumed, at: now)
    case .remove(let key):
      return remove(key, at: now)
    case .requestState(let key, let target, let fix):
      return [.state(key, knownState(of: key, target, seen: fix, at: now))]
    case .open(let monitor, let opener):
      return open(monitor, by: opener)
    case .close(let monitor, let opener):
      return close(monitor, by: opener)
    case .next(let monitor, let number):
      return next(of: monitor, after: number, at: now)
    case .handled(let monitor, let number):
      return acknowledge(number, of: monitor, at: now)
    case .leave(let monitor):
      monitors[monitor]?.leave()
      return []
    case .access(let app, let diagnostics):
      return setAccess(diagnostics, of: app, at: now)
    case .fix(let fix):
      return apply(tracker.observe(fix, at: now), at: now)
    case .motion(let motion):
      tracker.take(motion)
      return []
    case .beacon(let key, let state, let refinement, let date):
      return observeBeacon(key, .init(state: state, date: date, refinement: refinement), at: now)
    case .display(let user):
      return deliverBeaconRegions(of: user)
    case .wake:
      return apply(tracker.wake(at: now), at: now)
    }
  }

  /// The demand of the circles: small while far from every boundary.
  @inline(__always)
  package var demand: Demand {
    guard tracker.count > 0 else { return .none }
    return Demand(position: tracker.need(promising: .seconds(60)), motion: true)
  }
}

// MARK: - Observations

extension Conditions {
  private mutating func apply(
    _ decisions: [(slot: ConditionTracker.Slot, decision: Decision)], at now: Moment
  ) -> [Output] {
    decisions.flatMap { entry -> [Output] in
      guard let key = keysBySlot[Int(entry.slot)] else { return [] }
      switch entry.decision {
      case .confirmed:
        conditions[key]?.isVerified = true
        return deliver(key, at: now)
      case .changed(let crossing):
        let evidence = crossing.evidence
        return observe(
          key,
          WatchedCondition.Observation(
            state: crossing.state, date: evidence.lastFix, evidence: evidence), at: now)
      }
    }
  }

  private mutating func observeBeacon(
    _ key: ConditionKey, _ observation: WatchedCondition.Observation, at now: Moment
  ) -> [Output] {
    guard let condition = conditions[key], condition.watch == .beacon else { return [] }
    let known = condition.later ?? condition.observation
    if condition.isVerified, known.state == observation.state { return [] }
    return observe(key, observation, at: now)
  }

  private mutating func observe(
    _ key: ConditionKey, _ observation: WatchedCondition.Observation, at now: Moment
  ) -> [Output] {
    guard var condition = conditions[key] else { return [] }
    if isFrozen(condition, key) {
      condition.later = observation
    } else {
      condition.observation = observation
      condition.later = nil
      condition.isVerified = true
    }
    conditions[key] = condition
    return [store(key)].compactMap(\.self) + deliver(key, at: now)
  }

  /// Whether an event waits for a monitor that is not open (MON-27).
  private func isFrozen(_ condition: WatchedCondition, _ key: ConditionKey) -> Bool {
    guard case .monitor(let name) = key.owner else { return false }
    let monitor = MonitorKey(app: key.app, name: name)
    guard monitors[monitor]?.opener == nil else { return false }
    return condition.isUndelivered(event(of: condition, key))
  }

  /// Adopts the observation behind an event that is moot, as that only reported lost access.
  private mutating func thaw(_ key: ConditionKey, at now: Moment) -> [Output]? {
    guard let condition = conditions[key], let later = condition.later, !isFrozen(condition, key)
    else { return nil }
    return observe(key, later, at: now)
  }

  /// Delivers what has changed about one condition, if the app may know it.
  mutating func deliver(_ key: ConditionKey, at now: Moment) -> [Output] {
    switch key.owner {
    case .regions: deliverRegion(key)
    case .monitor(let name): deliverMonitor(MonitorKey(app: key.app, name: name), of: key, at: now)
    }
  }

  func event(of condition: WatchedCondition, _ key: ConditionKey) -> ConditionEvent {
    let access = access[key.app]
    return condition.currentEvent(
      diagnostics: access?.flags[key.owner] ?? [], since: access?.since ?? condition.lastEvent.date)
  }
}

// MARK: - Permission

extension Conditions {
  private mutating func setAccess(
    _ flags: ConditionAccess, of app: AppIdentity, at now: Moment
  ) -> [Output] {
    let earlier = access[app]?.flags ?? ConditionAccess()
    if access[app] == nil || flags.monitors != earlier.monitors {
      access[app] = (flags, now.unixTime)
    } else {
      access[app]?.flags = flags
    }
    if flags.isBarred != earlier.isBarred { settleObservation(of: app) }
    let changed = keys(of: app).filter { flags[$0.owner] != earlier[$0.owner] }
    return changed.flatMap { key -> [Output] in
      if let thawed = thaw(key, at: now) { return thawed }
      guard key.owner == .regions, flags.regions.contains(.accuracyLimited),
        !earlier.regions.contains(.accuracyLimited)
      else { return deliver(key, at: now) }
      return [.region(key, .failed(.denied))]
    }
  }

  /// Returns the conditions of an app in the order of their registration.
  func keys(of app: AppIdentity) -> [ConditionKey] {
    conditions.of(app)
      .sorted { $0.value.ordinal < $1.value.ordinal }
      .map(\.key)
  }
}
