package import LocationModel

/// Finds where a scan was made, from one scan to the next.
///
/// Every known place is compared with what is heard, by the angle between the two as vectors of
/// strengths. The likeliest places are followed: a place is likelier the nearer it is to the
/// likely ones of the scan before.
package struct RadioLocator: Sendable {
  /// A position, or why there is none.
  package enum Answer: Hashable, Sendable {
    case position(RadioPosition)
    case unknown(RadioSilence)
  }

  /// A place that is followed.
  private struct Candidate: Sendable {
    var index: CellIndex
    var place: Coordinate
    var probability: Double
  }

  private var candidates: [Candidate] = []
  /// When the last position was found; `nil` when there is none to continue.
  private var last: Instant?
  package private(set) var calibration = RadioCalibration()

  package init() {}

  /// Forgets the way so far.
  package mutating func restart() {
    (candidates, last) = ([], nil)
  }

  /// Finds the position of a scan.
  ///
  /// Takes time linear in the places in which the transmitters of the scan are known.
  package mutating func locate(
    _ heard: [RadioLayer.Level], in layer: RadioLayer, day: Int32, at now: Instant
  ) -> Answer {
    guard !heard.isEmpty else { return .unknown(.nothingHeard) }
    let usable = heard.filter { layer.stations[$0.station]?.isUsable(on: day) ?? false }
    guard !usable.isEmpty else { return .unknown(.nothingKnown) }
    let likely = Self.likeliest(usable, in: layer)
    guard let best = likely.first else { return .unknown(.nothingKnown) }
    let prior = prior(for: likely, at: now)
    var total = 0.0
    candidates = likely.enumerated().map { number, place in
      let evidence = exponential((place.likeness - best.likeness) / Self.sharpness)
      let probability = evidence * prior[number]
      total += probability
      return Candidate(index: place.index, place: place.place, probability: probability)
    }
    for number in candidates.indices { candidates[number].probability /= total }
    last = now
    return .position(position(best, usable, heard: heard.count, in: layer, day: day))
  }

  // MARK: Likeness

  private struct Match: Sendable {
    var index: CellIndex
    var place: Coordinate
    /// The cosine between what is heard and what is known: at most 1.
    var likeness: Double
  }

  private static func likeliest(
    _ usable: [RadioLayer.Level], in layer: RadioLayer
  ) -> [Match] {
    var products = [Double](repeating: 0, count: layer.places.count)
    var touched: [Int] = []
    for level in usable {
      for posting in layer.postings(of: level.station) {
        if products[posting.slot] == 0 { touched.append(posting.slot) }
        products[posting.slot] += posting.strength * level.strength
      }
    }
    let length = RadioLayer.length(of: usable)
    guard length > 0 else { return [] }
    var best = 0.0
    for slot in touched {
      guard let cell = layer.places[slot]?.cell else { continue }
      products[slot] /= cell.length * length
      best = max(best, products[slot])
    }
    let matches = touched.compactMap { slot -> Match? in
      guard products[slot] > best - likenessRange, let place = layer.places[slot] else {
        return nil
      }
      return Match(
        index: place.index,
        place: Coordinate(latitude: place.cell.latitude, longitude: place.cell.longitude),
        likeness: products[slot])
    }
    return Array(
      matches.sorted { ($1.likeness, $0.index) < ($0.likeness, $1.index) }
        .prefix(mostCandidates))
  }

  /// How likely each place is after the places of the scan before: equal without one.
  private func prior(for likely: [Match], at now: Instant) -> [Double] {
    guard let last, now > last, now - last < Self.memory, !candidates.isEmpty else {
      return Array(repeating: 1, count: likely.count)
    }
    let reach = 2 + Self.pace * now.seconds(since: last)
    let spread = 2 * reach * reach
    let reached = likely.map { match -> Double in
      let frame = LocalFrame(center: match.place)
      return candidates.reduce(0) { sum, earlier in
        let distance = frame.chord(to: earlier.place)
        return sum + earlier.probability * exponential(-distance * distance / spread)
      }
    }
    let total = max(reached.reduce(0, +), .leastNormalMagnitude)
    let jump = Self.jump / Double(likely.count)
    return reached.map { (1 - Self.jump) * $0 / total + jump }
  }

  // MARK: The position

  private func position(
    _ best: Match, _ usable: [RadioLayer.Level], heard: Int, in layer: RadioLayer, day: Int32
  ) -> RadioPosition {
    // Places far from the likeliest one are another neighborhood, as of a transmitter that moved.
    let leader = candidates.max {
      ($0.probability, $1.index) < ($1.probability, $0.index)
    }
    let frame = LocalFrame(center: leader?.place ?? best.place)
    let near = candidates.filter { frame.chord(to: $0.place) < Self.neighborhood(layer.grain) }
    let offsets = near.map { frame.offset(of: $0.place) }
    let weights = near.map(\.probability)
    let total = weights.reduce(0, +)
    let east = zip(weights, offsets).reduce(0) { $0 + $1.0 * $1.1.east } / total
    let north = zip(weights, offsets).reduce(0) { $0 + $1.0 * $1.1.north } / total
    let variance = zip(weights, offsets).reduce(0.0) { sum, entry in
      let (x, y) = (entry.1.east - east, entry.1.north - north)
      return sum + entry.0 * (x * x + y * y)
    }
    // A place unlike every known one lies between them, or beyond.
    let unlike = (1 - best.likeness) * Self.unfamiliarity * layer.grain.spacing
    let least = layer.grain.floor * layer.grain.floor
    let spread = (variance / total + least + unlike * unlike).squareRoot()
    // What lies in another neighborhood is doubt, and what is heard in vain is age.
    let doubt = 1 + 2 * (1 - total)
    let age = Self.aging(best, usable, in: layer)
    return RadioPosition(
      coordinate: frame.place(east: east, north: north),
      radius: calibration.scale * spread * doubt * age, floor: floor, known: usable.count,
      heard: heard)
  }

  /// The floor of most of the likely places, if they agree.
  private var floor: Int8? {
    var votes: [Int8: Double] = [:]
    for candidate in candidates {
      guard candidate.index.floor != CellIndex.anyFloor else { continue }
      votes[candidate.index.floor, default: 0] += candidate.probability
    }
    return votes.filter { $0.value > Self.agreement }.keys.min()
  }

  /// How much wider the radius becomes when loud transmitters of the place are not heard any more.
  private static func aging(
    _ best: Match, _ usable: [RadioLayer.Level], in layer: RadioLayer
  ) -> Double {
    guard let cell = layer[best.index] else { return 1 }
    let expected = cell.levels.filter { $0.strength > loud }
    guard expected.count >= 3 else { return 1 }
    let heard = Set(usable.map(\.station))
    let missing = expected.count { !heard.contains($0.station) }
    return 1 + Double(missing) / Double(expected.count)
  }

  /// Compares the last answer with a receiver's position.
  package mutating func calibrate(_ position: RadioPosition, truth: Coordinate, accuracy: Double) {
    calibration.note(position, truth: truth, accuracy: accuracy)
  }

  package mutating func restore(_ calibration: RadioCalibration) {
    self.calibration = calibration
  }

  /// How fast the evidence of a likeness falls. Chosen on the museum's walks.
  private static let sharpness = 0.02
  /// Meters per second: a person on foot.
  private static let pace = 1.5
  /// The share of all probability for a way that nobody could walk.
  private static let jump = 0.02
  private static let mostCandidates = 64
  /// Below the best by this much, a place has less than a millionth of its probability.
  private static let likenessRange = 0.28
  /// How long the way so far is remembered.
  private static let memory = Duration.seconds(30)
  /// About -73 dBm.
  private static let loud = 0.24
  private static let agreement = 0.6
  /// Spacings of places by which a scan that is like none of them may be off.
  private static let unfamiliarity = 8.0

  /// Meters around the likeliest place that count.
  private static func neighborhood(_ grain: RadioLayer.Grain) -> Double { 30 * grain.spacing }
}

