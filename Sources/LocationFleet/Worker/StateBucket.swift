internal import LocationModel

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
      guard let tenant = reader.text(), let device = reader.text(), let state = reader.run()
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
    writer.append(Self.version)
    writer.append(number: position)
    writer.append(number: UInt64(buckets))
    writer.append(run: Array(fences.utf8))
    writer.append(number: erased)
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
  /// Where the newest one of a partition is.
  package static func place(of partition: Int) -> (log: FleetLog, place: MessagePlace) {
    (.state(partition), .last(key: FleetAddress.checkpoint(of: partition)))
  }

  /// What is wrong with the `buckets` of a configuration, with the next step.
  ///
  /// - Parameter count: that number.
  /// - Returns: `nil` where it is the one with which devices are stored.
  package func fault(ofBuckets count: Int) -> String? {
    guard buckets != count else { return nil }
    return
      "`buckets` is \(count), and the devices of this fleet are stored in \(buckets): nothing is judged; "
      + "next: set `buckets` to \(buckets) for every worker; it never changes"
  }

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
