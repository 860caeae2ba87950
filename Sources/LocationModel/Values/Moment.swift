/// A point of uptime: never jumps, and continues while the computer sleeps.
///
/// For deadlines and ages. It has no meaning outside the process or the virtual world that made it.
package struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the origin of this uptime.
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The origin of uptime.
  package static let start = Instant(nanoseconds: 0)

  package static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  package static func + (instant: Instant, duration: Duration) -> Instant {
    Instant(nanoseconds: instant.nanoseconds.plus(duration.wholeNanoseconds))
  }

  package static func - (instant: Instant, duration: Duration) -> Instant {
    Instant(nanoseconds: instant.nanoseconds.minus(duration.wholeNanoseconds))
  }

  package static func - (left: Instant, right: Instant) -> Duration {
    .nanoseconds(left.nanoseconds.minus(right.nanoseconds))
  }

  /// Seconds since `earlier`; negative when this instant comes before it.
  package func seconds(since earlier: Instant) -> Double {
    Double(nanoseconds - earlier.nanoseconds) * 1e-9
  }
}

/// A date: the time of an observation, or the time shown to a person. May jump.
package struct UnixTime: Hashable, Comparable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package init(seconds: Double) {
    nanoseconds = Int64(exactly: (seconds * 1e9).rounded()) ?? (seconds < 0 ? .min : .max)
  }

  package init(milliseconds: Int64) {
    nanoseconds = milliseconds * 1_000_000
  }

  /// Seconds since 1970-01-01T00:00:00Z, exact to about 0.2 microseconds in this century.
  package var seconds: Double { Double(nanoseconds) * 1e-9 }

  package static func < (left: UnixTime, right: UnixTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The last moment at or before this one that is a whole number of so many seconds.
  package func floored(to seconds: Double) -> UnixTime {
    let grain = Int64(seconds * 1e9)
    let rest = nanoseconds % grain
    let excess = rest < 0 ? rest + grain : rest
    return UnixTime(nanoseconds: nanoseconds < .min + grain ? nanoseconds : nanoseconds - excess)
  }

  /// Whether what is dated so, and came after what is dated `earlier`, shows that a clock was set
  /// back; what is a little too early is only late.
  package func isSetBack(from earlier: UnixTime) -> Bool {
    earlier.seconds(since: self) > Self.longestDelay
  }

  /// Seconds. Chosen: sentences of one receiver come in the wrong order by less.
  private static let longestDelay = 2.0

  package static func + (time: UnixTime, duration: Duration) -> UnixTime {
    UnixTime(nanoseconds: time.nanoseconds.plus(duration.wholeNanoseconds))
  }

  package static func - (time: UnixTime, duration: Duration) -> UnixTime {
    UnixTime(nanoseconds: time.nanoseconds.minus(duration.wholeNanoseconds))
  }

  /// The time halfway to another one, to a nanosecond.
  package func middle(to other: UnixTime) -> UnixTime {
    let (left, right) = (nanoseconds, other.nanoseconds)
    return UnixTime(nanoseconds: (left & right) + (left ^ right) >> 1)
  }

  package static func - (left: UnixTime, right: UnixTime) -> Duration {
    .nanoseconds(left.nanoseconds.minus(right.nanoseconds))
  }

  /// Seconds since `earlier`; negative when this time comes before it.
  ///
  /// Exact also for dates that lie further apart than nanoseconds span.
  package func seconds(since earlier: UnixTime) -> Double {
    let (difference, isTooFar) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return isTooFar ? seconds - earlier.seconds : Double(difference) * 1e-9
  }
}

/// Now, twice: uptime for deadlines, and the date for people.
package struct Moment: Hashable, Sendable {
  package var uptime: Instant
  package var unixTime: UnixTime

  package init(uptime: Instant, unixTime: UnixTime) {
    self.uptime = uptime
    self.unixTime = unixTime
  }
}

/// Time ends where nanoseconds do, some 292 years either way: dates of malformed files and of
/// receivers with a wrong clock may lie further apart.
extension Int64 {
  fileprivate func plus(_ other: Int64) -> Int64 {
    let (sum, isTooFar) = addingReportingOverflow(other)
    return isTooFar ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func minus(_ other: Int64) -> Int64 {
    let (difference, isTooFar) = subtractingReportingOverflow(other)
    return isTooFar ? (other < 0 ? .max : .min) : difference
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded towards zero.
  package var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

  /// The duration in seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
