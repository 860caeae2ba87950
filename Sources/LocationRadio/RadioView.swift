internal import LocationModel

/// A layer as it is seen by one scan: as a whole, or without what was taught lately.
struct RadioView: Sendable {
  /// A place like what is heard.
  struct Match: Sendable {
    var index: CellIndex
    var cell: RadioLayer.Cell
    /// The cosine between what is heard and what is known: at most 1.
    var likeness: Double
    /// The length of what is known, as far as it counts.
    fileprivate var length: Double

    var place: Coordinate { cell.coordinate }

    /// The cosine if the transmitters that are gone were not known here.
    func likeness(without gone: Set<RadioStationID>) -> Double {
      guard !gone.isEmpty else { return likeness }
      let lost = cell.levels.reduce(0) { sum, level in
        gone.contains(level.station) ? sum + level.strength * level.strength : sum
      }
      guard lost > 0 else { return likeness }
      let rest = max(length * length - lost, 0).squareRoot()
      return rest > 0 ? min(likeness * length / rest, 1) : likeness
    }
  }

  /// What is heard, and how much it counts.
  struct Heard {
    var levels: [RadioLayer.Level]
    /// In `0...1`, of each level.
    var weights: [Double]
    /// The numbers of the places at which any of it is known.
    var slots: [Int]
    /// The length of the levels as a vector.
    var length: Double
  }

  let layer: RadioLayer
  /// Places that are seen as they were before, `nil` where nothing was known, by their numbers.
  private var before: [Int: RadioLayer.Cell?] = [:]

  init(_ layer: RadioLayer) {
    self.layer = layer
  }

  init(_ layer: RadioLayer, without lessons: RadioLessons) {
    self.layer = layer
    for (index, cell) in lessons.before {
      if let slot = layer.slot(of: index) { before.updateValue(cell, forKey: slot) }
    }
  }

  /// Returns the places that are most like what is heard, the likest first, and how likely each floor is that the
  /// map knows: by the greatest likeness on it, and by its shares. Transmitters that travel along count nothing.
  ///
  /// Takes time linear in the places in which the transmitters are known.
  func likeliest(
    _ usable: [RadioLayer.Level], without travelers: Set<RadioStationID>
  ) -> (matches: [Match], floors: [Int8: Double]) {
    let heard = weigh(usable, without: travelers)
    guard heard.length > 0 else { return ([], [:]) }
    let (products, lengths) = products(with: heard)
    var best = 0.0
    var floors: [Int8: Double] = [:]
    var likenesses: [(slot: Int, likeness: Double)] = []
    likenesses.reserveCapacity(heard.slots.count)
    for slot in heard.slots where products[slot] > 0 && lengths[slot] > 0 {
      let likeness = min(products[slot] / (lengths[slot] * heard.length), 1)
      likenesses.append((slot, likeness))
      best = max(best, likeness)
      guard let floor = floor(of: slot) else { continue }
      floors[floor] = max(floors[floor] ?? 0, likeness)
    }
    let matches = likenesses.compactMap { slot, likeness -> Match? in
      guard likeness > best - Self.likenessRange, let index = layer.places[slot]?.index,
        let cell = cell(at: slot)
      else { return nil }
      return Match(index: index, cell: cell, likeness: likeness, length: lengths[slot])
    }
    for (floor, share) in shares(of: heard) { floors[floor]? += Self.weightOfShares * share }
    let likeliest = matches.sorted { ($1.likeness, $0.index) < ($0.likeness, $1.index) }
    return (Array(likeliest.prefix(Self.mostMatches)), floors)
  }

  /// Returns how much each transmitter tells of the place.
  ///
  /// One that is heard all around, and everywhere as loudly, tells nothing: it travels along, as the
  /// telephones of companions do. What counts is the part of its squared strength that differs from
  /// place to place.
  private func weigh(
    _ usable: [RadioLayer.Level], without travelers: Set<RadioStationID>
  ) -> Heard {
    var isSeen = [Bool](repeating: false, count: layer.places.count)
    var slots: [Int] = []
    let sums = usable.map { level -> (sum: Double, squares: Double) in
      var (sum, squares) = (0.0, 0.0)
      for posting in layer.postings(of: level.station) {
        sum += posting.strength
        squares += posting.strength * posting.strength
        guard !isSeen[posting.slot] else { continue }
        isSeen[posting.slot] = true
        slots.append(posting.slot)
      }
      return (sum, squares)
    }
    for slot in before.keys.sorted() where !isSeen[slot] { slots.append(slot) }
    let weights = zip(usable, sums).map { level, sums -> Double in
      guard !travelers.contains(level.station) else { return 0 }
      guard layer.grain.canTravel, sums.squares > 0 else { return 1 }
      let mean = sums.sum * sums.sum / sums.squares
      let postings = layer.postings(of: level.station)
      // Most differ much where they are heard already.
      guard 1 - mean / Double(postings.count) < Self.enoughContrast else { return 1 }
      let contrast = 1 - mean / Double(count(of: slots, around: postings))
      let share = min(max(contrast, Self.leastContrast) / Self.enoughContrast, 1)
      return share * share * share
    }
    let most = max(weights.max() ?? 1, .leastNormalMagnitude)
    let relative = weights.map { $0 / most }
    let square = zip(usable, relative).reduce(0) { $0 + $1.1 * $1.0.strength * $1.0.strength }
    return Heard(levels: usable, weights: relative, slots: slots, length: square.squareRoot())
  }

