/// The stored devices of one bucket, and the input up to which they have been judged.
package struct StateBucket: Hashable, Sendable {
  package struct Device: Hashable, Sendable {
    package var name: FleetDeviceName
    package var bytes: [UInt8]
  }

  package var position: UInt64
  package var devices: [Device]

  private static let version: UInt8 = 1

  /// Reads what earlier versions have stored; `nil` where the bytes are none of a bucket.
  package init?(_ bytes: [UInt8]) {
    guard var reader = ByteReader(sealed: bytes), reader.byte() == Self.version,
      let position = reader.number(), let count = reader.number(), count <= UInt64(bytes.count)
    else { return nil }
    self.position = position
    devices = []
    for _ in 0..<count {
      guard let tenant = reader.text(), let device = reader.text(), let state = reader.bytes()
      else { return nil }
      devices.append(
        Device(name: FleetDeviceName(tenant: tenant, device: device), bytes: state))
    }
    guard reader.isAtEnd else { return nil }
  }

  package init(position: UInt64, devices: [Device]) {
    self.position = position
    self.devices = devices
  }
}

/// Up to which input everything of a partition is stored, and the fences then.
package struct Checkpoint: Hashable, Sendable {
  package var position: UInt64
  /// The version of the fences; empty for none.
  package var fences: String
  /// How many buckets there are.
  package var buckets: Int
  /// The newest input that has asked for an erasure, of which nothing is stored any more.
  package var erased: UInt64

  private static let version: UInt8 = 2

  package init(position: UInt64, fences: String, buckets: Int, erased: UInt64 = 0) {
    self.position = position
    self.fences = fences
    self.buckets = buckets
    self.erased = erased
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.bytes.append(Self.version)
    writer.add(position)
    writer.add(UInt64(buckets))
    writer.add(Array(fences.utf8))
    writer.add(erased)
    return writer.sealed
  }

  package init?(_ bytes: [UInt8]) {
    guard var reader = ByteReader(sealed: bytes), let version = reader.byte(),
      (1...Self.version).contains(version),
      let position = reader.number(), position < .max, let buckets = reader.number(),
      buckets <= 1 << 20,
      let fences = reader.text(), let erased = version < 2 ? 0 : reader.number(), reader.isAtEnd
    else { return nil }
    self.init(position: position, fences: fences, buckets: Int(buckets), erased: erased)
  }
}

extension Checkpoint {
  /// The newest one of a partition; `nil` before the first.
  static func stored(
    in partition: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Checkpoint? {
    let key = FleetAddress.checkpoint(of: partition)
    guard let value = try broker.last(of: .state(partition), key: key).message else { return nil }
    guard let checkpoint = Checkpoint(value.entry.bytes) else { throw .damaged(key) }
    return checkpoint
  }
}

/// Writes numbers and runs of bytes, and a checksum over them.
struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func add(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func add(_ run: [UInt8]) {
    add(UInt64(run.count))
    bytes += run
  }

  /// The bytes, and FNV-1a over them: a disk or a stranger may have changed them.
  var sealed: [UInt8] {
    let sum = Self.checksum(bytes[...])
    return bytes + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
  }

  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

/// Reads what `ByteWriter` has written.
struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  init?(sealed bytes: [UInt8]) {
    guard bytes.count > 8 else { return nil }
    let sum = bytes.suffix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    rest = bytes.dropLast(8)
    guard ByteWriter.checksum(rest) == sum else { return nil }
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func number() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  mutating func bytes() -> [UInt8]? { number().flatMap { run($0) } }

  /// So many bytes.
  mutating func run(_ count: UInt64) -> [UInt8]? {
    guard count <= UInt64(rest.count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  mutating func text() -> String? {
    bytes().flatMap { String(validating: $0, as: UTF8.self) }
  }
}
