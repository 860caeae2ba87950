internal import LocationModel

/// How the other side of a sink behaves, and whether it is left alone for a time.
struct OtherSide: Sendable {
  private(set) var pause: (reason: String, until: Instant)?
  /// Failures, and refusals, since it has confirmed something.
  private var failures = 0
  private var refusals = 0
  private var pauses = 0

  /// Whether one delivery is to show first that it is there again.
  var isDoubtful: Bool { pauses > 0 || failures >= Self.mostFailures }

  func isPaused(at now: Instant) -> Bool { pause.map { now < $0.until } ?? false }

  mutating func answered() { self = OtherSide() }

  mutating func unreachable(_ reason: String, after: Duration?, at now: Instant) {
    // Several that were on their way say the same once.
    guard !isPaused(at: now) else { return }
    pauses += 1
    let time = Backoff.pause(pauses, at: pauses, longest: Backoff.longestOfSide)
    pause = (reason, now + max(time, Backoff.bounded(after)))
  }

  /// One delivery has failed; many in a row are no fault of theirs.
  mutating func failed(_ reason: String, at now: Instant) {
    failures += 1
    if failures >= Self.mostFailures { unreachable(reason, after: nil, at: now) }
  }

  /// Whether so many were refused in a row that it is a fault of its settings, or of ours.
  var refusesEverything: Bool { refusals >= Self.mostRefusals }

  /// Something was refused for good.
  mutating func refused(at now: Instant) {
    refusals += 1
    if refusesEverything {
      unreachable("it refuses everything", after: nil, at: now)
    }
  }

  private static let mostFailures = 8
  private static let mostRefusals = 16
}

/// How long to wait after failures.
enum Backoff {
  /// 1 s after the first failure, twice as long after each further one, and up to a quarter more, so that
  /// those that failed together do not come together again.
  static func pause(_ failures: Int, at seed: Int, longest: Double = 300) -> Duration {
    let whole = min(Double(1 << min(max(failures - 1, 0), 16)), longest)
    let mixed = (UInt64(bitPattern: Int64(seed)) &+ UInt64(failures)) &* 0x9e37_79b9_7f4a_7c15
    return .seconds(whole * (1 + 0.25 * Double(mixed >> 40) * 0x1p-24))
  }

  /// What the other side has asked for, an hour at most.
  static func bounded(_ after: Duration?) -> Duration {
    min(max(after ?? .zero, .zero), .seconds(3600))
  }

  /// Seconds. Chosen: somebody who has repaired it does not wait longer.
  static let longestOfSide = 30.0
}
