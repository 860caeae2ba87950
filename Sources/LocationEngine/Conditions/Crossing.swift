package import LocationModel

/// What a fix decided about a condition.
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
