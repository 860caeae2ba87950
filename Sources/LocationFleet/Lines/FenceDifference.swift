internal import LocationCoding

/// What other fences would change for one tenant, by the ids of the fences in the order of their names.
package struct FenceDifference: Hashable, Sendable {
  /// `nil` for the fences that are everybody's.
  package var tenant: ExactName?
  package var new: [String] = []
  package var changed: [String] = []
  package var gone: [String] = []

  /// A line for people; of each kind the first fences are named.
  package var text: String {
    let owner = tenant.map { "tenant \(FleetAddress.label(of: $0.text))" } ?? "everybody's"
    let parts = [("new", new), ("changed", changed), ("removed", gone)].compactMap { word, ids in
      ids.isEmpty ? nil : "\(ids.count) \(word) (\(FleetDiagnosis.list(ids)))"
    }
    return "\(owner): \(parts.joined(separator: "; "))"
  }
}

extension FleetFences {
  /// Returns what has changed since the fences before, by tenant, everybody's first.
  package func differences(since before: FleetFences) -> [FenceDifference] {
    var found: [ExactName?: FenceDifference] = [:]
    func note(_ fence: FleetFence, _ kind: WritableKeyPath<FenceDifference, [String]>) {
      let tenant = fence.audience.tenant.map { ExactName($0) }
      found[tenant, default: FenceDifference(tenant: tenant)][keyPath: kind].append(fence.id)
    }
    forEachNew(since: before) { fence, isChanged in note(fence, isChanged ? \.changed : \.new) }
    for slot in 0..<Slot(before.count) where self.slot(of: before[slot].id) == nil {
      note(before[slot], \.gone)
    }
    return found.values.map { difference in
      var difference = difference
      difference.new.sort()
      difference.changed.sort()
      difference.gone.sort()
      return difference
    }.sorted { left, right in
      guard let one = left.tenant, let other = right.tenant else { return left.tenant == nil }
      return one < other
    }
  }

  /// Names tenants of fences that may be misspelt.
  ///
  /// - Parameters:
  ///   - known: the tenants of the fleet; empty where none are known, which says nothing of others.
  ///   - isWhole: whether there are no others; else only those are named that are near one of them.
  /// - Returns: a text for each, in the order of their names, for the first of them.
  package func unknownOwners(_ known: Set<ExactName>, isWhole: Bool) -> [String] {
    guard !known.isEmpty else { return [] }
    var found: [ExactName: Int] = [:]
    for slot in 0..<Slot(count) {
      guard let tenant = self[slot].audience.tenant.map({ ExactName($0) }) else { continue }
      if !known.contains(tenant) { found[tenant, default: 0] += 1 }
    }
    let names = known.sorted().prefix(Self.mostCompared).map(\.text)
    return found.sorted { $0.key < $1.key }.prefix(Self.mostNamed).compactMap { tenant, count in
      let near = NearWord.find(for: tenant.text, among: names)
      guard isWhole || near != nil else { return nil }
      let meant = near.map { "; did you mean \"\(FleetAddress.label(of: $0))\"?" } ?? ""
      let fences = count == 1 ? "1 fence is" : "\(count) fences are"
      return
        "\(fences) of tenant \"\(FleetAddress.label(of: tenant.text))\", which no account and no "
        + "`tenant` setting names\(meant)"
    }
  }

  private static let mostCompared = 10_000
  private static let mostNamed = 20
}

extension FleetFence.Audience {
  /// Whose it is; `nil` for everybody's.
  var tenant: String? {
    switch self {
    case .everyone: nil
    case .tenant(let tenant), .group(let tenant, _), .device(let tenant, _): tenant
    }
  }
}

extension FleetFences.Change {
  /// Whether more than half of so many fences are gone.
  ///
  /// - Chosen (FLEET-161): a file of other fences, or half of one, looks so; who moves a depot does not.
  package func removesMost(of before: Int) -> Bool { gone * 2 > before }
}
