package import LocationModel

/// Finds, among up to millions of circles, the few whose bounding box contains a place.
///
/// A few circles are compared one by one. For more, the earth is cut into square cells of nine
/// sizes. A circle is linked into the cells that its box touches, at a size of about four radii:
/// most circles lie in one or two cells, and none of usual size in more than four. A look-up probes
/// one cell for each size in use, so its cost depends on the circles near the place and not on
/// their number. Inserting and removing touch the same cells only.
package struct ConditionIndex: Sendable {
  /// Identifies one circle while it is in the index; reused after removal.
  package typealias Slot = Int32

  /// By slot; the box of a free slot contains no place.
  private var boxes: [GeodeticBox] = []
  /// The first free slot, or -1; each names the next one in its box.
  private var freeSlot: Slot = -1
  private var cells = CellTable()
  private var buckets = CellBuckets()
  private let grid = CellGrid()
  /// The number of circles at each cell size.
  private var levelCounts = [Int](repeating: 0, count: CellGrid.levels)
  /// A bit for each cell size in use.
  private var levelsInUse: UInt16 = 0
  /// Circles too large for any cell: every look-up compares them.
  private var wide: [Slot] = []
  /// The number of circles in the index.
  package private(set) var count = 0

  package init() {}

  /// Up to this number, circles are compared one by one (chosen: more than one app may have).
  static let few = 32

  private var hasCells: Bool { boxes.count > Self.few }

  /// The contents of a cell, as its number in the table encodes them.
  private enum Head {
    case nothing
    case one(Slot)
    /// A bucket of two or more circles.
    case several(Int)

    init(_ number: Int) {
      if number == 0 {
        self = .nothing
      } else {
        self = number & 1 == 0 ? .one(Slot((number >> 1) - 1)) : .several(number >> 1)
      }
    }

    var number: Int {
      switch self {
      case .nothing: 0
      case .one(let slot): (Int(slot) + 1) << 1
      case .several(let bucket): bucket << 1 | 1
      }
    }
  }

  /// Adds a circle with a valid center and a positive, finite radius in meters.
  package mutating func insert(center: Coordinate, radius: Double) -> Slot {
    insert(GeodeticBox(center: center, radius: radius))
  }

  /// Adds an area that lies in a box.
  mutating func insert(_ box: GeodeticBox) -> Slot {
    count += 1
    if freeSlot >= 0 {
      let slot = freeSlot
      freeSlot = Slot(bitPattern: boxes[Int(slot)].west)
      boxes[Int(slot)] = box
      if hasCells { link(slot) }
      return slot
    }
    boxes.makeRoom()
    boxes.append(box)
    let slot = Slot(boxes.count - 1)
    if hasCells {
      for fresh in (slot == Self.few ? 0 : slot)...slot { link(fresh) }
    }
    return slot
  }

  package mutating func remove(_ slot: Slot) {
    if hasCells { unlink(slot) }
    count -= 1
    boxes[Int(slot)] = .nowhere
    boxes[Int(slot)].west = UInt32(bitPattern: freeSlot)
    freeSlot = slot
  }

  /// Appends every circle whose box contains the place.
  package func collect(at coordinate: Coordinate, into found: inout [Slot]) {
    forEach(at: coordinate) { found.append($0) }
  }

  /// Calls `body` for every circle whose box contains the place.
  @inline(__always)
  func forEach(at coordinate: Coordinate, _ body: (Slot) -> Void) {
    let point = GeodeticPoint(coordinate)
    guard hasCells else { return forEachOfFew(at: point, body) }
    var levels = levelsInUse
    while levels != 0 {
      let level = levels.trailingZeroBitCount
      levels &= levels - 1
      let (key, place) = grid.cell(of: point, level: level)
      switch Head(cells.head(of: key)) {
      case .nothing: break
      case .one(let slot):
        if boxes[Int(slot)].contains(point) { body(slot) }
      case .several(let bucket):
        buckets.forEach(of: bucket, holding: place) { slot in
          if boxes[Int(slot)].contains(point) { body(slot) }
        }
      }
    }
    for slot in wide where boxes[Int(slot)].contains(point) { body(slot) }
  }

  /// Compares every box first and looks at the hits afterwards, because the processor could not
  /// predict the hits.
  @inline(__always)
  private func forEachOfFew(at point: GeodeticPoint, _ body: (Slot) -> Void) {
    var hits: UInt32 = 0
    boxes.withUnsafeBufferPointer { boxes in
      for box in boxes.reversed() { hits = hits &<< 1 | (box.contains(point) ? 1 : 0) }
    }
    while hits != 0 {
      body(Slot(hits.trailingZeroBitCount))
      hits &= hits - 1
    }
  }

  /// Appends circles whose box meets the box of a circle around the place, some more than once.
  ///
  /// Stops and returns `false` when more than `limit` circles have been compared.
  package func collect(
    within radius: Double, of coordinate: Coordinate, limit: Int, into found: inout [Slot]
  ) -> Bool {
    let area = GeodeticBox(center: coordinate, radius: radius)
    guard hasCells else {
      for slot in boxes.indices where boxes[slot].meets(area) { found.append(Slot(slot)) }
      return true
    }
    var seen = 0
    for level in 0..<CellGrid.levels where levelCounts[level] > 0 {
      grid.forEachCell(of: area, level: level) { key in
        for slot in slots(in: key) {
          guard seen <= limit else { return }
          if boxes[Int(slot)].meets(area) { found.append(slot) }
          seen += 1
        }
      }
    }
    for slot in wide where boxes[Int(slot)].meets(area) { found.append(slot) }
    return seen <= limit
  }

  /// Bytes held for the circles, spare room included.
  package var footprint: Int {
    boxes.capacity * MemoryLayout<GeodeticBox>.stride
      + wide.capacity * MemoryLayout<Slot>.stride + buckets.footprint
      + cells.footprint + grid.footprint
  }
}

// MARK: - Cells

extension ConditionIndex {
  /// Links a circle into the cells that it touches.
  private mutating func link(_ slot: Slot) {
    let box = boxes[Int(slot)]
    guard let level = box.level else { return wide.append(slot) }
    levelCounts[level] += 1
    levelsInUse |= 1 << level
    grid.forEachCell(of: box, level: level) { key in
      let part = grid.bounds(of: box, in: key)
      switch Head(cells.head(of: key)) {
      case .nothing:
        cells.setHead(of: key, to: Head.one(slot).number)
      case .one(let other):
        let others = grid.bounds(of: boxes[Int(other)], in: key)
        let bucket = buckets.make((other, others), (slot, part))
        cells.setHead(of: key, to: Head.several(bucket).number)
      case .several(let bucket):
        buckets.append(slot, part, to: bucket)
      }
    }
  }

  private mutating func unlink(_ slot: Slot) {
    let box = boxes[Int(slot)]
    guard let level = box.level else { return wide.removeAll { $0 == slot } }
    levelCounts[level] -= 1
    if levelCounts[level] == 0 { levelsInUse &= ~(1 << level) }
    grid.forEachCell(of: box, level: level) { key in
      switch Head(cells.head(of: key)) {
      case .nothing: break
      case .one: cells.setHead(of: key, to: Head.nothing.number)
      case .several(let bucket):
        guard let left = buckets.remove(slot, from: bucket) else { return }
        cells.setHead(of: key, to: Head.one(left).number)
      }
    }
  }

  private func slots(in key: CellKey) -> ArraySlice<Slot> {
    switch Head(cells.head(of: key)) {
    case .nothing: []
    case .one(let slot): [slot]
    case .several(let bucket): buckets.slots(of: bucket)
    }
  }
}
