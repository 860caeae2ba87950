package import LocationModel

/// Drives one source: opens its channel while it is needed, and turns its bytes into observations.
///
/// A new kind of source needs one more driver, and one line in `Source.driver`.
package protocol SourceDriver: Machine where Input == SourceInput, Output == SourceOutput {
  /// Observations rejected so far, counted by reason.
  var rejections: [SourceRejection] { get }
  /// What was received so far.
  var evidence: SourceEvidence { get }
  /// The satellites that its receiver saw last, read from what was received at each call; empty
  /// where it names none.
  var sky: [Satellite] { get }
}

extension SourceDriver {
  package var evidence: SourceEvidence { SourceEvidence() }
  package var sky: [Satellite] { [] }
}

/// What was received from a source, for a person who looks for the reason of missing fixes.
package struct SourceEvidence: Hashable, Sendable {
  /// What the bytes of a receiver amount to; `nil` for a source that is no receiver, or that was
  /// not reached.
  package var diagnosis: NMEAReceiverStatus.Diagnosis?
  /// Bytes of any kind; `nil` where they are not counted.
  package var bytes: Int?
  /// The receiver's last satellite counts; `nil` until it sends some.
  package var satellites: SatelliteSummary?
  /// Cells in the last answer of the modems; `nil` for another source, and without cells.
  package var cells: Int?
  /// What has become of the assistance data for a modem's receiver; `nil` for another source, where no file of it is named,
  /// and until such a receiver is needed.
  package var assistance: ModemAssistanceState?
  /// The receivers that gpsd serves.
  package var devices: [String] = []
  /// What this computer's sensors can measure; `nil` for another source, and until it is known.
  package var sensors: SensorEvidence?
  /// What each Wi-Fi adapter of this computer can do; empty for another source.
  package var adapters: [WiFiEvidence] = []
  /// What the Bluetooth adapters can do; `nil` for another source, and until it is known.
  package var bluetooth: BluetoothEvidence?

  package init(diagnosis: NMEAReceiverStatus.Diagnosis? = nil) {
    self.diagnosis = diagnosis
  }

  /// Why a receiver has no assistance data; `nil` where it has, or none is named.
  package var assistanceFault: ModemAssistanceFault? {
    if case .fault(let fault)? = assistance { fault } else { nil }
  }
}

/// An input of a driver.
package enum SourceInput: MachineInput {
  /// The stored state, at the start.
  case stored([StateEntry])
  /// What all clients together need now.
  case demand(Demand)
  case channel(ChannelEvent)
  /// An event of the kernel's channel, or of a file's, which may be open beside the other one.
  case kernel(ChannelEvent)
  /// What another source of this computer received by radio, and the last position of a satellite
  /// receiver, where that is not known to be wrong.
  case scan(RadioScan, near: Fix?)
  case wake
}

/// A request or an observation of a driver.
package enum SourceOutput: Hashable, Sendable {
  case open(Channel)
  case close
  /// Closes the kernel's channel, or a file's, which is open beside the other one.
  case closeKernel
  case send([UInt8])
  /// A message to the kernel, over the channel that is open beside the other one.
  case request([UInt8])
  case bus(BusAction)
  case read(SensorQuery)
  case fix(Fix)
  /// A position discarded for another one of the same instant; it never becomes the current fix.
  case superseded(Fix)
  /// Whether there is a compass behind this source.
  case compass(Bool)
  case heading(HeadingSample)
  case sensor(SensorSample)
  /// What a radio received: for the learned map, and for the sources that ask a service.
  case scan(RadioScan)
  /// A radio of this source, which made scans before, receives nothing now, or was pulled out.
  case quiet(radio: String, isGone: Bool)
  /// Whether this source can receive beacons.
  case reception(BeaconReception)
  case beacon(BeaconSample)
  /// The state of this computer's own beacon advertisement.
  case advertising(BeaconAdvertising)
  case store(StateChange)
  case status(ProviderStatus)

  var isFix: Bool { if case .fix = self { true } else { false } }
}

extension Demand {
  /// Whether any client needs positions.
  var needsPosition: Bool { position != nil }
}

extension ProviderStatus {
  /// Becomes another status, and reports it; nothing if it is the same.
  mutating func change(to status: ProviderStatus) -> [SourceOutput] {
    guard status != self else { return [] }
    self = status
    return [.status(status)]
  }
}

/// How often observations of a source were rejected, and why.
package struct SourceRejection: Hashable, Sendable {
  package var reason: String
  package var count: Int

  package init(reason: String, count: Int) {
    self.reason = reason
    self.count = count
  }

  /// Returns what was counted, in the order of the reasons.
  static func list<Reason>(_ counts: [Reason: Int]) -> [SourceRejection]
  where Reason: CaseIterable & RawRepresentable, Reason.RawValue == String {
    Reason.allCases.compactMap { reason in
      counts[reason].map { SourceRejection(reason: reason.rawValue, count: $0) }
    }
  }
}

/// When to try again to open something that could not be opened, or that was closed.
struct Retry: Hashable, Sendable {
  private var failures = 0

  /// Whether the longest wait has been reached, half a minute after the first failure.
  var isLongest: Bool { failures > 5 }

  /// Returns the time of the next attempt; each wait doubles the one before, up to the longest.
  mutating func next(after now: Instant) -> Instant {
    let seconds = min(1 << min(failures, 5), 30)
    failures += 1
    return now + .seconds(seconds)
  }

  /// Starts over with the shortest wait, after a success.
  mutating func reset() {
    failures = 0
  }
}

extension ChannelEnd {
  /// Why there are no positions after the channel was closed.
  var reason: ProviderStatus.Reason {
    switch self {
    case .ended: .unreachable("the other side closed the connection")
    case .missing(let text): .missing(text)
    case .noPermission(let text): .noPermission(text)
    case .noNetwork(let text): .noNetwork(text)
    case .failed(let text): .unreachable(text)
    }
  }
}
