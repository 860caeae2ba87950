import LocationModel

/// Drives a program that sends what its radios receive, one scan in each line of JSON: a radio that
/// the kernel of this computer does not have, such as that of a router, and the radios of a simulated
/// device.
struct ScansDriver: SourceDriver {
  private enum State: Hashable, Sendable {
    /// No client needs positions.
    case idle
    case opening
    case open
    case waiting(until: Instant)
  }

  private let channel: Channel
  private var state = State.idle
  private var retry = Retry()
  private var status = ProviderStatus.idle
  private var lines = LineAssembler(limit: ScansDriver.longestLine)
  private var counts: [ScanLine.Refusal: Int] = [:]

  init(channel: Channel) {
    self.channel = channel
  }

  var rejections: [SourceRejection] {
    ScanLine.Refusal.allCases.compactMap { reason in
      counts[reason].map { SourceRejection(reason: reason.rawValue, count: $0) }
    }
  }

  var nextDeadline: Instant? {
    if case .waiting(let until) = state { until } else { nil }
  }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch (input, state) {
    case (.demand(let demand), _): return settle(needed: demand.needsPosition)
    case (.channel(.opened), _):
      state = .open
      lines.reset()
      return []
    case (.channel(.bytes(let bytes)), .open): return receive(bytes, at: now)
    case (.channel(.closed(let end)), .opening), (.channel(.closed(let end)), .open):
      state = .waiting(until: retry.next(after: now.uptime))
      return report(.unavailable(end.reason))
    case (.wake, .waiting(let until)): return now.uptime >= until ? open() : []
    case (.stored, _), (.channel, _), (.kernel, _), (.scan, _), (.wake, _): return []
    }
  }

  private mutating func settle(needed: Bool) -> [SourceOutput] {
    switch (needed, state) {
    case (true, .idle): open()
    case (false, .opening), (false, .open): rest() + [.close]
    case (false, .waiting): rest()
    case (true, _), (false, .idle): []
    }
  }

  private mutating func open() -> [SourceOutput] {
    state = .opening
    guard case .unavailable = status else { return report(.searching) + [.open(channel)] }
    return [.open(channel)]
  }

  private mutating func rest() -> [SourceOutput] {
    state = .idle
    retry.reset()
    return report(.idle)
  }

  private mutating func receive(_ bytes: [UInt8], at now: Moment) -> [SourceOutput] {
    var complete: [LineAssembler.Line] = []
    lines.append(bytes) { complete.append($0) }
    return complete.flatMap { line in
      switch line {
      case .line(let bytes): return read(bytes, at: now)
      case .tooLong:
        counts[.tooLong, default: 0] += 1
        return []
      }
    }
  }

  private mutating func read(_ line: [UInt8], at now: Moment) -> [SourceOutput] {
    if line.allSatisfy({ $0 <= 0x20 }) { return [] }
    let scan: RadioScan
    do throws(JSONFault) {
      let read = try ScanLine.read(line, at: now.unixTime)
      for refusal in read.refusals { counts[refusal, default: 0] += 1 }
      scan = read.scan
    } catch {
      counts[.garbled, default: 0] += 1
      return []
    }
    retry.reset()
    return report(.working) + [.scan(scan)]
  }

  private mutating func report(_ status: ProviderStatus) -> [SourceOutput] {
    guard status != self.status else { return [] }
    self.status = status
    return [.status(status)]
  }

  /// Bytes. Chosen: three hundred access points.
  static let longestLine = 65_536
}
