import LocationFleet
import LocationModel
import LocationProviders

/// Devices of ten tenants that drive among fences, as fast as somebody asks for their fixes. Each has a fix every 5
/// to 15 s of its own time, always as many: did all have one as often, their significant changes, which come
/// every 300 s, would come in the same moment.
struct FleetTraffic {
  static let tenants = 10
  static let devices = 20_000
  static let partitions = 4
  static let start = UnixTime(seconds: 1_767_600_000)

  private let begins: [(north: Double, east: Double)]
  /// Seconds between the fixes of a device.
  private let pauses: [Int]
  private let subjects: [String]
  /// How many fixes of a device there were.
  private var steps = [Int](repeating: 0, count: Self.devices)
  /// Which device of a tenant is next.
  private var turns = (0..<Self.tenants).map { $0 }
  private var dates: [String] = []

  init() {
    var random = SeededRandom(seed: 11)
    begins = (0..<Self.devices).map { _ in
      (.random(in: 45...48, using: &random), .random(in: 5...8, using: &random))
    }
    pauses = (0..<Self.devices).map { _ in .random(in: 5...15, using: &random) }
    subjects = (0..<Self.devices).map { number in
      let name = Self.name(number)
      return FleetAddress.fixes(
        of: name, partition: FleetAddress.partition(of: name, count: Self.partitions))
    }
  }

  static func tenant(_ number: Int) -> String { "tenant-\(number)" }

  static func name(_ device: Int) -> FleetDeviceName {
    FleetDeviceName(tenant: tenant(device % tenants), device: "device-\(device)")
  }

  /// The next device of a tenant, and how many seconds after its first fix.
  private mutating func next(_ tenant: Int) -> (device: Int, seconds: Int) {
    let device = turns[tenant]
    turns[tenant] = device + Self.tenants < Self.devices ? device + Self.tenants : tenant
    defer { steps[device] += 1 }
    return (device, steps[device] * pauses[device])
  }

  /// Where a device is so many seconds after its first fix.
  private func east(_ device: Int, _ seconds: Int) -> Double {
    begins[device].east + Double(seconds) * 0.000_15
  }

  /// The next fix of a tenant, for a stream.
  mutating func entry(_ tenant: Int) -> LogEntry {
    let (device, seconds) = next(tenant)
    while dates.count <= seconds {
      dates.append((Self.start + .seconds(dates.count)).iso8601)
    }
    let line =
      "{\"tenant\":\"tenant-\(tenant)\",\"device\":\"device-\(device)\",\"date\":\"\(dates[seconds])\","
      + "\"latitude\":\(begins[device].north),\"longitude\":\(east(device, seconds)),"
      + "\"horizontal_accuracy\":8,\"speed\":11.5,\"course\":90}"
    return LogEntry(subject: subjects[device], bytes: Array(line.utf8))
  }

  /// The next fix of a tenant, as OwnTracks would send it.
  mutating func report(_ tenant: Int) -> (device: Int, seconds: Int, payload: String) {
    let (device, seconds) = next(tenant)
    return (
      device, seconds,
      "{\"_type\":\"location\",\"lat\":\(begins[device].north),\"lon\":\(east(device, seconds)),"
        + "\"acc\":8,\"vel\":41,\"cog\":90,\"tst\":\(1_767_600_000 + seconds)}"
    )
  }
}

/// How much is due at rates, by whom.
struct FleetPace {
  private let rates: [Double]
  private var sent: [Int]

  /// Fixes a second of each tenant.
  init(_ rates: [Double]) {
    self.rates = rates
    sent = rates.map { _ in 0 }
  }

  var total: Int { sent.reduce(0, +) }

  /// How many fixes of a tenant are due after so many seconds, at most `most`.
  func due(_ tenant: Int, after seconds: Double, most: Int) -> Int {
    min(max(Int(rates[tenant] * seconds) - sent[tenant], 0), most)
  }

  mutating func send(_ tenant: Int, _ count: Int) { sent[tenant] += count }
}
