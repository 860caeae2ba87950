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
    var place: Coordinate
    var probability: Double
  }

  /// The way so far.
  private struct Way: Sendable {
    var candidates: [Candidate] = []
    /// When the last position was found; `nil` when there is none to continue.
    var last: Instant?
    var silences = RadioSilences()
    var floors = FloorBelief()
  }

  private var way = Way()
  /// The way as it is found without what was taught lately.
  private var rehearsed = Way()
  package private(set) var calibration = RadioCalibration()

  package init() {}

  /// Forgets the way so far.
  package mutating func restart() {
    (way, rehearsed) = (Way(), Way())
  }

  /// Finds the position of a scan.
  ///
  /// Takes time linear in the places in which the transmitters of the scan are known.
  package mutating func locate(
    _ heard: [RadioLayer.Level], in layer: RadioLayer, day: Int32, at now: Instant
  ) -> Answer {
    guard !heard.isEmpty else { return .unknown(.nothingHeard) }
    let usable = layer.consistent(
      heard.filter { layer.stations[$0.station]?.isUsable(on: day) ?? false })
    let (found, next) = position(
      of: usable, heard: heard.count, in: RadioView(layer), after: way, at: now)
    way = next
    return found.map { .position($0) } ?? .unknown(.nothingKnown)
  }

  /// Finds the position of a scan as if nothing had been taught lately.
  mutating func rehearse(
    _ heard: [RadioLayer.Level], in layer: RadioLayer, without lessons: RadioLessons, day: Int32,
    at now: Instant
  ) -> RadioPosition? {
    let usable = layer.consistent(
      heard.filter {
        lessons.knew($0.station) && layer.stations[$0.station]?.isUsable(on: day) ?? false
      })
    let (found, next) = position(
      of: usable, heard: heard.count, in: RadioView(layer, without: lessons), after: rehearsed,
      at: now)
    rehearsed = next
    return found
  }

  /// Returns the position, if there is one, and the way that leads to it.
  private func position(
    of usable: [RadioLayer.Level], heard: Int, in view: RadioView, after way: Way, at now: Instant
  ) -> (RadioPosition?, Way) {
    var next = Way(last: now, silences: way.silences, floors: way.floors)
    let travelers = view.layer.travelers(among: usable)
    let standing = usable.filter { !travelers.contains($0.station) }
    let (likely, floors) = view.likeliest(usable, without: travelers)
    next.floors.note(floors, at: now)
    guard let best = likely.first else { return (nil, way) }
    let prior = Self.prior(for: likely, after: way, at: now)
    // Where nothing is quite like what is heard, a difference says less.
    let sharpness = Self.sharpness + view.layer.grain.dullness * (1 - best.likeness)
    var total = 0.0
    next.candidates = likely.enumerated().map { number, place in
      let evidence = exponential((place.likeness - best.likeness) / sharpness)
      let probability = evidence * prior[number]
      total += probability
      return Candidate(place: place.place, probability: probability)
    }
    for number in next.candidates.indices { next.candidates[number].probability /= total }
    let likeliest = next.candidates.indices.max {
      let (one, other) = (next.candidates[$0].probability, next.candidates[$1].probability)
      return (one, likely[$1].index) < (other, likely[$0].index)
    }
    let leader = likeliest.map { likely[$0] } ?? best
    next.silences.note(usable, at: leader.index, leader.cell.levels)
    let likest = likely.map {
      (likeness: $0.likeness(without: next.silences.gone), place: $0)
    }.reduce((likeness: 0, place: best)) { $1.likeness > $0.likeness ? $1 : $0 }
    let position = position(
      next.candidates, around: leader.place, taught: leader.cell.accuracy,
      off: Self.unlikeness(likest.likeness, taught: view.weight(around: likest.place))
        + Self.ambiguity(of: standing, in: view.layer.grain),
      in: view.layer.grain)
    return (
      RadioPosition(
        coordinate: position.coordinate, radius: position.radius,
        taught: leader.cell.accuracy, floor: next.floors.floor(at: now), known: standing.count,
        heard: heard),
      next
    )
  }

  // MARK: The way

  /// How likely each place is after the places of the scan before: equal without one.
  private static func prior(
    for likely: [RadioView.Match], after way: Way, at now: Instant
  ) -> [Double] {
    guard let last = way.last, now > last, now - last < Self.memory, !way.candidates.isEmpty else {
      return Array(repeating: 1, count: likely.count)
    }
    let reach = 2 + Self.pace * now.seconds(since: last)
    let spread = 2 * reach * reach
    // One plane for all: what lies so far away that it is bent is not reached.
    let frame = LocalFrame(center: likely.first?.place ?? way.candidates[0].place)
    let earlier = way.candidates.map { (frame.offset(of: $0.place), $0.probability) }
    let reached = likely.map { match -> Double in
      let here = frame.offset(of: match.place)
      return earlier.reduce(0) { sum, earlier in
        let (east, north) = (here.east - earlier.0.east, here.north - earlier.0.north)
        let distance = (east * east + north * north) / spread
        return distance < Self.negligible ? sum + earlier.1 * exponential(-distance) : sum
      }
    }
    let total = max(reached.reduce(0, +), .leastNormalMagnitude)
    let jump = Self.jump / Double(likely.count)
    return reached.map { (1 - Self.jump) * $0 / total + jump }
  }

  // MARK: The position

  /// Returns the middle of the likely places and the radius, if the scan may be off by so many spacings
  /// of places, and the likeliest one was taught with so many meters of accuracy.
  private func position(
    _ candidates: [Candidate], around leader: Coordinate, taught accuracy: Double,
    off spacings: Double, in grain: RadioLayer.Grain
  ) -> (coordinate: Coordinate, radius: Double) {
    // Places far from the likeliest one are another neighborhood, as of a transmitter that moved.
    let frame = LocalFrame(center: leader)
    let near = candidates.filter { frame.chord(to: $0.place) < Self.neighborhood(grain) }
    let offsets = near.map { frame.offset(of: $0.place) }
    let weights = near.map(\.probability)
    let total = weights.reduce(0, +)
    let east = zip(weights, offsets).reduce(0) { $0 + $1.0 * $1.1.east } / total
    let north = zip(weights, offsets).reduce(0) { $0 + $1.0 * $1.1.north } / total
    let variance = zip(weights, offsets).reduce(0.0) { sum, entry in
      let (x, y) = (entry.1.east - east, entry.1.north - north)
      return sum + entry.0 * (x * x + y * y)
    }
    let off = spacings * grain.spacing
    let least = grain.floor * grain.floor
    let spread = (grain.shareOfSpread * variance / total + least + off * off).squareRoot()
    // What lies in another neighborhood is doubt.
    let doubt = 1 + 2 * (1 - total)
    // Nothing is known more exactly than to a place.
    let own = max(calibration.scale * spread * doubt, grain.spacing)
    // A receiver is wrong in the same way for as long as it is at a place: neither more teachings nor
    // comparisons with the same receiver help.
    return (frame.place(east: east, north: north), hypotenuse(own, accuracy))
  }

  /// How many spacings of places a scan may be off, by its likeness to the likest place and the weight
  /// of what was taught all around it.
  ///
  /// A place unlike every known one lies between them, or beyond. Where the ground around the likest
  /// is known, it is rather what is heard that has changed.
  private static func unlikeness(_ likeness: Double, taught weight: Double) -> Double {
    (1 - likeness) * unfamiliarity / (1 + weight / often).squareRoot()
  }

  /// How many transmitters of one strength tell as much as what is heard: at least 1.
  private static func breadth(of heard: [RadioLayer.Level]) -> Double {
    var (squares, fourths) = (0.0, 0.0)
    for level in heard {
      let square = level.strength * level.strength
      squares += square
      fourths += square * square
    }
    return fourths > 0 ? squares * squares / fourths : 1
  }

  /// How many spacings of places a scan may be off because few transmitters are heard: two vectors of
  /// one transmitter have no angle, wherever it is received.
  private static func ambiguity(
    of heard: [RadioLayer.Level], in grain: RadioLayer.Grain
  ) -> Double {
    let breadth = breadth(of: heard)
    return grain.rangeOfOne / grain.spacing / (breadth * breadth * breadth)
  }

  /// Compares an answer with a receiver's position.
  mutating func calibrate(
    _ position: RadioPosition, truth: Coordinate, accuracy: Double
  ) {
    calibration.note(position, truth: truth, accuracy: accuracy)
  }

  package mutating func restore(_ calibration: RadioCalibration) {
    self.calibration = calibration
  }

  /// How fast the evidence of a likeness falls. Chosen on the museum's walks.
  private static let sharpness = 0.02
  /// Meters per second: a person on foot.
  private static let pace = 1.0
  /// The share of all probability for a way that nobody could walk.
  private static let jump = 0.02
  /// From this exponent on nothing is reached: a hundred-millionth.
  private static let negligible = 18.0
  /// How long the way so far is remembered.
  private static let memory = Duration.seconds(30)
  /// Spacings of places by which a scan that is like none of them may be off. Chosen on the mall's
  /// paths, where the error grows with the unlikeness and hardly with the spread of the places.
  private static let unfamiliarity = 28.0
  /// The weight of the teachings around a place that halves the variance by unlikeness. Chosen on all
  /// recordings: places of the library were taught twelve times, and their errors have nothing to do
  /// with the likeness; those of the mall once at most.
  private static let often = 0.5

  /// Meters around the likeliest place that count.
  private static func neighborhood(_ grain: RadioLayer.Grain) -> Double { 30 * grain.spacing }
}
