// What the owners of partitions say in their leases.
extension FleetDiagnosis {
  /// Partitions whose owners judge nothing of them, and why.
  var obstacles: [(partition: Int, obstacle: PartitionObstacle)] {
    survey.partitions.indices.compactMap { partition in
      guard let lease = survey.partitions[partition].lease, lease.isHeld else { return nil }
      return lease.obstacle.map { (partition, $0) }
    }
  }

  /// One finding for each tenant without its key, and for each other cause.
  var heldUp: [FleetFinding] {
    var tenants: [String: [(partition: Int, fault: TenantKeyFault?)]] = [:]
    var causes: [String: [Int]] = [:]
    for (partition, obstacle) in obstacles {
      if let tenant = obstacle.tenant {
        tenants[tenant, default: []].append((partition, obstacle.key))
      } else {
        causes[obstacle.cause, default: []].append(partition)
      }
    }
    let keys = tenants.sorted { $0.key < $1.key }.prefix(Self.mostFindings).map { tenant, held in
      // A worker that has no key yet says less than one that has seen what is sealed.
      let faults = held.compactMap(\.fault)
      let fault = faults.first { $0 != .unmade } ?? faults.first
      return FleetFinding(
        "partitions", "partitions_without_key", .bad,
        "\(Self.partitions(held.map(\.partition))) cannot go on: the key of tenant \(tenant) "
          + Self.words(fault),
        next: (fault ?? .missing).next(for: tenant))
    }
    let others = causes.sorted { $0.key < $1.key }.prefix(Self.mostFindings).map { cause, held in
      FleetFinding(
        "partitions", "partitions_held_up", .bad,
        "\(Self.partitions(held)) cannot go on: \(cause)",
        next: "what their worker says: journalctl -u 'locationfleet@*' -p warning")
    }
    return keys + others
  }

  private static func words(_ fault: TenantKeyFault?) -> String {
    switch fault {
    case .unmade: "was never made, or is not there yet"
    case .missing: "is not there, and its devices are sealed with it"
    case .unreadable: "cannot be read"
    case .other: "is another one than that with which its devices are sealed"
    case .unset: "is not looked for, and its devices are sealed with it"
    case nil: "is missing or another one"
    }
  }

  /// Partitions whose devices are stored in another number of buckets than this configuration says.
  var buckets: [FleetFinding] {
    let own = fleet.worker.partition.buckets
    let stored = survey.partitions.compactMap(\.buckets).first { $0 != own }
    guard let stored else { return [] }
    return [
      FleetFinding(
        "partitions", "buckets_differ", .bad,
        "`buckets` is \(own), and devices are stored in \(stored)",
        next: "set `buckets` to \(stored) in the configuration of every worker; it never changes")
    ]
  }

  /// Workers that judge otherwise than others, or than the configuration that is read here.
  var settings: [FleetFinding] {
    var workers: [String: Set<String>] = [:]
    for partition in survey.partitions {
      guard let lease = partition.lease, lease.isHeld, let settings = lease.settings else {
        continue
      }
      workers[settings, default: []].insert(lease.owner)
    }
    let own = fleet.worker.partition.judging
    guard let first = workers.keys.min(), workers.count > 1 || first != own else { return [] }
    guard workers.count > 1 else {
      return [
        FleetFinding(
          "partitions", "settings_of_another_file", .doubtful,
          "workers judge by \(Self.difference(first, from: own)), and this configuration has "
            + Self.difference(own, from: first),
          next: "where it was changed: systemctl restart 'locationfleet@*'")
      ]
    }
    let parts = workers.sorted { $0.key < $1.key }.map { settings, names in
      let others = workers.keys.filter { $0 != settings }.sorted()
      return "\(Self.list(names.sorted())) by \(Self.difference(settings, from: others[0]))"
    }
    return [
      FleetFinding(
        "partitions", "settings_differ", .bad,
        "workers judge otherwise than others: \(Self.list(parts))",
        next: "give all the same settings, then: systemctl restart 'locationfleet@*'")
    ]
  }

  /// Those of the settings that others do not have.
  private static func difference(_ settings: String, from others: String) -> String {
    let known = Set(others.split(separator: " "))
    let own = settings.split(separator: " ").filter { !known.contains($0) }
    return own.isEmpty ? "nothing else" : own.joined(separator: " ")
  }

  private static let mostFindings = 8
}
