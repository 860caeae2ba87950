package import LocationModel

/// Drives one source: opens its channel while it is needed, and turns what comes from it into
/// observations.
///
/// A new kind of source is one more driver, and one line in `Source.driver`.
package protocol SourceDriver: Machine where Input == SourceInput, Output == SourceOutput {
  /// Observations that were turned away so far, by reason.
  var rejections: [SourceRejection] { get }
}

/// What a driver is told.
package enum SourceInput: MachineInput {
  /// What was stored, at the start.
  case stored([StateEntry])
  /// What all clients together need now.
  case demand(Demand)
  case channel(ChannelEvent)
  case wake
}

/// What a driver asks for, and what it has seen.
package enum SourceOutput: Hashable, Sendable {
  case open(Channel)
  case close
  case send([UInt8])
  case bus(BusAction)
  case read(SensorQuery)
  case fix(Fix)
  /// Whether there is a compass behind this source.
  case compass(Bool)
  case heading(HeadingSample)
  /// Whether beacons can be heard by this source.
  case reception(BeaconReception)
  case beacon(BeaconSample)
  case store(StateChange)
  case status(ProviderStatus)
}

extension Demand {
  /// Whether anybody needs positions.
  var needsPosition: Bool { position != nil }
}

/// How often a source was refused something, and why.
package struct SourceRejection: Hashable, Sendable {
  package var reason: String
  package var count: Int
}

/// When to try again to open something that could not be opened, or that ended.
struct Retry: Hashable, Sendable {
  private var failures = 0

  /// The next attempt; each wait doubles the one before, up to the longest.
  mutating func next(after now: Instant) -> Instant {
    let seconds = min(1 << min(failures, 5), 30)
    failures += 1
    return now + .seconds(seconds)
  }

  /// It works.
  mutating func reset() {
    failures = 0
  }
}

extension ChannelEnd {
  /// What a closed channel means for those who wait for positions.
  var reason: ProviderStatus.Reason {
    switch self {
    case .ended: .unreachable("the other side closed the connection")
    case .missing(let text): .missing(text)
    case .noPermission(let text): .noPermission(text)
    case .failed(let text): .unreachable(text)
    }
  }
}
