internal import LocationSecrets

/// Why a tenant's devices cannot be opened or stored, and so what a person does about it.
package enum TenantKeyFault: String, Hashable, Sendable {
  /// There is no key, and nothing was sealed with one.
  case unmade
  /// There is no key, and devices are sealed with one.
  case missing
  /// There is a file that is no key, or that may not be read.
  case unreadable
  /// There is a key, and devices are sealed with another one.
  case other
  /// Keys are not looked for where they are.
  case unset

  /// What a person does about it.
  ///
  /// - Chosen (FLEET-155): a key is made only where none has sealed anything.
  /// - Parameter label: the tenant, as commands call it.
  /// - Returns: the next step.
  package func next(for label: String) -> String {
    let erasure = "if there is none: locationfleet erase \(label) --all"
    return switch self {
    case .unmade:
      "locationfleet tenant-key \(label), once, and copy the file to each computer with workers"
    case .unreadable:
      "its owner is root, its group locationfleet, its mode 640; else bring the file back from a copy; "
        + erasure
    case .missing: "bring the file back from a copy, as a new key would open nothing; \(erasure)"
    case .other: "bring the right file back from a copy; \(erasure)"
    case .unset: "set `tenant-keys` for every worker, as it was"
    }
  }
}

/// With which key the devices of a tenant were sealed: a digest among the leases, from which nothing about the
/// key can be learned.
///
/// - Chosen (FLEET-155): it is kept before the first value is sealed with the key, and ends with the tenant's
///   erasure.
package enum TenantKeyRecord {
  /// Whether devices of a tenant were sealed with a key since it was erased.
  package static func isKept(
    of tenant: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Bool {
    try broker.last(of: .leases, key: key(of: tenant)).message != nil
  }

  /// Looks whether a tenant's devices may be sealed with the key that is here; the first one is recorded.
  ///
  /// Throws `sealed` where it is not here, or another one than that of the record.
  static func confirm(
    _ tenant: String, _ broker: inout some FleetBroker,
    _ find: (String) throws(BrokerFault) -> SecretKey
  ) throws(BrokerFault) {
    // Two who seal first at once: one of them finds the other's record.
    try FenceStore.retrying(orRefuse: "others note the key of the same tenant") {
      () throws(BrokerFault) in
      let own = try compare(tenant, &broker, find)
      guard !own.isRecorded else { return }
      _ = try broker.put(own.digest, at: key(of: tenant), in: .leases, expecting: 0)
    }
  }

  /// Compares the key that is here with the record.
  ///
  /// Throws `sealed` where the key is not here, or the record is of another one.
  ///
  /// - Returns: the digest of the key, and whether there is a record, which is of it then.
  @discardableResult
  static func compare(
    _ tenant: String, _ broker: inout some FleetBroker,
    _ find: (String) throws(BrokerFault) -> SecretKey
  ) throws(BrokerFault) -> (digest: [UInt8], isRecorded: Bool) {
    let known = try broker.last(of: .leases, key: key(of: tenant)).message
    do throws(BrokerFault) {
      let own = digest(of: try find(tenant), tenant)
      guard let known else { return (own, false) }
      guard known.entry.bytes == own else {
        throw .sealed(
          tenant: tenant,
          "its key here is another one than that with which its devices were sealed", .other)
      }
      return (own, true)
    } catch {
      throw known == nil ? error : error.ofSealedDevices
    }
  }

  /// Ends the record of a tenant of which nothing is stored any more.
  static func end(of tenant: String, _ broker: inout some FleetBroker) throws(BrokerFault) {
    guard let known = try broker.last(of: .leases, key: key(of: tenant)).message else { return }
    _ = try broker.erase([known.sequence], of: .leases)
  }

  private static func key(of tenant: String) -> String { "tenant.\(FleetAddress.part(tenant))" }

  private static func digest(of key: SecretKey, _ tenant: String) -> [UInt8] {
    let name = KeyedFunction(key, purpose: purpose + tenant).name(of: [])
    return Array(MessageDigest.hexadecimal(name).utf8)
  }

  private static let purpose = "which key seals the devices of a fleet's tenant "
}

extension BrokerFault {
  /// The same where devices are known to be sealed with the key.
  var ofSealedDevices: BrokerFault {
    guard case .sealed(let tenant, let cause, .unmade) = self else { return self }
    return .sealed(tenant: tenant, cause, .missing)
  }
}
