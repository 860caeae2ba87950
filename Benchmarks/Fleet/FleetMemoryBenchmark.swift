import LocationFleet
import LocationModel

/// Bytes of a device: as it is stored, and resident, with two fences active and at rest.
///
/// `Benchmarks fleet-memory [DEVICES [PARTITIONS]]`: 100,000 devices, and a partition for each 100,000 of them, in
/// buckets as a worker has them, with as many awake in each partition as with the 64 and the 65,536 of the default.
/// After rounds in which each device has been awake and has become bytes again, longer or shorter, and with those
/// awake that are so then. A million take five minutes.
func measureFleetMemory() throws {
  let words = CommandLine.arguments.dropFirst(2).compactMap { Int($0) }
  let devices = max(words.first ?? 100_000, 1)
  let partitions = max(words.dropFirst().first ?? (devices + 99_999) / 100_000, 1)
  print("\(devices) devices in \(partitions) partitions of \(Buckets.each) buckets")
  let world = try FleetWorld(fences: 0)
  // The first ones are kept, as what they free would be taken for the others, and not be counted.
  var all: [Buckets] = []
  for (name, isMoving, target) in [("active", true, 1000.0), ("parked", false, 300)] {
    let before = try residentBytes()
    var buckets = Buckets(world.pair, partitions: partitions)
    buckets.judge(devices, isMoving: isMoving, world)
    let resident = (try residentBytes() - before) / Double(devices)
    buckets.rest()
    let stored = buckets.storedBytes / Double(devices)
    try Figure.report("fleet.resident.\(name)", resident, "B", "resident for a device, \(name)")
    try Figure.report("fleet.stored.\(name)", stored, "B", "stored for a device, \(name)")
    show("resident, \(name)", resident, atMost: target)
    show("stored, \(name)", stored, atMost: 400)
    all.append(buckets)
  }
}

/// The devices of partitions that one worker owns.
private struct Buckets {
  /// Of a partition.
  static let each = 256
  /// Of a partition, as a worker has it by default.
  private static let awake = 1024
  /// Fixes of a device after each of which it becomes bytes.
  private static let rounds = 4

  private let partitions: Int
  private var fleets: [Fleet]

  init(_ fences: FleetFences, partitions: Int) {
    self.partitions = partitions
    let fleet = Fleet(fences, buckets: Self.each, mostAwake: Self.awake)
    fleets = Array(repeating: fleet, count: partitions)
  }

  var storedBytes: Double { Double(fleets.reduce(0) { $0 + $1.storedBytes }) }

  // Nothing is kept beside the devices, as it would be counted.
  mutating func judge(_ devices: Int, isMoving: Bool, _ world: FleetWorld) {
    for round in 0...Self.rounds {
      for number in 0..<devices {
        let device = FleetDeviceName(device: "device-\(number)")
        let place = FleetAddress.partition(of: device, count: partitions)
        let fixes = world.fixes(of: number, isMoving: isMoving)
        let first = fixes.count - Self.rounds
        let turn = round == 0 ? fixes[..<first] : fixes[(first + round - 1)..<(first + round)]
        for fix in turn { _ = fleets[place].take(fix, of: device) }
      }
    }
  }

  mutating func rest() {
    for place in fleets.indices { fleets[place].rest() }
  }
}

private func show(_ what: String, _ value: Double, atMost most: Double) {
  print("\(value <= most ? "won " : "lost"): \(what), at most \(Int(most)): \(Int(value))")
}
