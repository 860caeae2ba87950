internal import LocationModel
internal import LocationSecrets

/// A bucket as it is stored: which tenants have devices in it, sealed with the partition's key, and behind
/// that the devices of each tenant, sealed with a key that comes from the tenant's and the partition's.
///
/// All are sealed with one nonce, as no two have one key. So a section opens in its own bucket alone.
struct SealedBucket: Sendable {
  struct Section: Sendable {
    var tenant: String
    /// Whether the tenant's key is kept elsewhere than in the broker.
    var isElsewhere: Bool
    var bytes: [UInt8]
  }

  private(set) var position: UInt64
  private(set) var sections: [Section]
  private let nonce: [UInt8]

  private static let version: UInt8 = 1
  static let mostSections = 1 << 20

  /// Seals the devices of a bucket, which are in the order of their tenants.
  static func seal(
    _ bucket: StateBucket, at place: String, with key: SecretKey, nonce: [UInt8],
    isElsewhere: Bool, _ keyOf: (String) throws(BrokerFault) -> SecretKey
  ) throws(BrokerFault) -> [UInt8] {
    let place = Array(place.utf8)
    var (header, sections) = (ByteWriter(), [UInt8]())
    let runs = runs(of: bucket.devices)
    header.append(version)
    header.append(number: bucket.position)
    header.append(number: UInt64(runs.count))
    for run in runs {
      var plain = ByteWriter()
      plain.append(number: UInt64(run.count))
      for device in run {
        plain.append(run: Array(device.name.device.utf8))
        plain.append(run: device.bytes)
      }
      let tenant = run[run.startIndex].name.tenant
      let sealed = Seal.seal(plain.bytes, at: place, nonce: nonce, with: try keyOf(tenant))
        .dropFirst(nonce.count)
      header.append(run: Array(tenant.utf8))
      header.append(isElsewhere ? 1 : 0)
      header.append(number: UInt64(sealed.count))
      sections += sealed
    }
    var all = ByteWriter()
    all.append(run: Seal.seal(header.bytes, at: place, nonce: nonce, with: key))
    return all.bytes + sections
  }

  /// Devices that follow one another and are of one tenant.
  private static func runs(of devices: [StateBucket.Device]) -> [ArraySlice<StateBucket.Device>] {
    var (runs, start) = ([ArraySlice<StateBucket.Device>](), 0)
    for end in devices.indices.dropFirst()
    where !devices[end].name.tenant.isExactly(devices[start].name.tenant) {
      runs.append(devices[start..<end])
      start = end
    }
    return start < devices.count ? runs + [devices[start...]] : runs
  }

  /// `nil` where it was changed, or the key is another one.
  init?(_ bytes: some Sequence<UInt8>, at place: String, with key: SecretKey) {
    var reader = ByteReader(Array(bytes))
    guard let head = reader.run(), head.count >= Seal.nonceLength,
      let plain = Seal.open(head, at: Array(place.utf8), with: key)
    else { return nil }
    nonce = Array(head.prefix(Seal.nonceLength))
    var header = ByteReader(plain)
    guard header.byte() == Self.version, let position = header.number(),
      let count = header.number(), count <= UInt64(Self.mostSections)
    else { return nil }
    self.position = position
    sections = []
    for _ in 0..<count {
      guard let tenant = header.text(), let kind = header.byte(), kind < 2,
        let length = header.number(), let run = reader.run(length)
      else { return nil }
      sections.append(Section(tenant: tenant, isElsewhere: kind == 1, bytes: run))
    }
    guard header.isAtEnd, reader.isAtEnd else { return nil }
  }

  /// The devices of a section; `nil` where it was changed, or the key is another one.
  func open(_ section: Section, at place: String, with key: SecretKey) -> [StateBucket.Device]? {
    guard let plain = Seal.open(nonce + section.bytes, at: Array(place.utf8), with: key) else {
      return nil
    }
    var reader = ByteReader(plain)
    guard let count = reader.number(), count <= UInt64(plain.count) else { return nil }
    var devices: [StateBucket.Device] = []
    for _ in 0..<count {
      guard let name = reader.text(), let state = reader.run() else { return nil }
      devices.append(
        StateBucket.Device(
          name: FleetDeviceName(tenant: section.tenant, device: name), bytes: state))
    }
    return reader.isAtEnd ? devices : nil
  }
}
