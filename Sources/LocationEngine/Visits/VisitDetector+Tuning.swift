extension VisitDetector {
  /// The numbers of the decision.
  package struct Tuning: Hashable, Sendable {
    /// Seconds at a place visited before, until the arrival is told.
    package var familiarDwell = 90.0
    /// Seconds at a new place.
    package var newDwell = 165.0
    /// Seconds at a new place that was reached faster than `ride`: most likely a traffic light.
    package var rideDwell = 300.0
    /// Meters per second: nobody walks as fast.
    package var ride = 3.0
    /// Seconds at a new place seen by coarse fixes only, which slow traffic does not leave.
    package var coarseDwell = 300.0
    /// Meters: a mean accuracy above this is coarse.
    package var coarseAccuracy = 45.0
    /// Meters that a stay extends, beside the errors of its fixes.
    package var reach = 35.0
    /// Logarithm of the odds that decide a departure.
    package var leaveOdds = 1.5
    /// Seconds that a departure must last at least.
    package var leaveDwell = 8.0

    /// Waits so many times as long as usual; 0 for what the fixes themselves need (VISIT-11).
    package init(latency: Double = 1) {
      familiarDwell *= latency
      newDwell *= latency
      rideDwell *= latency
      coarseDwell *= latency
      leaveDwell *= latency
    }
  }
}
