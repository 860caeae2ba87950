/// Erases all devices of a tenant, and its fences, in every partition.
///
/// It may end anywhere and be begun again: in each partition the request stays until everything else is done
/// in all of them.
package struct TenantErasure: Sendable {
  package let tenant: String
  private var fences: TenantFences
  /// The number of the note that keeps others from publishing fences.
  private let note: UInt64
  private var parts: [PartitionErasure] = []
  /// How many partitions have forgotten the devices, and in how many they are overwritten.
  package private(set) var forgotten = 0
  package private(set) var overwritten = 0
  /// How many versions of fences were overwritten.
  package private(set) var versions = 0

  /// Has every partition judge without the tenant's fences, and forget its devices.
  package init(
    of tenant: String, partitions: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    self.tenant = tenant
    fences = TenantFences(of: tenant)
    // Before the note: where one of them cannot be looked at, nothing is begun.
    for partition in 0..<partitions { _ = try broker.last(of: .fixes(partition), key: nil) }
    note = try FenceStore.noteErasure(of: tenant, &broker)
    for partition in 0..<partitions {
      try fences.replace(in: partition, &broker)
      parts.append(try PartitionErasure(of: .tenant(tenant), in: partition, &broker))
    }
  }

  package var partitions: Int { parts.count }

  /// What was overwritten of the devices.
  package var report: PartitionErasure.Report {
    parts.reduce(into: PartitionErasure.Report()) { sum, part in
      sum.fixes += part.report.fixes
      sum.events += part.report.events
      sum.copies += part.report.copies
    }
  }

  /// Whether all owners have forgotten the devices; until then nothing is overwritten.
  package mutating func isForgotten(_ broker: inout some FleetBroker) throws(BrokerFault) -> Bool {
    while forgotten < parts.count, try parts[forgotten].isForgotten(&broker) { forgotten += 1 }
    return forgotten == parts.count
  }

  /// Overwrites what there is in one more partition, and at last the fences; returns whether that was all.
  package mutating func overwrite(_ broker: inout some FleetBroker) throws(BrokerFault) -> Bool {
    // All of its devices are forgotten, and the next one begins with whichever key there is.
    if overwritten == 0 { try TenantKeyRecord.end(of: tenant, &broker) }
    guard overwritten < parts.count else {
      versions += try fences.overwrite(partitions: parts.count, &broker)
      return true
    }
    try parts[overwritten].overwrite(&broker)
    overwritten += 1
    return false
  }

  /// Overwrites the requests, and lets fences be published again.
  package func finish(_ broker: inout some FleetBroker) throws(BrokerFault) {
    for part in parts { try part.finish(&broker) }
    _ = try broker.erase([note], of: .fences)
  }
}

/// Takes the fences of a tenant out of those that are in force, and then out of all that are kept.
struct TenantFences: Sendable {
  private let tenant: String
  /// By version, the one without the tenant's fences; the same where it has none.
  private var replaced: [String: String] = ["": ""]

  init(of tenant: String) { self.tenant = tenant }

  /// Has a partition judge by its fences less the tenant's from here on.
  ///
  /// Something is left there in any case, by which one who is just publishing fences, or erasing another
  /// tenant, sees it.
  mutating func replace(
    in partition: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let fault = "others write into partition \(partition) at the same time; run it again"
    try FenceStore.retrying(orRefuse: fault) { () throws(BrokerFault) in
      // Before the version: one that comes in between is replaced, and not what it has replaced.
      let place = try FenceStore.place(in: partition, &broker)
      let version = try Self.inForce(in: partition, &broker).last ?? ""
      var other = replaced[version] ?? version
      if replaced[version] == nil { other = try store(version, &broker) }
      replaced[version] = other
      try FenceStore.announce(other, in: partition, behind: place, to: &broker)
    }
  }

  /// Stores a version without the tenant's fences.
  private func store(
    _ version: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> String {
    let file = try FenceStore.file(version, from: &broker)
    guard let rest = try less(file, version) else { return version }
    return try FenceStore.store(rest, to: &broker).version
  }

  private func less(_ file: [UInt8], _ version: String) throws(BrokerFault) -> [UInt8]? {
    do throws(FenceFile.Fault) { return try FenceFile.removing(tenant, from: file) } catch {
      throw .damaged("fences \(version): \(error.cause)")
    }
  }

  /// The versions by which a partition judges from its checkpoint on, the last one from now on.
  static func inForce(
    in partition: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> [String] {
    let checkpoint = try Checkpoint.stored(in: partition, &broker)
    var versions = [checkpoint?.fences ?? ""]
    let position = checkpoint?.position ?? 0
    try ControlMessage.forEach(in: partition, after: position, &broker) { control, _ in
      if case .fences(let version) = control { versions.append(version) }
    }
    return versions
  }

  /// Overwrites every version that has fences of the tenant; returns how many.
  func overwrite(
    partitions: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Int {
    var needed: Set<String> = []
    for partition in 0..<partitions { try needed.formUnion(Self.inForce(in: partition, &broker)) }
    var count = 0
    for (version, sequences) in try FenceStore.versions(in: &broker) {
      let file: [UInt8]
      do throws(BrokerFault) { file = try FenceStore.file(version, from: &broker) } catch {
        // What was never published whole is in force nowhere.
        guard case .damaged = error, !needed.contains(version) else { throw error }
        _ = try broker.erase(sequences, of: .fences)
        continue
      }
      guard try less(file, version) != nil else { continue }
      guard !needed.contains(version) else {
        throw .refused(
          "fences \(version), in which there are the tenant's, are in force again; run it again")
      }
      _ = try broker.erase(sequences, of: .fences)
      count += 1
    }
    return count
  }
}
