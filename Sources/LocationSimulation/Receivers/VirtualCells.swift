package import LocationModel

/// A cell of a mobile network that stands somewhere in the world and sends all around.
package struct VirtualCell: Hashable, Sendable {
  package var identity: CellIdentity
  package var place: Coordinate
  /// dBm of reference signals (RSRP) that a device would receive at one meter.
  package var level: Double

  /// Chosen: -105 dBm at a kilometer, between streets and the inside of buildings of a town.
  package static let usualLevel = 0.0
  /// dBm at one meter. Chosen: a cell of a room, and one that is received over 20 km.
  package static let levels = -30.0...30

  package init(_ identity: CellIdentity, at place: Coordinate, level: Double = Self.usualLevel) {
    (self.identity, self.place, self.level) = (identity, place, level)
  }
}

extension CellIdentity {
  /// The identity of a simulated cell by its number: an LTE cell of a base station of its own, in the
  /// network 001-01, which is for tests.
  package static func simulated(_ number: Int) -> CellIdentity {
    CellIdentity(
      radio: .lte, country: 1, network: 1, area: 1, cell: UInt64(number + 1) << 8 | 1)
  }

  /// What sets its chance apart from that of other cells.
  fileprivate var bits: UInt64 {
    UInt64(radio.rawValue) << 61 ^ UInt64(country) << 51 ^ UInt64(network) << 41 ^ cell
  }
}

/// The cells of a world, and what a modem reports of them: the one that serves it, and its neighbors.
///
/// What it receives falls with the distance as in a town, is shadowed by blocks of houses (the same at
/// each visit of a place), and varies from report to report. The loudest cell serves; another takes
/// over only when it is clearly louder.
struct VirtualCells: Hashable, Sendable {
  /// In the order of their identities.
  private var cells: [VirtualCell] = []
  /// The cell that served last; `nil` before the first, and after none was received.
  private var serving: CellIdentity?
  private let seed: UInt64

  init(_ cells: [VirtualCell], seed: UInt64) {
    self.seed = seed ^ 0xCE11_CE11
    set(cells)
  }

  /// Sets which cells there are from now on; one without a place on Earth is not received.
  mutating func set(_ cells: [VirtualCell]) {
    self.cells = cells.filter { $0.level.isFinite && $0.place.isValid }
      .sorted { $0.identity < $1.identity }
  }

  /// Returns what the modem reports at a place and a time.
  mutating func readings(at place: Coordinate, _ now: Instant) -> [RadioScan.Reading] {
    var received: [(cell: CellIdentity, level: Double)] = []
    for cell in cells where place.isValid {
      // Each draws for itself, so that it does not matter which others there are.
      var own = NormalNoise(of: seed ^ cell.identity.bits, at: now)
      let level = (mean(of: cell, at: place) + Self.fading * own.normal()).rounded()
      if level >= Self.faintest { received.append((cell.identity, min(level, Self.loudest))) }
    }
    received.sort { ($1.level, $0.cell) < ($0.level, $1.cell) }
    guard let loudest = received.first else {
      serving = nil
      return []
    }
    let last = received.first { $0.cell == serving }
    let keeps = last.map { loudest.level < $0.level + Self.hysteresis } ?? false
    let chosen = keeps ? last ?? loudest : loudest
    serving = chosen.cell
    let neighbors = received.filter { $0.cell != chosen.cell }.prefix(Self.mostNeighbors)
    return [RadioScan.Reading(.cell(chosen.cell), level: chosen.level, isServing: true)]
      + neighbors.map { RadioScan.Reading(.cell($0.cell), level: $0.level) }
  }

  /// dBm that a device receives on average.
  private func mean(of cell: VirtualCell, at device: Coordinate) -> Double {
    let offset = LocalFrame(center: cell.place).offset(of: device)
    let distance = max(hypotenuse(offset.east, offset.north), 1)
    let loss = PathLoss.decibels(over: distance, exponent: Self.pathLossExponent)
    let shadow = Self.shadow.level(
      of: seed ^ cell.identity.bits, east: offset.east, offset.north)
    return cell.level - loss + shadow
  }

  /// Between houses of a town: 3GPP TR 38.901 and TR 36.942 have 3.5 to 3.9. Customary.
  private static let pathLossExponent = 3.5
  /// dB, one standard deviation, and meters over which it changes: a block of houses. Customary.
  private static let shadow = RadioShadow(deviation: 8, width: 100)
  /// dB, one standard deviation from report to report, as modems average.
  private static let fading = 1.5
  /// dBm that a modem still measures.
  private static let faintest = -120.0
  /// dBm: the most that a modem reports (3GPP TS 36.133, 9.1.4).
  private static let loudest = -44.0
  /// dB by which another cell is louder before it takes over. Customary of networks.
  private static let hysteresis = 3.0
  /// Neighbors of a report (3GPP TS 36.331, maxCellReport).
  private static let mostNeighbors = 8
}
