/// What a device can be inside of.
package enum Area: Hashable, Sendable {
  case circle(Circle)
  indirect case polygon(Polygon)

  /// Whether it is on earth and not empty; every polygon is.
  package var isValid: Bool {
    switch self {
    case .circle(let circle): circle.isValid
    case .polygon: true
    }
  }

  /// Meters: of a circle that has as much area.
  package var meanRadius: Double {
    switch self {
    case .circle(let circle): circle.radius
    case .polygon(let polygon): polygon.meanRadius
    }
  }

  package func contains(_ place: Coordinate) -> Bool {
    switch self {
    case .circle(let circle): circle.contains(place)
    case .polygon(let polygon): polygon.contains(place)
    }
  }
}
