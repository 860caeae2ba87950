import LocationModel

/// The regions of the computer that sources give as a last resort, one of each.
struct ComputerRegions: Sendable {
  private var regions: [(provider: ProviderID, fix: Fix)] = []

  /// The one that counts: the smallest, of two of one size that of the first source (RADIO-63).
  var smallest: Fix? {
    regions.min {
      ($0.fix.horizontalAccuracy, $0.provider) < ($1.fix.horizontalAccuracy, $1.provider)
    }?.fix
  }

  /// Keeps the last region of a source.
  mutating func note(_ fix: Fix, from provider: ProviderID) {
    _ = forget(provider)
    regions.append((provider, fix))
  }

  /// - Returns: whether the source had given one.
  mutating func forget(_ provider: ProviderID) -> Bool {
    let count = regions.count
    regions.removeAll { $0.provider == provider }
    return regions.count < count
  }
}

extension LocationEngine {
  /// Takes the region of the computer: for requests that accept any position, while there is none. It
  /// decides nothing else (RADIO-41).
  mutating func takeRegion(
    _ fix: Fix, from provider: ProviderID, at now: Moment, to outputs: inout [Output]
  ) {
    guard fix.coordinate.isValid, fix.horizontalAccuracy > 0, fix.horizontalAccuracy.isFinite
    else {
      outputs.append(.ignored(fix, provider, .notAPosition))
      return
    }
    regions.note(fix, from: provider)
    settleRegion(at: now, to: &outputs)
  }

  /// Forgets the region of a source that gives none any more.
  mutating func dropRegion(
    of provider: ProviderID, at now: Moment, to outputs: inout [Output]
  ) {
    if regions.forget(provider) { settleRegion(at: now, to: &outputs) }
  }

  private mutating func settleRegion(at now: Moment, to outputs: inout [Output]) {
    for index in coordinators.indices {
      coordinators[index].world.region = regions.smallest
      guard watch.outage != nil else { continue }
      outputs += coordinators[index].offerRegion(at: now)
    }
  }
}
