import LocationModel

/// The public addresses of this computer's networks, as the kernel lists them and reports their changes.
struct PublicAddresses: Hashable, Sendable {
  /// What came of a message of the kernel.
  enum Outcome: Hashable, Sendable {
    case nothing
    /// The list is complete, or it has changed.
    case listed
    case failed(ProviderStatus.Reason)
  }

  private struct Entry: Hashable {
    /// The number of the network's interface: two may have one address.
    var interface: UInt32
    var address: [UInt8]
  }

  private var entries: [Entry] = []
  private var isListed = false
  /// How often an address was beyond those that are kept.
  private(set) var surplus = 0

  /// Each address once, those of IPv4 first.
  var all: [[UInt8]] {
    Set(entries.map(\.address)).sorted {
      $0.count != $1.count ? $0.count < $1.count : $0.lexicographicallyPrecedes($1)
    }
  }

  /// Begins anew.
  ///
  /// - Returns: the request for the list.
  mutating func list() -> [UInt8] {
    (entries, isListed) = ([], false)
    var bytes: [UInt8] = []
    bytes.append(number: UInt32(NetlinkMessage.headerLength + Self.addressLength))
    bytes.append(number: Self.get)
    bytes.append(number: NetlinkMessage.request | NetlinkMessage.dump)
    bytes.append(number: UInt32(1))
    bytes.append(number: UInt32(0))
    return bytes + [UInt8](repeating: 0, count: Self.addressLength)
  }

  /// Takes what the kernel has sent.
  mutating func receive(_ bytes: [UInt8]) -> Outcome {
    let before = entries
    let wasListed = isListed
    let (messages, isTorn) = NetlinkMessage.split(bytes)
    for message in messages {
      switch message.type {
      case NetlinkMessage.done: isListed = true
      case NetlinkMessage.error:
        guard let code = message.errorCode, code != 0 else { continue }
        return .failed(.unreachable("the kernel does not list addresses (error \(code))"))
      case Self.new, Self.removed: note(message)
      default: continue
      }
    }
    if isTorn { return .failed(.unreachable("the kernel's messages are torn")) }
    return isListed && (!wasListed || entries != before) ? .listed : .nothing
  }

  private mutating func note(_ message: NetlinkMessage) {
    guard let interface = message.payload.number(UInt32.self, at: 4),
      let attributes = NetlinkAttribute.split(message.payload.dropFirst(Self.addressLength)),
      // The other end of a link between two has its address where this one's usually is.
      let value = (attributes[type: Self.own] ?? attributes[type: Self.common])?.value,
      Self.isPublic(Array(value))
    else { return }
    let entry = Entry(interface: interface, address: Array(value))
    let place = entries.firstIndex(of: entry)
    if message.type == Self.removed {
      if let place { entries.remove(at: place) }
    } else if place == nil {
      if entries.count < Self.most { entries.append(entry) } else { surplus += 1 }
    }
  }

  /// Whether an address of four or sixteen bytes tells something about where its network is.
  static func isPublic(_ address: [UInt8]) -> Bool {
    switch address.count {
    case 4: !special.contains { $0.contains(address) }
    case 16:
      global.contains { $0.contains(address) } && !special.contains { $0.contains(address) }
    default: false
    }
  }

  /// What is in use between networks (IANA, IPv6 Global Unicast Address Assignments).
  private static let global = ["2000::/3"].compactMap { AddressRange($0) }
  /// Private, shared, local, for documents and tests, of tunnels, and for groups (IANA, Special-Purpose Address
  /// Registries).
  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16",
    "3fff::/20",
  ].compactMap { AddressRange($0) }

  /// Chosen: a computer has a few, and changes those of IPv6 daily.
  static let most = 16
  /// Bytes of what each message about an address begins with.
  private static let addressLength = 8
  /// `RTM_NEWADDR`, `RTM_DELADDR`, and `RTM_GETADDR` of linux/rtnetlink.h.
  private static let new: UInt16 = 20
  private static let removed: UInt16 = 21
  private static let get: UInt16 = 22
  /// `IFA_ADDRESS` and `IFA_LOCAL` of linux/if_addr.h.
  private static let common: UInt16 = 1
  private static let own: UInt16 = 2
}
