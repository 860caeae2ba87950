package import LocationModel

/// The only advertisement that is read: Apple's iBeacon (BEACON-1).
///
/// Manufacturer data of company 0x004C: `02 15`, then the 21 bytes of the advertisement, and
/// nothing more.
extension IBeaconAdvert {
  /// Reads the first iBeacon among an advertisement's manufacturer data.
  package init?(_ data: [ManufacturerData]) {
    guard let found = data.lazy.compactMap(Self.init(manufacturerData:)).first else { return nil }
    self = found
  }

  package init?(manufacturerData data: ManufacturerData) {
    let payload = data.payload
    guard data.company == Self.apple, payload.starts(with: Self.prefix) else { return nil }
    self.init(bytes: Array(payload.dropFirst(Self.prefix.count)))
  }

  /// Reads complete advertising data: a sequence of structures with length, type, and content.
  ///
  /// A structure that runs past the end is not read, nor is anything after a length of zero.
  package init?(advertisingData: some Collection<UInt8>) {
    self.init(Self.manufacturerData(in: advertisingData))
  }

  /// Returns the manufacturer data within advertising data, in order.
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

  /// The manufacturer data to send for this beacon.
  package var manufacturerData: ManufacturerData {
    ManufacturerData(company: Self.apple, payload: Self.prefix + bytes)
  }

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
  /// Reads a beacon's advertisement; `nil` when it is not from a beacon.
  package init?(_ advertisement: Advertisement) {
    guard let beacon = IBeaconAdvert(advertisement.manufacturerData) else { return nil }
    self.init(
      identity: beacon.identity, address: advertisement.address,
      measuredPower: Int(beacon.measuredPower), rssi: advertisement.rssi, time: advertisement.time)
  }
}
