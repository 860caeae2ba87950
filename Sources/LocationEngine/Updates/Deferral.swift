import LocationModel

/// A wish to get locations later, in one piece: they come as ever, and at the distance or the
/// timeout the wish counts as fulfilled (STD-56, STD-57).
struct Deferral: Sendable {
  let deadline: Instant?
  /// Meters; `nil` for any.
  private let distance: Double?
  /// Where it began; `nil` until a position is known.
  private var origin: Coordinate?

  init(_ end: DeferralEnd, from origin: Coordinate?, at now: Instant) {
    deadline = end.timeout.map { now + min($0, Self.longest) }
    distance = end.distance
    self.origin = origin
  }

  mutating func isOver(at place: Coordinate) -> Bool {
    guard let origin else {
      origin = place
      return false
    }
    guard let distance else { return false }
    return origin.distance(to: place) >= distance
  }

  func isOver(at now: Instant) -> Bool {
    deadline.map { now >= $0 } ?? false
  }

  /// A century: whoever says more means "never", and clocks do not count to it. Chosen.
  private static let longest = Duration.seconds(100 * 365 * 86_400)
}
