import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel

/// Erasing all devices of a tenant.
struct TenantErasureTask {
  private let configuration: FleetConfiguration
  private let tenant: String

  /// `-` is no tenant.
  init(_ configuration: FleetConfiguration, _ name: String) {
    self.configuration = configuration
    tenant = name == "-" ? "" : name
  }

  private var label: String { FleetAddress.label(of: tenant) }

  /// Asks the person at the terminal, unless there is a word for it.
  func confirm(_ isConfirmed: Bool) throws(FleetFault) {
    guard !isConfirmed else { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw FleetFault(reason: "without a terminal, erase TENANT --all needs --yes")
    }
    try Printout.line(
      "All devices, events, and fences of tenant \(label) are overwritten for good.")
    try Printout.write(Array("Type \(label) to go on: ".utf8))
    var input = StandardInput(longest: 256)
    guard try input.next() == Array(label.utf8) else {
      throw FleetFault(reason: "nothing was erased", status: 1)
    }
  }

  func run(wait seconds: Int) throws(FleetFault) {
    var broker = try ErasureTask.connect(configuration)
    let partitions = configuration.worker.partitions
    var erasure = try FleetTasks.attempt(&broker) {
      (broker: inout NATSBroker) throws(BrokerFault) in
      try TenantErasure(of: tenant, partitions: partitions, &broker)
    }
    var shown = 0
    let end = ErasureTask.clock(CLOCK_MONOTONIC) + Int64(seconds) * 1_000_000_000
    try ErasureTask.carry(&broker) { (broker) throws(BrokerFault) in
      let isForgotten = try erasure.isForgotten(&broker)
      if erasure.forgotten > shown {
        shown = erasure.forgotten
        Log.line("\(shown) of \(partitions) partitions have forgotten its devices")
      }
      guard !isForgotten else { return true }
      guard ErasureTask.clock(CLOCK_MONOTONIC) < end else {
        throw .refused(
          "\(partitions - shown) partitions have not forgotten its devices, as no worker of "
            + "this version has them; no fix and no event was overwritten, but the requests stay, "
            + "and its fences are in force no longer")
      }
      broker.wait(.milliseconds(50))
      return false
    }
    try ErasureTask.carry(&broker) { (broker) throws(BrokerFault) in
      let isAll = try erasure.overwrite(&broker)
      if !isAll { Log.line("\(erasure.overwritten) of \(partitions) partitions overwritten") }
      return isAll
    }
    let report = erasure.report
    let counts =
      #""fixes":\#(report.fixes),"events":\#(report.events),"refused":\#(report.copies),"#
      + #""fences":\#(erasure.versions)"#
    try ErasureTask.carry(&broker) { (broker) throws(BrokerFault) in
      try ErasureTask.note("all devices of \(label)", of: tenant, counts, &broker)
      try erasure.finish(&broker)
      return true
    }
    let hadKey = try configuration.tenantKeys.map { (folder) throws(FleetFault) in
      try TenantKeyFiles(folder: folder).destroy(tenant)
    }
    guard report.fixes + report.events + report.copies + erasure.versions > 0 || hadKey == true
    else {
      return try Printout.line(
        "\(label): no fix, no event, and no fence was kept of this tenant, so perhaps nothing was "
          + "known of it, or it was erased before: compare the name; every "
          + "partition was asked to forget its devices all the same")
    }
    try Printout.line(
      "\(label): all devices are forgotten; \(report.fixes) messages of fixes, \(report.events) "
        + "events, \(report.copies) that sinks had set aside, and \(erasure.versions) versions of "
        + "fences overwritten" + (hadKey == true ? ", and its key here" : ""))
  }
}
