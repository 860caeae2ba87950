package import LocationModel
package import LocationSecrets

/// Turns transmitters into the names under which the map keeps them.
///
/// One box announces several networks, and their errors are one error: they get one name.
package struct RadioStationNames: Sendable {
  private let function: KeyedFunction
  /// Names that were computed, because a box is heard in every scan; at most ``most``.
  private var known: [UInt64: RadioStationID] = [:]

  package init(_ secret: SecretKey) {
    function = KeyedFunction(secret, purpose: "radio map")
  }

  /// Returns the name of an access point's box.
  package mutating func name(of station: BSSID) -> RadioStationID {
    name(of: station.box)
  }

  /// Returns the name of a transmitter that a list places; `nil` for one that has none.
  mutating func name(of transmitter: Transmitter) -> RadioStationID? {
    switch transmitter {
    case .accessPoint(let address): name(of: address)
    case .cell(let cell): name(of: cell)
    case .neighbor: nil
    case .beacon(let beacon): name(of: beacon)
    }
  }

  /// Returns the name of a beacon. None is remembered: anybody can send as many identities as they like.
  func name(of beacon: BeaconIdentity) -> RadioStationID {
    // Longer than the numbers of all others, so that it is the name of no other.
    var message = beacon.uuid.bytes
    for number in [beacon.major, beacon.minor] {
      message += [UInt8(number >> 8), UInt8(number & 0xff)]
    }
    return RadioStationID(function.name(of: message).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Returns the name of a cell; `nil` where others of its network have the same identity.
  package mutating func name(of cell: CellIdentity) -> RadioStationID? {
    guard Self.isDistinct(cell) else { return nil }
    let area: UInt64 = Self.needsArea(cell) ? Self.areaMark | UInt64(cell.area ?? 0) << 16 : 0
    let radio = UInt64(cell.radio.rawValue) << 58
    let number: UInt64 = (Self.cellMark | radio) ^ Self.network(of: cell) ^ area ^ cell.cell
    return name(of: number)
  }

  /// Whether a network has only one cell of this identity: 16 bits are unique within an area only.
  static func isDistinct(_ cell: CellIdentity) -> Bool {
    !needsArea(cell) || cell.area.map { areas.contains($0) } ?? false
  }

  private static func needsArea(_ cell: CellIdentity) -> Bool {
    cell.radio == .gsm || cell.radio == .umts && cell.cell <= 0xffff
  }

  /// Returns the name of the base station that a cell belongs to; `nil` where it is not known.
  package mutating func name(ofStationWith cell: CellIdentity) -> RadioStationID? {
    cell.station.map { station in
      let number: UInt64 = Self.stationMark ^ Self.network(of: cell) ^ station
      return name(of: number)
    }
  }

  /// Returns the name of the location or tracking area in which a cell lies; `nil` where its network reports none.
  ///
  /// GSM and UMTS share their areas; LTE and NR have their own.
  mutating func name(ofAreaWith cell: CellIdentity) -> RadioStationID? {
    let areas = cell.radio == .nr ? Self.areasOfNR : Self.areas
    guard let area = cell.area, areas.contains(area) else { return nil }
    let radio: CellIdentity.Radio = cell.radio == .umts ? .gsm : cell.radio
    let number: UInt64 =
      Self.regionMark ^ Self.network(of: cell) ^ UInt64(radio.rawValue) << 24 ^ UInt64(area)
    return name(of: number)
  }

  /// Returns the name of a neighbor's channel, beside a serving cell whose network it belongs to;
  /// cells of one network share it.
  package mutating func name(
    of channel: CellChannel, beside serving: CellIdentity
  ) -> RadioStationID {
    let radio = UInt64(channel.radio.rawValue) << 32
    let carrier = UInt64(truncatingIfNeeded: channel.channel & 0x3f_ffff) << 10
    let physical = UInt64(truncatingIfNeeded: channel.physical & 0x3ff)
    let number: UInt64 = Self.neighborMark ^ Self.network(of: serving) ^ radio ^ carrier ^ physical
    return name(of: number)
  }

  private static func network(of cell: CellIdentity) -> UInt64 {
    UInt64(cell.country) << 46 ^ UInt64(cell.network) << 36
  }

  /// Shows whether two sets of names have the same secret.
  package var fingerprint: UInt64 { function.number(of: .max) }

  private mutating func name(of number: UInt64) -> RadioStationID {
    if let name = known[number] { return name }
    if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
    let name = RadioStationID(function.number(of: number))
    known[number] = name
    return name
  }

  private static let cellMark: UInt64 = 1 << 63
  private static let stationMark: UInt64 = 1 << 63 | 7 << 58
  private static let neighborMark: UInt64 = 1 << 63 | 6 << 58
  private static let regionMark: UInt64 = 1 << 63 | 5 << 58
  private static let areaMark: UInt64 = 1 << 57
  /// The numbers of areas; 0, 65,534, and 65,535 say that there is none.
  private static let areas = 1...65_533
  private static let areasOfNR = 1...0xff_fffd
  /// Names. Chosen: a busy place has some hundreds.
  private static let most = 4096
}
