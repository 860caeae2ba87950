/// Finds out whether rings bound an area: none meets itself, none crosses another, holes lie within
/// their parts, and nothing else lies within another.
///
/// Rings may touch one another at points. Edges are compared in the order of their longitudes, each
/// with those that it overlaps.
struct PolygonCheck {
  private struct Item {
    var edge: Polygon.Edge
    var ring: Int
    /// The corner at its start and the one at its end, counted through all rings.
    var start: Int
    var end: Int
    var west: Double
    var east: Double
    var south: Double
    var north: Double
  }

  /// What two edges have in common.
  private enum Meeting { case nothing, point, piece, crossing }

  private let rings: PolygonRings
  private let boxes: [PolygonBox]
  private var items: [Item] = []
  /// The corners that lie on another ring.
  private var touching: [Bool] = []
  /// The corners of others that lie on an edge, by the corner at its start.
  private var contacts: [Int: [SIMD2<Double>]] = [:]

  init(_ rings: PolygonRings) {
    self.rings = rings
    boxes = rings.rings.map { PolygonBox(around: $0) }
    for (ring, points) in rings.rings.enumerated() {
      let base = items.count
      for (place, edge) in PolygonRings.edges(of: points).enumerated() {
        let (start, end) = (edge.start, edge.end)
        items.append(
          Item(
            edge: edge, ring: ring, start: base + place, end: base + (place + 1) % points.count,
            west: min(start.x, end.x), east: max(start.x, end.x), south: min(start.y, end.y),
            north: max(start.y, end.y)))
      }
    }
    touching = Array(repeating: false, count: items.count)
  }

  mutating func run() throws(Polygon.Fault) {
    try compareEdges()
    try compareRings()
  }
}

// MARK: - Edges

extension PolygonCheck {
  private mutating func compareEdges() throws(Polygon.Fault) {
    let order = items.indices.sorted {
      (items[$0].west, $0) < (items[$1].west, $1)
    }
    var open: [Int] = []
    for number in order {
      let item = items[number]
      open.removeAll { items[$0].east < item.west }
      for other in open
      where items[other].south <= item.north && item.south <= items[other].north {
        try compare(items[other], item)
      }
      open.append(number)
    }
  }

  private mutating func compare(_ one: Item, _ other: Item) throws(Polygon.Fault) {
    let fault = Polygon.Fault.crossing(
      ring: min(one.ring, other.ring) + 1, other: max(one.ring, other.ring) + 1)
    if one.ring == other.ring, one.end == other.start || other.end == one.start {
      let (first, second) = one.end == other.start ? (one, other) : (other, one)
      guard Self.turnsBack(first.edge, second.edge) else { return }
      throw fault
    }
    switch Self.meeting(one.edge, other.edge) {
    case .nothing: return
    case .crossing: throw fault
    case .piece:
      guard one.ring != other.ring, one.edge.isAtAntimeridian else { throw fault }
      for corner in [one.start, one.end, other.start, other.end] { touching[corner] = true }
    case .point:
      guard one.ring != other.ring else { throw fault }
      mark(one, on: other)
      mark(other, on: one)
    }
  }

  private mutating func mark(_ item: Item, on other: Item) {
    for (corner, point) in [(item.start, item.edge.start), (item.end, item.edge.end)]
    where Self.turn(other.edge, point) == 0 && PolygonBox(around: [other.edge]).holds(point) {
      touching[corner] = true
      contacts[other.start, default: []].append(point)
    }
  }

  /// Positive where a point is to the left of an edge.
  private static func turn(_ edge: Polygon.Edge, _ point: SIMD2<Double>) -> Double {
    let (line, way) = (edge.end - edge.start, point - edge.start)
    return line.x * way.y - line.y * way.x
  }

  /// Whether an edge runs back over the one before it.
  private static func turnsBack(_ edge: Polygon.Edge, _ next: Polygon.Edge) -> Bool {
    let (line, way) = (edge.end - edge.start, next.end - next.start)
    return turn(edge, next.end) == 0 && (line * way).sum() < 0
  }

