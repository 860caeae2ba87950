internal import LocationModel

/// How probable each floor is, from one scan to the next.
///
/// The likest place of a floor speaks for it, and how loudly each transmitter is heard on the floor as a whole.
/// What the scans before said is remembered, because people seldom change the floor between two scans.
struct FloorBelief: Hashable, Sendable {
  private var floors: [Int8: Double] = [:]
  private var last: Instant?

  /// Takes how likely each floor is by one scan: at most 1, as a likeness.
  mutating func note(_ likeness: [Int8: Double], at now: Instant) {
    guard let best = likeness.values.max() else { return }
    let isFollowed = last.map { now > $0 && now - $0 < Self.memory } ?? false
    let change = (isFollowed ? 1 - Self.stays : 1) / Double(likeness.count)
    var total = 0.0
    var next: [Int8: Double] = [:]
    for floor in likeness.keys.sorted() {
      let stay = isFollowed ? Self.stays * floors[floor, default: 0] : 0
      let evidence = exponential((likeness[floor, default: 0] - best) / Self.sharpness)
      next[floor] = (stay + change) * evidence
      total += (stay + change) * evidence
    }
    (floors, last) = (next.mapValues { $0 / total }, now)
  }

  /// Returns the floor that is more probable than all others together; `nil` if none is, or none was known for
  /// so long that it is not remembered.
  func floor(at now: Instant) -> Int8? {
    guard let last, now - last < Self.memory else { return nil }
    return floors.filter { $0.value > Self.agreement }.keys.min()
  }

  /// The probability of being on the same floor as at the scan before.
  private static let stays = 0.98
  /// How fast the evidence of a likeness falls. Chosen on the mall's paths.
  private static let sharpness = 0.2
  private static let agreement = 0.5
  /// How long the floor is remembered: scans are up to a minute apart.
  private static let memory = Duration.seconds(120)
}
