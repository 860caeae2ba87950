package import LocationModel

/// Chooses the sources that serve the demand for positions: those of the tier that is needed, and
/// costlier ones only while these give no position (POW-1, POW-2, docs/decisions/0091).
///
/// | state | input | next |
/// |---|---|---|
/// | closed | a demand | the tier of the demand, or the cheapest that has a source |
/// | at a tier | its sources cannot give positions, or give none in time | the next tier that has a source |
/// | at a tier | a position of a cheaper tier | that tier, but not below the demand's |
/// | any | no demand | closed |
package struct SourceSelection: Sendable {
  /// A source, as far as it matters here.
  private struct Candidate: Sendable {
    let tier: PositionTier
    var isUnavailable = false
  }

  /// The sources of positions; `nil` for a source of anything else.
  private var candidates: [Candidate?]
  /// What is needed; `nil` while no position is.
  private var demand: PositionDemand?
  /// The costliest tier whose sources are open; `nil` while none is.
  private var open: PositionTier?
  /// When a source of the open tiers gave the last position, or was opened.
  private var since = Instant.start
  /// Whether sources of several tiers give positions, so that there is something to choose.
  package let hasChoice: Bool

  /// - Parameter tiers: the tier of each source; `nil` for one without positions.
  package init(_ tiers: [PositionTier?]) {
    candidates = tiers.map { tier in tier.map { Candidate(tier: $0) } }
    hasChoice = Set(tiers.compactMap(\.self)).count > 1
  }

  /// When a costlier tier is opened, unless a position comes before.
  package var nextDeadline: Instant? {
    guard hasChoice, next != nil else { return nil }
    return since + timeLimit
  }

  /// Returns whether a source is to be open for positions.
  package func isSelected(_ index: Int) -> Bool {
    guard let open, let candidate = candidates[index] else { return false }
    return candidate.tier <= open
  }

  /// Notes a new demand.
  package mutating func settle(_ demand: PositionDemand?, at now: Instant) {
    let last = self.demand?.tier
    self.demand = demand
    guard let demand else { return open = nil }
    guard demand.tier != last else { return }
    // What was opened because cheaper sources give nothing stays open until they do.
    let costlier = open.flatMap { open in last.flatMap { open > $0 ? open : nil } }
    (open, since) = (max(demand.tier, costlier ?? demand.tier), now)
    escalate(at: now)
  }

  /// Notes a status. An open tier without a source that can give positions does not wait.
  package mutating func note(_ status: ProviderStatus, of index: Int, at now: Instant) {
    if case .unavailable = status {
      candidates[index]?.isUnavailable = true
    } else if status != .idle {
      candidates[index]?.isUnavailable = false
    }
    escalate(at: now)
  }

  /// Notes a position: the costlier tiers are not needed any more.
  package mutating func notePosition(from index: Int, at now: Instant) {
    guard let demand, let open, let tier = candidates[index]?.tier, tier <= open else { return }
    self.open = max(tier, demand.tier)
    since = now
  }

  /// Opens the next tier if the open ones have given nothing in time.
  package mutating func wake(at now: Instant) {
    guard let deadline = nextDeadline, now >= deadline, let next else { return }
    (open, since) = (next, now)
    escalate(at: now)
  }

  /// Opens costlier tiers until one has a source that may give positions.
  private mutating func escalate(at now: Instant) {
    while let open, !canServe(open), let next { (self.open, since) = (next, now) }
  }

  private func canServe(_ tier: PositionTier) -> Bool {
    candidates.contains { $0.map { $0.tier <= tier && !$0.isUnavailable } ?? false }
  }

  /// The next costlier tier that has a source.
  private var next: PositionTier? {
    guard let open else { return nil }
    return candidates.lazy.compactMap { $0?.tier }.filter { $0 > open }.min()
  }

  private var timeLimit: Duration { Self.timeout + (demand?.interval ?? .zero) }

  /// How long an open source may give no position. Chosen: a scan of Wi-Fi takes a few seconds.
  package static let timeout = Duration.seconds(30)
}
