import LocationModel

/// The kernel's sensors: a compass where it has both sensors for one, and movement where it has an
/// accelerometer.
///
/// The kernel is asked for its sensors once, at the start; after that nothing is read or opened
/// while no client needs it.
struct KernelSensors: Sendable {
  private enum State: Sendable {
    /// The search for sensors is running.
    case surveying
    /// No client needs the sensors, or they are gone.
    case closed
    case opening
    case open
  }

  /// Who requested files; answers come in the order of the requests.
  private enum Asker: Sendable {
    case compass
    case motion
  }

  private var state = State.surveying
  private var compass: IIOCompass?
  private var motion: IIOMotion?
  private var wantsHeading = false
  private var wantsMotion = false
  private var askers: [Asker] = []
  /// `nil` during the search for sensors, and where there is none.
  private(set) var status: ProviderStatus?
  private(set) var hasCompass = false
  private(set) var refusals: [String: Int] = [:]

  private let sensesMotion: Bool

  init(sensesMotion: Bool) {
    self.sensesMotion = sensesMotion
  }

  /// Whether there is an accelerometer that can be read, as far as is known.
  var hasMotion: Bool {
    if case .unavailable = status { return false }
    return motion != nil
  }

  /// Whether it is known that the sensors cannot make a compass.
  var lacksCompass: Bool {
    if case .surveying = state { return false }
    return compass == nil
  }

  var nextDeadline: Instant? {
    guard case .open = state else { return nil }
    return earliest(compass?.nextDeadline, motion?.nextDeadline)
  }

  mutating func want(heading: Bool, motion: Bool, at now: Moment) -> [SourceOutput] {
    wantsHeading = heading
    wantsMotion = motion
    return settle(at: now)
  }

  /// Handles an event. `stored` holds the stored calibration of the compass.
  mutating func receive(
    _ event: ChannelEvent, stored: [StateEntry], at now: Moment
  ) -> [SourceOutput] {
    switch (event, state) {
    case (.opened, .surveying): return [.read(.survey)]
    case (.readings(let readings), .surveying):
      return begin(IIODeviceTree(readings), stored: stored, at: now)
    case (.closed, .surveying):
      state = .closed
      return []
    case (.opened, .opening):
      state = .open
      return settle(at: now)
    case (.readings(let readings), .open): return take(readings, at: now)
    case (.closed(let end), .opening), (.closed(let end), .open):
      let last = stop(at: now)
      status = .unavailable(end.reason)
      hasCompass = false
      return last
    case (.opened, _), (.bytes, _), (.datagram, _), (.unknownSenders, _), (.bus, _), (.readings, _),
      (.closed, _):
      return []
    }
  }

  mutating func wake(at now: Moment) -> [SourceOutput] {
    guard case .open = state else { return [] }
    let isCompassDue = isDue(compass?.nextDeadline, now)
    let isMotionDue = isDue(motion?.nextDeadline, now)
    return (isCompassDue ? passToCompass(.wake, at: now) : [])
      + (isMotionDue ? passToMotion(.wake, at: now) : [])
  }

  // MARK: The channel

  /// Starts with the sensors that the kernel has.
  private mutating func begin(
    _ tree: IIODeviceTree, stored: [StateEntry], at now: Moment
  ) -> [SourceOutput] {
    compass = IIOCompass(tree) { key in stored.first { $0.key == key }?.value }
    motion = sensesMotion ? IIOMotion(tree) : nil
    hasCompass = compass != nil
    status = compass == nil && motion == nil ? nil : .idle
    state = .closed
    return [.closeKernel] + settle(at: now)
  }

  private var isNeeded: Bool {
    (wantsHeading && compass != nil) || (wantsMotion && motion != nil)
  }

  private mutating func settle(at now: Moment) -> [SourceOutput] {
    switch (state, isNeeded) {
    case (.closed, true):
      state = .opening
      status = .searching
      return [.open(.sensors)]
    case (.open, true):
      return passToCompass(wantsHeading ? .start : .stop, at: now)
        + passToMotion(wantsMotion ? .start : .stop, at: now)
    case (.opening, false), (.open, false):
      let last = stop(at: now)
      status = .idle
      return last + [.closeKernel]
    case (.surveying, _), (.closed, false), (.opening, true): return []
    }
  }

  private mutating func stop(at now: Moment) -> [SourceOutput] {
    state = .closed
    askers = []
    return passToCompass(.stop, at: now) + passToMotion(.stop, at: now)
  }

  // MARK: The machines

  private mutating func take(_ readings: [SysfsReading], at now: Moment) -> [SourceOutput] {
    guard !askers.isEmpty else { return [] }
    switch askers.removeFirst() {
    case .compass: return passToCompass(.readings(readings), at: now)
    case .motion: return passToMotion(.readings(readings), at: now)
    }
  }

  private mutating func passToCompass(_ input: IIOCompass.Input, at now: Moment) -> [SourceOutput] {
    (compass?.handle(input, at: now) ?? []).flatMap { output -> [SourceOutput] in
      switch output {
      case .read(let paths): return ask(paths, for: .compass)
      case .observation(let sample):
        status = .working
        return [.heading(sample)]
      case .store(let change): return [.store(change)]
      case .rejected(let reason): return refuse("\(reason)")
      }
    }
  }

  private mutating func passToMotion(_ input: IIOMotion.Input, at now: Moment) -> [SourceOutput] {
    let outputs = motion?.handle(input, at: now) ?? []
    if case .readings = input, !outputs.contains(where: \.isRejection) { status = .working }
    return outputs.flatMap { output -> [SourceOutput] in
      switch output {
      case .read(let paths): return ask(paths, for: .motion)
      case .activity(let activity): return [.motion(activity)]
      case .rejected(let reason): return refuse("motion: \(reason)")
      }
    }
  }

  private mutating func ask(_ paths: [String], for asker: Asker) -> [SourceOutput] {
    askers.append(asker)
    return [.read(.files(paths))]
  }

  private mutating func refuse(_ reason: String) -> [SourceOutput] {
    refusals[reason, default: 0] += 1
    return []
  }
}

extension IIOMotion.Output {
  fileprivate var isRejection: Bool { if case .rejected = self { true } else { false } }
}
