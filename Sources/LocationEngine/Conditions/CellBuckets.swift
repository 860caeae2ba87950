/// Part of a cell, in 65,536ths of its height and width, rounded down.
struct CellBounds: Sendable {
  var south: UInt16
  var height: UInt16
  var west: UInt16
  var width: UInt16
}

/// Stores lists of circles that share a cell; each is contiguous, and compared eight at a time.
///
/// The capacity of a list is a power of two. A list that outgrows it moves, and its room is reused.
struct CellBuckets: Sendable {
  typealias Slot = ConditionIndex.Slot

  private struct Bucket: Sendable {
    /// The index of its first slot; its bounds begin at four times that.
    var start: UInt32
    var count: UInt32
    /// The binary logarithm of its capacity.
    var roomLog: UInt8

    var room: Int { 1 << Int(roomLog) }
  }

  private var buckets: [Bucket] = []
  private var freeBuckets: [UInt32] = []
  private var slots: [Slot] = []
  /// For each bucket all souths, then all heights, all wests, and all widths.
  private var bounds = [UInt16](repeating: 0, count: lanes)
  /// The starts of free rooms, by the logarithm of their size.
  private var freeRooms = [[UInt32]](repeating: [], count: 32)

  /// The number of circles compared at once; so many values past a bucket's end may be read.
  private static let lanes = 8

  /// Makes a list of two circles.
  mutating func make(_ first: (Slot, CellBounds), _ second: (Slot, CellBounds)) -> Int {
    let bucket = Bucket(start: takeRoom(1), count: 0, roomLog: 1)
    let index: Int
    if let free = freeBuckets.popLast() {
      index = Int(free)
      buckets[index] = bucket
    } else {
      index = buckets.count
      buckets.append(bucket)
    }
    append(first.0, first.1, to: index)
    append(second.0, second.1, to: index)
    return index
  }

  mutating func append(_ slot: Slot, _ part: CellBounds, to index: Int) {
    if Int(buckets[index].count) == buckets[index].room { grow(index) }
    write(slot, part, to: buckets[index], at: Int(buckets[index].count))
    buckets[index].count += 1
  }

  /// Removes a circle; returns the last one left, if there is only one.
  mutating func remove(_ slot: Slot, from index: Int) -> Slot? {
    let bucket = buckets[index]
    let (start, last) = (Int(bucket.start), Int(bucket.count) - 1)
    guard let place = slots[start...start + last].firstIndex(of: slot) else { return nil }
    write(slots[start + last], part(last, of: bucket), to: bucket, at: place - start)
    buckets[index].count -= 1
    guard last == 1 else { return nil }
    freeRooms[Int(bucket.roomLog)].append(bucket.start)
    freeBuckets.append(UInt32(index))
    return slots[start]
  }

  /// Returns the circles of a list, in no particular order.
  func slots(of index: Int) -> ArraySlice<Slot> {
    let start = Int(buckets[index].start)
    return slots[start..<start + Int(buckets[index].count)]
  }

  /// Calls `body` for each circle whose part of the cell contains a place, given in 65,536ths.
  func forEach(
    of index: Int, holding place: (latitude: UInt16, longitude: UInt16), _ body: (Slot) -> Void
  ) {
    let bucket = buckets[index]
    let (start, count, room) = (Int(bucket.start), Int(bucket.count), bucket.room)
    let latitude = SIMD8(repeating: place.latitude)
    let longitude = SIMD8(repeating: place.longitude)
    bounds.withUnsafeBytes { bytes in
      func eight(_ column: Int, _ first: Int) -> SIMD8<UInt16> {
        bytes.loadUnaligned(fromByteOffset: 2 * (4 * start + column * room + first), as: SIMD8.self)
      }
      for first in stride(from: 0, to: count, by: Self.lanes) {
        let holds =
          (latitude &- eight(0, first) .<= eight(1, first))
          .& (longitude &- eight(2, first) .<= eight(3, first))
        guard any(holds) else { continue }
        for lane in 0..<min(Self.lanes, count - first) where holds[lane] {
          body(slots[start + first + lane])
        }
      }
    }
  }

  var footprint: Int {
    buckets.capacity * MemoryLayout<Bucket>.stride
      + slots.capacity * MemoryLayout<Slot>.stride + bounds.capacity * MemoryLayout<UInt16>.stride
      + freeBuckets.capacity * MemoryLayout<UInt32>.stride
      + freeRooms.reduce(0) { $0 + $1.capacity * MemoryLayout<UInt32>.stride }
  }
}

// MARK: - Rooms

extension CellBuckets {
  private func part(_ place: Int, of bucket: Bucket) -> CellBounds {
    let (first, room) = (4 * Int(bucket.start) + place, bucket.room)
    return CellBounds(
      south: bounds[first], height: bounds[first + room], west: bounds[first + 2 * room],
      width: bounds[first + 3 * room])
  }

  private mutating func write(
    _ slot: Slot, _ part: CellBounds, to bucket: Bucket, at place: Int
  ) {
    slots[Int(bucket.start) + place] = slot
    let (first, room) = (4 * Int(bucket.start) + place, bucket.room)
    bounds[first] = part.south
    bounds[first + room] = part.height
    bounds[first + 2 * room] = part.west
    bounds[first + 3 * room] = part.width
  }

  private mutating func grow(_ index: Int) {
    let old = buckets[index]
    var new = old
    new.roomLog += 1
    new.start = takeRoom(new.roomLog)
    for place in 0..<Int(old.count) {
      write(slots[Int(old.start) + place], part(place, of: old), to: new, at: place)
    }
    freeRooms[Int(old.roomLog)].append(old.start)
    buckets[index] = new
  }

  private mutating func takeRoom(_ roomLog: UInt8) -> UInt32 {
    if let start = freeRooms[Int(roomLog)].popLast() { return start }
    let (start, room) = (slots.count, 1 << Int(roomLog))
    slots.makeRoom(for: room)
    slots.append(contentsOf: repeatElement(0, count: room))
    bounds.makeRoom(for: 4 * room)
    bounds.append(contentsOf: repeatElement(0, count: 4 * room))
    return UInt32(start)
  }
}

extension Array {
  /// Grows by a sixteenth where the standard library would double: memory per circle counts here.
  mutating func makeRoom(for additional: Int = 1) {
    guard count + additional > capacity else { return }
    reserveCapacity(count + additional + count / 16 + 8)
  }
}
