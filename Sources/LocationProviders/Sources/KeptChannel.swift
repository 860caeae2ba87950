import LocationModel

/// The channel of a driver: open while it is needed, opened again after it was lost, each attempt
/// later than the one before; and the status of the source, which is reported when it changes.
struct KeptChannel: Hashable, Sendable {
  enum State: Hashable, Sendable {
    /// No client needs the source.
    case idle
    case opening
    case open
    /// The channel could not be opened, or was lost; the next attempt is at `until`.
    case waiting(until: Instant)
  }

  let channel: Channel
  private(set) var state = State.idle
  private(set) var status = ProviderStatus.idle
  private var retry = Retry()

  init(_ channel: Channel) {
    self.channel = channel
  }

  /// When the channel is opened again; `nil` while it is not lost.
  var nextAttempt: Instant? { if case .waiting(let until) = state { until } else { nil } }

  /// Whether the host has been asked to open the channel, and it was not lost since.
  var isRequested: Bool { state == .opening || state == .open }

  /// Opens the channel when it is needed, and closes it when it is not.
  mutating func settle(needed: Bool) -> [SourceOutput] {
    switch (needed, state) {
    case (true, .idle): open()
    case (false, .opening), (false, .open), (false, .waiting): close()
    case (true, _), (false, .idle): []
    }
  }

  mutating func noteOpened() {
    state = .open
  }

  /// The channel could not be opened, or was lost. Nothing if it had not been wanted.
  mutating func lose(_ end: ChannelEnd, at now: Moment) -> [SourceOutput] {
    guard isRequested else { return [] }
    state = .waiting(until: retry.next(after: now.uptime))
    return report(.unavailable(end.reason))
  }

  /// Opens the channel again when it is time.
  mutating func wake(at now: Moment) -> [SourceOutput] {
    guard case .waiting(let until) = state, now.uptime >= until else { return [] }
    return open()
  }

  /// The other side works: the next attempt after a loss comes soon.
  mutating func noteSuccess() {
    retry.reset()
  }

  /// Reports the status, if it is another one.
  mutating func report(_ status: ProviderStatus) -> [SourceOutput] {
    self.status.change(to: status)
  }

  /// A source that was unavailable stays so until it answers.
  private mutating func open() -> [SourceOutput] {
    state = .opening
    guard case .unavailable = status else { return report(.searching) + [.open(channel)] }
    return [.open(channel)]
  }

  private mutating func close() -> [SourceOutput] {
    let wasRequested = isRequested
    state = .idle
    retry.reset()
    return report(.idle) + (wasRequested ? [.close] : [])
  }
}