  /// Returns how many of the places lie in the rectangle in which a transmitter is heard, or near it.
  private func count(of slots: [Int], around postings: [RadioLayer.Posting]) -> Int {
    let indices = postings.compactMap { layer.places[$0.slot]?.index }
    guard let first = indices.first else { return 1 }
    var (south, north, west, east) = (first.row, first.row, first.column, first.column)
    for index in indices {
      (south, north) = (min(south, index.row), max(north, index.row))
      (west, east) = (min(west, index.column), max(east, index.column))
    }
    // As `Int`, in which no number of a row has neighbors beyond the last.
    let (rows, columns) = (
      (Int(south) - Self.surroundings)...(Int(north) + Self.surroundings),
      (Int(west) - Self.surroundings)...(Int(east) + Self.surroundings)
    )
    let inside = slots.count { slot in
      guard let index = layer.places[slot]?.index else { return false }
      return rows.contains(Int(index.row)) && columns.contains(Int(index.column))
    }
    return max(inside, postings.count)
  }

  /// Returns the scalar product of what is heard with each place, and the length of what is known
  /// there, both as far as the transmitters count.
  private func products(with heard: Heard) -> (products: [Double], lengths: [Double]) {
    var products = [Double](repeating: 0, count: layer.places.count)
    var lengths = products
    for slot in heard.slots { lengths[slot] = cell(at: slot).map { $0.length * $0.length } ?? 0 }
    for (level, weight) in zip(heard.levels, heard.weights) {
      for posting in layer.postings(of: level.station) where before[posting.slot] == nil {
        products[posting.slot] += weight * posting.strength * level.strength
        lengths[posting.slot] -= (1 - weight) * posting.strength * posting.strength
      }
    }
    if !before.isEmpty {
      let weights = Dictionary(
        zip(heard.levels.map(\.station), zip(heard.levels.map(\.strength), heard.weights))
      ) { first, _ in first }
      for slot in heard.slots {
        guard let cell = before[slot] else { continue }
        for level in cell?.levels ?? [] {
          guard let (strength, weight) = weights[level.station] else { continue }
          products[slot] += weight * level.strength * strength
          lengths[slot] -= (1 - weight) * level.strength * level.strength
        }
      }
    }
    for slot in heard.slots { lengths[slot] = max(lengths[slot], 0).squareRoot() }
    return (products, lengths)
  }

  /// Returns the weight of what was taught in each direction around a place, at most that of the place,
  /// on average.
  ///
  /// Teachings of one place, with the error of the receiver, lie nearer than what counts.
  func weight(around match: Match) -> Double {
    let near = max(Int32((Self.errorOfTeachings / layer.grain.spacing).rounded(.up)), 2)
    let far = near + Self.farther
    var directions = [Double](repeating: 0, count: 8)
    for north in -far...far {
      for east in -far...far {
        guard max(abs(north), abs(east)) >= near,
          let slot = layer.slot(
            of: CellIndex(
              row: match.index.row &+ north, column: match.index.column &+ east,
              floor: match.index.floor)),
          let cell = cell(at: slot)
        else { continue }
        let direction = (north > 0 ? 4 : 0) + (east > 0 ? 2 : 0) + (abs(north) > abs(east) ? 1 : 0)
        directions[direction] = max(directions[direction], min(cell.weight, match.cell.weight))
      }
    }
    return directions.reduce(0, +) / Double(directions.count)
  }

  private func cell(at slot: Int) -> RadioLayer.Cell? {
    if !before.isEmpty, let seen = before[slot] { return seen }
    return layer.places[slot]?.cell
  }

  private static let mostMatches = 64
  /// Chosen on the mall's paths.
  private static let weightOfShares = 0.1
  /// Below the best by this much, a place has less than a millionth of its probability.
  private static let likenessRange = 0.28
  /// From this part on a transmitter counts in full. Chosen on the museum and the mall, each with ten
  /// transmitters that travel along.
  static let enoughContrast = 0.1
  private static let leastContrast = 0.01
  /// Places to each side. Chosen: where an access point is not heard any more, of which little is heard.
  private static let surroundings = 15
  /// Meters within which teachings may be of one place: the error of a receiver beside a building.
  private static let errorOfTeachings = 12.0
  /// Places beyond these in which the ground around counts.
  private static let farther: Int32 = 4
}
