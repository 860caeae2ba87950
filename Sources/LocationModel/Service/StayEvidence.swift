/// The evidence of an arrival; explains the event without other data.
package struct StayEvidence: Hashable, Sendable {
  /// The kind of a place: the more likely a stay there is something else than a visit, the longer it
  /// must last.
  package enum Place: String, CaseIterable, Sendable {
    /// Visited before.
    case familiar
    case new
    /// New, and reached faster than on foot: most likely a traffic light.
    case newAfterRide
    /// New, and observed by coarse fixes only, which cannot exclude slow traffic.
    case newByCoarseFixes
  }

  /// The first and the last fix of the stay.
  package var firstFix: UnixTime
  package var lastFix: UnixTime
  package var fixes: Int
  /// Meters: the mean distance of the fixes from their middle.
  package var scatter: Double
  package var place: Place
  /// The seconds that the stay had to last there.
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
