import LocationModel

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
    region = fix
    for index in coordinators.indices {
      coordinators[index].world.region = fix
      guard watch.outage != nil else { continue }
      outputs += coordinators[index].offerRegion(at: now)
    }
  }
}
