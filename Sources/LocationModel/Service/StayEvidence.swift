/// Why an arrival was told, complete enough to explain the event alone.
package struct StayEvidence: Hashable, Sendable {
  /// What a place is for somebody who stays there: the longer it could be something else than a
  /// visit, the longer the stay must last.
  package enum Place: String, CaseIterable, Sendable {
    /// Visited before.
    case familiar
    case new
    /// New, and reached faster than on foot: most likely a traffic light.
    case newAfterRide
    /// New, and seen by coarse fixes only, which slow traffic does not leave.
    case newByCoarseFixes
  }

  /// The first and the last fix of the stay.
  package var firstFix: UnixTime
  package var lastFix: UnixTime
  package var fixes: Int
  /// Meters: the mean distance of the fixes from their middle.
  package var scatter: Double
  package var place: Place
  /// Seconds that the stay had to last there.
  package var dwellSeconds: Double
  /// When the decision was made.
  package var decided: UnixTime

  package init(
    firstFix: UnixTime, lastFix: UnixTime, fixes: Int, scatter: Double, place: Place,
    dwellSeconds: Double, decided: UnixTime
  ) {
    self.firstFix = firstFix
    self.lastFix = lastFix
    self.fixes = fixes
    self.scatter = scatter
    self.place = place
    self.dwellSeconds = dwellSeconds
    self.decided = decided
  }

  /// From the arrival until the decision.
  package var policyDelay: Duration { decided - firstFix }
}
