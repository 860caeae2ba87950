/// Writes a database of addresses, from the specification of MaxMind DB 2.0 alone.
package struct MaxMindWriter: Sendable {
  package indirect enum Value: Sendable {
    case text(String)
    case double(Double)
    case float(Float)
    case small(UInt16)
    case number(UInt64)
    case flag(Bool)
    case array([Value])
    case map([(String, Value)])
    /// Another value of the section, by where it begins.
    case pointer(Int)
    /// Bytes as they are, which may be no value.
    case raw([UInt8])
  }

  private enum Record: Sendable {
    case empty
    case node(Int)
    /// A value, by where it begins in its section.
    case leaf(Int)
  }

  /// 24, 28, or 32.
  package var recordBits: Int
  /// 4 or 6.
  package var version: Int
  package var kind = "GeoLite2-City"
  /// What the metadata says instead, or in addition.
  package var metadata: [(String, Value)] = []
  private var nodes: [[Record]] = [[.empty, .empty]]
  /// The values so far; the next one begins at its end.
  package private(set) var values: [UInt8] = []

  package init(recordBits: Int = 28, version: Int = 6) {
    self.recordBits = recordBits
    self.version = version
  }

  /// A city: coordinates, and a radius where the database has them.
  package static func city(
    _ latitude: Double, _ longitude: Double, kilometers: UInt16? = nil
  ) -> Value {
    let radius = kilometers.map { [("accuracy_radius", Value.small($0))] } ?? []
    let names = Value.map([("en", .text("Somewhere")), ("de", .text("Irgendwo"))])
    return .map([
      ("city", .map([("geoname_id", .number(2_950_159)), ("names", names)])),
      ("subdivisions", .array([.map([("names", names)])])),
      ("is_anycast", .flag(true)),
      (
        "location",
        .map(radius + [("latitude", .double(latitude)), ("longitude", .double(longitude))])
      ),
    ])
  }

  /// Adds a value for all addresses that begin like one.
  ///
  /// - Parameters:
  ///   - address: four bytes, or sixteen.
  ///   - length: how many bits must agree.
  ///   - value: what the database has for them.
  package mutating func add(_ address: [UInt8], _ length: Int, _ value: Value) {
    let zeros = version == 6 && address.count == 4 ? 12 : 0
    let bits = ([UInt8](repeating: 0, count: zeros) + address).flatMap { byte in
      (0..<8).reversed().map { Int(byte >> UInt8($0) & 1) }
    }.prefix(zeros * 8 + length)
    var node = 0
    for bit in bits.dropLast() {
      if case .node(let next) = nodes[node][bit] {
        node = next
      } else {
        nodes.append([.empty, .empty])
        nodes[node][bit] = .node(nodes.count - 1)
        node = nodes.count - 1
      }
    }
    nodes[node][bits[bits.endIndex - 1]] = .leaf(values.count)
    values += Self.bytes(of: value)
  }

  /// The whole file.
  package var bytes: [UInt8] {
    let tree = nodes.flatMap { pair(number($0[0]), number($0[1])) }
    let fields: [(String, Value)] = [
      ("node_count", .number(UInt64(nodes.count))), ("record_size", .small(UInt16(recordBits))),
      ("ip_version", .small(UInt16(version))), ("database_type", .text(kind)),
      ("languages", .array([.text("en")])), ("description", .map([("en", .text("made up"))])),
      ("binary_format_major_version", .small(2)), ("binary_format_minor_version", .small(0)),
      ("build_epoch", .number(1_700_000_000)),
    ]
    let others = fields.filter { field in !metadata.contains { $0.0 == field.0 } }
    return tree + [UInt8](repeating: 0, count: 16) + values + Self.mark
      + Self.bytes(of: .map(others + metadata))
  }

  private func number(_ record: Record) -> Int {
    switch record {
    case .empty: nodes.count
    case .node(let index): index
    case .leaf(let place): nodes.count + 16 + place
    }
  }

  private func pair(_ left: Int, _ right: Int) -> [UInt8] {
    guard recordBits == 28 else {
      return Self.bytes(left, recordBits / 8) + Self.bytes(right, recordBits / 8)
    }
    let middle = UInt8(left >> 24) << 4 | UInt8(right >> 24)
    return Self.bytes(left, 3) + [middle] + Self.bytes(right, 3)
  }

  private static func bytes(of value: Value) -> [UInt8] {
    switch value {
    case .text(let text): head(2, text.utf8.count) + Array(text.utf8)
    case .double(let number): head(3, 8) + bytes(Int(bitPattern: UInt(number.bitPattern)), 8)
    case .float(let number): head(15, 4) + bytes(Int(number.bitPattern), 4)
    case .small(let number): head(5, 2) + bytes(Int(number), 2)
    case .number(let number):
      head(number >> 32 == 0 ? 6 : 9, number >> 32 == 0 ? 4 : 8)
        + bytes(Int(truncatingIfNeeded: number), number >> 32 == 0 ? 4 : 8)
    case .flag(let isSet): head(14, isSet ? 1 : 0)
    case .array(let members): head(11, members.count) + members.flatMap { bytes(of: $0) }
    case .map(let members):
      head(7, members.count) + members.flatMap { bytes(of: .text($0.0)) + bytes(of: $0.1) }
    case .pointer(let place): [0x38] + bytes(place, 4)
    case .raw(let bytes): bytes
    }
  }

  private static func head(_ type: Int, _ size: Int) -> [UInt8] {
    let (low, rest): (Int, [UInt8]) =
      switch size {
      case ..<29: (size, [])
      case ..<285: (29, bytes(size - 29, 1))
      case ..<65_821: (30, bytes(size - 285, 2))
      default: (31, bytes(size - 65_821, 3))
      }
    return type < 8 ? [UInt8(type << 5 | low)] + rest : [UInt8(low), UInt8(type - 7)] + rest
  }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static let mark: [UInt8] = [0xAB, 0xCD, 0xEF] + Array("MaxMind.com".utf8)
}
