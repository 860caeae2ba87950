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

  package func contains(_ place: Coordinate) -> Bool {
    switch self {
    case .circle(let circle): circle.contains(place)
    case .polygon(let polygon): polygon.contains(place)
    }
  }
}
