/// Writes messages as the kernel sends them, from the numbers of linux/netlink.h, linux/genetlink.h,
/// and linux/nl80211.h alone.
package enum NetlinkWriter {
  /// A message of a family: command, version 1, and attributes.
  package static func message(
    _ type: UInt16, _ command: UInt8, _ attributes: [UInt8], flags: UInt16 = 2, sequence: UInt32
  ) -> [UInt8] {
    frame(type, [command, 1, 0, 0] + attributes, flags: flags, sequence: sequence)
  }

  /// The end of a list.
  package static func done(_ sequence: UInt32, flags: UInt16 = 2) -> [UInt8] {
    frame(3, bytes(0, count: 4), flags: flags, sequence: sequence)
  }

  /// A refusal, with the kernel's number for its reason.
  package static func error(_ code: Int, _ sequence: UInt32) -> [UInt8] {
    frame(2, bytes(UInt64(bitPattern: Int64(-code)), count: 4), flags: 0, sequence: sequence)
  }

  package static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    let gap = (4 - value.count % 4) % 4
    return bytes(UInt64(value.count + 4), count: 2) + bytes(UInt64(type), count: 2) + value
      + [UInt8](repeating: 0, count: gap)
  }

  package static func attribute(_ type: UInt16, _ text: String) -> [UInt8] {
    attribute(type, Array(text.utf8) + [0])
  }

  package static func attribute(_ type: UInt16, _ number: Int, count: Int) -> [UInt8] {
    attribute(type, bytes(UInt64(bitPattern: Int64(number)), count: count))
  }

  /// A message with any payload.
  package static func frame(
    _ type: UInt16, _ payload: [UInt8], flags: UInt16, sequence: UInt32
  ) -> [UInt8] {
    bytes(UInt64(16 + payload.count), count: 4) + bytes(UInt64(type), count: 2)
      + bytes(UInt64(flags), count: 2) + bytes(UInt64(sequence), count: 4) + bytes(0, count: 4)
      + payload
  }

  private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

/// An access point that a simulated kernel lists.
package struct AccessPoint: Sendable {
  package var address: [UInt8]
  package var name: String
  /// Hundredths of dBm; `nil` for a driver that gives none.
  package var level: Int?
  package var frequency = 2412
  /// Nanoseconds of uptime; `nil` for an old driver.
  package var heardAt: Int?
  /// Milliseconds; what an old driver gives.
  package var age: Int?
  /// Bit 0: an access point's network. Bit 1: ad hoc.
  package var capability = 1

  /// With a level in dBm.
  package init(_ name: String, _ address: [UInt8], dBm: Double?, heardAt seconds: Double?) {
    self.name = name
    self.address = address
    level = dBm.map { Int($0 * 100) }
    heardAt = seconds.map { Int($0 * 1e9) }
  }

  package init(_ name: String, last octet: UInt8, dBm: Double? = -60, heardAt: Double? = 0) {
    self.init(name, [0x00, 0x11, 0x22, 0x33, 0x44, octet], dBm: dBm, heardAt: heardAt)
  }

  /// `NL80211_ATTR_BSS`, as one of a list.
  package var attributes: [UInt8] {
    let name = Array(name.utf8)
    var fields = NetlinkWriter.attribute(1, address)
    fields += NetlinkWriter.attribute(2, frequency, count: 4)
    fields += NetlinkWriter.attribute(5, capability, count: 2)
    fields += NetlinkWriter.attribute(6, [0, UInt8(name.count)] + name + [1, 1, 0x82])
    if let level { fields += NetlinkWriter.attribute(7, level, count: 4) }
    if let age { fields += NetlinkWriter.attribute(10, age, count: 4) }
    if let heardAt { fields += NetlinkWriter.attribute(15, heardAt, count: 8) }
    return NetlinkWriter.attribute(47 | 0x8000, fields)
  }
}

