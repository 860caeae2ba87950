import CLinux
package import LocationModel

/// The clocks of this computer: the only place where real time enters.
package enum HostClock {
  package static var now: Moment {
    Moment(
      uptime: Instant(nanoseconds: linux_uptime_nanoseconds()),
      unixTime: UnixTime(nanoseconds: linux_unix_nanoseconds()))
  }
}
