package import LocationModel

/// The part of nl80211, the kernel's interface for Wi-Fi, that is used here: linux/nl80211.h.
///
/// Every user may read the results of scans; to start one needs CAP_NET_ADMIN, so it is not done
/// here.
package enum NL80211 {
  /// An answer of the kernel, or an event.
  package enum Message: Hashable, Sendable {
    case family(WiFiFamily)
    case adapter(WiFiAdapter)
    /// An adapter, by its index, is gone.
    case removed(Int)
    /// An access point, in a list of those that an adapter heard.
    case station(WiFiStation)
    /// An adapter, by its index, has finished a scan.
    case scanned(Int)
    /// What radios may send and receive, in a list of all rules.
    case rules(WiFiRules)
    /// Of another kind, of no concern here.
    case other
  }

  /// Why a message, or a part of it, was not used.
  package enum Fault: Error, Hashable, Comparable, Sendable, CustomStringConvertible {
    case torn
    case noAddress

    package var description: String {
      switch self {
      case .torn: "messages of the kernel that are torn"
      case .noAddress: "access points without an address"
      }
    }
  }

  // MARK: Requests

  /// Asks for the number of the family, and of its groups.
  static func familyRequest(sequence: UInt32) -> [UInt8] {
    NetlinkRequest(family: controller, command: 3).with(2, Array("nl80211\0".utf8))
      .bytes(sequence: sequence)
  }

  /// Asks for all adapters.
  static func adaptersRequest(_ family: WiFiFamily, sequence: UInt32) -> [UInt8] {
    NetlinkRequest(family: family.id, command: getInterface, asksForList: true)
      .bytes(sequence: sequence)
  }

  /// Asks for the rules of all radios: those for all, and those that a radio has for itself.
  static func rulesRequest(_ family: WiFiFamily, sequence: UInt32) -> [UInt8] {
    NetlinkRequest(family: family.id, command: getRules, asksForList: true)
      .bytes(sequence: sequence)
  }

  /// Asks for what an adapter heard.
  static func scanRequest(
    _ family: WiFiFamily, adapter: Int, sequence: UInt32
  ) -> [UInt8] {
    var index: [UInt8] = []
    index.append(number: UInt32(truncatingIfNeeded: adapter))
    return NetlinkRequest(family: family.id, command: getScan, asksForList: true)
      .with(Attribute.index, index).bytes(sequence: sequence)
  }

  // MARK: Answers

  /// Reads the payload of a message of the controller or of the family.
  package static func message(_ message: NetlinkMessage) throws(Fault) -> Message {
    guard let command = message.payload.first,
      let attributes = NetlinkAttribute.split(message.payload.dropFirst(4))
    else { throw .torn }
    if message.type == controller {
      return command == newFamily ? .family(try family(attributes)) : .other
    }
    // An answer has the number of its request.
    if command == getRules { return try WiFiRules(attributes).map { .rules($0) } ?? .other }
    let index = attributes[type: Attribute.index]?.number(UInt32.self).map { Int($0) }
    switch (command, index) {
    case (newInterface, let index?):
      return .adapter(
        WiFiAdapter(
          index: index, name: attributes[type: Attribute.name]?.text ?? "",
          radio: attributes[type: Attribute.radio]?.number(UInt32.self).map { Int($0) } ?? index,
          isClient: attributes[type: Attribute.kind]?.number(UInt32.self) == clientKind))
    case (deleteInterface, let index?): return .removed(index)
    case (newScanResults, let index?):
      guard let station = attributes[type: Attribute.station] else { return .scanned(index) }
      guard let fields = NetlinkAttribute.split(station.value) else { throw .torn }
      return .station(try WiFiStation(fields))
    default: return .other
    }
  }

  private static func family(_ attributes: [NetlinkAttribute]) throws(Fault) -> WiFiFamily {
    guard let id = attributes[type: 1]?.number(UInt16.self), id >= leastFamily,
      let list = NetlinkAttribute.split(attributes[type: 7]?.value ?? [])
    else { throw .torn }
    var groups: [String: UInt32] = [:]
    for entry in list {
      guard let fields = NetlinkAttribute.split(entry.value),
        let number = fields[type: 2]?.number(UInt32.self), let name = fields[type: 1]?.text
      else { throw .torn }
      groups[name] = number
    }
    // Adapters that come and go, and scans that are finished.
    return WiFiFamily(id: id, groups: ["config", "scan"].compactMap { groups[$0] })
  }

  /// The family that knows the others.
  package static let controller: UInt16 = 16
  /// Lower numbers are of netlink itself.
  private static let leastFamily: UInt16 = 16
  private static let newFamily: UInt8 = 1
  private static let getInterface: UInt8 = 5
  private static let newInterface: UInt8 = 7
  private static let deleteInterface: UInt8 = 8
  private static let getRules: UInt8 = 31
  private static let getScan: UInt8 = 32
  private static let newScanResults: UInt8 = 34
  private static let clientKind: UInt32 = 2

  private enum Attribute {
    static let radio: UInt16 = 1
    static let index: UInt16 = 3
    static let name: UInt16 = 4
    static let kind: UInt16 = 5
    static let station: UInt16 = 47
  }
}

