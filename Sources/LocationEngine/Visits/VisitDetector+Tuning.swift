extension VisitDetector {
  /// The parameters of the decision.
  package struct Tuning: Hashable, Sendable {
    /// Seconds at a place visited before, until the arrival is delivered.
    package var familiarDwell = 90.0
    /// Seconds at a new place.
    package var newDwell = 165.0
    /// Seconds at a new place that was reached faster than `ride`: most likely a traffic light.
    package var rideDwell = 300.0
    /// Meters per second: faster than a person walks.
    package var ride = 3.0
    /// Seconds at a new place with coarse fixes only, as slow traffic stays within their error.
    package var coarseDwell = 300.0
    /// Meters: a mean accuracy above this is coarse.
    package var coarseAccuracy = 45.0
    /// Meters that a stay extends, in addition to the errors of its fixes.
    package var reach = 35.0
    /// Logarithm of the odds that decide a departure.
    package var leaveOdds = 1.5
    /// Seconds that a departure must last at least.
    package var leaveDwell = 8.0

    /// Multiplies the waits by `latency`; 0 leaves only what the fixes need (VISIT-11).
    package init(latency: Double = 1) {
      familiarDwell *= latency
      newDwell *= latency
      rideDwell *= latency
      coarseDwell *= latency
      leaveDwell *= latency
    }
  }
}
