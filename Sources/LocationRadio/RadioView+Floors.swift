internal import LocationModel

extension RadioView {
  /// Returns how well each known floor explains what is heard, by how much louder each transmitter is there
  /// than on the others.
  ///
  /// The likest place alone is often on the wrong floor: beside an open stairway the same transmitters are
  /// heard above and below. How loud each of them is on a whole floor is known better.
  ///
  /// - Returns: for each floor the mean logarithm of its share in each transmitter, 0 where all are heard on it
  ///   alone; empty where fewer than two floors are known, as there is nothing to decide.
  func shares(of heard: Heard) -> [Int8: Double] {
    var places = [Double](repeating: 0, count: Self.floors)
    for slot in heard.slots { if let floor = number(ofFloorOf: slot) { places[floor] += 1 } }
    let known = places.indices.filter { places[$0] > 0 }
    guard known.count > 1 else { return [:] }
    var (shares, total) = ([Double](repeating: 0, count: Self.floors), 0.0)
    for (level, weight) in zip(heard.levels, heard.weights) {
      var loudness = [Double](repeating: 0, count: Self.floors)
      for posting in layer.postings(of: level.station) {
        if let floor = number(ofFloorOf: posting.slot) {
          loudness[floor] += posting.strength / places[floor]
        }
      }
      let all = known.reduce(0) { $0 + loudness[$1] + Self.leastLoudness }
      let counts = weight * level.strength.squareRoot()
      for floor in known {
        shares[floor] += counts * logarithm((loudness[floor] + Self.leastLoudness) / all)
      }
      total += counts
    }
    guard total > 0 else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: known.map { (Int8(bitPattern: UInt8($0)), shares[$0] / total) })
  }

  /// The floor of a place; `nil` where it is not known.
  func floor(of slot: Int) -> Int8? {
    guard let floor = layer.places[slot]?.index.floor, floor != CellIndex.anyFloor else {
      return nil
    }
    return floor
  }

  /// The number of a place's floor among all that there may be.
  private func number(ofFloorOf slot: Int) -> Int? {
    floor(of: slot).map { Int(UInt8(bitPattern: $0)) }
  }

  private static let floors = 256
  /// What was never heard on a floor may be there still: as much as one place in a thousand at the edge of what
  /// can be heard. Chosen on the mall's paths.
  private static let leastLoudness = 1e-5
}
