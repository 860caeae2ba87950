/// The contents of an iBeacon advertisement: identity, and power at one meter (BEACON-1).
package struct IBeaconAdvert: Hashable, Sendable {
  package var identity: BeaconIdentity
  /// dBm expected at one meter (BEACON-2).
  package var measuredPower: Int8

  package init(identity: BeaconIdentity, measuredPower: Int8 = Self.defaultMeasuredPower) {
    self.identity = identity
    self.measuredPower = measuredPower
  }

  /// Parses the form of `bytes`; `nil` for anything that is not 21 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 21, let uuid = BeaconUUID(bytes: bytes[..<16]) else { return nil }
    identity = BeaconIdentity(
      uuid: uuid,
      major: UInt16(bytes[16]) << 8 | UInt16(bytes[17]),
      minor: UInt16(bytes[18]) << 8 | UInt16(bytes[19]))
    measuredPower = Int8(bitPattern: bytes[20])
  }

  /// The UUID, major and minor with the high byte first, and the power as a signed byte: what
  /// Apple's `peripheralData(withMeasuredPower:)` holds for its advertiser.
  package var bytes: [UInt8] {
    let numbers = [identity.major, identity.minor].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return identity.uuid.bytes + numbers + [UInt8(bitPattern: measuredPower)]
  }

  /// dBm at one meter if the app gives none. Chosen (BEACON-2).
  package static let defaultMeasuredPower: Int8 = -59
}
