package import LocationModel

/// Drives one source: opens its channel while it is needed, and turns what comes from it into
/// observations.
///
/// A new kind of source is one more driver, and one line in `Source.driver`.
package protocol SourceDriver: Machine where Input == SourceInput, Output == SourceOutput {
  /// Observations that were turned away so far, by reason.
  var rejections: [SourceRejection] { get }
  /// What was heard so far.
  var evidence: SourceEvidence { get }
}

extension SourceDriver {
  package var evidence: SourceEvidence { SourceEvidence() }
}

/// What was heard of a source, for a person who looks for the reason of a silence.
package struct SourceEvidence: Hashable, Sendable {
  /// What the bytes of a receiver amount to; `nil` for a source that is no receiver, or that was
  /// not reached.
  package var diagnosis: NMEAReceiverStatus.Diagnosis?
  /// Bytes of any kind; `nil` where nobody counts.
  package var bytes: Int?
  /// What the receiver last said of the sky; `nil` until it does.
  package var satellites: SatelliteSummary?
  /// The receivers that gpsd serves.
  package var devices: [String] = []
  /// What this computer's sensors can tell; `nil` for another source, and until it is known.
  package var sensors: SensorEvidence?

  package init(diagnosis: NMEAReceiverStatus.Diagnosis? = nil) {
    self.diagnosis = diagnosis
  }
}

/// What the sensors of a computer can tell.
package struct SensorEvidence: Hashable, Sendable {
  package var tellsHeading: Bool
  package var tellsMotion: Bool
  /// Why there is no compass; `nil` while there is one, or nobody has said.
  package var compassFault: ProviderStatus.Reason?

  package init(
    tellsHeading: Bool, tellsMotion: Bool, compassFault: ProviderStatus.Reason? = nil
  ) {
    self.tellsHeading = tellsHeading
    self.tellsMotion = tellsMotion
    self.compassFault = compassFault
  }
}

/// What a driver is told.
package enum SourceInput: MachineInput {
  /// What was stored, at the start.
  case stored([StateEntry])
  /// What all clients together need now.
  case demand(Demand)
  case channel(ChannelEvent)
  /// Something happens to the kernel's sensors, which may be open beside the channel.
  case sensors(ChannelEvent)
  case wake
}

/// What a driver asks for, and what it has seen.
package enum SourceOutput: Hashable, Sendable {
  case open(Channel)
  case close
  /// The kernel's sensors, which are open beside the channel, are closed.
  case closeSensors
  case send([UInt8])
  case bus(BusAction)
  case read(SensorQuery)
  case fix(Fix)
  /// A place that gave way to another one of the same instant: never the current fix.
  case superseded(Fix)
  /// Whether there is a compass behind this source.
  case compass(Bool)
  case heading(HeadingSample)
  /// How the device moves.
  case motion(MotionActivity)
  /// Whether beacons can be heard by this source.
  case reception(BeaconReception)
  case beacon(BeaconSample)
  /// How it is with the beacon that this computer is to be.
  case advertising(BeaconAdvertising)
  case store(StateChange)
  case status(ProviderStatus)

  var isFix: Bool { if case .fix = self { true } else { false } }
}

extension Demand {
  /// Whether anybody needs positions.
  var needsPosition: Bool { position != nil }
}

/// How often a source was refused something, and why.
package struct SourceRejection: Hashable, Sendable {
  package var reason: String
  package var count: Int

  package init(reason: String, count: Int) {
    self.reason = reason
    self.count = count
  }
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
