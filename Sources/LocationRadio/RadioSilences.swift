/// Transmitters that should have been heard, and were not.
///
/// Access points are switched off and replaced. What is heard of a place then is unlike what is known
/// of it, although the place is found just as well by those that remain. One that was missed at
/// several places in a row is gone until it is heard again: that it is missing says nothing about how
/// well the place is known. One place is not enough: who stays where nothing was learned misses what
/// is known of the likest place all day.
struct RadioSilences: Hashable, Sendable {
  /// The places where each was missed since it was heard.
  private var missed: [RadioStationID: Set<CellIndex>] = [:]
  private(set) var gone: Set<RadioStationID> = []

  /// Notes what was heard at a place, and what is known of it.
  mutating func note(_ heard: [RadioLayer.Level], at index: CellIndex, _ known: [RadioLayer.Level])
  {
    let heard = Set(heard.map(\.station))
    if !missed.isEmpty {
      for station in heard where missed.removeValue(forKey: station) != nil { gone.remove(station) }
    }
    for level in known where level.strength > Self.audible && !heard.contains(level.station) {
      guard !gone.contains(level.station),
        missed[level.station] != nil || missed.count < Self.most
      else { continue }
      missed[level.station, default: []].insert(index)
      if missed[level.station, default: []].count >= Self.enough { gone.insert(level.station) }
    }
  }

  /// About -85 dBm: fainter ones are missed now and then.
  private static let audible = 0.1
  /// Chosen on the library: a person who stands before an access point hides it for a few meters.
  private static let enough = 5
  private static let most = 4096
}
