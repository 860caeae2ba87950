/// The address of a Bluetooth radio: 48 bits, often random and changed every few minutes.
package struct BluetoothAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var bits: UInt64

  package init(bits: UInt64) {
    self.bits = bits
  }

  /// Reads six pairs of hexadecimal digits with colons between them: `C0:00:00:00:00:01`.
  package init?(_ text: some StringProtocol) {
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    let digits = pairs.joined()
    guard pairs.count == 6, pairs.allSatisfy({ $0.utf8.count == 2 }),
      digits.allSatisfy(\.isHexDigit), let bits = UInt64(digits, radix: 16)
    else { return nil }
    self.bits = bits
  }

  /// The canonical form: `C0:00:00:00:00:01`.
  package var description: String {
    (0..<6).map { byte in
      let digits = String(bits >> (40 - 8 * UInt64(byte)) & 0xFF, radix: 16, uppercase: true)
      return digits.count == 1 ? "0" + digits : digits
    }.joined(separator: ":")
  }

  package static func < (left: BluetoothAddress, right: BluetoothAddress) -> Bool {
    left.bits < right.bits
  }
}

/// One advertisement of a Bluetooth LE radio.
package struct Advertisement: Hashable, Sendable {
  package var address: BluetoothAddress

  /// dBm, below zero as a rule; `nil` when the adapter could not measure it.
  package var rssi: Int?

  /// In the order of transmission, or sorted by company where the system forgets the order.
  package var manufacturerData: [ManufacturerData]

  /// When it was received.
  package var time: UnixTime

  package init(
    address: BluetoothAddress, rssi: Int?, manufacturerData: [ManufacturerData], time: UnixTime
  ) {
    self.address = address
    self.rssi = rssi
    self.manufacturerData = manufacturerData
    self.time = time
  }
}

/// The data of one manufacturer in an advertisement.
package struct ManufacturerData: Hashable, Sendable {
  /// As assigned by the Bluetooth SIG; Apple is 0x004C.
  package var company: UInt16
  /// The bytes after the company identifier.
  package var payload: [UInt8]

  package init(company: UInt16, payload: [UInt8]) {
    self.company = company
    self.payload = payload
  }
}

/// One received advertisement of one beacon.
package struct BeaconSample: Hashable, Sendable {
  package var identity: BeaconIdentity

  /// Distinguishes two radios of the same identity (BEACON-15).
  package var address: BluetoothAddress

  /// dBm expected at one meter, as the beacon claims (BEACON-2).
  package var measuredPower: Int

  /// dBm; `nil` when the adapter could not measure it: the beacon is there, at an unknown distance.
  package var rssi: Int?

  /// When it was received.
  package var time: UnixTime

  /// The adapter of this computer that received it; `nil` for an ideal receiver, as in simulations.
  package var adapter: BluetoothAddress?

  package init(
    identity: BeaconIdentity, address: BluetoothAddress, measuredPower: Int, rssi: Int?,
    time: UnixTime, adapter: BluetoothAddress? = nil
  ) {
    self.identity = identity
    self.address = address
    self.measuredPower = measuredPower
    self.rssi = rssi
    self.time = time
    self.adapter = adapter
  }
}
