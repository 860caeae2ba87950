package import LocationModel

/// The one advertisement we understand: Apple's iBeacon (BEACON-1).
///
/// Manufacturer data of company 0x004C: `02 15`, a UUID of 16 bytes, major and minor with the high
/// byte first, and the measured power as a signed byte. Nothing may follow.
package struct IBeaconAdvert: Hashable, Sendable {
  package var identity: BeaconIdentity
  /// dBm expected at one meter (BEACON-2).
  package var measuredPower: Int8

  package init(identity: BeaconIdentity, measuredPower: Int8 = Self.defaultMeasuredPower) {
    self.identity = identity
    self.measuredPower = measuredPower
  }

  /// Reads the first iBeacon among an advertisement's manufacturer data.
  package init?(_ data: [ManufacturerData]) {
    guard let found = data.lazy.compactMap(Self.init(manufacturerData:)).first else { return nil }
    self = found
  }

  package init?(manufacturerData data: ManufacturerData) {
    let payload = data.payload
    guard data.company == Self.apple, payload.count == 23 else { return nil }
    guard payload.starts(with: Self.prefix), let uuid = BeaconUUID(bytes: payload[2..<18]) else {
      return nil
    }
    identity = BeaconIdentity(
      uuid: uuid,
      major: UInt16(payload[18]) << 8 | UInt16(payload[19]),
      minor: UInt16(payload[20]) << 8 | UInt16(payload[21]))
    measuredPower = Int8(bitPattern: payload[22])
  }

  /// Reads whole advertising data: structures of length, type, and content, one after the other.
  ///
  /// A structure that runs past the end, and whatever follows a length of zero, is not read.
  package init?(advertisingData: some Collection<UInt8>) {
    self.init(Self.manufacturerData(in: advertisingData))
  }

  /// The manufacturer data within advertising data, in order.
  package static func manufacturerData(in bytes: some Collection<UInt8>) -> [ManufacturerData] {
    var found: [ManufacturerData] = []
    var rest = bytes.prefix(maximumLength)[...]
    while let length = rest.popFirst().map(Int.init), length > 0, rest.count >= length {
      let structure = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      guard structure[0] == manufacturerType, length >= 3 else { continue }
      let company = UInt16(structure[1]) | UInt16(structure[2]) << 8
      found.append(ManufacturerData(company: company, payload: Array(structure[3...])))
    }
    return found
  }

  /// What a radio must send to be this beacon.
  package var manufacturerData: ManufacturerData {
    let uuid = identity.uuid.bytes
    let numbers = [identity.major, identity.minor].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return ManufacturerData(
      company: Self.apple,
      payload: Self.prefix + uuid + numbers + [UInt8(bitPattern: measuredPower)])
  }

  /// The 21 bytes that Apple's `peripheralData(withMeasuredPower:)` holds for its advertiser.
  package var peripheralData: [UInt8] { Array(manufacturerData.payload.dropFirst(2)) }

  /// Reads what `peripheralData` wrote; `nil` for anything that is not 21 bytes.
  package init?(peripheralData bytes: [UInt8]) {
    self.init(
      manufacturerData: ManufacturerData(company: Self.apple, payload: Self.prefix + bytes))
  }

  /// dBm at one meter when an app names none. Chosen (BEACON-2).
  package static let defaultMeasuredPower: Int8 = -59

  /// Apple's company identifier.
  private static let apple: UInt16 = 0x004C
  /// The type of Apple's message, and its length.
  private static let prefix: [UInt8] = [0x02, 0x15]
  /// The type of a structure that holds manufacturer data.
  private static let manufacturerType: UInt8 = 0xFF
  /// Bytes; the longest extended advertisement that the Bluetooth core specification allows.
  private static let maximumLength = 1650
}

extension BeaconSample {
  /// What an advertisement says of a beacon; `nil` when it is not from one.
  package init?(_ advertisement: Advertisement) {
    guard let beacon = IBeaconAdvert(advertisement.manufacturerData) else { return nil }
    self.init(
      identity: beacon.identity, address: advertisement.address,
      measuredPower: Int(beacon.measuredPower), rssi: advertisement.rssi, time: advertisement.time)
  }
}
