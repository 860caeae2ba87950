package import LocationModel

/// Decides whether an app is in use, whether its indicator shows, and how long it may run.
package struct AppLifecycleState: Machine {
  package enum Input: MachineInput {
    case life(AppLife)
    case hold(InUseReason)
    case release(InUseReason)
    /// The status that the app reads; it decides whether the indicator is shown (STD-52).
    case status(AuthorizationStatus)
    /// Whether an app with Always wants the indicator (`showsBackgroundLocationIndicator`).
    case showsIndicator(Bool)
    /// An event or an update was delivered to the app, which may run that long for it.
    case woken(runtime: Duration)
    /// The person stops the app's use of the location for now (BGA-16).
    case stopped
    /// The daemon restarted; the lifecycle state of the app is not known yet.
    case restored
    case wake
  }

  package enum Output: Hashable, Sendable {
    case use(AppUse)
    /// The person sees that the app uses location (BGA-5).
    case indicator(Bool)
    /// The runtime for an event is over; events that were not taken are dropped (LIFE-6).
    case runtimeOver
  }

  package private(set) var life = AppLife.terminated
  package private(set) var use = AppUse.none
  package private(set) var showsIndicator = false
  /// Sorted; each reason once.
  private var reasons: [InUseReason] = []
  private var graceUntil: Instant?
  private var runtimeUntil: Instant?
  private var status = AuthorizationStatus.notDetermined
  private var wantsIndicator = false
  /// Whether the person has stopped the app, which has not been opened anew since (BGA-16).
  package private(set) var isStopped = false

  package init() {}

  /// Whether modern services continue outside the foreground as if in it (BGA-4).
  package var carriesModernServices: Bool { !isStopped && reasons.contains(.backgroundActivity) }

  /// When the runtime for an event is over; `nil` without such a runtime.
  package var runtimeEnd: Instant? { runtimeUntil }

  /// Whether a process of the app may reconnect, as the daemon has just started (LIFE-9).
  package var mayReturn: Bool { !life.hasProcess && graceUntil != nil }

  package var nextDeadline: Instant? {
    earliest(graceUntil, runtimeUntil)
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .life(let life):
      take(life, at: now)
    case .hold(let reason):
      if !reasons.contains(reason) { reasons = (reasons + [reason]).sorted() }
    case .release(let reason):
      if reasons == [reason] && life.hasProcess { graceUntil = now.uptime + Self.grace }
      reasons.removeAll { $0 == reason }
    case .status(let status):
      self.status = status
    case .showsIndicator(let wanted):
      wantsIndicator = wanted
    case .woken(let runtime):
      guard life != .foreground else { break }
      runtimeUntil = max(runtimeUntil ?? .start, now.uptime + runtime)
    case .stopped:
      isStopped = life.hasProcess
      graceUntil = nil
    case .restored:
      graceUntil = now.uptime + Self.reclaimWindow
    case .wake:
      break
    }
    return settle(at: now)
  }

  private mutating func take(_ life: AppLife, at now: Moment) {
    // Documented (W19-705): a few seconds after leaving the foreground. Neither a process that
    // ended nor one whose lifecycle state was unknown until now has them.
    let wasDirect = self.life == .foreground
    if !life.hasProcess || (life == .foreground && !wasDirect) { isStopped = false }
    if wasDirect && life.hasProcess { graceUntil = now.uptime + Self.grace }
    if !life.hasProcess || (!wasDirect && self.life == .terminated) { graceUntil = nil }
    // Documented (STD-51): standard updates end with the process.
    if !life.hasProcess { reasons.removeAll { $0 == .continuousUpdates } }
    if life == .foreground || !life.hasProcess { runtimeUntil = nil }
    self.life = life
  }

  private mutating func settle(at now: Moment) -> [Output] {
    var outputs: [Output] = []
    if let until = graceUntil, now.uptime >= until { graceUntil = nil }
    if let until = runtimeUntil, now.uptime >= until {
      runtimeUntil = nil
      outputs.append(.runtimeOver)
    }
    let newUse = currentUse
    if newUse != use {
      use = newUse
      outputs.append(.use(newUse))
    }
    let isShown = isIndicatorDue
    if isShown != showsIndicator {
      showsIndicator = isShown
      outputs.append(.indicator(isShown))
    }
    return outputs
  }

  private var currentUse: AppUse {
    if life == .foreground { return .direct }
    return isStopped || reasons.isEmpty && graceUntil == nil ? .none : .extended
  }

  private var isIndicatorDue: Bool {
    guard life != .foreground, !isStopped else { return false }
    if reasons.contains(.backgroundActivity) { return true }
    return reasons.contains(.continuousUpdates) && (status == .whenInUse || wantsIndicator)
  }

  /// Chosen (`inUseGrace`); "a few seconds" is documented.
  package static let grace = Duration.seconds(5)
  /// Chosen (`sessionReclaimWindow`); "a few seconds" is documented.
  package static let reclaimWindow = Duration.seconds(5)
  /// Documented: about ten seconds after a wake in the background (LIFE-3, `eventRuntime`).
  package static let eventRuntime = Duration.seconds(10)
  /// Chosen (LIVE-37, `liveUpdateRuntime`); "a few seconds" is documented.
  package static let liveUpdateRuntime = Duration.seconds(5)
}
