import LocationModel
import LocationProviders

/// Beacons heard through `bluetoothd`; the bus is entered only while somebody wants beacons.
struct BlueZDriver: SourceDriver {
  private enum State: Sendable {
    case idle
    /// The bus is open, or being opened.
    case open(BlueZScanner)
    /// There is no bus; another try then.
    case waiting(until: Instant)
  }

  private var state = State.idle
  private var scan = BeaconScan.off
  private var retry = Retry()
  private var status = ProviderStatus.idle

  var rejections: [SourceRejection] {
    guard case .open(let scanner) = state, scanner.otherAdvertisements > 0 else { return [] }
    return [
      SourceRejection(reason: "advertisements of no beacon", count: scanner.otherAdvertisements)
    ]
  }

  var nextDeadline: Instant? {
    switch state {
    case .idle: nil
    case .open(let scanner): scanner.nextDeadline
    case .waiting(let until): until
    }
  }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .stored: return [.reception(.listening)]
    case .demand(let demand): return settle(demand.beacons, at: now)
    case .channel(.opened): return tell(.bus(.connected), at: now)
    case .channel(.bus(let event)): return tell(.bus(event), at: now)
    case .channel(.closed(let end)): return close(end, at: now)
    case .channel(.bytes), .channel(.readings): return []
    case .wake: return wake(at: now)
    }
  }

  private mutating func settle(_ new: BeaconScan, at now: Moment) -> [SourceOutput] {
    guard new != scan else { return [] }
    scan = new
    switch state {
    case .idle: return new == .off ? [] : open(at: now)
    case .open:
      // Whether the adapter can hear is asked anew next time; until then it is taken to.
      let last = tell(.scan(new), at: now)
      return new == .off ? last + rest() + [.close] : last
    case .waiting: return new == .off ? rest() : []
    }
  }

  private mutating func open(at now: Moment) -> [SourceOutput] {
    var scanner = BlueZScanner()
    _ = scanner.handle(.scan(scan), at: now)
    state = .open(scanner)
    return say(.searching) + [.open(.systemBus)]
  }

  private mutating func rest() -> [SourceOutput] {
    state = .idle
    retry.reset()
    return say(.idle) + [.reception(.listening)]
  }

  private mutating func close(_ end: ChannelEnd, at now: Moment) -> [SourceOutput] {
    guard case .open = state else { return [] }
    state = .waiting(until: retry.next(after: now.uptime))
    return say(.unavailable(end.reason)) + [.reception(.unavailable)]
  }

  private mutating func wake(at now: Moment) -> [SourceOutput] {
    guard case .waiting(let until) = state else { return tell(.wake, at: now) }
    return now.uptime >= until ? open(at: now) : []
  }

  private mutating func tell(_ input: BlueZScanner.Input, at now: Moment) -> [SourceOutput] {
    guard case .open(var scanner) = state else { return [] }
    // Taken out, so that the scanner is not copied for each advertisement.
    state = .idle
    let outputs = scanner.handle(input, at: now)
    state = .open(scanner)
    return outputs.flatMap { translate($0) }
  }

  private mutating func translate(_ output: BlueZScanner.Output) -> [SourceOutput] {
    switch output {
    case .bus(let action): return [.bus(action)]
    case .observation(let sample): return [.beacon(sample)]
    case .reception(let reception):
      retry.reset()
      return say(ProviderStatus(reception)) + [.reception(reception)]
    }
  }

  private mutating func say(_ status: ProviderStatus) -> [SourceOutput] {
    guard status != self.status else { return [] }
    self.status = status
    return [.status(status)]
  }
}

extension ProviderStatus {
  fileprivate init(_ reception: BeaconReception) {
    switch reception {
    case .listening: self = .working
    case .unavailable:
      self = .unavailable(.missing("there is no Bluetooth adapter that is switched on"))
    case .failing: self = .unavailable(.noPermission("the Bluetooth adapter refuses to scan"))
    }
  }
}
