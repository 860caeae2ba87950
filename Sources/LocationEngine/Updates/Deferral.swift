import LocationModel

/// A request to defer locations: they are delivered as usual, and at the distance or the timeout
/// the request counts as fulfilled (STD-56, STD-57).
struct Deferral: Sendable {
  let deadline: Instant?
  /// Meters; `nil` for any.
  private let distance: Double?
  /// The starting position; `nil` until a position is known.
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

  /// A century: longer times mean "never", and would overflow the clock. Chosen.
  private static let longest = Duration.seconds(100 * 365 * 86_400)
}
