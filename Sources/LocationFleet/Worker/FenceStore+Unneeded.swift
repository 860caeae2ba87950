/// Versions of fences by which nobody judges any more.
extension FenceStore {
  /// Overwrites the versions that no partition has in force, of what was stored before a publication that has come
  /// into every partition.
  ///
  /// - Chosen (FLEET-105): whoever publishes looks at every partition first, stores then, and comes behind nothing
  ///   that was published meanwhile. So whatever is stored by one who still succeeds lies behind `head`, the message
  ///   that said that this publication is there whole: before that nothing is in force later that is not so now.
  ///   Parts are overwritten only when that message of their own version was, or is not there: `store` puts it anew.
  static func overwriteUnneeded(
    before head: UInt64, partitions: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    var needed: Set<String> = []
    for partition in 0..<partitions {
      // Where inputs are gone that were not stored, it cannot be known which fences they asked for.
      let first = try broker.last(of: .fixes(partition), key: nil).first
      let position = try Checkpoint.stored(in: partition, &broker)?.position ?? 0
      guard first <= position + 1 else { return }
      try needed.formUnion(TenantFences.inForce(in: partition, &broker))
    }
    for (version, sequences) in try versions(in: &broker, before: head) {
      guard !needed.contains(version) else { continue }
      var parts = sequences
      if let own = try broker.last(of: .fences, key: version).message?.sequence {
        guard own < head, try broker.erase([own], of: .fences) == 1 else { continue }
        parts.removeAll { $0 == own }
      }
      _ = try broker.erase(parts, of: .fences)
    }
  }
}
