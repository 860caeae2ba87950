import LocationHost
import LocationModel

extension UnixTime {
  /// For people: `2026-08-04 12:00:00`, in UTC.
  var plain: String { String(iso8601.prefix(19)).replacing("T", with: " ") }

  /// For people: how long ago, such as `3 s ago`.
  var age: String { PlainDuration.text(HostClock.now.unixTime.seconds(since: self)) + " ago" }
}

/// A duration in the unit that suits it.
enum PlainDuration {
  static func text(_ seconds: Double) -> String {
    let seconds = Int(max(0, seconds).rounded())
    switch seconds {
    case ..<120: return "\(seconds) s"
    case ..<7200: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) days"
    }
  }
}
