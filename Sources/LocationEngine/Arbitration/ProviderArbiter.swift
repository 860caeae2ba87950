package import LocationModel

/// Chooses which observations become the current fix, and says why the others do not.
///
/// Chosen (docs/decisions/0005): the fix with the smaller aged radius wins. A radius is a claim, so
/// it wins nothing by itself: a fix that could not be reached from the current one, or that another
/// provider contradicts, first has to be confirmed.
package struct ProviderArbiter: Machine {
  package enum Input: MachineInput {
    case fix(Fix, ProviderID)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// This is now where the device is.
    case current(Fix, ProviderID)
    case ignored(Fix, ProviderID, IgnoreReason)
  }

  private var tracks: [ProviderTrack] = []
  /// The fix last announced as the current one.
  package private(set) var current: Fix?
  private var leader: ProviderID?

  package init() {}

  package var nextDeadline: Instant? { nil }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    guard case .fix(let fix, let provider) = input else { return [] }
    return [judge(fix, from: provider, at: now.uptime)]
  }

  private mutating func judge(_ fix: Fix, from provider: ProviderID, at now: Instant) -> Output {
    guard fix.coordinate.isValid, fix.horizontalAccuracy > 0, fix.horizontalAccuracy.isFinite
    else { return .ignored(fix, provider, .notAPosition) }
    let index = trackIndex(of: provider)
    if let reason = tracks[index].note(fix, at: now) { return .ignored(fix, provider, reason) }
    if let reason = refusal(of: fix, from: index, at: now) {
      return .ignored(fix, provider, reason)
    }
    current = fix
    leader = provider
    return .current(fix, provider)
  }

  /// Why the fix may not become the current one; `nil` when it may.
  private func refusal(of fix: Fix, from index: Int, at now: Instant) -> IgnoreReason? {
    guard let current, let leader else { return nil }
    let challenger = tracks[index]
    let rivals = tracks.filter {
      $0.provider != challenger.provider && !$0.isSilent(at: now)
        && $0.isContradicted(by: challenger)
    }
    if rivals.contains(where: { !prefers(challenger, to: $0, at: now) }) { return .contradicted }
    let isLater = fix.time > current.time
    guard challenger.provider != leader, let holder = tracks.first(where: { $0.provider == leader })
    else { return isLater || challenger.clockStepped ? nil : .olderThanCurrent }
    if holder.isSilent(at: now) || rivals.contains(where: { $0.provider == leader }) { return nil }
    if fix.horizontalAccuracy > Self.clearlyBetter * holder.agedRadius(at: now) {
      return .lessAccurate
    }
    return isLater ? nil : .olderThanCurrent
  }

  /// Of two providers that cannot both be right, whether the challenger is to be believed.
  ///
  /// Two fixes in a row earn a say. Then counts, in this order: who else says so; who has not
  /// jumped lately; who measures motion, as satellite receivers do; who claims less; who was
  /// listed first. A claim of a small radius never helps.
  private func prefers(
    _ challenger: ProviderTrack, to holder: ProviderTrack, at now: Instant
  ) -> Bool {
    let earned = [challenger, holder].map { $0.confirmations >= Self.confirmations }
    guard earned[0] else { return !earned[1] && holder.provider != leader }
    guard earned[1] else { return true }
    let (mine, theirs) = (standing(challenger, at: now), standing(holder, at: now))
    for (mine, theirs) in zip(mine, theirs) where mine != theirs { return mine > theirs }
    return challenger.provider < holder.provider
  }

  private func standing(_ track: ProviderTrack, at now: Instant) -> [Double] {
    let supporters = tracks.count {
      $0.provider != track.provider && !$0.isSilent(at: now) && !$0.isContradicted(by: track)
    }
    return [
      Double(supporters), track.jumpedLately(at: now) ? 0 : 1, track.measuresMotion ? 1 : 0,
      track.claimedRadius,
    ]
  }

  private mutating func trackIndex(of provider: ProviderID) -> Int {
    if let index = tracks.firstIndex(where: { $0.provider == provider }) { return index }
    tracks.append(ProviderTrack(provider: provider))
    return tracks.count - 1
  }

  /// A challenger must promise less than this share of the holder's radius, so that two equal
  /// receivers do not alternate. Chosen.
  private static let clearlyBetter = 0.7
  /// Fixes in a row that contradict the holder before it gives way. Chosen: two honest fixes.
  private static let confirmations = 2
}

/// Why an observation did not become the current fix.
package enum IgnoreReason: String, Hashable, CaseIterable, Sendable {
  /// Out of range, or without a usable radius.
  case notAPosition
  /// The provider, or another, already gave a later one.
  case olderThanCurrent
  /// Another provider knows better at the moment.
  case lessAccurate
  /// It could not be reached from the provider's last fix, and is not confirmed yet.
  case unconfirmedJump
  /// Its date jumped against the time that passed, and is not confirmed yet.
  case unconfirmedClock
  /// Another provider says otherwise, and has more reason to be believed.
  case contradicted
}
