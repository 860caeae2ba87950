package import LocationModel

/// What a map knows of one kind of transmitters, for its owner.
package struct RadioMapSummary: Hashable, Sendable {
  package var kind: RadioMap.Kind
  /// Transmitters that this computer has received, each box once; of cells also their stations, channels, and areas.
  package var transmitters = 0
  /// Of these, those that are not used now because they move.
  package var blocked = 0
  /// Transmitters of imported lists.
  package var imported = 0
  /// Square meters of ground that is known.
  package var area = 0.0
  /// The days of the oldest and the newest lesson; `nil` without one.
  package var oldest: UnixTime?
  package var newest: UnixTime?
  /// What is stored of it.
  package var bytes = 0

  package init(kind: RadioMap.Kind) { self.kind = kind }
}

extension RadioMap {
  /// How much was forgotten of a circle.
  package struct Forgotten: Hashable, Sendable {
    /// Places, of 3 m for access points and 120 m for cells.
    package var places = 0
    /// Transmitters that are known nowhere else, also those of imported lists.
    package var transmitters = 0
  }

  /// What is known, in the order of the kinds.
  package func summaries(on date: UnixTime) -> [RadioMapSummary] {
    Kind.allCases.map { kind in
      var summary = RadioMapSummary(kind: kind)
      summary.imported = placed[kind]?.places.count ?? 0
      summary.bytes = rows.bytes(of: kind)
      guard let layer = layers[kind] else { return summary }
      summary.transmitters = layer.stations.count
      summary.blocked = layer.stations.values.count { $0.blockedUntil > date.day }
      summary.area = Double(layer.cellCount) * layer.grain.spacing * layer.grain.spacing
      let days = layer.places.compactMap { $0?.cell.day }
      summary.oldest = days.min().map { UnixTime(day: $0) }
      summary.newest = days.max().map { UnixTime(day: $0) }
      return summary
    }
  }

  /// Shows whether two maps have the same secret, so that one can read the rows of the other.
  package var fingerprint: UInt64 { names.fingerprint }
}
