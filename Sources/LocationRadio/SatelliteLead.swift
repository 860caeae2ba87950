internal import LocationModel

/// How far the satellites' clock is ahead of the computer's.
///
/// A computer without a battery for its clock starts in the past; what it receives has to be compared
/// with positions that have the right date.
struct SatelliteLead: Sendable {
  private var lead = Duration.zero
  /// When it was found.
  private var found: Moment?

  /// Returns what is to be added to a time of the computer; zero while its clock is right, or ahead, or was
  /// set since.
  func lead(at now: Moment) -> Duration {
    guard let found else { return .zero }
    let step = (now.unixTime - found.unixTime) - (now.uptime - found.uptime)
    return max(step, .zero - step) > Self.usual ? .zero : lead
  }

  /// Notes the time of a receiver's position when it arrives.
  ///
  /// The one that took the least time to arrive counts. A receiver that is behind the computer plays
  /// what was recorded before: its places are not where the computer is now. One that is years ahead of a
  /// clock that was set is wrong itself.
  mutating func note(_ time: UnixTime, at now: Moment) {
    let ahead = time - now.unixTime
    let before = lead(at: now)
    found = now
    let isUnset = now.unixTime < Self.firstSet
    guard ahead > Self.usual, ahead < Self.longest || isUnset, time < Self.last else {
      lead = .zero
      return
    }
    let isOther = max(ahead - before, before - ahead) > Self.usual
    lead = isOther ? ahead : max(ahead, before - Self.drift)
  }

  /// Chosen: more than a position takes to arrive, and than a clock that is kept right is wrong.
  private static let usual = Duration.seconds(2)
  /// In which the computer's clock may gain between two positions. Chosen: far more than quartz does.
  private static let drift = Duration.milliseconds(1)
  /// Chosen: systems without a battery start with the time of the last run, or long before the first date.
  private static let longest = Duration.seconds(366 * 86_400)
  private static let firstSet = UnixTime(seconds: 1_577_836_800)
  /// No map has later days.
  private static let last = UnixTime(day: RadioMapStore.days.upperBound)
}
