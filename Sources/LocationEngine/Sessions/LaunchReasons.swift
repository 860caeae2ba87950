import LocationModel

/// What an app that does not run is still owed of services that outlive its process: significant
/// changes, and live updates that a session carries (SLC-8, LIVE-35).
///
/// The delivery table says whether it is launched for them. The launched process starts them anew
/// and then hears at once; what it does not start in time is owed no more (SLC-9, LIVE-36).
struct LaunchReasons: Sendable {
  /// What outlives the daemon, too.
  private struct Record: Hashable, Codable {
    var changes = false
    var live = false
  }

  /// Follows the moves; `nil` when none are owed.
  private var changes: SignificantChangeDetector?
  private var hasPendingLive = false
  /// Moves known to an earlier daemon only: the first fix is where they begin.
  private var isRestored = false
  private var stored = Record()

  var isEmpty: Bool { changes == nil && !hasPendingLive }

  init() {}

  /// Takes back what was stored.
  init(restoring entries: [StateEntry], of app: AppIdentity) {
    guard let entry = entries.first(where: { $0.key == Self.key(of: app) }),
      let record = StoredJSON.read(Record.self, from: entry.value)
    else { return }
    stored = record
    hasPendingLive = record.live
    isRestored = record.changes
    guard record.changes else { return }
    var detector = SignificantChangeDetector()
    _ = detector.handle(
      .start(cached: nil), at: Moment(uptime: .start, unixTime: UnixTime(nanoseconds: 0)))
    changes = detector
  }

  /// The last process is gone; it leaves these behind, beside what it had no time to start.
  mutating func leave(_ changes: SignificantChangeDetector?, live: Bool) {
    if let changes {
      self.changes = changes
      isRestored = false
    }
    if live { hasPendingLive = true }
  }

  /// Nothing is owed any more.
  mutating func drop() {
    changes = nil
    hasPendingLive = false
  }

  var nextDeadline: Instant? { changes?.nextDeadline }

  /// What they need of the hardware, where the table lets them launch.
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

  /// The verdicts on what a fix, or the passing of time, owes the app now.
  mutating func handle(
    _ input: SignificantChangeDetector.Input, _ verdicts: Verdicts, at now: Moment
  ) -> [DeliveryRule.Verdict] {
    var due: [DeliveryRule.Verdict] = []
    let news = changes?.handle(input, at: now).contains { output in
      if case .announce = output { true } else { false }
    }
    if news == true {
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

  /// The change that makes this durable; `nil` when nothing has changed.
  mutating func change(for app: AppIdentity) -> StateChange? {
    let record = Record(changes: changes != nil, live: hasPendingLive)
    guard record != stored else { return nil }
    stored = record
    guard record != Record() else { return .remove(Self.key(of: app)) }
    return .set(Self.key(of: app), StoredJSON.bytes(record))
  }
}