/// A position found by radio.
package struct RadioPosition: Hashable, Sendable {
  package var coordinate: Coordinate
  /// Meters, at 68 % confidence.
  package var radius: Double
  /// The floor, where the map knows floors.
  package var floor: Int8?
  /// Transmitters that are known, and all that were heard.
  package var known: Int
  package var heard: Int
}

/// Why a scan gives no position.
package enum RadioSilence: String, Hashable, CaseIterable, Sendable {
  /// The radio hears no transmitter that may be used.
  case nothingHeard
  /// None of the transmitters is in the map.
  case nothingKnown

  /// The reason in words for a person.
  package var text: String {
    switch self {
    case .nothingHeard: "no transmitter that may be used is received"
    case .nothingKnown: "the map does not know what is received here"
    }
  }
}

/// How far the radii are right, learned where receivers show the truth.
package struct RadioCalibration: Hashable, Sendable {
  /// The factor on the spread of the likely places, so that the radius holds 68 %.
  package private(set) var scale = Self.standard

  package init(scale: Double = Self.standard) {
    self.scale = min(max(scale, Self.range.lowerBound), Self.range.upperBound)
  }

  /// Notes by how much a position was wrong.
  ///
  /// Moves the scale up when the truth was outside of the radius, and down by less when it was
  /// inside, so that it comes to rest where 68 % are inside.
  mutating func note(_ position: RadioPosition, truth: Coordinate, accuracy: Double) {
    let error = LocalFrame(center: truth).chord(to: position.coordinate)
    // An error below the receiver's own says nothing.
    guard accuracy < position.radius || error > 2 * accuracy else { return }
    let step = error > position.radius ? Self.step * 0.68 : -Self.step * 0.32
    scale = min(max(scale * exponential(step), Self.range.lowerBound), Self.range.upperBound)
  }

  /// Chosen: what the museum's walks lead to.
  package static let standard = 1.4
  private static let range = 0.5...5.0
  private static let step = 0.04
}
