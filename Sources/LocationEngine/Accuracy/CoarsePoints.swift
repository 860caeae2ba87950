package import LocationModel
internal import LocationSecrets

/// The points that represent the cells for one app.
///
/// Chosen (AUTH-46): each cell has one point for each app and user, at an offset from the center
/// that depends on the secret, and rounded. Two apps cannot compare their coordinates, and all
/// points together reveal only the cell (docs/decisions/0015).
package struct CoarsePoints: Sendable {
  private let grid: CoarseGrid
  private let function: KeyedFunction
  /// The point that was computed last.
  private var last: (cell: CoarseGrid.Cell, point: Coordinate)?

  init(of app: AppIdentity, in grid: CoarseGrid, secret: SecretKey) {
    self.grid = grid
    function = KeyedFunction(secret, purpose: "app " + app.name)
  }

  /// Returns the point of a cell.
  package mutating func point(of cell: CoarseGrid.Cell) -> Coordinate {
    if let last, last.cell == cell { return last.point }
    let (east, north) = function.fractions(of: cell.row, cell.column)
    let exact = grid.point(
      of: cell, east: (2 * east - 1) * Self.reach, north: (2 * north - 1) * Self.reach)
    let point = Coordinate(
      latitude: Self.rounded(exact.latitude), longitude: Self.rounded(exact.longitude))
    last = (cell, point)
    return point
  }

  /// Returns the fix to deliver for a coarse place: a point, its accuracy, and its time.
  package mutating func fix(of place: CoarseLocator.Place) -> Fix {
    Fix(
      coordinate: point(of: place.cell), horizontalAccuracy: CoarseLocator.accuracy,
      time: place.time, origin: place.origin)
  }

  /// Returns a visit for reduced accuracy: times to the minute, no evidence, as that is exact.
  mutating func visit(_ visit: Visit, in cell: CoarseGrid.Cell) -> Visit {
    Visit(
      arrival: visit.arrival?.floored(to: CoarseLocator.grain),
      departure: visit.departure?.floored(to: CoarseLocator.grain),
      coordinate: point(of: cell), horizontalAccuracy: CoarseLocator.accuracy)
  }

  private static func rounded(_ degrees: Double) -> Double {
    (degrees * stepsPerDegree).rounded() / stepsPerDegree
  }

  /// Meters to the east and to the north. Chosen: small enough for the stated accuracy to hold.
  package static let reach = 1_000.0
  /// A thousandth of a degree, about 100 meters. Chosen: coarse compared with the accuracy, and
  /// fine enough that two apps seldom have the same point.
  package static let stepsPerDegree = 1_000.0
}
