import Foundation
import LocationEngine
import LocationModel

/// Circles on a piece of country, a device that walks there, and many devices all over it.
struct CircleWorld {
  /// How the circles lie.
  enum Arrangement: String, CaseIterable {
    /// One circle in four square kilometers, and none that holds a device.
    case far = "none near"
    /// So dense that ten hold each place on average.
    case dense = "10 near"
    /// All around one place; the devices are in all of them.
    case shared = "one place"
  }

  /// Meters, of every circle: Redis asks for one radius at a time.
  static let radius = 100.0

  var arrangement: Arrangement
  var circles: [Circle]
  /// Where 100,000 devices are, fewer where that would be too many answers.
  var devices: [Coordinate]
  /// A device that walks to and fro, 1.4 m in each fix.
  var walk: [Coordinate]

  init(_ arrangement: Arrangement, count: Int) {
    self.arrangement = arrangement
    var random = SeededRandom(seed: 42)
    // Meters.
    let side: Double =
      switch arrangement {
      case .far: 2000 * Double(count).squareRoot()
      case .dense: 2 * Self.radius * (Double(count) / 10).squareRoot()
      case .shared: Self.radius / 4
      }
    let way = min(side, 20_000)
    let begin = (side - way) / 2
    func spot() -> Spot {
      Spot(
        east: .random(in: 0...side, using: &random), north: .random(in: 0...side, using: &random))
    }
    func center() -> Spot {
      guard arrangement != .shared else { return Spot(east: side / 2, north: side / 2) }
      var center = spot()
      // None near: the walk and half a kilometer around it stay free.
      while arrangement == .far, (center.north - side / 2).magnitude < 5 * Self.radius,
        (begin - 500...begin + way + 500).contains(center.east)
      { center = spot() }
      return center
    }
    circles = (0..<count).map { _ in Circle(center: center().coordinate, radius: Self.radius) }
    // At one place, four million answers are enough.
    let places = arrangement == .shared ? min(100_000, max(4_000_000 / count, 4)) : 100_000
    walk = (0..<places).map { step in
      let gone = (Double(step) * 1.4).truncatingRemainder(dividingBy: 2 * way)
      return Spot(east: begin + min(gone, 2 * way - gone), north: side / 2).coordinate
    }
    devices = []
    var index = ConditionIndex()
    if arrangement == .far { circles.forEach { index.insert($0) } }
    while devices.count < places {
      let device = spot().coordinate
      if index.answers(at: device) == 0 { devices.append(device) }
    }
  }

  /// Meters from the southwestern corner.
  private struct Spot {
    var east: Double
    var north: Double

    var coordinate: Coordinate {
      Coordinate(
        latitude: 45 + north / 111_132,
        longitude: 5 + east / (111_320 * cos(Angle(degrees: 45))))
    }
  }
}

extension ConditionIndex {
  @discardableResult
  mutating func insert(_ circle: Circle) -> Slot {
    insert(center: circle.center, radius: circle.radius)
  }

  /// How many circles' boxes hold the place.
  func answers(at place: Coordinate) -> Int {
    var found: [Slot] = []
    collect(at: place, into: &found)
    return found.count
  }
}
