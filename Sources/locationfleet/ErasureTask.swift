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
    var broker = try FleetTasks.connect(configuration, name: "locationfleet erase")
    let partitions = configuration.worker.partitions
    let begin = Self.clock(CLOCK_MONOTONIC)
    // Where it is noted; without that nothing begins.
    do throws(FleetFault) {
      _ = try FleetTasks.attempt(&broker) { (broker: inout NATSBroker) throws(BrokerFault) in
        try broker.last(of: .erasures, key: nil)
      }
    } catch {
      throw FleetFault(
        reason: "no stream of erasures: \(error.reason); see `locationfleet init`", status: 1)
    }
    var erasure = try FleetTasks.attempt(&broker) {
      (broker: inout NATSBroker) throws(BrokerFault) in
      try DeviceErasure(of: name, partitions: partitions, &broker)
    }
    var (attempts, took) = (0, Int64(0))
    while true {
      do throws(BrokerFault) {
        guard try erasure.isForgotten(&broker) else {
          guard Self.clock(CLOCK_MONOTONIC) - begin < Int64(seconds) * 1_000_000_000 else {
            throw .refused("no worker has forgotten the device; its data is as it was")
          }
          broker.wait(.milliseconds(50))
          continue
        }
        let start = Self.clock(CLOCK_MONOTONIC)
        try erasure.overwrite(&broker)
        took += Self.clock(CLOCK_MONOTONIC) - start
        try note(name, erasure.report, &broker)
        try erasure.finish(&broker)
        break
      } catch {
        attempts += 1
        // Everything that was done stays done.
        guard case .unreachable = error, attempts < 60 else {
          throw FleetFault(reason: "\(error); run it again", status: 1)
        }
        broker.wait(.seconds(1))
      }
    }
    let report = erasure.report
    let tenths = (took + 99_999_999) / 100_000_000
    print(
      "partition \(report.partition): the device is forgotten; \(report.fixes) messages of fixes and "
        + "\(report.events) events overwritten in \(tenths / 10).\(tenths % 10) s"
        + (report.copies > 0 ? ", and \(report.copies) that sinks had set aside" : ""))
  }

  /// Notes that it was erased, when, and by whom. Only who knows the name can find it by the hash, at a
  /// tenth of a second for each line; nobody learns a name from it.
  private func note(
    _ name: FleetDeviceName, _ report: DeviceErasure.Report, _ broker: inout NATSBroker
  ) throws(BrokerFault) {
    guard let hash = PasswordHash.make(Self.text(of: name), .chosen) else {
      throw .unreachable("there is not enough memory")
    }
    let date = UnixTime(nanoseconds: Self.clock(CLOCK_REALTIME)).iso8601
    let line =
      #"{"erased":"\#(hash)","date":"\#(date)","by":"\#(Self.user)","fixes":\#(report.fixes),"#
      + #""events":\#(report.events),"refused":\#(report.copies)}"#
    let entry = LogEntry(
      subject: "erased.\(FleetAddress.part(name.tenant))", bytes: Array((line + "\n").utf8))
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
      for message in batch.messages {
        from = message.sequence + 1
        print(String(decoding: message.entry.bytes, as: UTF8.self), terminator: "")
      }
      guard batch.left > 0 else { return }
    }
  }

  private static func clock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
