package import LocationModel

/// The belief of one condition.
package struct OpenBelief: Hashable, Sendable {
  package var identifier: String
  package var belief: Belief
}

/// What speaks for a change that has not been decided, for the owner of the machine: of a condition, or
/// of a visit, which `unsatisfied` ends.
package struct Belief: Hashable, Sendable {
  /// The state that it speaks for.
  package var towards: ConditionState
  /// That the change is real, in 0.5..<1.
  package var probability: Double
  /// The probability from which on it is decided.
  package var threshold: Double
  /// The first fix of it.
  package var since: UnixTime
  /// How many fixes speak for it.
  package var fixes: Int
  /// Before then it is not decided, unless one clear fix suffices.
  package var earliest: UnixTime

  init(
    towards: ConditionState, logOdds: Double, threshold: Double, since: UnixTime, fixes: Int,
    earliest: UnixTime
  ) {
    self.towards = towards
    probability = 1 / (1 + exponential(-logOdds))
    self.threshold = 1 / (1 + exponential(-threshold))
    (self.since, self.fixes, self.earliest) = (since, fixes, earliest)
  }
}
