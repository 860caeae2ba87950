import LocationModel
import LocationProviders

/// The compass of this computer: the kernel's sensors where it has both, else iio-sensor-proxy.
///
/// The kernel is asked once, at the start, what it has; after that nothing is read or opened while
/// nobody wants headings. A proxy is looked for only when the kernel shows no pair of sensors, and
/// is asked at the start whether it has a compass.
struct SensorDriver: SourceDriver {
  private enum State: Sendable {
    /// The sensors are being looked for.
    case surveying
    /// Nobody wants the kernel's compass.
    case resting(IIOCompass)
    /// The kernel's sensors are read.
    case reading(IIOCompass)
    /// The proxy is asked, on an open bus.
    case asking(SensorProxyCompass)
    /// There is no bus; another try then.
    case waiting(until: Instant)
  }

  private var state = State.surveying
  private var isWanted = false
  private var hasCompass = false
  private var entries: [StateEntry] = []
  private var retry = Retry()
  private var status = ProviderStatus.idle
  private var turnedAway: [String: Int] = [:]

  var rejections: [SourceRejection] {
    turnedAway.map { SourceRejection(reason: $0.key, count: $0.value) }
      .sorted { $0.reason < $1.reason }
  }

  var nextDeadline: Instant? {
    switch state {
    case .surveying, .resting: nil
    case .reading(let compass): compass.nextDeadline
    case .asking(let compass): compass.nextDeadline
    case .waiting(let until): until
    }
  }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .stored(let entries):
      self.entries = entries.filter { $0.key.domain == IIOCompass.domain }
      return say(.searching) + [.open(.sensors)]
    case .demand(let demand):
      guard demand.magnetometer != isWanted else { return [] }
      isWanted = demand.magnetometer
      return settle(at: now)
    case .channel(let event): return hear(event, at: now)
    case .wake: return wake(at: now)
    }
  }

  // MARK: The channel

  private mutating func hear(_ event: ChannelEvent, at now: Moment) -> [SourceOutput] {
    switch (event, state) {
    case (.opened, .surveying): return [.read(.survey)]
    case (.readings(let readings), .surveying): return begin(IIODeviceTree(readings), at: now)
    case (.closed, .surveying): return askProxy(at: now)
    case (.opened, .reading): return tellKernel(.start, at: now)
    case (.readings(let readings), .reading): return tellKernel(.readings(readings), at: now)
    case (.closed(let end), .reading(let compass)):
      state = .resting(compass)
      return say(.unavailable(end.reason)) + settle(hasCompass: false)
    case (.opened, .asking): return tellProxy(.bus(.connected), at: now)
    case (.bus(let event), .asking): return tellProxy(.bus(event), at: now)
    case (.closed(let end), .asking):
      state = .waiting(until: retry.next(after: now.uptime))
      return say(.unavailable(end.reason)) + settle(hasCompass: false)
    case (.opened, _), (.bytes, _), (.bus, _), (.readings, _), (.closed, _): return []
    }
  }

  /// The kernel has told what there is.
  private mutating func begin(_ tree: IIODeviceTree, at now: Moment) -> [SourceOutput] {
    let entries = entries
    let compass = IIOCompass(tree) { key in entries.first { $0.key == key }?.value }
    guard let compass else { return [.close] + askProxy(at: now) }
    state = .resting(compass)
    return [.close] + say(.idle) + settle(hasCompass: true) + settle(at: now)
  }

  private mutating func askProxy(at now: Moment) -> [SourceOutput] {
    var compass = SensorProxyCompass()
    // Not connected yet, so it has nothing to say.
    if isWanted { _ = compass.handle(.start, at: now) }
    state = .asking(compass)
    return [.open(.systemBus)]
  }

  private mutating func settle(at now: Moment) -> [SourceOutput] {
    switch (state, isWanted) {
    case (.resting(let compass), true):
      state = .reading(compass)
      return say(.searching) + [.open(.sensors)]
    case (.reading, false):
      let last = tellKernel(.stop, at: now)
      guard case .reading(let compass) = state else { return last }
      state = .resting(compass)
      return last + say(.idle) + [.close]
    case (.asking, true): return tellProxy(.start, at: now)
    case (.asking, false): return tellProxy(.stop, at: now)
    case (.surveying, _), (.resting, false), (.reading, true), (.waiting, _): return []
    }
  }

  private mutating func wake(at now: Moment) -> [SourceOutput] {
    switch state {
    case .reading: return tellKernel(.wake, at: now)
    case .waiting(let until): return now.uptime >= until ? askProxy(at: now) : []
    case .surveying, .resting, .asking: return []
    }
  }

  // MARK: The compasses

  private mutating func tellKernel(_ input: IIOCompass.Input, at now: Moment) -> [SourceOutput] {
    guard case .reading(var compass) = state else { return [] }
    let outputs = compass.handle(input, at: now)
    state = .reading(compass)
    return outputs.flatMap { output -> [SourceOutput] in
      switch output {
      case .read(let paths): [.read(.files(paths))]
      case .observation(let sample): say(.working) + [.heading(sample)]
      case .store(let change): [.store(change)]
      case .rejected(let reason): refuse("\(reason)")
      }
    }
  }

  private mutating func tellProxy(
    _ input: SensorProxyCompass.Input, at now: Moment
  ) -> [SourceOutput] {
    guard case .asking(var compass) = state else { return [] }
    let outputs = compass.handle(input, at: now)
    state = .asking(compass)
    return outputs.flatMap { output -> [SourceOutput] in
      switch output {
      case .bus(let action): [.bus(action)]
      case .observation(let sample): say(.working) + [.heading(sample)]
      case .availability(let availability):
        say(ProviderStatus(availability)) + settle(hasCompass: availability == .present)
      case .rejected(let reason): refuse("\(reason)")
      }
    }
  }

  private mutating func settle(hasCompass new: Bool) -> [SourceOutput] {
    guard new != hasCompass else { return [] }
    hasCompass = new
    return [.compass(new)]
  }

  private mutating func refuse(_ reason: String) -> [SourceOutput] {
    turnedAway[reason, default: 0] += 1
    return []
  }

  private mutating func say(_ status: ProviderStatus) -> [SourceOutput] {
    guard status != self.status else { return [] }
    self.status = status
    return [.status(status)]
  }
}

extension ProviderStatus {
  fileprivate init(_ availability: SensorProxyAvailability) {
    switch availability {
    case .present: self = .idle
    case .absent:
      self = .unavailable(.missing("neither the kernel nor iio-sensor-proxy has a compass"))
    case .denied:
      self = .unavailable(.noPermission("the bus lets only GeoClue ask iio-sensor-proxy"))
    }
  }
}
