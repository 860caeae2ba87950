package import LocationModel

/// What is believed about a condition.
package enum ConditionState: String, Hashable, Sendable, CaseIterable, Codable {
  case unknown
  case satisfied
  case unsatisfied
}

extension Circle {
  /// Whether it can be watched: a place on earth and a radius above zero (REG-16).
  package var isValid: Bool { center.isValid && radius > 0 && radius.isFinite }
}

/// What a fix settled about a condition.
package enum Decision: Hashable, Sendable {
  /// The state that was assumed or restored is true.
  case confirmed
  case changed(Crossing)
}

/// One change of a condition's state, with the evidence that decided it.
package struct Crossing: Hashable, Sendable {
  package var state: ConditionState
  package var evidence: CrossingEvidence

  package init(state: ConditionState, evidence: CrossingEvidence) {
    self.state = state
    self.evidence = evidence
  }
}

/// Why a condition changed its state, complete enough to explain the event alone.
package struct CrossingEvidence: Hashable, Sendable {
  /// The first and the last fix that spoke for the change.
  package var firstFix: UnixTime
  package var lastFix: UnixTime
  /// How many fixes spoke for it.
  package var fixes: Int
  /// That the new state is true, in `0..<1`.
  package var probability: Double
  /// When the boundary was crossed, between two fixes; `nil` when no fix was on the other side.
  package var crossed: UnixTime?
  /// When the decision was made.
  package var decided: UnixTime
  /// From the boundary in the last fix: meters, positive outside.
  package var distance: Double
  /// Meters: the spread assumed for that fix, which is not less than it claims.
  package var spread: Double

  /// From the crossing until the first fix beyond it.
  package var sensingDelay: Duration? { crossed.map { firstFix - $0 } }
  /// From that fix until the decision.
  package var policyDelay: Duration { decided - firstFix }
}
