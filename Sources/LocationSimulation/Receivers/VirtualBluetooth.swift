package import LocationModel
package import LocationProviders

/// Simulates `bluetoothd` with one adapter, which receives the beacons near it while it scans.
package struct VirtualBluetooth: Hashable, Sendable {
  /// A beacon, and when it sends next.
  private struct Sender: Hashable, Sendable {
    var beacon: VirtualBeacon
    var due = Instant.start
    /// Whether it was received since the bus was opened.
    var isKnown = false
  }

  private enum State: Hashable, Sendable {
    case closed
    case open(isScanning: Bool)
  }

  private var senders: [Sender] = []
  private var state = State.closed
  private var isOn = true
  private var chance: NormalNoise

  package init(seed: UInt64 = 1) {
    chance = NormalNoise(seed: seed ^ 0x00B1_EE00)
  }

  package var nextDeadline: Instant? {
    guard case .open(isScanning: true) = state, isOn else { return nil }
    return senders.map(\.due).min()
  }

  // MARK: The world

  /// Puts up a beacon, or moves the one of the same identity.
  package mutating func place(_ beacon: VirtualBeacon, at now: Instant) {
    let same = senders.firstIndex { $0.beacon.advert.identity == beacon.advert.identity }
    if let same {
      senders[same].beacon = beacon
    } else {
      senders.append(Sender(beacon: beacon, due: now))
    }
  }

  package mutating func remove(_ identity: BeaconIdentity) {
    senders.removeAll { $0.beacon.advert.identity == identity }
  }

  /// Switches the adapter on or off, and reports it on the bus.
  package mutating func turn(on: Bool) -> [BusEvent] {
    guard on != isOn else { return [] }
    isOn = on
    guard case .open = state else { return [] }
    if !on { state = .open(isScanning: false) }
    let changes = BusValue.properties(["Powered": .boolean(on)])
    return [.signal(Self.change(of: BlueZ.adapter, at: Self.adapter, changes))]
  }

  // MARK: The bus

  package mutating func open() {
    state = .open(isScanning: false)
    for index in senders.indices { senders[index].isKnown = false }
  }

  package mutating func close() { state = .closed }

  package mutating func handle(_ action: BusAction, at now: Instant) -> [BusEvent] {
    guard case .open = state, case .call(let number, let call) = action else { return [] }
    switch call.member {
    case "GetManagedObjects": return [.reply(number, .values([objects]))]
    case "StartDiscovery":
      guard isOn else { return [.reply(number, .error("org.bluez.Error.NotReady"))] }
      state = .open(isScanning: true)
      for index in senders.indices { senders[index].due = max(senders[index].due, now) }
    case "StopDiscovery": state = .open(isScanning: false)
    default: break
    }
    return [.reply(number, .values([]))]
  }

  /// Returns the advertisements received at a place by a device whose bearer faces in a direction.
  package mutating func wake(at now: Instant, place: Coordinate, facing: Double) -> [BusEvent] {
    guard case .open(isScanning: true) = state, isOn else { return [] }
    var events: [BusEvent] = []
    for index in senders.indices where senders[index].due <= now {
      senders[index].due = now + senders[index].beacon.interval
      let mean = senders[index].beacon.strength(at: place, facing: facing)
      let level = (mean + Self.fading * chance.normal()).rounded()
      guard let strength = Int(exactly: level), strength >= Self.faintest else { continue }
      events.append(.signal(signal(of: index, strength: strength)))
      senders[index].isKnown = true
    }
    return events
  }

  private func signal(of index: Int, strength: Int) -> BusSignal {
    let data = senders[index].beacon.advert.manufacturerData
    let digits = String(index + 1, radix: 16, uppercase: true)
    let tail = String(repeating: "0", count: max(0, 2 - digits.count)) + digits
    let path = "\(Self.adapter)/dev_C0_00_00_00_00_\(tail)"
    let properties = BusValue.properties([
      "Address": .string("C0:00:00:00:00:\(tail)"), "RSSI": .int16(Int16(clamping: strength)),
      "ManufacturerData": .dictionary(
        key: "q", value: "v",
        [BusEntry(key: .uint16(data.company), value: .variant(.bytes(data.payload)))]),
    ])
    guard senders[index].isKnown else {
      return BusSignal(
        path: "/", interface: BlueZ.objectManager, member: "InterfacesAdded",
        arguments: [.objectPath(path), Self.interfaces(BlueZ.device, properties)])
    }
    return Self.change(of: BlueZ.device, at: path, properties)
  }

  private var objects: BusValue {
    let adapter = BusValue.dictionary(
      key: "s", value: "a{sv}",
      [
        BusEntry(
          key: .string(BlueZ.adapter), value: .properties(["Powered": .boolean(isOn)])),
        BusEntry(key: .string(BlueZ.advertisingManager), value: .properties([:])),
      ])
    return .dictionary(
      key: "o", value: "a{sa{sv}}", [BusEntry(key: .objectPath(Self.adapter), value: adapter)])
  }

  private static func interfaces(_ name: String, _ properties: BusValue) -> BusValue {
    .dictionary(key: "s", value: "a{sv}", [BusEntry(key: .string(name), value: properties)])
  }

  private static func change(of interface: String, at path: String, _ changes: BusValue)
    -> BusSignal
  {
    BusSignal(
      path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
      arguments: [.string(interface), changes, .array(of: "s", [])])
  }

  private static let adapter = "/org/bluez/hci0"
  /// dB, standard deviation of one advertisement: three channels and reflections. 3 to 6 is
  /// measured in rooms.
  private static let fading = 4.0
  /// dBm; the weakest signal that a common adapter receives.
  private static let faintest = -98
}
