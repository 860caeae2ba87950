package import LocationModel
package import LocationSecrets

/// Decides in which cell the device is, for all apps with reduced accuracy.
///
/// - Documented (AUTH-41): about four times an hour; an unchanged place is not delivered again.
/// - Chosen (AUTH-46): the cell depends only on positions and a secret, not on the app. All apps
///   share it, so pooling adds nothing; a place in it is the same for the whole cell
///   (``CoarsePoints``), so averaging adds nothing; the device leaves it only beyond a margin, so
///   noise at a border adds nothing; it is computed at times that depend on the secret, so its
///   changes do not reveal when a border was crossed (docs/decisions/0015).
package struct CoarseLocator: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// A new coarse place, for every app that needs one.
    case place(Place)
    case persist(StateChange)
  }

  /// The cell of the device at a turn, before it is replaced by the point of an app.
  package struct Place: Hashable, Sendable {
    package var cell: CoarseGrid.Cell
    /// The time of the turn, to the minute; at most 20 minutes old (AUTH-42).
    package var time: UnixTime
    package var origin: Fix.Origin
  }

  /// The current coarse place, for an app that subscribes now.
  package private(set) var place: Place?

  private let secret: SecretKey
  private let turns: KeyedFunction
  package let grid: CoarseGrid
  /// The last cell of the device; survives restarts.
  private var cell: CoarseGrid.Cell?
  /// The newest fix; used only when a turn comes.
  private var latest: Fix?
  /// When the place is computed next; `nil` means with the next fix.
  package private(set) var nextTurn: Instant?

  package init(secret: SecretKey) {
    self.secret = secret
    turns = KeyedFunction(secret, purpose: "turns")
    grid = CoarseGrid(secret: secret)
  }

  /// Returns the points that represent cells for an app.
  package func points(of app: AppIdentity) -> CoarsePoints {
    CoarsePoints(of: app, in: grid, secret: secret)
  }

  /// Restores the cell, so that a restart reveals no more than an uninterrupted run.
  package mutating func restore(from entries: [StateEntry]) {
    guard let entry = entries.first(where: { $0.key == Self.key }) else { return }
    let words = String(decoding: entry.value, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let row = Int(words[0]), let column = Int(words[1]) else { return }
    cell = CoarseGrid.Cell(row: row, column: column)
  }

  /// Restores the coarse place of an earlier run, in the cell that was restored before.
  mutating func restore(_ time: UnixTime?, _ origin: Fix.Origin) {
    guard let cell, let time, place == nil else { return }
    place = Place(cell: cell, time: time, origin: origin)
  }

  /// Forgets the cell; returns the change that makes this durable, if anything was stored.
  package mutating func forget() -> StateChange? {
    defer { (place, cell, latest) = (nil, nil, nil) }
    return cell == nil ? nil : .remove(Self.key)
  }

  @inline(__always)
  package var nextDeadline: Instant? {
    latest == nil ? nil : nextTurn
  }

  /// Returns the demand of a service that has coarse places only: the first fix at once, then one
  /// fix at each turn, four an hour (POW-7).
  package static func demand(isFirst: Bool) -> Demand {
    Demand(position: PositionDemand(tier: .cell, interval: isFirst ? .zero : life))
  }

  /// The demand that keeps these services in step: when a turn has come without a fix, a receiver
  /// that has rested since the turn before must work.
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

  /// Returns the cell of a place: the current cell until it is left by the margin.
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

  // MARK: Sampling

  /// Returns the number of the last turn at or before an instant.
  private func lastTurn(at instant: Instant) -> Int {
    let slot = Int((instant.seconds(since: .start) / Self.interval).rounded(.down))
    return self.instant(ofTurn: slot) <= instant ? slot : slot - 1
  }

  /// Returns the instant of a turn. There is one turn in each interval, at a time within it that
  /// the secret determines; it lies between two whole seconds, at which receivers report.
  private func instant(ofTurn turn: Int) -> Instant {
    let delay = turns.fractions(of: turn).0 * Self.jitter
    return .start + .seconds(Double(turn) * Self.interval + delay.rounded(.down) + 0.5)
  }

  package static let key = StateKey(domain: "coarse-place", owner: "")
  /// Seconds. Chosen (`reducedInterval`); about four times an hour is documented (AUTH-41).
  private static let interval = 900.0
  /// Seconds: turns are 11 to 19 minutes apart, so that no place, whose time is rounded to the
  /// minute, is older than 20 minutes (AUTH-42).
  private static let jitter = 240.0
  /// Seconds: the times of coarse places and visits are rounded to the minute.
  package static let grain = 60.0
  private static let shortestTurn = Duration.seconds(interval - jitter)
  /// The greatest age of a place, and of one that answers a request at once (AUTH-42, STD-26a).
  package static let life = Duration.seconds(interval + jitter + grain)
  /// Meters beyond the border of a cell at which it is left. Chosen (docs/decisions/0015).
  package static let margin = 2_500.0
  /// Meters, at 68 %. Chosen (docs/decisions/0015); about 5 km is documented (AUTH-41).
  package static let accuracy = 5_000.0
}
