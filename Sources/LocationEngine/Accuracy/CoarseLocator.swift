package import LocationModel

/// Decides in which cell the device is, as far as every app with reduced accuracy may know.
///
/// - Documented (AUTH-41): about four times an hour, and an unchanged place is not news.
/// - Chosen (AUTH-46): the cell depends on positions and a secret alone, not on who asks. It is
///   one for all apps, so pooling adds nothing; a place in it is the same for the whole cell
///   (``CoarsePoints``), so averaging adds nothing; it is left only by a margin, so noise at a
///   border adds nothing; and it is computed at times that only the secret explains, so its
///   changes tell no crossing (docs/decisions/0015).
package struct CoarseLocator: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// A new coarse place, for every app that is owed one.
    case place(Place)
    case persist(StateChange)
  }

  /// Where the device was at a turn, before an app's own point stands for it.
  package struct Place: Hashable, Sendable {
    package var cell: CoarseGrid.Cell
    /// The time of the turn, to the minute; at most 20 minutes old (AUTH-42).
    package var time: UnixTime
    package var origin: Fix.Origin
  }

  /// The place now, for an app that begins to ask.
  package private(set) var place: Place?

  private let secret: SecretKey
  private let turns: KeyedFunction
  package let grid: CoarseGrid
  /// Where the device was last believed to be; outlives restarts.
  private var cell: CoarseGrid.Cell?
  /// The newest fix; only looked at when a turn comes.
  private var latest: Fix?
  /// When the place is next computed; `nil` for by the next fix.
  package private(set) var nextTurn: Instant?

  package init(secret: SecretKey) {
    self.secret = secret
    turns = KeyedFunction(secret, purpose: "turns")
    grid = CoarseGrid(secret: secret)
  }

  /// The points at which an app is told that the device is in a cell.
  package func points(of app: AppIdentity) -> CoarsePoints {
    CoarsePoints(of: app, in: grid, secret: secret)
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

  /// The cell of a place, also between two turns: the present one until it is left by the margin.
  package func cell(of coordinate: Coordinate) -> CoarseGrid.Cell {
    if let cell, grid.distance(from: coordinate, to: cell) <= Self.margin { return cell }
    return grid.cell(at: coordinate)
  }

  private mutating func compute(from fix: Fix, turn: Int, at now: Moment) -> [Output] {
    let before = (cell: cell, place: place)
    let cell = cell(of: fix.coordinate)
    self.cell = cell
    let age = now.uptime - instant(ofTurn: turn)
    let new = Place(
      cell: cell, time: (now.unixTime - age).floored(to: Self.grain), origin: fix.origin)
    place = new
    var outputs: [Output] = []
    if cell != before.cell {
      outputs.append(.persist(.set(Self.key, [UInt8]("\(cell.row) \(cell.column)".utf8))))
    }
    if cell != before.place?.cell { outputs.append(.place(new)) }
    return outputs
  }

  // MARK: The turns

  /// The number of the last turn at or before an instant.
  private func lastTurn(at instant: Instant) -> Int {
    let slot = Int((instant.seconds(since: .start) / Self.interval).rounded(.down))
    return self.instant(ofTurn: slot) <= instant ? slot : slot - 1
  }

  /// One turn in each interval, early or late in it as the secret will have it; between two whole
  /// seconds, at which receivers speak.
  private func instant(ofTurn turn: Int) -> Instant {
    let delay = turns.fractions(of: turn).0 * Self.jitter
    return .start + .seconds(Double(turn) * Self.interval + delay.rounded(.down) + 0.5)
  }

  package static let key = StateKey(domain: "coarse-place", owner: "")
  /// Seconds. Chosen (`reducedInterval`); about four times an hour is documented (AUTH-41).
  private static let interval = 900.0
  /// Seconds: turns are 11 to 19 minutes apart, so that no place, whose time is told to the minute,
  /// is older than 20 (AUTH-42).
  private static let jitter = 240.0
  /// Seconds: the times of coarse places and visits are told to the minute.
  package static let grain = 60.0
  private static let shortestTurn = Duration.seconds(interval - jitter)
  /// How old a place may be (AUTH-42, STD-26a).
  package static let life = Duration.seconds(interval + jitter + grain)
  /// Meters beyond a cell before it is left. Chosen (docs/decisions/0015).
  package static let margin = 2_500.0
  /// Meters, at 68 %. Chosen (docs/decisions/0015); about 5 km is documented (AUTH-41).
  package static let accuracy = 5_000.0
}
