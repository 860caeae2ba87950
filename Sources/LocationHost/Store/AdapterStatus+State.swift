package import LocationEngine
package import LocationLink
package import LocationModel

extension AdapterStatus {
  package init(_ adapter: BluetoothAddress, _ level: AdapterLevel) {
    self.init(
      address: adapter, offset: level.offset, level: level.mean, spread: level.spread,
      places: level.weight - 1)
  }
}
