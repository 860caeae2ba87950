package import LocationModel

/// An access point that stands somewhere in the world, or travels with the device, and sends.
package struct VirtualAccessPoint: Hashable, Sendable {
  package var address: BSSID
  /// `nil` for one that is always where the device is: a hotspot of a bus, or of a companion's phone.
  package var place: Coordinate?
  /// Meters above mean sea level; `nil` for one that is on every floor of the device.
  package var altitude: Double?
  /// dBm that a device receives at one meter.
  package var level: Double

  /// Chosen: an access point of 100 mW.
  package static let usualLevel = -40.0
  /// dBm at one meter. Chosen: far more than there are.
  package static let levels = -80.0 ... -20

  package init(
    _ address: BSSID, at place: Coordinate?, altitude: Double? = nil,
    level: Double = Self.usualLevel
  ) {
    (self.address, self.place, self.altitude, self.level) = (address, place, altitude, level)
  }

  /// Whether it can be received anywhere.
  var isPossible: Bool {
    level.isFinite && place?.isValid ?? true && altitude?.isFinite ?? true
  }
}

extension BSSID {
  /// The address of a simulated access point by its number, below 524,288: each is a box of its own.
  /// Hotspots are numbered apart from those at fixed places.
  package static func simulated(_ number: UInt64, travels: Bool = false) -> BSSID {
    BSSID(0x0011_2200_0000 | (travels ? number | 1 << 19 : number) << 4)
  }
}
