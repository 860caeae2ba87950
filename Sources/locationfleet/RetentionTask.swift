import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel

/// Erases the events that tenants keep no longer.
struct RetentionTask {
  private let configuration: IngressConfiguration

  init(_ configuration: IngressConfiguration) { self.configuration = configuration }

  func run(wait seconds: Int) throws(FleetFault) {
    let now = UnixTime(nanoseconds: Self.clock(CLOCK_REALTIME))
    let tenants = configuration.tenants.retentions(at: now)
    guard !tenants.isEmpty else { return try Printout.line("no tenant has `keep-events-days`") }
    var broker = try FleetTasks.connect(configuration.fleet, name: "locationfleet expire")
    try FleetTasks.requirePartitions(
      configuration.fleet, &broker, else: "nothing was erased")
    var (blocked, faults): ([Int], [String]) = ([], [])
    for (name, date) in tenants {
      let part = name.isEmpty ? "-" : FleetAddress.part(name)
      var retention = TenantRetention(of: name, before: date)
      for partition in 0..<configuration.fleet.worker.partitions {
        // What is wrong with one partition keeps no other one from it.
        do throws(FleetFault) {
          let isDone = try FleetTasks.attempt(&broker) {
            (broker: inout NATSBroker) throws(BrokerFault) in
            try Self.expire(partition, &retention, wait: seconds, &broker)
          }
          if !isDone { blocked.append(partition) }
        } catch { faults.append("\(part): partition \(partition): \(error.reason)") }
      }
      do throws(FleetFault) {
        try FleetTasks.attempt(&broker) { (broker: inout NATSBroker) throws(BrokerFault) in
          try retention.passCopies(&broker)
        }
      } catch { faults.append("\(part): what sinks have set aside: \(error.reason)") }
      try Printout.line(
        "\(part): \(retention.erased) events before \(date.iso8601) erased"
          + (retention.copies > 0 ? ", and \(retention.copies) that sinks had set aside" : ""))
    }
    if let first = blocked.first {
      faults.insert(
        "an event is the last one of partition \(first), and no worker has answered; run it again",
        at: 0)
    }
    guard !faults.isEmpty else { return }
    let more = faults.count > 8 ? ["and \(faults.count - 8) more"] : []
    throw FleetFault(reason: (faults.prefix(8) + more).joined(separator: "\n"), status: 1)
  }

  /// Returns whether nothing is left of what is old enough.
  private static func expire(
    _ partition: Int, _ retention: inout TenantRetention, wait seconds: Int,
    _ broker: inout NATSBroker
  ) throws(BrokerFault) -> Bool {
    try retention.pass(partition, &broker)
    guard retention.isBlocked else { return true }
    try TenantRetention.askForMark(partition, &broker)
    let end = clock(CLOCK_MONOTONIC) + Int64(seconds) * 1_000_000_000
    while clock(CLOCK_MONOTONIC) < end {
      broker.wait(.milliseconds(50))
      try retention.pass(partition, &broker)
      if !retention.isBlocked { return true }
    }
    return false
  }

  private static func clock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