/// The numbers of nl80211 on this computer, which the kernel gives out anew at each start.
package struct WiFiFamily: Hashable, Sendable {
  package var id: UInt16
  /// The groups whose events matter here.
  package var groups: [UInt32]

  package init(id: UInt16, groups: [UInt32]) {
    self.id = id
    self.groups = groups
  }
}

/// A network interface of a Wi-Fi radio.
package struct WiFiAdapter: Hashable, Sendable {
  package var index: Int
  /// Such as `wlan0`.
  package var name: String
  /// The radio that it uses; interfaces of one radio hear the same.
  package var radio: Int
  /// Whether it uses networks, and is not an access point, ad hoc, a mesh, or for another program.
  package var isClient: Bool

  package init(index: Int, name: String, radio: Int, isClient: Bool = true) {
    self.index = index
    self.name = name
    self.radio = radio
    self.isClient = isClient
  }
}

/// An access point as the kernel reports it.
package struct WiFiStation: Hashable, Sendable {
  package var address: BSSID
  /// Megahertz; `nil` where the kernel does not say.
  package var frequency: Int?
  /// dBm; `nil` where the driver gives none, or a value without a unit.
  package var level: Double?
  /// When it was last heard; `nil` where the driver says neither that nor an age.
  package var heard: Hearing?
  /// The name of its network; empty when it is hidden.
  package var name: [UInt8]
  /// Whether it announces the network of an access point, and neither ad hoc nor a mesh.
  package var isAccessPoint: Bool

  /// When a station was last heard.
  package enum Hearing: Hashable, Sendable {
    case at(Instant)
    /// So long before the kernel answered.
    case ago(Duration)

    /// The moment, for an answer that came at `now`.
    func moment(at now: Instant) -> Instant {
      switch self {
      case .at(let instant): min(instant, now)
      case .ago(let age): now - age
      }
    }
  }

  package init(
    address: BSSID, frequency: Int? = nil, level: Double?, heard: Hearing?, name: [UInt8],
    isAccessPoint: Bool = true
  ) {
    self.address = address
    self.frequency = frequency
    self.level = level
    self.heard = heard
    self.name = name
    self.isAccessPoint = isAccessPoint
  }

  /// Reads the attributes of `NL80211_ATTR_BSS`.
  init(_ fields: [NetlinkAttribute]) throws(NL80211.Fault) {
    guard let address = fields[type: Field.address]?.value, address.count == 6 else {
      throw .noAddress
    }
    self.address = BSSID(address.reduce(0) { $0 << 8 | UInt64($1) })
    frequency = fields[type: Field.frequency]?.number(UInt32.self)
      .flatMap { Self.frequencies.contains(Int($0)) ? Int($0) : nil }
    level = fields[type: Field.level]?.number(UInt32.self)
      .map { Double(Int32(bitPattern: $0)) / 100 }.flatMap { Self.levels.contains($0) ? $0 : nil }
    heard =
      fields[type: Field.heardAt]?.number(UInt64.self).flatMap { Int64(exactly: $0) }
      .map { .at(Instant(nanoseconds: $0)) }
      ?? fields[type: Field.age]?.number(UInt32.self).map { .ago(.milliseconds(Int($0))) }
    let elements = fields[type: Field.elements] ?? fields[type: Field.beaconElements]
    name = Self.name(in: elements?.value ?? [])
    let capability = fields[type: Field.capability]?.number(UInt16.self)
    // The bits mean something else at 60 GHz, where there is no such network.
    let isShort = (frequency ?? 0) > 50_000
    isAccessPoint = isShort || capability.map { $0 & 1 == 1 && $0 & 2 == 0 } ?? true
  }

  /// The name in a list of information elements: element 0. Zeros stand for a hidden name.
  private static func name(in elements: ArraySlice<UInt8>) -> [UInt8] {
    var rest = elements
    while rest.count >= 2, let kind = rest.first, let length = rest.dropFirst().first {
      let value = rest.dropFirst(2).prefix(Int(length))
      guard value.count == Int(length) else { break }
      if kind == 0 { return value.allSatisfy { $0 == 0 } ? [] : Array(value) }
      rest = rest.dropFirst(2 + Int(length))
    }
    return []
  }

  /// Megahertz; from sub-1-GHz to 60 GHz.
  private static let frequencies = 700...75_000
  /// dBm; what a radio can measure.
  private static let levels = -130.0...(-10.0)

  private enum Field {
    static let address: UInt16 = 1
    static let frequency: UInt16 = 2
    static let capability: UInt16 = 5
    static let elements: UInt16 = 6
    static let level: UInt16 = 7
    static let age: UInt16 = 10
    static let beaconElements: UInt16 = 11
    static let heardAt: UInt16 = 15
  }
}
