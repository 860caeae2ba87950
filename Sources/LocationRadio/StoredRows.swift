internal import LocationModel

/// The rows of the map as they are stored: by their names, without their contents.
struct StoredRows: Sendable {
  private struct Row: Hashable, Sendable {
    /// FNV-1a of the contents.
    var digest: UInt64
    var bytes: Int
  }

  private var rows: [String: Row] = [:]

  var isEmpty: Bool { rows.isEmpty }
  /// The names in their order.
  var all: [String] { rows.keys.sorted() }
  /// The size of the contents that concern a kind of transmitters.
  func bytes(of kind: RadioMap.Kind) -> Int {
    rows.reduce(0) { sum, row in
      let parts = row.key.split(separator: "/")
      return parts.contains(Substring(kind.rawValue)) ? sum + row.value.bytes : sum
    }
  }

  /// Notes that a row is stored; returns whether it was not stored like this before.
  mutating func note(_ change: StateChange) -> Bool {
    switch change {
    case .set(let key, let value):
      let row = Self.row(value)
      guard rows[key.name] != row else { return false }
      rows[key.name] = row
      return true
    case .remove(let key): return rows.removeValue(forKey: key.name) != nil
    }
  }

  /// Returns whether a row is stored with these contents.
  func holds(_ key: StateKey, _ value: [UInt8]) -> Bool { rows[key.name] == Self.row(value) }

  private static func row(_ bytes: [UInt8]) -> Row {
    Row(digest: FNV1a.hash(bytes), bytes: bytes.count)
  }
}
