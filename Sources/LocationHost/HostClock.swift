import CLinux
package import LocationModel

/// The clocks of this computer: the only place where real time enters.
package enum HostClock {
  /// The present in whole microseconds: finer than needed, and short in recordings. Rounded up, so
  /// that the moment for which the host was woken has come.
  package static var now: Moment {
    Moment(
      uptime: Instant(nanoseconds: wholeMicroseconds(linux_uptime_nanoseconds())),
      unixTime: UnixTime(nanoseconds: wholeMicroseconds(linux_unix_nanoseconds())))
  }

  private static func wholeMicroseconds(_ nanoseconds: Int64) -> Int64 {
    (nanoseconds + 999) / 1000 * 1000
  }
}
