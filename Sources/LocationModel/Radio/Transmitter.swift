/// A transmitter at a place that a radio of this computer can receive.
package enum Transmitter: Hashable, Comparable, Sendable {
  /// An access point of a Wi-Fi network.
  case accessPoint(BSSID)
  /// A cell of a mobile network.
  case cell(CellIdentity)
  /// A cell that names only its channel, as neighbors of the serving cell do.
  case neighbor(CellChannel)
  /// A Bluetooth beacon, by what it says of itself: its address changes.
  case beacon(BeaconIdentity)
}

/// The address of an access point's radio, 48 bits.
package struct BSSID: Hashable, Comparable, Sendable {
  /// In `0..<2⁴⁸`; the first octet of the address is the highest.
  package var bits: UInt64

  /// Creates an address; bits above the lowest 48 are dropped.
  package init(_ bits: UInt64) {
    self.bits = bits & 0xffff_ffff_ffff
  }

  /// Whether the address was given by its owner and not by the maker of the device.
  package var isLocallyAdministered: Bool { bits >> 41 & 1 == 1 }

  /// Whether the address names a group of stations, none, or all of them.
  package var isGroup: Bool { bits >> 40 & 1 == 1 || bits == 0 }

  /// The address without the bits in which the networks of one box differ: the last four, and the
  /// local one.
  package var box: UInt64 { bits & ~0x0200_0000_000f }

  package static func < (left: BSSID, right: BSSID) -> Bool { left.bits < right.bits }
}

/// A cell as its network names it.
package struct CellIdentity: Hashable, Comparable, Sendable {
  package enum Radio: UInt8, CaseIterable, Sendable {
    case gsm
    case umts
    case lte
    case nr
  }

  package var radio: Radio
  /// The mobile country code, in `1...999`.
  package var country: Int
  /// The mobile network code, in `0...999`.
  package var network: Int
  /// The location area, or the tracking area; `nil` where the network reports none.
  package var area: Int?
  /// The cell within the network: 16 bits for GSM, 28 for UMTS and LTE, 36 for NR.
  package var cell: UInt64

  package init(radio: Radio, country: Int, network: Int, area: Int?, cell: UInt64) {
    self.radio = radio
    self.country = country
    self.network = network
    self.area = area
    self.cell = cell
  }

  /// The base station that the cell belongs to; `nil` where the identity does not contain it.
  package var station: UInt64? { radio == .lte ? cell >> 8 : nil }

  package static func < (left: CellIdentity, right: CellIdentity) -> Bool {
    (left.radio.rawValue, left.country, left.network, left.area ?? -1, left.cell)
      < (right.radio.rawValue, right.country, right.network, right.area ?? -1, right.cell)
  }
}

/// The channel and the physical identity of a cell: many cells of a country share both.
package struct CellChannel: Hashable, Comparable, Sendable {
  package var radio: CellIdentity.Radio
  /// The number of the carrier frequency: ARFCN, UARFCN, EARFCN, or NR-ARFCN.
  package var channel: Int
  /// The physical cell identity, or the scrambling code.
  package var physical: Int

  package init(radio: CellIdentity.Radio, channel: Int, physical: Int) {
    self.radio = radio
    self.channel = channel
    self.physical = physical
  }

  package static func < (left: CellChannel, right: CellChannel) -> Bool {
    (left.radio.rawValue, left.channel, left.physical)
      < (right.radio.rawValue, right.channel, right.physical)
  }
}
