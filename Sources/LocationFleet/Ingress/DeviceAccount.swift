internal import LocationProviders

/// What a device authenticates as, and which devices it may speak for.
package struct DeviceAccount: Hashable, Sendable {
  package var user: String
  package var tenant = ""
  /// `nil` for every device of the tenant: a gateway's account.
  package var device: String?
  package var group: String?
  /// How the password is verified (`crypto_pwhash_str` of libsodium: argon2id).
  package var hash: String

  package init(
    user: String, tenant: String = "", device: String? = nil, group: String? = nil, hash: String
  ) {
    (self.user, self.tenant, self.device, self.group) = (user, tenant, device, group)
    self.hash = hash
  }

  /// Whether two accounts are the same in each byte, as names of Unicode alone would not be.
  package func isExactly(_ other: DeviceAccount) -> Bool {
    user.isExactly(other.user) && tenant.isExactly(other.tenant) && hash.isExactly(other.hash)
      && device.map { ExactName($0) } == other.device.map { ExactName($0) }
      && group.map { ExactName($0) } == other.group.map { ExactName($0) }
  }

  /// What a topic is, for this account.
  package enum Topic: Hashable, Sendable {
    /// Reports of a device that the account may speak for.
    case reports(FleetDeviceName)
    /// Of such a device, but no reports: commands and transitions of OwnTracks, for example.
    case other
    /// Of another device.
    case foreign
    /// Of nobody: at such topics there are no fixes.
    case unknown
  }

  /// - Chosen (FLEET-33): a device is what it has authenticated as. Topics are `in/TENANT/DEVICE`, with
  ///   the parts of docs/formats/fleet.md, and `owntracks/USER/DEVICE`.
  package func topic(_ topic: String) -> Topic {
    let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return .unknown }
    var name: FleetDeviceName?
    switch parts[0] {
    case "in":
      guard parts.count == 3, let owner = FleetAddress.name(parts[1]),
        let device = FleetAddress.name(parts[2])
      else { return .unknown }
      guard owner.isExactly(tenant) else { return .foreign }
      name = self.name(claiming: device)
    case "owntracks":
      guard parts[1] == user else { return .foreign }
      name = self.name(claiming: String(parts[2]))
    default: return .unknown
    }
    guard let name else { return .foreign }
    return parts.count == 3 ? .reports(name) : .other
  }

  /// The device that the account speaks for when it names this one, or none; `nil` if it may not.
  package func name(claiming claim: String?) -> FleetDeviceName? {
    guard let device = claim ?? device, self.device?.isExactly(device) ?? true,
      FleetLine.isName(device)
    else { return nil }
    return FleetDeviceName(tenant: tenant, device: device)
  }
}

/// The file of the accounts: `USER TENANT DEVICE GROUP HASH` on a line, `-` for none and, as a device,
/// `*` for every one of the tenant; names as parts (docs/formats/fleet.md). `#` begins a comment.
package struct DeviceAccounts: Hashable, Sendable {
  package private(set) var byUser: [String: DeviceAccount] = [:]

  package init() {}

  /// Bytes of the file.
  package static let longest = 1 << 30

  /// Reads a file, and reports every fault in it.
  package init(_ bytes: [UInt8], _ faults: inout [FleetConfiguration.Fault]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.prefix { $0 != UInt8(ascii: "#") }
        .split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
      guard !words.isEmpty else { continue }
      do throws(Fault) { try add(words) } catch {
        faults.append(FleetConfiguration.Fault(line: index + 1, cause: error.cause))
      }
    }
  }

  private struct Fault: Error { var cause: String }

  private mutating func add(_ words: [ArraySlice<UInt8>]) throws(Fault) {
    guard words.count == 5 else {
      throw Fault(cause: "expected `USER TENANT DEVICE GROUP HASH`, found \(words.count) words")
    }
    let text = words.map { String(decoding: $0, as: UTF8.self) }
    guard let user = try Self.name(text[0]) else { throw Fault(cause: "a user must have a name") }
    guard text[4].hasPrefix("$argon2"), text[4].utf8.count < 128 else {
      throw Fault(cause: "the hash must be one that `locationfleet password` prints")
    }
    guard byUser[user] == nil else { throw Fault(cause: "this user is there already") }
    guard text[2] != "-" else { throw Fault(cause: "a device must be named, or be `*`") }
    byUser[user] = DeviceAccount(
      user: user, tenant: try Self.name(text[1]) ?? "",
      device: text[2] == "*" ? nil : try Self.name(text[2]), group: try Self.name(text[3]),
      hash: text[4])
  }

  private static func name(_ part: String) throws(Fault) -> String? {
    guard part != "-" else { return nil }
    guard let name = FleetAddress.name(part), FleetLine.isName(name) else {
      throw Fault(
        cause: "a name must be 1 to 64 letters, digits, and `-`, other bytes as `_` and two digits")
    }
    return name
  }
}