/// A kernel with Wi-Fi adapters, as generic netlink shows it.
package struct KernelWiFi: Sendable {
  package struct Adapter: Sendable {
    package var index: Int
    package var name: String
    package var radio = 0
    /// 2 is a station, 3 an access point.
    package var kind = 2
    package var accessPoints: [AccessPoint] = []

    package init(_ index: Int, _ name: String, radio: Int = 0, _ points: [AccessPoint] = []) {
      self.index = index
      self.name = name
      self.radio = radio
      accessPoints = points
    }
  }

  /// What radios may send and receive.
  package struct Rules: Sendable {
    package var country: String
    /// The radio that has them for itself.
    package var radio: Int?
    package var isOfFirmware = false
    /// From and to, in megahertz, and flags.
    package var ranges: [(from: Int, to: Int, flags: Int)]

    package init(
      _ country: String, radio: Int? = nil, _ ranges: [(from: Int, to: Int, flags: Int)] = []
    ) {
      self.country = country
      self.radio = radio
      self.ranges = ranges
    }

    /// Those of Linux 6.1 where no country is set.
    package static let world = Rules(
      "00",
      [
        (2402, 2472, 0), (2457, 2482, 0x880), (2474, 2494, 0x81), (5170, 5250, 0x880),
        (5250, 5330, 0x890), (5490, 5730, 0x90), (5735, 5835, 0x80), (57_240, 63_720, 0),
      ])
  }

  package var adapters: [Adapter]
  /// Whether there is nl80211 at all.
  package var hasFamily = true
  /// The rules of all radios; `nil` for a kernel that lists none.
  package var rules: [Rules]?
  /// How many of the next lists of access points are marked as changed meanwhile.
  package var interruptions = 0
  package static let family: UInt16 = 28

  package init(_ adapters: [Adapter]) {
    self.adapters = adapters
  }

  /// What the kernel answers to a request: what is read at once, and again.
  package mutating func answers(to request: [UInt8]) -> [[UInt8]] {
    let type = UInt16(request[4]) | UInt16(request[5]) << 8
    let sequence = request[8..<12].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    switch (type, request[16]) {
    case (16, 3): return [familyAnswer(sequence)]
    case (Self.family, 5):
      let list = adapters.flatMap { Self.interface($0, sequence: sequence) }
      return [list, NetlinkWriter.done(sequence)]
    case (Self.family, 31):
      guard let rules else { return [NetlinkWriter.error(95, sequence)] }
      return rules.map { Self.rules($0, sequence: sequence) } + [NetlinkWriter.done(sequence)]
    case (Self.family, 32):
      let index = request[24..<28].reversed().reduce(0) { $0 << 8 | Int($1) }
      return stations(of: index, sequence)
    default: return [NetlinkWriter.error(95, sequence)]
    }
  }

  private func familyAnswer(_ sequence: UInt32) -> [UInt8] {
    guard hasFamily else { return NetlinkWriter.error(2, sequence) }
    let groups = [("config", 6), ("scan", 7), ("mlme", 9)].enumerated().flatMap {
      NetlinkWriter.attribute(
        UInt16($0.offset + 1) | 0x8000,
        NetlinkWriter.attribute(1, $0.element.0)
          + NetlinkWriter.attribute(2, $0.element.1, count: 4))
    }
    let attributes =
      NetlinkWriter.attribute(2, "nl80211") + NetlinkWriter.attribute(1, 28, count: 2)
      + NetlinkWriter.attribute(7 | 0x8000, groups)
    return NetlinkWriter.message(16, 1, attributes, flags: 0, sequence: sequence)
  }

  private mutating func stations(of index: Int, _ sequence: UInt32) -> [[UInt8]] {
    guard let adapter = adapters.first(where: { $0.index == index }) else {
      return [NetlinkWriter.error(19, sequence)]
    }
    let flags: UInt16 = interruptions > 0 ? 0x12 : 2
    interruptions = max(0, interruptions - 1)
    let messages = adapter.accessPoints.map {
      NetlinkWriter.message(
        Self.family, 34, NetlinkWriter.attribute(3, index, count: 4) + $0.attributes,
        flags: flags, sequence: sequence)
    }
    return messages + [NetlinkWriter.done(sequence, flags: flags)]
  }

  package static func rules(_ rules: Rules, sequence: UInt32) -> [UInt8] {
    let list = rules.ranges.enumerated().flatMap { number, range in
      NetlinkWriter.attribute(
        UInt16(number) | 0x8000,
        NetlinkWriter.attribute(1, range.flags, count: 4)
          + NetlinkWriter.attribute(2, range.from * 1000, count: 4)
          + NetlinkWriter.attribute(3, range.to * 1000, count: 4))
    }
    let radio = rules.radio.map { NetlinkWriter.attribute(1, $0, count: 4) } ?? []
    let attributes =
      radio + (rules.isOfFirmware ? NetlinkWriter.attribute(216, []) : [])
      + NetlinkWriter.attribute(33, rules.country) + NetlinkWriter.attribute(34 | 0x8000, list)
    return NetlinkWriter.message(family, 31, attributes, sequence: sequence)
  }

  package static func interface(_ adapter: Adapter, sequence: UInt32) -> [UInt8] {
    let attributes =
      NetlinkWriter.attribute(3, adapter.index, count: 4)
      + NetlinkWriter.attribute(4, adapter.name)
      + NetlinkWriter.attribute(1, adapter.radio, count: 4)
      + NetlinkWriter.attribute(5, adapter.kind, count: 4)
    return NetlinkWriter.message(family, 7, attributes, sequence: sequence)
  }

  /// The event that an adapter has finished a scan.
  package static func scanned(_ index: Int) -> [UInt8] {
    NetlinkWriter.message(
      family, 34, NetlinkWriter.attribute(3, index, count: 4), flags: 0, sequence: 0)
  }

  /// The event that an adapter was removed.
  package static func removed(_ index: Int) -> [UInt8] {
    NetlinkWriter.message(
      family, 8, NetlinkWriter.attribute(3, index, count: 4), flags: 0, sequence: 0)
  }
}
