import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel

/// Publishing fences.
struct FenceTask {
  private let ingress: IngressConfiguration

  init(_ ingress: IngressConfiguration) { self.ingress = ingress }

  private var partitions: Int { ingress.fleet.worker.partitions }

  /// A file, and the fences that are in force.
  private struct Reading {
    var bytes: [UInt8]
    var fences: FleetFences
    var before: FleetFences
  }

  /// Has every partition judge by the fences of a file from here on, and prints what that changes.
  ///
  /// - Chosen (FLEET-138, FLEET-161): where most would be removed, a person is asked, unless `isConfirmed`.
  func publish(_ path: String, isConfirmed: Bool) throws(FleetFault) {
    let (found, made) = try read(path, else: "nothing was published")
    var broker = made
    let change = found.fences.change(since: found.before)
    if change.removesMost(of: found.before.count) {
      try Self.confirm(found, change, path, isConfirmed)
    }
    let partitions = partitions
    let version = try FleetTasks.attempt(&broker) {
      (broker: inout NATSBroker) throws(BrokerFault) in
      try FenceStore.publish(found.bytes, partitions: partitions, to: &broker)
    }
    try Printout.line(
      "fences \(version): \(found.fences.count) in force; " + Self.text(change, found.before.count))
  }

  /// Prints what a file would change, by tenant, and publishes nothing.
  func check(_ path: String) throws(FleetFault) {
    let (found, _) = try read(path, else: "nothing was compared")
    let change = found.fences.change(since: found.before)
    try Printout.line(
      "fences \(FenceStore.version(of: found.bytes)): \(found.fences.count) would be in force; "
        + Self.text(change, found.before.count))
    for difference in found.fences.differences(since: found.before) {
      try Printout.line("  \(difference.text)".escapedForDisplay(limit: .max))
    }
    if change.removesMost(of: found.before.count) {
      try Printout.line(
        "most of those in force would be removed: publishing it needs --yes, or a word")
    }
  }

  private static func text(_ change: FleetFences.Change, _ before: Int) -> String {
    "\(change.new) new, \(change.changed) changed, \(change.gone) of \(before) removed"
  }

  /// Reads a file, says what in it looks like a mistake, and compares it with what is in force.
  private func read(
    _ path: String, else consequence: String
  ) throws(FleetFault) -> (Reading, NATSBroker) {
    let bytes = try Input.file(path, limit: FenceFile.longest)
    var strange: FenceProperties? = FenceProperties()
    let fences: FleetFences
    do throws(FenceFile.Fault) { fences = try FenceFile.read(bytes, &strange) } catch {
      let place = error.feature.map { "feature \($0): " } ?? ""
      throw FleetFault(
        reason:
          "\(path): \(place)\(error.cause); next: man locationfleet (FENCES says what is read)")
    }
    for warning in (strange?.warnings ?? []) + unknownTenants(fences) {
      Log.line("locationfleet: \(path): \(warning.escapedForDisplay(limit: .max))")
    }
    var broker = try FleetTasks.connect(ingress.fleet, name: "locationfleet")
    try FleetTasks.requirePartitions(ingress.fleet, &broker, else: consequence)
    let partitions = partitions
    let known = try FleetTasks.attempt(&broker) {
      (broker: inout NATSBroker) throws(BrokerFault) in
      try FenceStore.inForce(partitions: partitions, &broker)
    }
    for before in known { try Self.requireRevisions(of: fences, since: before, path) }
    // Several are in force where a publication was interrupted.
    let before = known.max { $0.count < $1.count } ?? FleetFences()
    return (Reading(bytes: bytes, fences: fences, before: before), broker)
  }

  /// Names tenants that have no account and no setting, where the configuration that is read names some.
  private func unknownTenants(_ fences: FleetFences) -> [String] {
    var known = Set(ingress.tenants.tenants.keys)
    // The file of accounts may be another computer's, or not for this user's eyes.
    do throws(FleetFault) {
      for account in try IngressProcess.accounts(ingress.accounts).byUser.values {
        known.insert(ExactName(account.tenant))
      }
    } catch {}
    return fences.unknownOwners(known, isWhole: ingress.security.authorities == nil)
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
    _ found: Reading, _ change: FleetFences.Change, _ path: String, _ isConfirmed: Bool
  ) throws(FleetFault) {
    guard !isConfirmed else { return }
    let isNone = found.fences.count == 0
    let text =
      isNone
      ? "\(path) has no fence, and \(found.before.count) are in force"
      : "\(path) removes \(change.gone) of \(found.before.count) fences in force"
    guard isatty(STDIN_FILENO) == 1 else {
      throw FleetFault(
        reason: "\(text): without a terminal that needs --yes; next: locationfleet fences --check "
          + "\(path) says which")
    }
    let word = isNone ? "none" : "remove"
    try Printout.write(Array("\(text). Type \(word) to go on: ".utf8))
    var input = StandardInput(longest: 16)
    guard try input.next() == Array(word.utf8) else {
      throw FleetFault(reason: "nothing was published", status: 1)
    }
  }
}
