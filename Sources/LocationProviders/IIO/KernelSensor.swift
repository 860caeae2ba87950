import LocationModel

/// The machine of one of the kernel's sensors, as ``KernelSensors`` runs it.
protocol KernelSensor: Machine where Input: KernelSensorInput, Output: KernelSensorOutput {
  static var quantity: SensorEvidence.Quantity { get }

  /// Returns what the files that were read in the search for sensors say already.
  func first(in readings: [SysfsReading]) -> [Output]
}

extension KernelSensor {
  func first(in readings: [SysfsReading]) -> [Output] { [] }
}

/// What ``KernelSensors`` passes to a sensor, with `wake`.
protocol KernelSensorInput: MachineInput {
  /// Returns the input that starts the sensor; `nil` if a demand does not need it.
  static func start(for demand: Demand) -> Self?
  static var stop: Self { get }
  /// The contents of the requested files, without those that could not be read.
  static func readings(_ readings: [SysfsReading]) -> Self
}

protocol KernelSensorOutput: Sendable {
  var action: KernelSensorAction { get }
}

/// What ``KernelSensors`` does for a sensor.
enum KernelSensorAction {
  /// Reads these files and passes their contents back.
  case read([String])
  case report(SourceOutput)
  /// Counts a reading that was rejected.
  case reject(String)

  var isRejection: Bool { if case .reject = self { true } else { false } }
}
