package import LocationModel
package import LocationSecrets

/// Turns transmitters into the names under which the map keeps them.
///
/// One box announces several networks whose addresses differ in the last four bits or in the local
/// bit, and their errors are one error: they get one name.
package struct RadioStationNames: Sendable {
  private let function: KeyedFunction
  /// Names that were computed, because a box is heard in every scan; at most ``most``.
  private var known: [UInt64: RadioStationID] = [:]

  package init(_ secret: SecretKey) {
    function = KeyedFunction(secret, purpose: "radio map")
  }

  /// Returns the name of an access point's box.
  package mutating func name(of station: BSSID) -> RadioStationID {
    name(of: station.bits & ~Self.siblings)
  }

  /// Returns the name of any transmitter.
  mutating func name(of transmitter: Transmitter) -> RadioStationID {
    switch transmitter {
    case .accessPoint(let address): name(of: address)
    case .cell(let cell): name(of: cell)
    case .neighbor(let channel): name(of: channel)
    }
  }

  /// Returns the name of a cell.
  package mutating func name(of cell: CellIdentity) -> RadioStationID {
    name(
      of: Self.cellMark | UInt64(cell.radio.rawValue) << 58
        ^ UInt64(cell.country) << 46 ^ UInt64(cell.network) << 36 ^ cell.cell)
  }

  /// Returns the name of the base station that a cell belongs to; `nil` where it is not known.
  package mutating func name(ofStationWith cell: CellIdentity) -> RadioStationID? {
    cell.station.map {
      name(
        of: Self.cellMark | 7 << 58 ^ UInt64(cell.country) << 46 ^ UInt64(cell.network) << 36 ^ $0)
    }
  }

  /// Returns the name of a neighbor's channel; cells of one country share it.
  package mutating func name(of channel: CellChannel) -> RadioStationID {
    name(
      of: Self.cellMark | 6 << 58 | UInt64(channel.radio.rawValue) << 48
        | UInt64(truncatingIfNeeded: channel.channel & 0xffff_ffff) << 12
        | UInt64(truncatingIfNeeded: channel.physical & 0xfff))
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

  /// The last four bits of an address, and its local bit.
  private static let siblings: UInt64 = 0x0200_0000_000f
  private static let cellMark: UInt64 = 1 << 63
  /// Names. Chosen: a busy place has some hundreds.
  private static let most = 4096
}
