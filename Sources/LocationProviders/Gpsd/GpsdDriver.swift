import LocationModel

/// Drives gpsd over TCP; its client machine decides when to connect.
struct GpsdDriver: SourceDriver {
  private let channel: Channel
  private var client: GpsdClient?
  private var isOpen = false
  private var status = ProviderStatus.idle
  private var turnedAway: [String: Int] = [:]
  /// Whether a receiver on this connection has sent compass headings.
  private var hasCompass = false
  private var diagnosis: NMEAReceiverStatus.Diagnosis?
  private var devices: [String] = []
  private var satellites: SatelliteSummary?
  /// Why the server was not believed, while that is reported.
  private var refusal: ProviderStatus.Reason?

  init(channel: Channel) {
    self.channel = channel
  }

  var rejections: [SourceRejection] {
    turnedAway.map { SourceRejection(reason: $0.key, count: $0.value) }
      .sorted { $0.reason < $1.reason }
  }

  var evidence: SourceEvidence {
    var evidence = SourceEvidence(diagnosis: diagnosis)
    evidence.satellites = satellites
    evidence.devices = devices
    return evidence
  }

  var sky: [Satellite] { client?.sky ?? [] }

  var nextDeadline: Instant? { client?.nextDeadline }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .demand(let demand):
      return demand.needsPosition || demand.magnetometer && hasCompass ? begin(at: now) : rest()
    case .channel(.opened): return pass(.connected, at: now)
    case .channel(.bytes(let bytes)): return pass(.bytes(bytes), at: now)
    case .channel(.closed(let end)):
      isOpen = false
      switch end {
      case .noPermission: if case .local = channel { refusal = end.reason }
      case .noNetwork: refusal = end.reason
      case .ended, .missing, .failed: break
      }
      defer { refusal = nil }
      return loseCompass() + pass(.closed(reason: end.reason.text), at: now)
    case .wake: return pass(.wake, at: now)
    case .stored, .channel, .kernel, .scan: return []
    }
  }

  private mutating func begin(at now: Moment) -> [SourceOutput] {
    guard client == nil else { return [] }
    client = GpsdClient()
    return status.change(to: .searching) + pass(.wake, at: now)
  }

  /// Closes the connection. The compass stays known, so that it is available on the next demand.
  private mutating func rest() -> [SourceOutput] {
    guard client != nil else { return [] }
    client = nil
    let close: [SourceOutput] = isOpen ? [.close] : []
    isOpen = false
    return close + status.change(to: .idle)
  }

  private mutating func pass(_ input: GpsdClient.Input, at now: Moment) -> [SourceOutput] {
    let outputs = client?.handle(input, at: now) ?? []
    satellites = client?.satellites ?? satellites
    return outputs.flatMap { translate($0, at: now) }
  }

  private mutating func translate(
    _ output: GpsdClient.Output, at now: Moment
  ) -> [SourceOutput] {
    switch output {
    case .connect:
      isOpen = true
      return [.open(channel)]
    case .disconnect:
      isOpen = false
      return [.close]
    case .send(let bytes): return [.send(bytes)]
    case .fix(let fix, _): return status.change(to: .working) + [.fix(fix)]
    case .attitude(let attitude): return point(attitude, at: now)
    case .devices(let devices):
      self.devices = devices.map(\.path)
      if devices.isEmpty { return status.change(to: .unavailable(.noDevice)) }
      return status == .unavailable(.noDevice) ? status.change(to: .searching) : []
    case .status(let news): return translate(news)
    case .rejected(let reason, _):
      turnedAway["\(reason)", default: 0] += 1
      return []
    }
  }

  /// Handles an attitude. One without a magnetic heading does not come from a compass.
  private mutating func point(_ attitude: GpsdAttitude, at now: Moment) -> [SourceOutput] {
    guard let degrees = attitude.magneticHeading else { return [] }
    let isFirst = !hasCompass
    hasCompass = true
    let sample = HeadingSample(
      magneticHeading: degrees, accuracy: HeadingSample.unstatedAccuracy,
      time: attitude.time ?? now.unixTime)
    return (isFirst ? [.compass(true)] : []) + [.heading(sample)]
  }

  private mutating func loseCompass() -> [SourceOutput] {
    guard hasCompass else { return [] }
    hasCompass = false
    return [.compass(false)]
  }

  private mutating func translate(_ news: GpsdClient.Status) -> [SourceOutput] {
    switch news {
    case .serving:
      diagnosis = .silent
      return status.change(to: .searching)
    case .noFix:
      diagnosis = .noPosition
      return status.change(to: .searching)
    case .solving:
      diagnosis = .working
      return status.change(to: .working)
    case .lost(let reason, _):
      diagnosis = nil
      return status.change(to: .unavailable(refusal ?? .unreachable(reason)))
    case .complaint: return []
    }
  }
}
