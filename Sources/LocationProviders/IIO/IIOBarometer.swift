package import LocationModel

/// Reads the kernel's barometer, as often as samples are needed.
package struct IIOBarometer: Machine {
  package enum Input: MachineInput {
    /// Samples are needed with at most this time between them.
    case start(Duration)
    case stop
    /// The contents of the requested files, without those that could not be read.
    case readings([SysfsReading])
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Read these files and pass their contents back.
    case read([String])
    case sample(PressureSample)
    case rejected(Rejection)
  }

  /// Why a reading is no pressure of the air.
  package enum Rejection: Hashable, Sendable {
    /// The file is missing or holds no finite number.
    case unreadable
    /// Outside what the air has anywhere on the ground or in an airliner.
    case absurd
  }

  /// A barometer in the kernel's industrial I/O system.
  package struct Sensor: Hashable, Sendable {
    /// `iio:device0`.
    package var folder: String
    /// The file to read for each sample.
    package var path: String
    private var offset: Double
    /// Hectopascals for one step of the file's number.
    private var scale: Double

    /// Returns `nil` unless the folder has a pressure, or a raw value with a scale.
    init?(folder: String, files: [String: String]) {
      self.folder = folder
      if files["in_pressure_input"] != nil {
        (path, offset, scale) = (folder + "/in_pressure_input", 0, Self.unit)
        return
      }
      let offset = files["in_pressure_offset"].map { Double(trimmed: $0) } ?? 0
      guard files["in_pressure_raw"] != nil, let offset,
        let scale = files["in_pressure_scale"].flatMap({ Double(trimmed: $0) }), scale != 0
      else { return nil }
      (path, self.offset, self.scale) = (folder + "/in_pressure_raw", offset, scale * Self.unit)
    }

    /// Returns the pressure in the files, or why there is none.
    package func sample(in readings: [SysfsReading]) -> Result<PressureSample, Rejection> {
      guard let text = readings.first(where: { $0.path == path })?.text,
        let value = Double(trimmed: text), value.isFinite
      else { return .failure(.unreadable) }
      let pressure = (value + offset) * scale
      guard Self.possible.contains(pressure) else { return .failure(.absurd) }
      return .success(PressureSample(hectopascals: pressure))
    }

    /// Hectopascals in the kernel's unit, the kilopascal.
    private static let unit = 10.0
    /// Hectopascals; the range of ``PressureSample``.
    private static let possible = 300.0...1200.0
  }

  private let sensor: Sensor
  /// `nil` while no sample is needed.
  private var interval: Duration?
  package private(set) var nextDeadline: Instant?

  package init(_ sensor: Sensor) {
    self.sensor = sensor
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .start(let interval):
      guard interval != self.interval else { return [] }
      self.interval = interval
      return read(at: now.uptime)
    case .stop:
      (interval, nextDeadline) = (nil, nil)
      return []
    case .wake:
      guard isDue(nextDeadline, now) else { return [] }
      return read(at: now.uptime)
    case .readings(let readings):
      guard interval != nil else { return [] }
      return first(in: readings)
    }
  }

  private mutating func read(at now: Instant) -> [Output] {
    nextDeadline = interval.map { now + max($0, Self.shortest) }
    return [.read([sensor.path])]
  }

  /// A barometer measures for up to a tenth of a second, and reading waits for that. Chosen.
  private static let shortest = Duration.seconds(1)
}

extension IIOBarometer.Rejection: Error {}

extension IIOBarometer: KernelSensor {
  static var quantity: SensorEvidence.Quantity { .pressure }

  /// The pressure in the files; at the start, the engine learns by it that there is a barometer.
  func first(in readings: [SysfsReading]) -> [Output] {
    switch sensor.sample(in: readings) {
    case .success(let sample): [.sample(sample)]
    case .failure(let reason): [.rejected(reason)]
    }
  }
}

extension IIOBarometer.Input: KernelSensorInput {
  static func start(for demand: Demand) -> Self? { demand.pressure.map { .start($0) } }
}

extension IIOBarometer.Output: KernelSensorOutput {
  var action: KernelSensorAction {
    switch self {
    case .read(let paths): .read(paths)
    case .sample(let sample): .report(.sensor(.pressure(sample)))
    case .rejected(let reason): .reject("pressure: \(reason)")
    }
  }
}
