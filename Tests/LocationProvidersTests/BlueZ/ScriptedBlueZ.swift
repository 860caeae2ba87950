import LocationModel
import LocationProviders

/// What `bluetoothd` says, for tests.
enum ScriptedBlueZ {
  static let beacon = IBeaconAdvert(
    identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4))
  static let adapter = "/org/bluez/hci0"
  static let device = "/org/bluez/hci0/dev_C0_00_00_00_00_01"

  /// The answer to `GetManagedObjects`.
  static func objects(powered: Bool = true, canMonitor: Bool = false) -> BusReply {
    .values([
      .dictionary(
        key: "o", value: "a{sa{sv}}",
        [
          BusEntry(
            key: .objectPath(adapter), value: interfaces(powered: powered, canMonitor: canMonitor)),
          BusEntry(
            key: .objectPath("/org/bluez"), value: .dictionary(key: "s", value: "a{sv}", [])),
        ])
    ])
  }

  static func interfaces(powered: Bool = true, canMonitor: Bool = false) -> BusValue {
    var entries = [
      entry(
        BlueZ.adapter,
        .properties(["Powered": .boolean(powered), "Address": .string("00:1A:7D:DA:71:13")])),
      entry(BlueZ.advertisingManager, .properties([:])),
    ]
    if canMonitor { entries.append(entry(BlueZ.monitorManager, .properties([:]))) }
    return .dictionary(key: "s", value: "a{sv}", entries)
  }

  static func adapterAdded() -> BusEvent { added(adapter, interfaces()) }

  static func adapterRemoved() -> BusEvent {
    .signal(
      BusSignal(
        path: "/", interface: BlueZ.objectManager, member: "InterfacesRemoved",
        arguments: [.objectPath(adapter), .array(of: "s", [.string(BlueZ.adapter)])]))
  }

  static func power(_ isOn: Bool) -> BusEvent {
    changed(adapter, BlueZ.adapter, .properties(["Powered": .boolean(isOn)]))
  }

  static func owner(_ name: String) -> BusEvent {
    .owner(of: "org.bluez", from: "", to: name)
  }

  /// A device appears, with this manufacturer data.
  static func received(
    rssi: Int16, data: ManufacturerData = beacon.manufacturerData, at path: String = device
  ) -> BusEvent {
    let properties = BusValue.properties([
      "Address": .string("C0:00:00:00:00:01"), "RSSI": .int16(rssi),
      "ManufacturerData": .dictionary(
        key: "q", value: "v",
        [BusEntry(key: .uint16(data.company), value: .variant(.bytes(data.payload)))]),
    ])
    return added(
      path, .dictionary(key: "s", value: "a{sv}", [entry(BlueZ.device, properties)]))
  }

  static func receivedAgain(rssi: Int16) -> BusEvent {
    changed(device, BlueZ.device, .properties(["RSSI": .int16(rssi)]))
  }

  static func changed(_ path: String, _ interface: String, _ changes: BusValue) -> BusEvent {
    .signal(
      BusSignal(
        path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
        arguments: [.string(interface), changes, .array(of: "s", [])]))
  }

  private static func added(_ path: String, _ interfaces: BusValue) -> BusEvent {
    .signal(
      BusSignal(
        path: "/", interface: BlueZ.objectManager, member: "InterfacesAdded",
        arguments: [.objectPath(path), interfaces]))
  }

  private static func entry(_ interface: String, _ properties: BusValue) -> BusEntry {
    BusEntry(key: .string(interface), value: properties)
  }
}

/// An action in a word.
func word(_ action: BusAction) -> String {
  switch action {
  case .call(_, let call): call.member
  case .subscribe(let match): "subscribe \(match.member)"
  case .unsubscribe(let match): "unsubscribe \(match.member)"
  case .export(let object): "export \(object.path)"
  case .withdraw(let path): "withdraw \(path)"
  case .emit(let signal): "emit \(signal.member)"
  }
}
