package import LocationModel

/// Chooses which fixes become the current fix, and gives the reason for the others.
///
/// Chosen (docs/decisions/0005): the fix with the smaller aged radius wins. A radius is only a
/// claim: a fix that could not be reached from the current one, or that another provider
/// contradicts, must first be confirmed.
package struct ProviderArbiter: Machine {
  package enum Input: MachineInput {
    case fix(Fix, ProviderID)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// The new current fix.
    case current(Fix, ProviderID)
    case ignored(Fix, ProviderID, IgnoreReason)
  }

  private var tracks: [ProviderTrack] = []
  /// The current fix that was output last.
  package private(set) var current: Fix?
  private var leader: ProviderID?

  package init() {}

  package var nextDeadline: Instant? { nil }

  /// Forgets the current fix; the next fix is the first.
  package mutating func forget() {
    (current, leader, tracks) = (nil, nil, [])
  }

  /// Makes a fix the current one that no provider gave (SIM-15).
  mutating func impose(_ fix: Fix) { (current, leader, tracks) = (fix, nil, []) }

  /// Begins with the position of an earlier run; any fix may follow it.
  package mutating func restore(_ fix: Fix) {
    guard current == nil else { return }
    current = fix
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    guard case .fix(let fix, let provider) = input else { return [] }
    return [judge(fix, from: provider, at: now)]
  }

  /// Judges one fix.
  mutating func judge(_ fix: Fix, from provider: ProviderID, at now: Moment) -> Output {
    guard fix.coordinate.isValid, fix.horizontalAccuracy > 0, fix.horizontalAccuracy.isFinite
    else { return .ignored(fix, provider, .notAPosition) }
    let index = trackIndex(of: provider)
    if let reason = tracks[index].note(fix, at: now.uptime) {
      // One that is only late is not kept, and says nothing of the newest.
      if reason != .olderThanCurrent { tracks[index].refusal = reason }
      return .ignored(fix, provider, reason)
    }
    let reason = refusal(of: fix, from: tracks[index], at: now)
    tracks[index].refusal = reason
    if let reason { return .ignored(fix, provider, reason) }
    current = fix
    leader = provider
    return .current(fix, provider)
  }

  /// Whether several providers have given fixes.
  var hasSeveral: Bool { tracks.count > 1 }

  /// Returns the position that a fix which was judged gives together with those of other providers,
  /// and makes it the current one; `nil` where the fix counts alone, or not at all.
  package mutating func fuse(_ judgment: Output, at now: Moment) -> Fix? {
    let (fix, provider): (Fix, ProviderID)
    switch judgment {
    case .current(let accepted, let from): (fix, provider) = (accepted, from)
    case .ignored(let vaguer, let from, .lessAccurate): (fix, provider) = (vaguer, from)
    case .ignored: return nil
    }
    if case .ignored = judgment, let current, fix.time <= current.time { return nil }
    let index = trackIndex(of: provider)
    let mine = tracks[index]
    let others = tracks.filter { $0.provider != provider && !$0.repeats(mine) }
    let fused = PositionFusion.fuse(
      fix, with: others.compactMap { $0.witness(at: now.uptime, for: fix.time) })
    guard let fused else { return nil }
    current = fused
    if case .ignored = judgment { tracks[index].refusal = .fused }
    return fused
  }

  /// The newest fix of a provider, and what has become of it; `nil` where it gave none.
  package func ownFix(of provider: ProviderID) -> OwnFix? {
    guard let track = tracks.first(where: { $0.provider == provider }), let fix = track.newest
    else { return nil }
    switch track.refusal {
    case .fused?: return OwnFix(fix: fix, use: .fused)
    case let reason?: return OwnFix(fix: fix, use: .refused(reason))
    case nil: return OwnFix(fix: fix, use: provider == leader ? .current : .earlier)
    }
  }

  /// Why the fix may not become the current one; `nil` when it may.
  private func refusal(
    of fix: Fix, from challenger: ProviderTrack, at now: Moment
  ) -> IgnoreReason? {
    guard let current, let holder = tracks.first(where: { $0.provider == leader })
    else { return nil }
    let rivals = tracks.filter {
      $0.provider != challenger.provider && !$0.isSilent(at: now.uptime)
        && $0.isContradicted(by: challenger)
    }
    if rivals.contains(where: { !prefers(challenger, to: $0, at: now.uptime) }) {
      return .contradicted
    }
    let isInOrder = fix.time > current.time || challenger.clockStepped
    guard challenger.provider != leader else { return isInOrder ? nil : .olderThanCurrent }
    let yields =
      holder.isSilent(at: now.uptime) || rivals.contains { $0.provider == leader }
    let radius = holder.agedRadius(at: now.uptime, comparedWith: fix.time)
    if !yields, fix.horizontalAccuracy > Self.clearlyBetter * radius { return .lessAccurate }
    return isInOrder || outdates(fix, from: challenger, holderYields: yields, at: now)
      ? nil : .olderThanCurrent
  }

  /// Decides whether the date of the current fix is wrong, so that an earlier date may follow it.
  ///
  /// A slightly earlier fix is only late. Were the current date far ahead, no fix would be later.
  private func outdates(
    _ fix: Fix, from challenger: ProviderTrack, holderYields: Bool, at now: Moment
  ) -> Bool {
    guard let current, hasSay(challenger, at: now.uptime) else { return false }
    let lead = current.time.seconds(since: fix.time)
    if holderYields { return lead > Self.longestDelay }
    let ahead = current.time.seconds(since: now.unixTime)
    return ahead > Self.future && fix.time.seconds(since: now.unixTime) < Self.future
  }

  /// Decides which of two providers that contradict each other is believed.
  ///
  /// A provider counts after two fixes, its own or with one of another that agrees. Then these
  /// decide, in this order: the number of providers that agree; no recent jump; measured motion, as
  /// of satellite receivers; a position that this computer has found rather than a service's; the
  /// larger claimed radius; the order of the configuration. A claim of a small radius never helps.
  private func prefers(
    _ challenger: ProviderTrack, to holder: ProviderTrack, at now: Instant
  ) -> Bool {
    let maySpeak = (mine: hasSay(challenger, at: now), theirs: hasSay(holder, at: now))
    guard maySpeak.mine else { return !maySpeak.theirs && holder.provider != leader }
    guard maySpeak.theirs else { return true }
    let (mine, theirs) = (rank(challenger, at: now), rank(holder, at: now))
    for (mine, theirs) in zip(mine, theirs) where mine != theirs { return mine > theirs }
    return challenger.provider < holder.provider
  }

  private func hasSay(_ track: ProviderTrack, at now: Instant) -> Bool {
    track.confirmations >= Self.confirmations || supporters(of: track, at: now) > 0
  }

  private func supporters(of track: ProviderTrack, at now: Instant) -> Int {
    tracks.count {
      $0.provider != track.provider && !$0.isSilent(at: now) && !$0.isContradicted(by: track)
    }
  }

  private func rank(_ track: ProviderTrack, at now: Instant) -> [Double] {
    [
      Double(supporters(of: track, at: now)), track.jumpedLately(at: now) ? 0 : 1,
      track.measuresMotion ? 1 : 0, track.newest?.origin.method == .service ? 0 : 1,
      track.claimedRadius,
    ]
  }

  private mutating func trackIndex(of provider: ProviderID) -> Int {
    if let index = tracks.firstIndex(where: { $0.provider == provider }) { return index }
    tracks.append(ProviderTrack(provider: provider))
    return tracks.count - 1
  }

  /// The share of the holder's radius below which a challenger must be, so that two equal receivers
  /// do not alternate. Chosen.
  private static let clearlyBetter = 0.7
  /// Fixes that contradict the holder before it gives way. Chosen: two honest fixes.
  private static let confirmations = 2
  /// Seconds to wait for a source to reach the current date. Chosen.
  private static let longestDelay = 120.0
  /// Seconds ahead of the host's clock at which a date is not to be believed. Chosen: an hour, as
  /// a time zone mistaken for UTC is one.
  private static let future = 3599.0
}

/// The newest fix of one provider, as the owner of the machine may see it.
package struct OwnFix: Hashable, Sendable {
  package enum Use: Hashable, Sendable {
    /// It became the current fix, alone or with those of others, and none of another provider since.
    case current
    /// A fix of another provider is more accurate, and the current fix rests on both.
    case fused
    /// It was the current fix, until another provider gave a later one.
    case earlier
    case refused(IgnoreReason)
  }

  package var fix: Fix
  package var use: Use
}

/// Why an observation did not become the current fix.
package enum IgnoreReason: String, Hashable, CaseIterable, Sendable {
  /// Out of range, or without a usable radius.
  case notAPosition
  /// Its receiver named a better place for the same instant.
  case superseded
  /// The provider, or another, already gave a later one.
  case olderThanCurrent
  /// Another provider is more accurate at the moment.
  case lessAccurate
  /// Another provider is more accurate, and the position rests on both (RADIO-50).
  case fused
  /// It could not be reached from the provider's last fix, and is not confirmed yet.
  case unconfirmedJump
  /// Its date jumped against the time that passed, and is not confirmed yet.
  case unconfirmedClock
  /// Another provider contradicts it, and is believed.
  case contradicted
  /// A place is set from outside (SIM-15).
  case simulated
}
