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
      return east * east + north * north <= Self.farthestPair * Self.farthestPair
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

  /// Meters between two transmitters that are heard at one place.
  private static let farthestPair = 2 * RadioStation.farthest
}
