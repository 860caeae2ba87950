package import LocationCoding
package import LocationModel

/// What is known of one Bluetooth adapter: an element of `ListAdapters`.
package struct AdapterStatus: Hashable, Sendable {
  package var address: BluetoothAddress
  /// dB by which it receives more at one meter than beacons claim, as calibrated; `nil` until then.
  package var offset: Int?
  /// dB over the claim: what it usually receives, as learned.
  package var level: Double
  /// dB, one standard deviation.
  package var spread: Double
  /// How many places the level rests on.
  package var places: Double

  package init(
    address: BluetoothAddress, offset: Int?, level: Double, spread: Double, places: Double
  ) {
    self.address = address
    self.offset = offset
    self.level = level
    self.spread = spread
    self.places = places
  }
}

extension AdapterStatus: JSONStructure {
  package static let fields = JSONFields(
    AdapterStatus(
      address: BluetoothAddress(bits: 0), offset: nil, level: 0, spread: 0, places: 0),
    .get("address", \.address), .find("offset", \.offset), .get("level", \.level),
    .get("spread", \.spread), .get("places", \.places))
}
