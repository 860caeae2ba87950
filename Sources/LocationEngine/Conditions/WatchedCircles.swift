package import LocationModel

/// Circles and polygons that devices can be inside of, found by place; of one device, or shared by
/// many.
package struct WatchedCircles: Sendable {
  package typealias Slot = ConditionIndex.Slot

  /// A circle as it is compared with fixes, or what stands for a polygon among circles.
  package struct Shape: Sendable {
    package var center: GeocentricPoint
    /// Meters; of a polygon, of a circle with as much area.
    package var radius: Double
    var isPolygon = false
  }

  private(set) var index = ConditionIndex()
  /// By slot; `nil` where a slot is free.
  private(set) var shapes: [Shape?] = []
  private var polygons: [Slot: Polygon] = [:]

  package init() {}

  package var count: Int { index.count }

  /// Adds a polygon, or a valid circle.
  package mutating func insert(_ area: Area) -> Slot {
    let (slot, shape): (Slot, Shape)
    switch area {
    case .circle(let circle):
      slot = index.insert(center: circle.center, radius: circle.radius)
      shape = Shape(center: GeocentricPoint(circle.center), radius: circle.radius)
    case .polygon(let polygon):
      slot = index.insert(GeodeticBox(polygon.boundingBox))
      shape = Shape(
        center: GeocentricPoint(vector: .zero), radius: polygon.meanRadius, isPolygon: true)
      polygons[slot] = polygon
    }
    if Int(slot) < shapes.count { shapes[Int(slot)] = shape } else { shapes.append(shape) }
    return slot
  }

  package mutating func remove(_ slot: Slot) {
    index.remove(slot)
    shapes[Int(slot)] = nil
    polygons[slot] = nil
  }

  package subscript(slot: Slot) -> Shape? { shapes[Int(slot)] }

  /// Meters from a place, given in both forms, to the boundary; negative inside.
  func distance(
    from point: GeocentricPoint, _ coordinate: Coordinate, to slot: Slot, _ shape: Shape
  ) -> Double {
    guard shape.isPolygon, let polygon = polygons[slot] else {
      return point.distance(to: shape.center) - shape.radius
    }
    let nearest = polygon.nearestOfBoundary(to: coordinate)
    let distance = point.distance(to: GeocentricPoint(nearest.point))
    return nearest.isInside ? -distance : distance
  }

  /// Calls `body` for every circle that a place may be in, in no particular order.
  @inline(__always)
  func forEach(at coordinate: Coordinate, _ body: (Slot) -> Void) {
    index.forEach(at: coordinate, body)
  }

  /// Appends every circle that comes within so many meters of a place, in the order of their slots,
  /// each once; more than those, where boxes meet.
  package func collect(within radius: Double, of coordinate: Coordinate, into found: inout [Slot]) {
    _ = index.collect(within: radius, of: coordinate, limit: .max, into: &found)
    found.sort()
    var last: Slot?
    found.removeAll { slot in
      defer { last = slot }
      return slot == last
    }
  }
}
