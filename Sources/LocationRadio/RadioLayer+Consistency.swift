internal import LocationModel

extension RadioLayer {
  /// Returns what is heard without the transmitters that contradict most of it.
  ///
  /// Two that are heard at one place lie at most twice as far apart as one is heard. A minority that
  /// is known elsewhere has moved, or was placed by somebody who was wrong or lied: it would pull the
  /// position there, and make every right place look unlike what is heard. Where no majority agrees,
  /// nothing is left out.
  func consistent(_ heard: [Level]) -> [Level] {
    guard grain.canTravel, heard.count > 2, let first = stations[heard[0].station] else {
      return heard
    }
    let frame = LocalFrame(center: first.place)
    let places = heard.map { frame.offset(of: stations[$0.station]?.place ?? first.place) }
    func areNear(_ one: Int, _ other: Int) -> Bool {
      let (east, north) = (
        places[one].east - places[other].east, places[one].north - places[other].north
      )
      return east * east + north * north <= 4 * grain.farthest * grain.farthest
    }
    guard heard.indices.contains(where: { !areNear(0, $0) }) else { return heard }
    let total = heard.reduce(0) { $0 + $1.strength }
    var best = (strength: 0.0, number: 0)
    for number in heard.indices {
      let strength = heard.indices.reduce(0.0) {
        areNear(number, $1) ? $0 + heard[$1].strength : $0
      }
      if strength > best.strength { best = (strength, number) }
    }
    guard best.strength > total / 2 else { return heard }
    return heard.indices.filter { areNear(best.number, $0) }.map { heard[$0] }
  }

  /// Returns which of the transmitters travel along, as a beacon on a bunch of keys does.
  ///
  /// One is known over more ground than one that stands is received on, and everywhere as loudly. Whether one
  /// that was received as loudly on little ground stands there is not known: it counts beside others, and
  /// alone it says nothing.
  func travelers(among heard: [Level]) -> Set<RadioStationID> {
    guard grain.farthestAlike < .infinity else { return [] }
    let known = heard.map(\.station).filter { !postings(of: $0).isEmpty }
    let alike = known.filter { isAlike($0) }
    let travelers = Set(alike.filter { extent(of: $0) > grain.farthestAlike })
    let isAlone = alike.count == known.count && known.count - travelers.count == 1
    return isAlone ? Set(known) : travelers
  }

  /// Whether a transmitter is heard as loudly at all places.
  private func isAlike(_ station: RadioStationID) -> Bool {
    let postings = postings(of: station)
    let (sum, squares) = postings.reduce(into: (0.0, 0.0)) {
      $0.0 += $1.strength
      $0.1 += $1.strength * $1.strength
    }
    guard squares > 0 else { return true }
    // As in `RadioView`, which counts the places around them, too.
    return 1 - sum * sum / squares / Double(postings.count) < RadioView.enoughContrast
  }

  /// Meters from one end of the ground on which a transmitter is heard to the other, to the east or to the north.
  private func extent(of station: RadioStationID) -> Double {
    let middles = postings(of: station).compactMap {
      places[$0.slot]?.index.middle(spacing: grain.spacing)
    }
    guard let first = middles.first else { return 0 }
    let frame = LocalFrame(center: first)
    let offsets = middles.map { frame.offset(of: $0) }
    guard let east = offsets.map(\.east).bounds, let north = offsets.map(\.north).bounds else {
      return 0
    }
    return max(north.upperBound - north.lowerBound, east.upperBound - east.lowerBound)
  }
}

extension [Double] {
  /// The least and the greatest number; `nil` without any.
  fileprivate var bounds: ClosedRange<Double>? {
    guard let least = self.min(), let greatest = self.max() else { return nil }
    return least...greatest
  }
}
