package import LocationModel

/// Finds, among up to millions of circles, the few whose bounding box holds a place.
///
/// The earth is cut into square cells at nine sizes. A circle is linked into the cells that its box
/// touches, at the size of about four radii, so most circles lie in one or two cells and none of
/// usual size in more than four. A look-up probes one cell per size in use: its cost depends on the
/// circles near the place and not on their number. Inserting and removing touch those same cells
/// only.
package struct ConditionIndex: Sendable {
  /// Names one circle while it is in the index; used again after removal.
  package typealias Slot = Int32

  private var boxes: [GeodeticBox] = []
  /// The first link of each circle, by slot; for a free slot the next free slot.
  private var firstLinks: [Int32] = []
  private var freeSlot: Int32 = -1
  private var links: [Link] = []
  private var freeLink: Int32 = -1
  private var cells = CellTable()
  private let grid = CellGrid()
  /// How many circles each cell size holds.
  private var levelCounts = [Int](repeating: 0, count: CellGrid.levels)
  /// A bit for each cell size in use.
  private var levelsInUse: UInt16 = 0
  /// Circles too large for any cell: every look-up compares them.
  private var wide: [Slot] = []
  /// How many circles the index holds.
  package private(set) var count = 0

  package init() {}

  /// A circle's place in the list of one cell.
  private struct Link {
    var next: Int32
    var previous: Int32
    var slot: Slot
    /// The same circle's link in its next cell.
    var sibling: Int32
  }

  /// Adds a circle with a valid center and a positive, finite radius in meters.
  package mutating func insert(center: Coordinate, radius: Double) -> Slot {
    let box = GeodeticBox(center: center, radius: radius)
    let slot = takeSlot(for: box)
    count += 1
    guard let level = box.level else {
      wide.append(slot)
      return slot
    }
    levelCounts[level] += 1
    levelsInUse |= 1 << level
    var last: Int32 = -1
    grid.forEachCell(of: box, level: level) { key in
      let link = takeLink(for: slot)
      prepend(link, to: key)
      if last < 0 { firstLinks[Int(slot)] = link } else { links[Int(last)].sibling = link }
      last = link
    }
    return slot
  }

  package mutating func remove(_ slot: Slot) {
    let box = boxes[Int(slot)]
    count -= 1
    if let level = box.level {
      levelCounts[level] -= 1
      if levelCounts[level] == 0 { levelsInUse &= ~(1 << level) }
      var link = firstLinks[Int(slot)]
      grid.forEachCell(of: box, level: level) { key in
        let sibling = links[Int(link)].sibling
        unlink(link, from: key)
        link = sibling
      }
    } else {
      wide.removeAll { $0 == slot }
    }
    firstLinks[Int(slot)] = freeSlot
    freeSlot = slot
  }

  /// Appends every circle whose box holds the place.
  package func collect(at coordinate: Coordinate, into found: inout [Slot]) {
    let point = GeodeticPoint(coordinate)
    var levels = levelsInUse
    while levels != 0 {
      let level = levels.trailingZeroBitCount
      levels &= levels - 1
      var link = cells.head(of: grid.cell(of: point, level: level))
      while link >= 0 {
        let entry = links[Int(link)]
        if boxes[Int(entry.slot)].contains(point) { found.append(entry.slot) }
        link = entry.next
      }
    }
    for slot in wide where boxes[Int(slot)].contains(point) { found.append(slot) }
  }

  /// Appends circles whose box meets the box of a circle around the place, some more than once.
  ///
  /// Ends early, with `false`, when more than `limit` links have been seen.
  package func collect(
    within radius: Double, of coordinate: Coordinate, limit: Int, into found: inout [Slot]
  ) -> Bool {
    let area = GeodeticBox(center: coordinate, radius: radius)
    var seen = 0
    for level in 0..<CellGrid.levels where levelCounts[level] > 0 {
      grid.forEachCell(of: area, level: level) { key in
        var link = cells.head(of: key)
        while link >= 0, seen <= limit {
          let entry = links[Int(link)]
          if boxes[Int(entry.slot)].meets(area) { found.append(entry.slot) }
          link = entry.next
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
      + firstLinks.capacity * MemoryLayout<Int32>.stride
      + links.capacity * MemoryLayout<Link>.stride
      + wide.capacity * MemoryLayout<Slot>.stride
      + cells.footprint
  }
}

// MARK: - Links

extension ConditionIndex {
  private mutating func takeSlot(for box: GeodeticBox) -> Slot {
    if freeSlot >= 0 {
      let slot = freeSlot
      freeSlot = firstLinks[Int(slot)]
      boxes[Int(slot)] = box
      return slot
    }
    boxes.makeRoom()
    firstLinks.makeRoom()
    boxes.append(box)
    firstLinks.append(-1)
    return Slot(boxes.count - 1)
  }

  private mutating func takeLink(for slot: Slot) -> Int32 {
    let fresh = Link(next: -1, previous: -1, slot: slot, sibling: -1)
    if freeLink >= 0 {
      let link = freeLink
      freeLink = links[Int(link)].next
      links[Int(link)] = fresh
      return link
    }
    links.makeRoom()
    links.append(fresh)
    return Int32(links.count - 1)
  }

  private mutating func prepend(_ link: Int32, to key: CellKey) {
    let head = cells.replaceHead(of: key, with: link)
    links[Int(link)].next = head
    if head >= 0 { links[Int(head)].previous = link }
  }

  private mutating func unlink(_ link: Int32, from key: CellKey) {
    let entry = links[Int(link)]
    if entry.next >= 0 { links[Int(entry.next)].previous = entry.previous }
    if entry.previous >= 0 {
      links[Int(entry.previous)].next = entry.next
    } else {
      _ = cells.replaceHead(of: key, with: entry.next)
    }
    links[Int(link)].next = freeLink
    freeLink = link
  }
}

extension Array {
  /// Grows by an eighth where the standard library would double: memory per circle counts here.
  fileprivate mutating func makeRoom() {
    guard count == capacity else { return }
    reserveCapacity(count + count / 8 + 64)
  }
}
