package import LocationModel

/// Decides the one coarse place of the device that every app with reduced accuracy may know.
///
/// - Documented (AUTH-41): about four times an hour, and an unchanged place is not news.
/// - Chosen (AUTH-46): the place depends on positions and a secret alone, not on who asks. It is
///   one for all apps, so pooling adds nothing; it is the center of a cell, so averaging adds
///   nothing; it is left only by a margin, so noise at a border adds nothing; and it is computed
///   at times that only the secret explains, so its changes tell no crossing
///   (docs/decisions/0015).
package struct CoarseLocator: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// A new coarse place, for every app that is owed one.
    case place(Fix)
    case persist(StateChange)
  }

  /// The place now, for an app that begins to ask; its time may be 20 minutes old (AUTH-42).
  package private(set) var place: Fix?

  private let secret: UInt64
  private let grid: CoarseGrid
  /// Where the device was last believed to be; outlives restarts.
  private var cell: CoarseGrid.Cell?
  /// The newest fix; only looked at when a turn comes.
  private var latest: Fix?
  /// When the place is next computed; `nil` for by the next fix.
  package private(set) var nextTurn: Instant?

  package init(secret: UInt64) {
    self.secret = secret
    grid = CoarseGrid(secret: secret)
  }

  /// Takes back the cell, so that a restart tells no more than staying up would have.
  package mutating func restore(from entries: [StateEntry]) {
    guard let entry = entries.first(where: { $0.key == Self.key }) else { return }
    let words = String(decoding: entry.value, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let row = Int(words[0]), let column = Int(words[1]) else { return }
    cell = CoarseGrid.Cell(row: row, column: column)
  }

  /// Forgets where the device was; the change that makes it durable, where anything was stored.
  package mutating func forget() -> StateChange? {
    defer { (place, cell, latest) = (nil, nil, nil) }
    return cell == nil ? nil : .remove(Self.key)
  }

  @inline(__always)
  package var nextDeadline: Instant? {
    latest == nil ? nil : nextTurn
  }

  /// What a service needs that has coarse places only: its first at once, and then a fix at each
  /// turn, four an hour (POW-7).
  package static func demand(isFirst: Bool) -> Demand {
    Demand(position: PositionDemand(tier: .cell, interval: isFirst ? .zero : life))
  }

  /// What keeps the place of those services in step: when a turn has come without a fix, a
  /// receiver that rests since the turn before must work.
  var demand: Demand {
    guard place != nil, nextTurn == nil else { return .none }
    return Demand(position: PositionDemand(tier: .cell, interval: Self.shortestTurn / 2))
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    if case .fix(let fix) = input { latest = fix }
    guard nextTurn.map({ now.uptime >= $0 }) ?? true else { return [] }
    guard let latest else {
      nextTurn = nil
      return []
    }
    let turn = lastTurn(at: now.uptime)
    nextTurn = instant(ofTurn: turn + 1)
    self.latest = nil
    return compute(from: latest, turn: turn, at: now)
  }

  /// The coarse place that stands for another one, between two turns.
  package func place(of coordinate: Coordinate) -> Coordinate {
    grid.center(of: cell(of: coordinate))
  }

  /// The cell of a place: the present one until it is left by the margin.
  private func cell(of coordinate: Coordinate) -> CoarseGrid.Cell {
    if let cell, grid.distance(from: coordinate, to: cell) <= Self.margin { return cell }
    return grid.cell(at: coordinate)
  }

  private mutating func compute(from fix: Fix, turn: Int, at now: Moment) -> [Output] {
    let before = (cell: cell, place: place)
    let cell = cell(of: fix.coordinate)
    self.cell = cell
    let age = now.uptime - instant(ofTurn: turn)
    let coarse = Fix(
      coordinate: grid.center(of: cell), horizontalAccuracy: Self.accuracy,
      time: now.unixTime - age, origin: fix.origin)
    place = coarse
    var outputs: [Output] = []
    if cell != before.cell {
      outputs.append(.persist(.set(Self.key, [UInt8]("\(cell.row) \(cell.column)".utf8))))
    }
    if coarse.coordinate != before.place?.coordinate { outputs.append(.place(coarse)) }
    return outputs
  }

  // MARK: The turns

  /// The number of the last turn at or before an instant.
  private func lastTurn(at instant: Instant) -> Int {
    let slot = Int((instant.seconds(since: .start) / Self.interval).rounded(.down))
    return self.instant(ofTurn: slot) <= instant ? slot : slot - 1
  }

  /// One turn in each interval, early or late in it as the secret will have it.
  private func instant(ofTurn turn: Int) -> Instant {
    var random = SeededRandom(seed: ~secret &+ UInt64(bitPattern: Int64(turn)) &* 0x1_0000_0001)
    let delay = Double(random.next() >> 11) * 0x1p-53 * Self.jitter
    return .start + .seconds(Double(turn) * Self.interval + delay)
  }

  private static let key = StateKey(domain: "coarse-place", owner: "")
  /// Seconds. Chosen (`reducedInterval`); about four times an hour is documented (AUTH-41).
  private static let interval = 900.0
  /// Seconds: turns are 10 to 20 minutes apart, so that no place is older than 20 (AUTH-42).
  private static let jitter = 300.0
  private static let shortestTurn = Duration.seconds(interval - jitter)
  /// How old a place may be (AUTH-42, STD-26a).
  package static let life = Duration.seconds(interval + jitter)
  /// Meters beyond a cell before it is left. Chosen (docs/decisions/0015).
  package static let margin = 2_500.0
  /// Meters, at 68 %. Chosen (docs/decisions/0015); about 5 km is documented (AUTH-41).
  package static let accuracy = 5_000.0
}
