import LocationModel

/// Drives a program that sends what its radios receive, one scan in each line of JSON: a radio that
/// the kernel of this computer does not have, such as that of a router, and the radios of a simulated
/// device.
struct ScansDriver: SourceDriver {
  private var channel: KeptChannel
  private var lines = LineAssembler(limit: ScansDriver.longestLine)
  private var counts: [ScanLine.Refusal: Int] = [:]

  init(channel: Channel) {
    self.channel = KeptChannel(channel)
  }

  var rejections: [SourceRejection] { SourceRejection.list(counts) }

  var nextDeadline: Instant? { channel.nextAttempt }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .demand(let demand): return channel.settle(needed: demand.needsPosition)
    case .channel(.opened):
      channel.noteOpened()
      lines.reset()
      return []
    case .channel(.bytes(let bytes)): return channel.state == .open ? receive(bytes, at: now) : []
    case .channel(.closed(let end)): return channel.lose(end, at: now)
    case .wake: return channel.wake(at: now)
    case .stored, .channel, .kernel, .scan: return []
    }
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
    channel.noteSuccess()
    return channel.report(.working) + [.scan(scan)]
  }

  /// Bytes. Chosen: three hundred access points.
  static let longestLine = 65_536
}
