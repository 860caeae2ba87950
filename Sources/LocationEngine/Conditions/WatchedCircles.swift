package import LocationModel

/// Circles that devices can be inside of, found by place; of one device, or shared by many.
package struct WatchedCircles: Sendable {
  package typealias Slot = ConditionIndex.Slot

  /// A circle as it is compared with fixes.
  package struct Shape: Sendable {
    package var center: GeocentricPoint
    /// Meters.
    package var radius: Double
  }

  private(set) var index = ConditionIndex()
  /// By slot; `nil` where a slot is free.
  private(set) var shapes: [Shape?] = []

  package init() {}

  package var count: Int { index.count }

  /// Adds a valid circle.
  package mutating func insert(_ circle: Circle) -> Slot {
    let slot = index.insert(center: circle.center, radius: circle.radius)
    let shape = Shape(center: GeocentricPoint(circle.center), radius: circle.radius)
    if Int(slot) < shapes.count { shapes[Int(slot)] = shape } else { shapes.append(shape) }
    return slot
  }

  package mutating func remove(_ slot: Slot) {
    index.remove(slot)
    shapes[Int(slot)] = nil
  }

  package subscript(slot: Slot) -> Shape? { shapes[Int(slot)] }

  /// Appends every circle that a place may be in, in the order of their slots.
  func collect(at coordinate: Coordinate, into found: inout [Slot]) {
    index.collect(at: coordinate, into: &found)
    if found.count > 1 { found.sort() }
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
