package import LocationModel

// A place that is set from outside, in place of all receivers (SIM-15).
extension LocationEngine {
  /// Whether a place from outside counts, in place of all sources.
  package var isPlaceSet: Bool { simulated.isActive }

  /// Begins, continues, or ends a simulation, and returns its fix (SIM-15). Receivers are not
  /// compared with what is simulated: neither confirms the other.
  mutating func simulate(
    _ request: SimulatedPosition.Request, at now: Moment, to outputs: inout [Output]
  ) -> Fix? {
    let wasActive = simulated.isActive
    let fix = simulated.handle(.request(request), at: now).first
    watch.isSimulated = simulated.isActive
    if wasActive != simulated.isActive {
      arbiter.forget()
      // No app gets a place that was set from outside after its end, nor takes the one before it for the present one.
      for index in coordinators.indices { coordinators[index].forgetPosition() }
      settleSources(at: now, to: &outputs)
    }
    guard let fix else { return nil }
    arbiter.impose(fix)
    return makeCurrent(fix, at: now, to: &outputs)
  }

  /// Repeats a place that stays until it is cleared, for as long as an app needs positions.
  mutating func repeatSimulated(at now: Moment, to outputs: inout [Output]) -> Fix? {
    guard isDue(simulated.nextDeadline, now), let fix = simulated.handle(.wake, at: now).first
    else { return nil }
    arbiter.impose(fix)
    return makeCurrent(fix, at: now, to: &outputs)
  }

  /// The fix that was set from outside last; `nil` while none is.
  package var simulatedFix: Fix? { simulated.fix }
}