  private static func meeting(_ one: Polygon.Edge, _ other: Polygon.Edge) -> Meeting {
    let (first, second) = (turn(one, other.start), turn(one, other.end))
    let (third, fourth) = (turn(other, one.start), turn(other, one.end))
    if first == 0, second == 0 { return meetingInLine(one, other) }
    if (first > 0 && second > 0) || (first < 0 && second < 0) { return .nothing }
    if (third > 0 && fourth > 0) || (third < 0 && fourth < 0) { return .nothing }
    let isTouched = first == 0 || second == 0 || third == 0 || fourth == 0
    return isTouched ? .point : .crossing
  }

  /// Of two edges on one line.
  private static func meetingInLine(_ one: Polygon.Edge, _ other: Polygon.Edge) -> Meeting {
    let line = one.end - one.start
    let isWide = line.x.magnitude >= line.y.magnitude
    func range(_ edge: Polygon.Edge) -> (low: Double, high: Double) {
      let (start, end) = isWide ? (edge.start.x, edge.end.x) : (edge.start.y, edge.end.y)
      return (min(start, end), max(start, end))
    }
    let (first, second) = (range(one), range(other))
    let (low, high) = (max(first.low, second.low), min(first.high, second.high))
    return low < high ? .piece : low == high ? .point : .nothing
  }
}

// MARK: - Rings

extension PolygonCheck {
  private func compareRings() throws(Polygon.Fault) {
    let parts = rings.partRanges
    var base = 0
    for (number, part) in parts.enumerated() {
      for ring in part {
        let probes = probes(of: ring, base)
        base += rings.rings[ring].count
        if ring == part.lowerBound {
          for (other, rest) in parts.enumerated()
          where other != number && boxes[rest.lowerBound].meets(boxes[ring]) {
            guard !probes.contains(where: { isInside($0, rest) }) else {
              throw .overlap(ring: ring + 1)
            }
          }
        } else {
          guard probes.allSatisfy({ isInside($0, part.lowerBound) }) else {
            throw .hole(ring: ring + 1)
          }
          for other in part.dropFirst() where other != ring && boxes[other].meets(boxes[ring]) {
            guard !probes.contains(where: { isInside($0, other) }) else {
              throw .overlap(ring: ring + 1)
            }
          }
        }
      }
    }
  }

  /// Returns points of a ring that do not lie on another one: its corners, and the middles of what
  /// lies between two that do.
  private func probes(of ring: Int, _ base: Int) -> [SIMD2<Double>] {
    let points = rings.rings[ring]
    var probes = points.indices.filter { !touching[base + $0] }.map { points[$0] }
    for (place, edge) in PolygonRings.edges(of: points).enumerated()
    where !edge.isAtAntimeridian {
      let isFree = !touching[base + place] && !touching[base + (place + 1) % points.count]
      let between = contacts[base + place] ?? []
      guard !isFree || !between.isEmpty else { continue }
      let line = edge.end - edge.start
      var stops = [0, 1] + between.map { ((($0 - edge.start) * line).sum()) / (line * line).sum() }
      stops.sort()
      for (low, high) in zip(stops, stops.dropFirst()) where high - low > 1e-9 {
        probes.append(edge.start + line * ((low + high) / 2))
      }
    }
    return probes
  }

  /// Whether a point is inside a part, whose outer ring is the first.
  private func isInside(_ point: SIMD2<Double>, _ part: Range<Int>) -> Bool {
    isInside(point, part.lowerBound) && !part.dropFirst().contains { isInside(point, $0) }
  }

  private func isInside(_ point: SIMD2<Double>, _ ring: Int) -> Bool {
    guard boxes[ring].holds(point) else { return false }
    let points = rings.rings[ring]
    var isInside = false
    var before = points[points.count - 1]
    for next in points {
      let edge = Polygon.Edge(start: before, end: next)
      before = next
      guard (edge.start.y > point.y) != (edge.end.y > point.y) else { continue }
      if (Self.turn(edge, point) > 0) == (edge.end.y > edge.start.y) { isInside.toggle() }
    }
    return isInside
  }
}
