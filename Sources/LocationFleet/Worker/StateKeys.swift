internal import LocationModel
package import LocationSecrets

/// Where the keys of tenants are.
package enum TenantKeySource: Sendable {
  /// There is none but what comes of a partition's key, which is in the broker beside what it seals, and the
  /// name of the tenant.
  case broker
  /// Elsewhere: who has the broker's files opens nothing. Throws `sealed` where there is none of a tenant.
  case elsewhere(@Sendable (_ tenant: String) throws(BrokerFault) -> SecretKey)

  /// Whether the key of a tenant should be elsewhere and is not there.
  func lacks(_ tenant: String) -> Bool {
    guard case .elsewhere(let find) = self else { return false }
    do throws(BrokerFault) { _ = try find(tenant) } catch { return true }
    return false
  }
}

/// The keys with which the devices of a partition are stored.
///
/// A store keeps bytes that were replaced, often for long. What is stored of a device opens with two keys
/// together: the partition's, which is stored once and goes with an erasure, and its tenant's.
struct StateKeys: Sendable {
  private struct Entry {
    var key: SecretKey
    var sequence: UInt64
  }

  private let partition: Int
  private let source: TenantKeySource
  /// The keys of the partition, by number.
  private var known: [UInt64: Entry] = [:]
  /// What comes of a number's and a tenant's key together.
  private var joined: [UInt64: [ExactName: SecretKey]] = [:]
  /// Whether something was opened without a tenant's key that is kept elsewhere, as it is wanted now.
  private(set) var isExposed = false
  /// Tenants whose keys are those of the fleet's record, or new.
  private var confirmed: Set<ExactName> = []

  /// Takes the keys out of what is stored of a partition.
  init(of partition: Int, _ values: [String: LogMessage], _ source: TenantKeySource = .broker) {
    self.partition = partition
    self.source = source
    let head = "st.\(partition).key."
    for (subject, message) in values {
      guard subject.hasPrefix(head), let number = UInt64(subject.dropFirst(head.count)),
        let key = SecretKey(bytes: message.entry.bytes)
      else { continue }
      known[number] = Entry(key: key, sequence: message.sequence)
    }
    // Of a move of the tenants' keys that was not carried to its end.
    if known.count > 1 { noteExposed() }
  }

  /// Whether the keys of tenants are kept elsewhere than in the broker.
  var areElsewhere: Bool { if case .elsewhere = source { true } else { false } }

