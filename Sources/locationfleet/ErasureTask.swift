import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationProviders
import LocationSecrets

/// Erasing a device, and the list of what was erased.
struct ErasureTask {
  private let configuration: FleetConfiguration

  init(_ configuration: FleetConfiguration) { self.configuration = configuration }

  func erase(_ name: FleetDeviceName, wait seconds: Int) throws(FleetFault) {
    let partitions = configuration.worker.partitions
    let begin = Self.clock(CLOCK_MONOTONIC)
    var broker = try Self.connect(configuration)
    var erasure = try FleetTasks.attempt(&broker) {
      (broker: inout NATSBroker) throws(BrokerFault) in
      try PartitionErasure(of: name, partitions: partitions, &broker)
    }
    var took: Int64 = 0
    try Self.carry(&broker) { (broker) throws(BrokerFault) in
      guard try erasure.isForgotten(&broker) else {
        guard Self.clock(CLOCK_MONOTONIC) - begin < Int64(seconds) * 1_000_000_000 else {
          throw .refused(
            "no worker has forgotten the device; its data is as it was, and the request stays")
        }
        broker.wait(.milliseconds(50))
        return false
      }
      let start = Self.clock(CLOCK_MONOTONIC)
      try erasure.overwrite(&broker)
      took += Self.clock(CLOCK_MONOTONIC) - start
      try note(name, erasure.report, &broker)
      try erasure.finish(&broker)
      return true
    }
    let report = erasure.report
    // What its worker knew is with a key that is gone, whether or not there was something.
    guard report.fixes + report.events + report.copies > 0 else {
      return try Printout.line(
        "partition \(erasure.partition): no fix and no event was kept of this device, so perhaps "
          + "nothing was known of it, or it was erased before: compare the names; "
          + "its worker was asked to forget it all the same")
    }
    let tenths = (took + 99_999_999) / 100_000_000
    try Printout.line(
      "partition \(erasure.partition): the device is forgotten; \(report.fixes) messages of fixes and "
        + "\(report.events) events overwritten in \(tenths / 10).\(tenths % 10) s"
        + (report.copies > 0 ? ", and \(report.copies) that sinks had set aside" : ""))
  }

  /// Connects where what an erasure needs is there: the stream in which it is noted, and as many partitions as
  /// the configuration says. A worker of another one would forget nothing, and say that it has.
  static func connect(_ configuration: FleetConfiguration) throws(FleetFault) -> NATSBroker {
    var broker = try FleetTasks.connect(configuration, name: "locationfleet erase")
    let notes = try FleetTasks.requirePartitions(
      configuration, &broker, else: "nothing was erased", and: [.erasures])
    guard notes.allSatisfy({ $0.state != .missing }) else {
      throw FleetFault(reason: "no stream of erasures; see `locationfleet init`", status: 1)
    }
    return broker
  }

  /// Does something until it is done; what was done before a fault stays done.
  static func carry(
    _ broker: inout NATSBroker, _ body: (inout NATSBroker) throws(BrokerFault) -> Bool
  ) throws(FleetFault) {
    do throws(FleetFault) { while try !FleetTasks.attempt(&broker, { "" }, body) {} } catch {
      throw FleetFault(reason: "\(error.reason); run it again", status: error.status)
    }
  }

  /// Only who knows the name can find it by the hash, at a tenth of a second for each line; nobody learns a
  /// name from it.
  private func note(
    _ name: FleetDeviceName, _ report: PartitionErasure.Report, _ broker: inout NATSBroker
  ) throws(BrokerFault) {
    guard let hash = PasswordHash.make(Self.text(of: name), .chosen) else {
      throw .unreachable("there is not enough memory")
    }
    let counts =
      #""fixes":\#(report.fixes),"events":\#(report.events),"refused":\#(report.copies)"#
    try Self.note(hash, of: name.tenant, counts, &broker)
  }

  /// Notes what was erased, when, and by whom.
  static func note(
    _ what: String, of tenant: String, _ counts: String, _ broker: inout NATSBroker
  ) throws(BrokerFault) {
    let date = UnixTime(nanoseconds: clock(CLOCK_REALTIME)).iso8601
    let line = #"{"erased":"\#(what)","date":"\#(date)","by":"\#(user)",\#(counts)}"#
    let entry = LogEntry(
      subject: "erased.\(FleetAddress.part(tenant))", bytes: Array((line + "\n").utf8))
    _ = try broker.append([entry], to: .erasures, expecting: nil)
  }

  private static func text(of name: FleetDeviceName) -> [UInt8] {
    Array("\(FleetAddress.part(name.tenant)).\(FleetAddress.part(name.device))".utf8)
  }

  /// Who runs this: the number of the user, and its name where it has one.
  private static var user: String {
    let number = getuid()
    guard let entry = getpwuid(number), let name = entry.pointee.pw_name else { return "\(number)" }
    return FleetAddress.part(String(cString: name))
  }

  func printAll() throws(FleetFault) {
    var broker = try FleetTasks.connect(configuration, name: "locationfleet erasures")
    var from: UInt64 = 1
    while true {
      let batch = try FleetTasks.attempt(&broker) {
        (broker: inout NATSBroker) throws(BrokerFault) in
        try broker.read(.erasures, from: from, most: 1000)
      }
      if let last = batch.messages.last { from = last.sequence + 1 }
      try Printout.write(batch.messages.flatMap(\.entry.bytes))
      guard batch.left > 0 else { return }
    }
  }

  static func clock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
