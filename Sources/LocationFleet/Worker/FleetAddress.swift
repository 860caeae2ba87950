internal import LocationModel

/// The names under which the messages of a fleet are kept.
package enum FleetAddress {
  /// A name as one part of a subject: letters, digits, and `-` as they are, every other byte as `_`
  /// and two hexadecimal digits; `_` alone for an empty one.
  package static func part(_ name: String) -> String {
    guard !name.isEmpty else { return "_" }
    guard !isPlain(name) else { return name }
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      // `-` alone is the fleet's own.
      guard !isPlain(byte) || name == "-" else {
        bytes.append(byte)
        continue
      }
      bytes += [UInt8(ascii: "_"), digit(byte >> 4), digit(byte & 15)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name that a part of a subject stands for; `nil` where it stands for none.
  package static func name(_ part: some StringProtocol) -> String? {
    guard part != "_" else { return "" }
    guard part != "-", !part.isEmpty else { return nil }
    let units = Array(part.utf8)
    var bytes: [UInt8] = []
    var index = 0
    while index < units.count {
      if units[index] == UInt8(ascii: "_") {
        guard index + 2 < units.count, let high = value(units[index + 1]),
          let low = value(units[index + 2])
        else { return nil }
        bytes.append(high << 4 | low)
        index += 3
      } else {
        guard isPlain(units[index]) else { return nil }
        bytes.append(units[index])
        index += 1
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The partition of a device: FNV-1a of 32 bits over its parts, as NATS computes it for
  /// `{{partition(n,1,2)}}`.
  package static func partition(of device: FleetDeviceName, count: Int) -> Int {
    var hash: UInt32 = 0x811c_9dc5
    for text in [part(device.tenant), part(device.device)] {
      for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    }
    return Int(hash % UInt32(count))
  }

  /// The bucket of its partition in which a device is stored.
  package static func bucket(of device: FleetDeviceName, count: Int) -> Int {
    bucket(ofHash: hash(of: device), count: count)
  }

  static func bucket(ofHash hash: UInt64, count: Int) -> Int { Int(hash % UInt64(count)) }

  /// The same on every machine.
  static func hash(of device: FleetDeviceName) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let (tenant, name) = (device.tenant.utf8.span, device.device.utf8.span)
    for place in tenant.indices { hash = (hash ^ UInt64(tenant[place])) &* 0x100_0000_01b3 }
    hash = hash &* 0x100_0000_01b3
    for place in name.indices { hash = (hash ^ UInt64(name[place])) &* 0x100_0000_01b3 }
    // The last bytes change few of the bits; a step of MurmurHash3 spreads them over all.
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    return hash ^ hash >> 33
  }

  /// Where fixes of a device are appended.
  package static func fixes(of device: FleetDeviceName, partition: Int) -> String {
    fixes(of: device, head: head(ofFixesIn: partition))
  }

  private static func fixes(of device: FleetDeviceName, head: String) -> String {
    "\(head)\(part(device.tenant)).\(part(device.device))"
  }

  /// With what the subjects of a partition's fixes begin.
  static func head(ofFixesIn partition: Int) -> String { "fix.\(partition)." }

  /// Where what concerns a whole partition is appended among its fixes.
  package static func control(of partition: Int) -> String { "fix.\(partition).-.ctl" }

  /// Where it is stored up to which input all devices of a partition are.
  static func checkpoint(of partition: Int) -> String { "st.\(partition).checkpoint" }

  /// Where an owner appends what is no event, so that the log does not end in one that is erased.
  static func mark(of partition: Int) -> String { "evt.\(partition).-.mark" }

  /// Where the events of a device are appended, of whichever kind.
  static func events(of device: FleetDeviceName, partition: Int) -> String {
    "evt.\(partition).\(part(device.tenant)).\(part(device.device)).>"
  }

  /// Where the events of all devices of a tenant are appended.
  static func events(of tenant: String, partition: Int) -> String {
    "evt.\(partition).\(part(tenant)).>"
  }

  /// Where the fixes of all devices of a tenant are appended.
  static func fixes(of tenant: String, partition: Int) -> String {
    "fix.\(partition).\(part(tenant)).*"
  }

  /// Where sinks, whichever, set events of a tenant's devices aside, and what is of none.
  static func copies(of tenant: String) -> String { "ref.*.\(part(tenant)).*" }

  /// How a tenant is called in commands and files: as a part of a subject, `-` for none.
  package static func label(of tenant: String) -> String { tenant.isEmpty ? "-" : part(tenant) }

  /// Where sinks, whichever, set events of a device aside.
  static func copies(of device: FleetDeviceName) -> String {
    "ref.*.\(part(device.tenant)).\(part(device.device))"
  }

  /// Where it is noted what of a tenant was erased.
  static func erasures(of tenant: String) -> String { "erased.\(part(tenant))" }

  static func event(_ kind: String, of device: FleetDeviceName, partition: Int) -> String {
    "evt.\(partition).\(part(device.tenant)).\(part(device.device)).\(kind)"
  }

  /// Whether fixes of a device of the partition with this `head` have this subject.
  static func isFixes(
    _ subject: String, of tenant: String, _ device: String, head: String
  ) -> Bool {
    guard tenant.isEmpty || isPlain(tenant), isPlain(device) else {
      return subject == fixes(of: FleetDeviceName(tenant: tenant, device: device), head: head)
    }
    // Nearly all names are plain: nothing is made to be compared.
    let bytes = subject.utf8.span
    let tenant = tenant.isEmpty ? "_" : tenant
    let end = head.utf8.count + tenant.utf8.count
    return bytes.count == end + 1 + device.utf8.count && bytes.has(head.utf8.span, at: 0)
      && bytes.has(tenant.utf8.span, at: head.utf8.count) && bytes[end] == UInt8(ascii: ".")
      && bytes.has(device.utf8.span, at: end + 1)
  }

  private static func isPlain(_ name: String) -> Bool {
    let bytes = name.utf8.span
    for index in bytes.indices where !isPlain(bytes[index]) { return false }
    return !name.isEmpty && name != "-"
  }

  /// The device whose fixes have this subject.
  static func device(ofFixes subject: String) -> FleetDeviceName? {
    let parts = subject.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let tenant = name(parts[2]), let device = name(parts[3]) else {
      return nil
    }
    return FleetDeviceName(tenant: tenant, device: device)
  }

  /// Whether a byte stands for itself in a part of a subject.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
