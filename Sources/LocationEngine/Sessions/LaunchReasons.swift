import LocationCoding
import LocationModel

/// The services for which an app that does not run may be launched, because they outlive its
/// process: significant changes, and live updates kept by a session (SLC-8, LIVE-35).
///
/// The delivery table decides whether they launch the app. The launched process starts them again
/// and receives events at once; what it does not start in time is dropped (SLC-9, LIVE-36).
struct LaunchReasons: Sendable {
  /// The part that also outlives the daemon.
  private struct Record: Hashable, JSONStructure {
    var changes = false
    var live = false

    static let fields = JSONFields(Self(), .get("changes", \.changes), .get("live", \.live))
  }

  /// Detects significant changes; `nil` when none are needed.
  private var changes: SignificantChangeDetector?
  private var hasPendingLive = false
  /// Whether the detector was restored from an earlier daemon: its first fix is the starting point.
  private var isRestored = false
  private var stored = Record()

  var isEmpty: Bool { changes == nil && !hasPendingLive }

  init() {}

  /// Restores what was stored.
  init(restoring entries: [StateEntry], of app: AppIdentity, heartbeat: Duration?) {
    guard let entry = entries.first(where: { $0.key == Self.key(of: app) }),
      let record = Record(stored: entry.value)
    else { return }
    stored = record
    hasPendingLive = record.live
    isRestored = record.changes
    if record.changes {
      changes = SignificantChangeDetector(heartbeat: heartbeat, isRunning: true)
    }
  }

  /// Adopts the services of the last process, which has ended, beside those it had not started yet.
  mutating func leave(_ changes: SignificantChangeDetector?, live: Bool) {
    if let changes {
      self.changes = changes
      isRestored = false
    }
    if live { hasPendingLive = true }
  }

  /// Adopts the longest time without a change for a device at rest (SLC-11).
  mutating func settle(heartbeat: Duration?) { changes?.heartbeat = heartbeat }

  /// Drops all services.
  mutating func drop() {
    changes = nil
    hasPendingLive = false
  }

  var nextDeadline: Instant? { changes?.nextDeadline }

  /// Returns their demand, where the table lets them launch.
  func demand(_ verdicts: Verdicts) -> Demand {
    var all = Demand.none
    if let changes, verdicts.significant.tracks { all = all.union(changes.demand) }
    if hasPendingLive, verdicts.live.flows {
      all = all.union(
        verdicts.live.isCoarse
          ? CoarseLocator.demand(isFirst: false)
          : Demand(position: PositionDemand(tier: .satellite)))
    }
    return all
  }

  /// Returns the verdicts on events that a fix, or the passing of time, has caused.
  mutating func handle(
    _ input: SignificantChangeDetector.Input, _ verdicts: Verdicts, at now: Moment
  ) -> [DeliveryRule.Verdict] {
    var due: [DeliveryRule.Verdict] = []
    let hasChanged = changes?.handle(input, at: now).contains { output in
      if case .announce = output { true } else { false }
    }
    if hasChanged == true {
      if !isRestored { due.append(verdicts.significant) }
      isRestored = false
    }
    if hasPendingLive, case .fix = input { due.append(verdicts.live) }
    return due
  }

  // MARK: Storage

  static let domain = "claims"

  static func key(of app: AppIdentity) -> StateKey {
    StateKey(domain: domain, owner: app.name)
  }

  /// Returns the change that makes this durable; `nil` when nothing has changed.
  mutating func change(for app: AppIdentity) -> StateChange? {
    let record = Record(changes: changes != nil, live: hasPendingLive)
    guard record != stored else { return nil }
    stored = record
    guard record != Record() else { return .remove(Self.key(of: app)) }
    return .set(Self.key(of: app), record.stored)
  }
}
