/// The state of a condition, as far as it is known.
package enum ConditionState: String, Hashable, Sendable, CaseIterable {
  case unknown
  case satisfied
  case unsatisfied
}

extension Circle {
  /// Whether it can be watched: a place on earth and a radius above zero (REG-16).
  package var isValid: Bool { center.isValid && radius > 0 && radius.isFinite }
}

/// The evidence of a change of state; explains the event without other data.
package struct CrossingEvidence: Hashable, Sendable {
  /// The first and the last fix in favor of the change.
  package var firstFix: UnixTime
  package var lastFix: UnixTime
  /// The number of fixes in favor of it.
  package var fixes: Int
  /// The probability of the new state, in `0..<1`.
  package var probability: Double
  /// When the boundary was crossed, between two fixes; `nil` when no fix was on the other side. For
  /// a visit, the last fix at the place.
  package var crossed: UnixTime?
  /// When the decision was made.
  package var decided: UnixTime
  /// The distance of the last fix from the boundary in meters, positive outside.
  package var distance: Double
  /// Meters: the spread assumed for that fix, which is not less than it claims.
  package var spread: Double
  /// How the fixes were found on which that fix rests, the most accurate first; `nil` for a fix of
  /// one source (RADIO-53).
  package var fused: [PositionMethod]?

  package init(
    firstFix: UnixTime, lastFix: UnixTime, fixes: Int, probability: Double, crossed: UnixTime?,
    decided: UnixTime, distance: Double, spread: Double, fused: [PositionMethod]? = nil
  ) {
    self.firstFix = firstFix
    self.lastFix = lastFix
    self.fixes = fixes
    self.probability = probability
    self.crossed = crossed
    self.decided = decided
    self.distance = distance
    self.spread = spread
    self.fused = fused
  }

  /// From the crossing until the first fix beyond it.
  package var sensingDelay: Duration? { crossed.map { firstFix - $0 } }
  /// From that fix until the decision.
  package var policyDelay: Duration { decided - firstFix }
}
