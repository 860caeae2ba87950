import LocationModel

/// Access points by the squares they stand in, so that a scan considers only those around the device,
/// however many a city has.
struct AccessPointGrid: Hashable, Sendable {
  private struct Square: Hashable {
    var row: Int
    var column: Int
  }

  private var squares: [Square: [VirtualAccessPoint]] = [:]
  /// Meters.
  private let reach: Double
  /// Degrees of latitude and of longitude of a square; it is at least `reach` wide.
  private let height: Double
  private let width: Double
  /// The squares around the Earth.
  private let columns: Int

  /// - Parameters:
  ///   - accessPoints: in the order of their addresses; those without a place are left out.
  ///   - reach: the meters within which one may be received.
  init(_ accessPoints: [VirtualAccessPoint], reach: Double) {
    self.reach = reach
    height = reach / Self.leastDegree
    let north = accessPoints.reduce(0) { max($0, abs($1.place?.latitude ?? 0)) }
    let shrink = cos(Angle(degrees: min(north + height, 90)))
    // Around a pole all squares of a row are neighbors.
    columns = shrink < Self.leastShrink ? 3 : max(3, Int((360 * shrink / height).rounded(.down)))
    width = 360 / Double(columns)
    for accessPoint in accessPoints {
      guard let place = accessPoint.place else { continue }
      squares[square(of: place), default: []].append(accessPoint)
    }
  }

  /// Returns those within reach of a place, in the order of their addresses; none off the Earth.
  func near(_ place: Coordinate) -> [VirtualAccessPoint] {
    guard place.isValid else { return [] }
    let frame = LocalFrame(center: place)
    let middle = square(of: place)
    var near: [VirtualAccessPoint] = []
    for row in -1...1 {
      for column in -1...1 {
        let square = Square(
          row: middle.row + row, column: (middle.column + column + columns) % columns)
        near += (squares[square] ?? []).filter { accessPoint in
          accessPoint.place.map { frame.chord(to: $0) <= reach } ?? false
        }
      }
    }
    return near.sorted { $0.address < $1.address }
  }

  private func square(of place: Coordinate) -> Square {
    let column = Int(((place.longitude + 180) / width).rounded(.down))
    return Square(
      row: Int((place.latitude / height).rounded(.down)), column: min(max(column, 0), columns - 1))
  }

  /// Meters, a little less than any degree of latitude has.
  private static let leastDegree = 110_500.0
  /// The cosine of the latitude from which there are no squares but rows. Chosen: 89.4 degrees.
  private static let leastShrink = 0.01
}
