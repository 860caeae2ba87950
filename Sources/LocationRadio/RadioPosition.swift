package import LocationModel

/// A position found by radio.
package struct RadioPosition: Hashable, Sendable {
  package var coordinate: Coordinate
  /// Meters, at 68 % confidence.
  package var radius: Double
  /// Meters: the part of the radius that is the accuracy of what taught the place (RADIO-76).
  package var taught: Double
  /// The floor, where the map knows floors.
  package var floor: Int8?
  /// Transmitters that are known, and all that were heard.
  package var known: Int
  package var heard: Int

  package init(
    coordinate: Coordinate, radius: Double, taught: Double = 0, floor: Int8?, known: Int,
    heard: Int
  ) {
    (self.coordinate, self.radius, self.floor) = (coordinate, radius, floor)
    self.taught = taught
    (self.known, self.heard) = (known, heard)
  }
}

/// Why a scan gives no position.
package enum RadioSilence: String, Hashable, CaseIterable, Sendable {
  /// The radio hears no transmitter that may be used.
  case nothingHeard
  /// None of the transmitters is in the map.
  case nothingKnown
  /// Nor is one, but other cells of the serving cell's area are.
  case areaOnly
  /// Nor is its area, but the country of its network is known.
  case countryOnly

  /// The reason in words for a person.
  package var text: String {
    switch self {
    case .nothingHeard: "no transmitter that may be used is received"
    case .nothingKnown: "the map does not know what is received here"
    case .areaOnly:
      "the map does not know what is received here; the cell area serves requests that accept any position"
    case .countryOnly:
      "the map does not know what is received here; the network's country serves requests that accept any position"
    }
  }
}
