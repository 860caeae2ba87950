import LocationModel

/// The kernel's sensors: a compass where it has both sensors for one, movement where it has an
/// accelerometer, and the pressure of the air where it has a barometer.
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
    case pressure
  }

  private var state = State.surveying
  private var compass: IIOCompass?
  private var motion: IIOMotion?
  private var wantsHeading = false
  private var wantsMotion = false
  private var barometer: IIOBarometer?
  private var sensor: IIOBarometer.Sensor?
  /// The time between samples of the pressure; `nil` while none is needed.
  private var wantsPressure: Duration?
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

  /// Whether there is a barometer that can be read, as far as is known.
  var hasBarometer: Bool {
    if case .unavailable = status { return false }
    return barometer != nil
  }

  /// Whether it is known that the sensors cannot make a compass.
  var lacksCompass: Bool {
    if case .surveying = state { return false }
    return compass == nil
  }

  var nextDeadline: Instant? {
    guard case .open = state else { return nil }
    return earliest(
      earliest(compass?.nextDeadline, motion?.nextDeadline), barometer?.nextDeadline)
  }

  mutating func want(_ demand: Demand, at now: Moment) -> [SourceOutput] {
    wantsHeading = demand.magnetometer
    wantsMotion = demand.motion
    wantsPressure = demand.pressure
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
        + firstSample(in: readings)
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
    default: return []
    }
  }

  mutating func wake(at now: Moment) -> [SourceOutput] {
    guard case .open = state else { return [] }
    let isCompassDue = isDue(compass?.nextDeadline, now)
    let isMotionDue = isDue(motion?.nextDeadline, now)
    return (isCompassDue ? passToCompass(.wake, at: now) : [])
      + (isMotionDue ? passToMotion(.wake, at: now) : []) + passToBarometer(.wake, at: now)
  }

  // MARK: The channel

  /// Starts with the sensors that the kernel has.
  private mutating func begin(
    _ tree: IIODeviceTree, stored: [StateEntry], at now: Moment
  ) -> [SourceOutput] {
    compass = IIOCompass(tree) { key in stored.first { $0.key == key }?.value }
    motion = sensesMotion ? IIOMotion(tree) : nil
    barometer = tree.barometer.map { IIOBarometer($0) }
    sensor = tree.barometer
    hasCompass = compass != nil
    let isEmpty = compass == nil && motion == nil && barometer == nil
    status = isEmpty ? nil : .idle
    state = .closed
    return [.closeKernel] + settle(at: now)
  }

  /// Returns the pressure at the start, by which the engine learns that there is a barometer.
  private mutating func firstSample(in readings: [SysfsReading]) -> [SourceOutput] {
    switch sensor?.sample(in: readings) {
    case .success(let sample)?: [.sensor(.pressure(sample))]
    case .failure(let reason)?: refuse("pressure: \(reason)")
    case nil: []
    }
  }

  private var isNeeded: Bool {
    wantsPressure != nil && barometer != nil || (wantsHeading && compass != nil)
      || (wantsMotion && motion != nil)
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
        + passToBarometer(wantsPressure.map { .start($0) } ?? .stop, at: now)
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
      + passToBarometer(.stop, at: now)
  }

  // MARK: The machines

  private mutating func take(_ readings: [SysfsReading], at now: Moment) -> [SourceOutput] {
    guard !askers.isEmpty else { return [] }
    switch askers.removeFirst() {
    case .compass: return passToCompass(.readings(readings), at: now)
    case .motion: return passToMotion(.readings(readings), at: now)
    case .pressure: return passToBarometer(.readings(readings), at: now)
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
      case .activity(let activity): return [.sensor(.motion(activity))]
      case .rejected(let reason): return refuse("motion: \(reason)")
      }
    }
  }

  private mutating func passToBarometer(
    _ input: IIOBarometer.Input, at now: Moment
  ) -> [SourceOutput] {
    (barometer?.handle(input, at: now) ?? []).flatMap { output -> [SourceOutput] in
      switch output {
      case .read(let paths): return ask(paths, for: .pressure)
      case .sample(let sample):
        status = .working
        return [.sensor(.pressure(sample))]
      case .rejected(let reason): return refuse("pressure: \(reason)")
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
