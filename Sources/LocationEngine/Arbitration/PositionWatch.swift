import LocationModel

/// Reports when no position is available, and when one is again (STD-32, LIVE-17).
struct PositionWatch: Machine {
  enum Input: MachineInput {
    case status(ProviderID, ProviderStatus)
    /// A fix became the current one, found so.
    case fix(PositionMethod)
    /// The longest time between positions that all subscribers accept; `nil` when none needs any.
    case needed(Duration?)
    case wake
  }

  enum Output: Hashable, Sendable {
    case lost
    case found
  }

  private enum State: Hashable, Sendable {
    /// No subscriber needs a position.
    case idle
    /// A position is expected; the outage is counted from here.
    case expecting(since: Instant)
    /// No position is available, and why (STD-32, STD-33).
    case lost(Failure)
  }

  private var state = State.idle
  private var interval = Duration.zero
  /// How the last fix was found.
  private var method = PositionMethod.receiver
  private var statuses: [ProviderStatus]
  /// Whether a place is set from outside, whatever the sources do (SIM-15).
  var isSimulated = false

  init(providers: Int) {
    statuses = Array(repeating: .idle, count: providers)
  }

  /// Why no position is available; `nil` while one may be.
  var outage: Failure? {
    guard case .lost(let failure) = state else { return nil }
    return failure
  }

  private var isOut: Bool { outage != nil }

  /// Whether there is a source of positions at all, however it fares now (AVAIL-3).
  var hasSource: Bool { isSimulated || statuses.contains { $0 != .unavailable(.noPositions) } }

  /// Whether a position is needed, and no provider may give one now.
  var isHopeless: Bool { isOut && !hasHope }

  private var hasHope: Bool {
    isSimulated
      || statuses.contains {
        if case .unavailable = $0 { return false }
        return true
      }
  }

  /// Whether a network is missing that a source needs.
  private var lacksNetwork: Bool {
    statuses.contains {
      if case .unavailable(.noNetwork) = $0 { return true }
      return false
    }
  }

  var nextDeadline: Instant? {
    guard case .expecting(let since) = state else { return nil }
    let timeout = method.longestSilence
    return since + (interval > timeout ? interval + Self.search : timeout)
  }

  mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .status(let provider, let status):
      guard statuses.indices.contains(provider.index) else { return [] }
      statuses[provider.index] = status
      return hopeless(at: now)
    case .needed(let interval?):
      let wasLong = self.interval > Self.timeout
      self.interval = interval
      // Silence that earlier subscribers accepted counts at most one interval for new ones.
      if case .expecting(let since) = state, wasLong {
        state = .expecting(since: max(since, now.uptime - interval))
      }
      guard state == .idle else { return [] }
      state = .expecting(since: now.uptime)
      return hopeless(at: now)
    case .needed(nil):
      let wasLost = isOut
      (state, method) = (.idle, .receiver)
      return wasLost ? [.found] : []
    case .fix(let method):
      self.method = method
      let wasLost = isOut
      if state != .idle { state = .expecting(since: now.uptime) }
      return wasLost ? [.found] : []
    case .wake:
      guard let nextDeadline, now.uptime >= nextDeadline else { return [] }
      return lose()
    }
  }

  /// Reports an outage at once when no provider can give a position.
  private mutating func hopeless(at now: Moment) -> [Output] {
    guard case .expecting = state else { return [] }
    return hasHope ? [] : lose()
  }

  private mutating func lose() -> [Output] {
    state = .lost(!hasHope && lacksNetwork ? .network : .positionUnknown)
    return [.lost]
  }

  /// How long a needed position may be missing before it counts as lost. Chosen: below the ten
  /// seconds of LIVE-18 and of STD-26.
  static let timeout = Duration.seconds(9)
  /// The additional time where a receiver may rest meanwhile. Chosen: a cold start.
  private static let search = Duration.seconds(60)
}

extension PositionMethod {
  /// How long the next position may be missing before it counts as lost.
  ///
  /// Chosen for what a radio receives (RADIO-14): twice the longest time between two scans, which is
  /// that of a device at rest, and some more.
  var longestSilence: Duration {
    switch self {
    case .accessPoints, .beacons, .cells: .seconds(150)
    case .receiver, .service, .region: PositionWatch.timeout
    }
  }
}
