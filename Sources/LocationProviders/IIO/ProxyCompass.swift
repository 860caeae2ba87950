import LocationModel

/// The compass of iio-sensor-proxy; connects to the bus again after the connection was lost, after half a
/// minute without a bus only while a heading is wanted.
struct ProxyCompass: Sendable {
  private enum State: Sendable {
    /// The proxy is being asked, on a bus that is open or being opened.
    case asking(SensorProxyCompass)
    /// There is no bus; the next attempt is at `until`.
    case waiting(until: Instant)
  }

  private var state = State.asking(SensorProxyCompass())
  private var isWanted = false
  private var retry = Retry()
  private(set) var status = ProviderStatus.searching
  private(set) var hasCompass = false
  private(set) var refusals: [String: Int] = [:]

  var nextDeadline: Instant? {
    switch state {
    case .asking(let compass): compass.nextDeadline
    // A computer may have no bus at all: while nobody asks, that costs no wake-ups (RADIO-37).
    case .waiting(let until): isWanted || !retry.isLongest ? until : nil
    }
  }

  /// Connects to the bus.
  mutating func ask(at now: Moment) -> [SourceOutput] {
    state = .asking(SensorProxyCompass())
    return [.open(.systemBus)] + (isWanted ? pass(.start, at: now) : [])
  }

  mutating func want(_ heading: Bool, at now: Moment) -> [SourceOutput] {
    guard heading != isWanted else { return [] }
    isWanted = heading
    if !heading, status == .working { status = .idle }
    return pass(heading ? .start : .stop, at: now)
  }

  mutating func receive(_ event: ChannelEvent, at now: Moment) -> [SourceOutput] {
    switch (event, state) {
    case (.opened, .asking):
      retry.reset()
      return pass(.bus(.connected), at: now)
    case (.bus(.refused(let reason, let count)), _):
      refusals["\(reason)", default: 0] += count
      return []
    case (.bus(let event), .asking): return pass(.bus(event), at: now)
    case (.closed(let end), .asking):
      state = .waiting(until: retry.next(after: now.uptime))
      status = .unavailable(end.reason)
      hasCompass = false
      return []
    default: return []
    }
  }

  mutating func wake(at now: Moment) -> [SourceOutput] {
    guard case .waiting(let until) = state, now.uptime >= until else { return [] }
    return ask(at: now)
  }

  private mutating func pass(_ input: SensorProxyCompass.Input, at now: Moment) -> [SourceOutput] {
    guard case .asking(var compass) = state else { return [] }
    let outputs = compass.handle(input, at: now)
    state = .asking(compass)
    return outputs.flatMap { output -> [SourceOutput] in
      switch output {
      case .bus(let action): return [.bus(action)]
      case .observation(let sample):
        status = .working
        return [.heading(sample)]
      case .availability(let availability):
        status = ProviderStatus(availability)
        hasCompass = availability == .present
        return []
      case .rejected(let reason):
        refusals["\(reason)", default: 0] += 1
        return []
      }
    }
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
