/// What the Bluetooth adapters of this computer can do, for a person.
package struct BluetoothEvidence: Hashable, Sendable {
  package struct Adapter: Hashable, Sendable {
    /// Such as `hci0`.
    package var name: String
    package var isOn: Bool
    /// Whether it waits for beacons by itself, so that nothing is awake meanwhile.
    package var waits: Bool
    /// Whether it can be a beacon.
    package var advertises: Bool

    package init(name: String, isOn: Bool, waits: Bool = false, advertises: Bool = false) {
      self.name = name
      self.isOn = isOn
      self.waits = waits
      self.advertises = advertises
    }
  }

  /// What is missing first.
  package enum Lack: Hashable, Sendable {
    case service
    /// This user may not ask `bluetoothd`.
    case permission
    case adapter
    /// All adapters are switched off.
    case power
  }

  /// In the order in which they are used: the first one that is on.
  package var adapters: [Adapter]
  /// `nil` while beacons can be received.
  package var lack: Lack?

  package init(_ adapters: [Adapter], lack: Lack? = nil) {
    self.adapters = adapters
    self.lack = lack
  }
}
