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

  private var state = State.surveying
  /// In the order in which they are asked; empty during the search.
  private var sensors: [any KernelSensor] = []
  /// The places of those that have requested files; answers come in the order of the requests.
  private var askers: [Int] = []
  private var demand = Demand.none
  /// `nil` during the search for sensors, and where there is none.
  private(set) var status: ProviderStatus?
  private(set) var refusals: [String: Int] = [:]

  private let sensesMotion: Bool

  init(sensesMotion: Bool) {
    self.sensesMotion = sensesMotion
  }

  /// Whether there is a sensor of a quantity that can be read, as far as is known.
  func measures(_ quantity: SensorEvidence.Quantity) -> Bool {
    if case .unavailable = status { return false }
    return sensors.contains { type(of: $0).quantity == quantity }
  }

  /// Whether it is known that the sensors cannot make a compass.
  var lacksCompass: Bool {
    if case .surveying = state { return false }
    return !sensors.contains { $0 is IIOCompass }
  }

  var nextDeadline: Instant? {
    guard case .open = state else { return nil }
    return sensors.reduce(nil) { earliest($0, $1.nextDeadline) }
  }

  mutating func want(_ demand: Demand, at now: Moment) -> [SourceOutput] {
    self.demand = demand
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
        + eachSensor { Self.first(of: $0, in: readings) }
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
      return last
    default: return []
    }
  }

  mutating func wake(at now: Moment) -> [SourceOutput] {
    guard case .open = state else { return [] }
    return eachSensor {
      isDue($0.nextDeadline, now) ? Self.pass(.wake, to: &$0, at: now) : []
    }
  }

  // MARK: The channel

  /// Starts with the sensors that the kernel has.
  private mutating func begin(
    _ tree: IIODeviceTree, stored: [StateEntry], at now: Moment
  ) -> [SourceOutput] {
    let found: [(any KernelSensor)?] = [
      IIOCompass(tree) { key in stored.first { $0.key == key }?.value },
      sensesMotion ? IIOMotion(tree) : nil,
      tree.barometer.map { IIOBarometer($0) },
    ]
    sensors = found.compactMap(\.self)
    status = sensors.isEmpty ? nil : .idle
    state = .closed
    return [.closeKernel] + settle(at: now)
  }

  private mutating func settle(at now: Moment) -> [SourceOutput] {
    let demand = demand
    switch (state, sensors.contains { Self.needs($0, for: demand) }) {
    case (.closed, true):
      state = .opening
      status = .searching
      return [.open(.sensors)]
    case (.open, true): return eachSensor { Self.pass(.demand(demand), to: &$0, at: now) }
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
    return eachSensor { Self.pass(.demand(.none), to: &$0, at: now) }
  }

  private mutating func take(_ readings: [SysfsReading], at now: Moment) -> [SourceOutput] {
    guard !askers.isEmpty else { return [] }
    let index = askers.removeFirst()
    let actions = Self.pass(.readings(readings), to: &sensors[index], at: now)
    if !actions.contains(where: \.isRejection) { status = .working }
    return carryOut(actions, of: index)
  }

  // MARK: The machines

  private mutating func eachSensor(
    _ body: (inout any KernelSensor) -> [KernelSensorAction]
  ) -> [SourceOutput] {
    sensors.indices.flatMap { index in carryOut(body(&sensors[index]), of: index) }
  }

  private mutating func carryOut(
    _ actions: [KernelSensorAction], of index: Int
  ) -> [SourceOutput] {
    actions.compactMap { action in
      switch action {
      case .read(let paths):
        askers.append(index)
        return .read(.files(paths))
      case .report(let output): return output
      case .reject(let reason):
        refusals[reason, default: 0] += 1
        return nil
      }
    }
  }

  private enum Input {
    case demand(Demand)
    case readings([SysfsReading])
    case wake
  }

  private static func pass<Sensor: KernelSensor>(
    _ input: Input, to sensor: inout Sensor, at now: Moment
  ) -> [KernelSensorAction] {
    let input: Sensor.Input =
      switch input {
      case .demand(let demand): .start(for: demand) ?? .stop
      case .readings(let readings): .readings(readings)
      case .wake: .wake
      }
    return sensor.handle(input, at: now).map(\.action)
  }

  private static func first<Sensor: KernelSensor>(
    of sensor: Sensor, in readings: [SysfsReading]
  ) -> [KernelSensorAction] {
    sensor.first(in: readings).map(\.action)
  }

  private static func needs<Sensor: KernelSensor>(_ sensor: Sensor, for demand: Demand) -> Bool {
    Sensor.Input.start(for: demand) != nil
  }
}
