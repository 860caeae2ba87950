import Glibc
import LocationFleet
import LocationFleetNATS

/// Publishing fences.
struct FenceTask {
  private let configuration: FleetConfiguration

  init(_ configuration: FleetConfiguration) { self.configuration = configuration }

  /// Has every partition judge by the fences of a file from here on, and prints what that changes.
  ///
  /// - Chosen (FLEET-138): where none would be left, a person is asked, unless `isConfirmed`.
  func publish(_ path: String, isConfirmed: Bool) throws(FleetFault) {
    let bytes = try Input.file(path, limit: FenceFile.longest)
    let fences: FleetFences
    do throws(FenceFile.Fault) { fences = try FenceFile.read(bytes) } catch {
      let place = error.feature.map { "feature \($0): " } ?? ""
      throw FleetFault(
        reason:
          "\(path): \(place)\(error.cause); next: man locationfleet (FENCES says what is read)")
    }
    var broker = try FleetTasks.connect(configuration, name: "locationfleet")
    try FleetTasks.requirePartitions(configuration, &broker, else: "nothing was published")
    let partitions = configuration.worker.partitions
    let known = try FleetTasks.attempt(&broker) {
      (broker: inout NATSBroker) throws(BrokerFault) in
      try FenceStore.inForce(partitions: partitions, &broker)
    }
    for before in known { try Self.requireRevisions(of: fences, since: before, path) }
    // Several are in force where a publication was interrupted.
    let before = known.max { $0.count < $1.count } ?? FleetFences()
    if fences.count == 0, before.count > 0 { try Self.confirm(before.count, path, isConfirmed) }
    let version = try FleetTasks.attempt(&broker) {
      (broker: inout NATSBroker) throws(BrokerFault) in
      try FenceStore.publish(bytes, partitions: partitions, to: &broker)
    }
    let change = fences.change(since: before)
    try Printout.line(
      "fences \(version): \(fences.count) in force; \(change.new) new, \(change.changed) changed, "
        + "\(change.gone) of \(before.count) removed")
  }

  private static func requireRevisions(
    of fences: FleetFences, since before: FleetFences, _ path: String
  ) throws(FleetFault) {
    let moved = fences.moved(since: before)
    guard let first = moved.first else { return }
    let others = moved.count > 1 ? " (and \(moved.count - 1) others)" : ""
    throw FleetFault(
      reason: "\(path): fence \(first)\(others) has another area than the one in force, and the "
        + "same revision: give it another \"revision\", or devices would have exits and "
        + "entries that were none")
  }

  private static func confirm(
    _ count: Int, _ path: String, _ isConfirmed: Bool
  ) throws(FleetFault) {
    guard !isConfirmed else { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw FleetFault(
        reason:
          "\(path) has no fence, and \(count) are in force: without a terminal that needs --yes")
    }
    try Printout.write(
      Array("\(path) has no fence, and \(count) are in force. Type none to go on: ".utf8))
    var input = StandardInput(longest: 16)
    guard try input.next() == Array("none".utf8) else {
      throw FleetFault(reason: "nothing was published", status: 1)
    }
  }
}
