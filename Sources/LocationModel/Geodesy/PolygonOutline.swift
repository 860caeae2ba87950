/// The rings of a polygon as they were drawn, and the polygon: what one device watches.
///
/// It reveals places, so it prints as `‹private›`, as a ``Coordinate`` does.
package struct PolygonOutline: Hashable, Sendable {
  /// Each part has an outer ring, and then its holes; each ring ends where it begins.
  package let parts: [[[Coordinate]]]
  package let polygon: Polygon

  package init(_ parts: [[[Coordinate]]]) throws(Polygon.Fault) {
    guard Self.positions(of: parts) <= Self.mostPositions else {
      throw .tooMany(most: Self.mostPositions)
    }
    polygon = try Polygon(parts)
    self.parts = parts
  }

  /// The number of positions of all rings; a ring has its first one twice.
  package var positions: Int { Self.positions(of: parts) }

  /// The polygon follows from the rings.
  package static func == (left: PolygonOutline, right: PolygonOutline) -> Bool {
    left.parts == right.parts
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(parts) }

  private static func positions(of parts: [[[Coordinate]]]) -> Int {
    parts.joined().reduce(0) { $0 + $1.count }
  }

  /// As many as one message of the link holds, whatever their digits (chosen).
  package static let mostPositions = 1000
}

extension PolygonOutline: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "‹private›" }
  package var debugDescription: String { "‹private›" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