  /// Whether the key of a tenant should be elsewhere, and is not there or another one.
  func lacks(
    _ tenant: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Bool {
    guard case .elsewhere(let find) = source else { return false }
    do throws(BrokerFault) {
      try TenantKeyRecord.compare(tenant, &broker, find)
      return false
    } catch {
      guard case .sealed = error else { throw error }
      return true
    }
  }

  /// Looks whether the devices of a bucket may be sealed: each tenant's with one key alone, whichever worker
  /// has the partition.
  ///
  /// - Chosen (FLEET-156): else neither of two keys would open everything.
  mutating func confirm(
    _ bucket: StateBucket, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    guard case .elsewhere(let find) = source else { return }
    var last: String?
    for device in bucket.devices {
      let tenant = device.name.tenant
      guard last?.isExactly(tenant) != true else { continue }
      last = tenant
      guard !confirmed.contains(ExactName(tenant)) else { continue }
      try TenantKeyRecord.confirm(tenant, &broker, find)
      confirmed.insert(ExactName(tenant))
    }
  }

  /// The number of the key that seals; `nil` while there is none.
  var current: UInt64? { known.keys.max() }

  static func name(_ number: UInt64, of partition: Int) -> String {
    "st.\(partition).key.\(number)"
  }

  /// A key with this number is stored.
  ///
  /// - Chosen (FLEET-155): a tenant that was erased, which has brought this key, may have lost its record.
  mutating func add(_ key: SecretKey, number: UInt64, sequence: UInt64) {
    known[number] = Entry(key: key, sequence: sequence)
    confirmed = []
  }

  /// The messages of the keys but the newest.
  var older: [UInt64] { known.filter { $0.key != current }.map(\.value.sequence).sorted() }

  mutating func forgetOlder() {
    known = known.filter { $0.key == current }
    joined = joined.filter { $0.key == current }
    isExposed = false
  }

  /// Seals what is stored at a place, with the newest key and those of the tenants.
  mutating func seal(
    _ bucket: StateBucket, at place: String, using generator: inout KeyedGenerator
  ) throws(BrokerFault) -> [UInt8] {
    guard let current, let entry = known[current] else { throw .damaged(place) }
    let nonce = (0..<Seal.nonceLength).map { _ in
      UInt8.random(in: 0 ... .max, using: &generator)
    }
    let areElsewhere = areElsewhere
    let sealed = try SealedBucket.seal(
      bucket, at: place, with: entry.key, nonce: nonce, isElsewhere: areElsewhere
    ) { (tenant) throws(BrokerFault) in
      try key(of: tenant, isElsewhere: areElsewhere, current, entry.key)
    }
    var writer = ByteWriter()
    writer.append(number: current)
    return writer.bytes + sealed
  }

  /// What a tenant's key and that of the partition give together.
  private mutating func key(
    of tenant: String, isElsewhere: Bool, _ number: UInt64, _ key: SecretKey
  ) throws(BrokerFault) -> SecretKey {
    let name = ExactName(tenant)
    if let known = joined[number]?[name] { return known }
    let own: SecretKey
    switch source {
    case .elsewhere(let find) where isElsewhere: own = try find(tenant)
    case .broker where isElsewhere:
      throw .sealed(tenant: tenant, "its key is kept elsewhere", .unset)
    // The partition's alone, which is in the broker and goes with an erasure.
    default: own = key
    }
    // With the name in it, so that two tenants have no key in common where their files are the same.
    let joint = KeyedFunction(own, purpose: Self.purpose + tenant).key(with: key)
    // What is sealed otherwise than it is written now is read once.
    if isElsewhere || !areElsewhere { joined[number, default: [:]][name] = joint }
    return joint
  }

  private static let purpose = "the devices of a fleet's tenant "

  /// Opens what is stored at a place, and names what cannot be opened for want of a tenant's key.
  mutating func open(
    _ bytes: [UInt8], at place: String
  ) throws(BrokerFault) -> (bucket: StateBucket, closed: [(tenant: String, fault: BrokerFault)]) {
    var reader = ByteReader(bytes)
    guard let number = reader.number(), let entry = known[number],
      let sealed = SealedBucket(reader.rest, at: place, with: entry.key)
    else { throw .damaged(place) }
    var bucket = StateBucket(position: sealed.position, devices: [])
    var closed: [(tenant: String, fault: BrokerFault)] = []
    for section in sealed.sections {
      let (tenant, isElsewhere) = (section.tenant, section.isElsewhere)
      if !isElsewhere { noteExposed() }
      do throws(BrokerFault) {
        let key = try key(of: tenant, isElsewhere: isElsewhere, number, entry.key)
        guard let devices = sealed.open(section, at: place, with: key) else {
          throw .sealed(
            tenant: tenant, "\(place) was sealed with another key, or is damaged", .other)
        }
        bucket.devices += devices
      } catch { closed.append((tenant, error.ofSealedDevices)) }
    }
    return (bucket, closed)
  }

  /// Opens what an earlier version has sealed with the key of the partition alone.
  mutating func openEarlier(_ bytes: [UInt8], at place: String) -> [UInt8]? {
    noteExposed()
    var reader = ByteReader(bytes)
    guard let number = reader.number(), let entry = known[number] else { return nil }
    return Seal.open(reader.rest, at: Array(place.utf8), with: entry.key)
  }

  /// Something is stored that opens with keys of the broker.
  mutating func noteExposed() { if areElsewhere { isExposed = true } }
}

/// Numbers that nobody without the secret can know: of keys, and of what goes with them.
package struct KeyedGenerator: RandomNumberGenerator, Sendable {
  private let function: KeyedFunction
  private var count: UInt64 = 0

  package init(_ secret: SecretKey) {
    function = KeyedFunction(secret, purpose: "the keys of a fleet's devices")
  }

  package mutating func next() -> UInt64 {
    count += 1
    return function.number(of: count)
  }
}
