internal import LocationModel

/// How far the satellites' clock is ahead of the computer's.
///
/// A computer without a battery for its clock starts in the past; what it receives has to be compared
/// with positions that have the right date.
struct SatelliteLead: Sendable {
  /// What is to be added to a time of the computer; zero while its clock is right, or ahead.
  private(set) var lead = Duration.zero

  /// Notes the time of a receiver's position when it arrives.
  ///
  /// The one that took the least time to arrive counts. A receiver that is behind the computer plays
  /// what was recorded before: its places are not where the computer is now.
  mutating func note(_ time: UnixTime, at now: Moment) {
    let ahead = time - now.unixTime
    guard ahead > Self.usual else {
      lead = .zero
      return
    }
    let isSet = max(ahead - lead, lead - ahead) > Self.usual
    lead = isSet ? ahead : max(ahead, lead - Self.drift)
  }

  /// Chosen: more than a position takes to arrive, and than a clock that is kept right is wrong.
  private static let usual = Duration.seconds(2)
  /// In which the computer's clock may gain between two positions. Chosen: far more than quartz does.
  private static let drift = Duration.milliseconds(1)
}
