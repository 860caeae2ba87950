/// Bytes that can be read at any place: a file, or an array.
package protocol RandomAccess {
  /// Bytes in all.
  var size: Int { get }

  /// Reads bytes at a place.
  ///
  /// - Parameters:
  ///   - offset: where the first one is.
  ///   - count: how many.
  /// - Returns: as many bytes, or `nil` where they are not all there.
  func bytes(at offset: Int, count: Int) -> [UInt8]?
}

/// Why a database cannot be read.
enum MaxMindFault: Error, Hashable {
  /// It is no database in the form of MaxMind, or one of another version.
  case foreign
  /// It contradicts itself, or a record is larger than any that is used.
  case damaged
}

/// A database of addresses in the form of MaxMind (MaxMind DB, version 2): a binary tree of their bits, whose
/// leaves are values.
///
/// A look-up reads the few hundred bytes that it needs, with bounds: neither the size of the file nor what is in
/// it can make it take long, or much memory.
struct MaxMindDatabase<Bytes: RandomAccess> {
  private let bytes: Bytes
  /// Nodes of the tree.
  private let nodes: Int
  /// Of one of the two records of a node: 24, 28, or 32.
  private let recordBits: Int
  /// Of the addresses that the tree holds: 4 or 16.
  private let addressLength: Int
  /// Where the values are; a pointer counts from their beginning.
  private let values: Range<Int>

  /// - Throws: ``MaxMindFault`` where the bytes are no such database.
  init(_ bytes: Bytes) throws(MaxMindFault) {
    let tail = min(bytes.size, Self.longestMetadata)
    guard tail > 0, let end = bytes.bytes(at: bytes.size - tail, count: tail),
      let mark = end.lastPlace(of: Self.mark)
    else { throw .foreign }
    let start = bytes.size - tail + mark
    let metadata = Values(bytes: bytes, range: start + Self.mark.count..<bytes.size)
    func number(_ name: String) throws(MaxMindFault) -> Int {
      guard let place = try metadata.member(name, of: metadata.range.lowerBound),
        let number = try metadata.number(at: place).flatMap({ Int(exactly: $0) })
      else { throw .foreign }
      return number
    }
    guard try number("binary_format_major_version") == 2 else { throw .foreign }
    (nodes, recordBits) = (try number("node_count"), try number("record_size"))
    let version = try number("ip_version")
    guard nodes > 0, nodes < 1 << 32, [24, 28, 32].contains(recordBits), [4, 6].contains(version)
    else { throw .damaged }
    let tree = nodes * recordBits / 4
    guard tree + Self.gap < start else { throw .damaged }
    addressLength = version == 4 ? 4 : 16
    values = tree + Self.gap..<start
    self.bytes = bytes
  }

  /// Looks an address up.
  ///
  /// - Parameter address: four bytes, or sixteen.
  /// - Returns: what the database has for it.
  /// - Throws: ``MaxMindFault/damaged``.
  func entry(for address: [UInt8]) throws(MaxMindFault) -> GeoIPEntry {
    guard let leaf = try leaf(of: address) else { return .unknown }
    let values = Values(bytes: bytes, range: values)
    guard let location = try values.member("location", of: leaf),
      let latitude = try values.member("latitude", of: location),
      let longitude = try values.member("longitude", of: location)
    else { return .unplaced }
    let radius = try values.member("accuracy_radius", of: location)
    guard let latitude = try values.number(at: latitude),
      let longitude = try values.number(at: longitude)
    else { return .impossible }
    guard let radius else {
      return .place(latitude: latitude, longitude: longitude, kilometers: nil)
    }
    guard let kilometers = try values.number(at: radius) else { return .impossible }
    return .place(latitude: latitude, longitude: longitude, kilometers: kilometers)
  }

  /// Goes from the root along the bits of an address; `nil` for one that the tree does not hold.
  private func leaf(of address: [UInt8]) throws(MaxMindFault) -> Int? {
    guard address.count <= addressLength else { return nil }
    // In a tree for both, an address of IPv4 is one of IPv6 behind zeros.
    let bits = [UInt8](repeating: 0, count: addressLength - address.count) + address
    var node = 0
    for byte in bits {
      for place in (0..<8).reversed() {
        node = try child(byte >> UInt8(place) & 1, of: node)
        if node == nodes { return nil }
        guard node > nodes else { continue }
        let leaf = values.lowerBound + node - nodes - Self.gap
        guard values.contains(leaf) else { throw .damaged }
        return leaf
      }
    }
    throw .damaged
  }

  private func child(_ side: UInt8, of node: Int) throws(MaxMindFault) -> Int {
    let length = recordBits / 4
    guard let pair = bytes.bytes(at: node * length, count: length) else { throw .damaged }
    let own = recordBits / 8
    let number = (side == 0 ? pair.prefix(own) : pair.suffix(own)).bigEndian
    // The byte in the middle of 28 bits has the highest four of each.
    guard recordBits == 28 else { return number }
    return number | Int(side == 0 ? pair[3] >> 4 : pair[3] & 15) << 24
  }

  /// Zeros between the tree and the values.
  private static var gap: Int { 16 }
  /// What comes before the metadata.
  private static var mark: [UInt8] { [0xAB, 0xCD, 0xEF] + Array("MaxMind.com".utf8) }
  /// Bytes: where the mark is looked for, by the format.
  private static var longestMetadata: Int { 128 << 10 }
}

