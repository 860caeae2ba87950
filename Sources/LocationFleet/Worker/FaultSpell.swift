internal import LocationModel

/// A time in which something answers now and then: it begins with a fault, and has an end when nothing has failed
/// for a while.
///
/// - Chosen (FLEET-162): when a server goes, streams answer and do not by turns until all have other leaders. Each
///   of these answers looks like the end.
struct FaultSpell: Hashable, Sendable {
  private var began: Instant?
  private var last: Instant = .start
  private var count = 0

  mutating func fail(at now: Instant) {
    began = began ?? now
    (last, count) = (now, count + 1)
  }

  /// Ends it where nothing has failed for a while.
  ///
  /// - Parameter now: when something has been answered.
  /// - Returns: how often it has failed in which time, as words to be put behind others; `nil` where there is no
  ///   spell, or it has not come to its end.
  mutating func end(at now: Instant) -> String? {
    guard let began, now - last >= Self.quiet else { return nil }
    let seconds = Int((last - began).inSeconds)
    defer { self = FaultSpell() }
    return count > 1 ? " (\(count) faults in \(seconds) s)" : ""
  }

  private static let quiet = Duration.seconds(5)
}
