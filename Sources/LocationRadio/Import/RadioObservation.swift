package import LocationModel

/// What an import adds to the map.
package enum RadioObservation: Hashable, Sendable {
  /// What was received at a place; the floor where it is known, and the accuracy of the place in meters.
  case scan(
    RadioScan, at: Coordinate, floor: Int8?, accuracy: Double = RadioMap.usualAccuracy)
  /// Where a list places a transmitter.
  case placed(Transmitter, PlacedStations.Place)
  /// A row that a map has exported, and the fingerprint of that map's secret.
  case row(name: String, value: [UInt8], fingerprint: UInt64)
}

/// Why a part of an import was not used.
package enum ImportRefusal: String, Hashable, CaseIterable, Sendable {
  case notUnderstood = "not understood"
  case tooLong = "longer than 64 KiB"
  case noPlace = "no place on earth"
  case inaccurate = "the place is less accurate than 30 m, or was passed faster than 15 m/s"
  case noDate = "no date, or one in the future"
  case noAddress = "no address of an access point"
  case level = "a level that no radio reports"
  case optedOut = "the owner has opted out (_nomap, _optout)"
  case hidden = "a hidden network"
  case mobile = "a phone or a vehicle"
  case noCell = "no identity of a cell"
  case otherRadio = "another kind of radio"
  case otherMap = "a row of another computer's map"
  case older = "older than what is known of its transmitter"
  case noRoom = "no room in the map"

  init(_ refusal: NetworkName.Refusal) {
    self =
      switch refusal {
      case .optedOut: .optedOut
      case .hidden: .hidden
      case .mobile: .mobile
      }
  }
}

/// How often parts of an import were not used, by reason.
package struct ImportRefusals: Hashable, Sendable {
  private var counts: [ImportRefusal: Int] = [:]

  package init() {}

  package mutating func note(_ refusal: ImportRefusal, _ count: Int = 1) {
    counts[refusal, default: 0] += count
  }

  /// The reasons that occurred, in a fixed order.
  package var all: [(reason: ImportRefusal, count: Int)] {
    ImportRefusal.allCases.compactMap { reason in counts[reason].map { (reason, $0) } }
  }
}