/// A section of values, each a type, a size, and its bytes.
private struct Values<Bytes: RandomAccess> {
  /// The types that are looked into; the others are passed over by their size.
  private enum Kind: Int {
    case pointer = 1
    case text, double, bytes, small, medium, map, signed, large, huge, array, cache, end, flag
    case float
  }

  private struct Head {
    var kind: Kind
    /// Bytes, or the number of members; for a pointer, where it leads.
    var size: Int
    /// The first byte behind it.
    var next: Int
  }

  let bytes: Bytes
  let range: Range<Int>

  /// Finds a member of a map.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - place: where the map is, or a pointer to it.
  /// - Returns: where its value is; `nil` where there is no such member, or no map.
  /// - Throws: ``MaxMindFault/damaged``.
  func member(_ name: String, of place: Int) throws(MaxMindFault) -> Int? {
    let map = try value(at: place)
    guard map.kind == .map else { return nil }
    var place = map.next
    var left = Self.mostValues
    for _ in 0..<map.size {
      let key = try head(at: place)
      let text = key.kind == .pointer ? try value(at: place) : key
      guard text.kind == .text else { throw .damaged }
      place = key.kind == .pointer ? key.next : key.next + key.size
      if text.size == name.utf8.count, try read(text.next, text.size) == Array(name.utf8) {
        return place
      }
      place = try end(of: place, &left)
    }
    return nil
  }

  /// Reads a number of any type; `nil` for a value that is none.
  func number(at place: Int) throws(MaxMindFault) -> Double? {
    let value = try value(at: place)
    guard value.size <= 8 else { return nil }
    let content = value.kind == .flag ? [] : try read(value.next, value.size)
    let bits = content.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    switch (value.kind, value.size) {
    case (.double, 8): return Double(bitPattern: bits)
    case (.float, 4): return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case (.signed, 0...4): return Double(Int32(truncatingIfNeeded: bits))
    case (.small, _), (.medium, _), (.large, _): return Double(bits)
    default: return nil
    }
  }

  /// The value at a place, or the one to which a pointer there leads.
  private func value(at place: Int) throws(MaxMindFault) -> Head {
    let found = try head(at: place)
    guard found.kind == .pointer else { return found }
    let value = try head(at: range.lowerBound + found.size)
    guard value.kind != .pointer else { throw .damaged }
    return value
  }

  /// Passes over a value with all that is in it; what is nested is counted, not descended into.
  ///
  /// - Parameters:
  ///   - place: where the value is.
  ///   - left: how many values may still be passed over.
  /// - Returns: where the next value is.
  /// - Throws: ``MaxMindFault/damaged``, also for more values than may be passed over.
  private func end(of place: Int, _ left: inout Int) throws(MaxMindFault) -> Int {
    var place = place
    var pending = 1
    while pending > 0 {
      guard left > 0 else { throw .damaged }
      let value = try head(at: place)
      place = value.next
      pending -= 1
      left -= 1
      switch value.kind {
      case .map: pending += 2 * value.size
      case .array: pending += value.size
      case .pointer, .flag, .cache, .end: break
      case .text, .double, .bytes, .small, .medium, .signed, .large, .huge, .float:
        place += value.size
      }
    }
    return place
  }

  private func head(at place: Int) throws(MaxMindFault) -> Head {
    let first = try read(place, 1)[0]
    var next = place + 1
    var type = Int(first >> 5)
    if type == 0 {
      type = Int(try read(next, 1)[0]) + 7
      next += 1
    }
    guard let kind = Kind(rawValue: type) else { throw .damaged }
    var size = Int(first & 31)
    if kind == .pointer {
      // Two bits are the number of bytes less one, and three are the highest of the place.
      let count = size >> 3 + 1
      let high = count == 4 ? 0 : (size & 7) << (8 * count)
      size = (high | (try read(next, count))[...].bigEndian) + [0, 2048, 526_336, 0][count - 1]
      next += count
    } else if size > 28 {
      let count = size - 28
      size = (try read(next, count))[...].bigEndian + [29, 285, 65_821][count - 1]
      next += count
    }
    return Head(kind: kind, size: size, next: next)
  }

  private func read(_ place: Int, _ count: Int) throws(MaxMindFault) -> [UInt8] {
    guard place >= range.lowerBound, count <= range.upperBound - place,
      let read = bytes.bytes(at: place, count: count)
    else { throw .damaged }
    return read
  }

  /// Values that are passed over for one member. Chosen: records have some hundreds.
  private static var mostValues: Int { 4096 }
}

extension ArraySlice<UInt8> {
  /// The number that the bytes are, the highest first.
  fileprivate var bigEndian: Int { reduce(0) { $0 << 8 | Int($1) } }
}

extension [UInt8] {
  /// Where other bytes are the last time; `nil` where they are not.
  fileprivate func lastPlace(of other: [UInt8]) -> Int? {
    guard count >= other.count else { return nil }
    return (0...count - other.count).last {
      self[$0] == other.first && self[$0...].starts(with: other)
    }
  }
}

extension [UInt8]: RandomAccess {
  package var size: Int { count }

  package func bytes(at offset: Int, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, count <= self.count - offset else { return nil }
    return Array(self[offset..<offset + count])
  }
}
