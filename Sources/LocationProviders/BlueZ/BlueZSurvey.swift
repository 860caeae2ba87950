package import LocationModel

/// Follows the state of `bluetoothd`: whether it runs, its adapters, and the devices it receives.
///
/// Scanner and advertiser have one each. It also numbers all calls of its owner.
package struct BlueZSurvey: Sendable {
  /// A change that the survey found.
  package enum Change: Hashable, Sendable {
    /// The adapter to use, or its abilities, have changed.
    case adapter(BlueZAdapter)
    /// A device was received, or its data has changed.
    case received(path: String, BlueZDevice)
  }

  private enum State: Sendable {
    case disconnected
    /// Waiting for the list of objects, or for the service to start.
    case asking(call: Int)
    case following
  }

  private struct Known: Sendable {
    var device = BlueZDevice()
    var lastReceived: UInt64 = 0
  }

  private struct Adapter: Sendable {
    var path: String
    /// `nil` when `bluetoothd` does not say.
    var address: BluetoothAddress?
    var isPowered: Bool
    var canMonitor: Bool
    var canAdvertise: Bool
  }

  private var state = State.disconnected
  /// Why `bluetoothd` does not answer; `nil` while it does.
  private var silence: BluetoothEvidence.Lack?
  /// Sorted by path.
  private var adapters: [Adapter] = []
  private var devices: [String: Known] = [:]
  /// Counts updates of device data, to find the devices not received for longest.
  private var moment: UInt64 = 0
  /// Number of devices that were forgotten because too many others were received since.
  package private(set) var forgotten = 0
  private var lastCall = 0
  package private(set) var adapter = BlueZAdapter.none

  package init() {}

  /// Returns the next call number.
  package mutating func nextCall() -> Int {
    lastCall += 1
    return lastCall
  }

  /// Whether the list of objects has been received.
  var isSettled: Bool {
    if case .following = state { true } else { false }
  }

  /// What the adapters can do; `nil` until it is known.
  var evidence: BluetoothEvidence? {
    guard isSettled else { return nil }
    let all = adapters.map {
      BluetoothEvidence.Adapter(
        name: $0.path.split(separator: "/").last.map(String.init) ?? $0.path, isOn: $0.isPowered,
        waits: $0.canMonitor, advertises: $0.canAdvertise)
    }
    let hasPower = adapters.contains(where: \.isPowered)
    return BluetoothEvidence(
      all, lack: silence ?? (all.isEmpty ? .adapter : hasPower ? nil : .power))
  }

  /// Returns the data of a device, by its path.
  package func device(_ path: String) -> BlueZDevice? { devices[path]?.device }

  /// Returns the address of the adapter that receives a device, by the device's path.
  package func adapterAddress(ofDevice path: String) -> BluetoothAddress? {
    adapters.first { path.hasPrefix($0.path + "/") }?.address
  }

  package mutating func handle(_ event: BusEvent) -> (actions: [BusAction], changes: [Change]) {
    switch event {
    case .connected:
      return (Self.matches.map { .subscribe($0) } + ask(), [])
    case .disconnected:
      state = .disconnected
      return ([], forget())
    case .reply(let number, let reply):
      guard case .asking(number) = state else { return ([], []) }
      return ([], take(reply))
    case .signal(let signal):
      if let isPresent = signal.presence(of: BlueZ.service) {
        silence = isPresent ? nil : .service
        return (isPresent ? ask() : [], forget())
      }
      return ([], follow(signal))
    case .called, .refused:
      return ([], [])
    }
  }

  private mutating func ask() -> [BusAction] {
    let number = nextCall()
    state = .asking(call: number)
    let call = BusCall(
      BlueZ.service, path: "/", interface: BlueZ.objectManager, member: "GetManagedObjects",
      reply: "a{oa{sa{sv}}}")
    return [.call(number, call)]
  }

  private mutating func forget() -> [Change] {
    adapters = []
    devices = [:]
    return compare()
  }

  private mutating func take(_ reply: BusReply) -> [Change] {
    // A service that is not ready, or not there, has no objects yet; it announces those it adds.
    state = .following
    silence =
      if case .error(let name) = reply {
        name.hasSuffix(".AccessDenied") ? .permission : .service
      } else { nil }
    guard let objects = reply.first?.entries else { return compare(isFirst: true) }
    for object in objects {
      guard let path = object.key.text else { continue }
      add(object.value, at: path)
    }
    return compare(isFirst: true)
  }

  private mutating func follow(_ signal: BusSignal) -> [Change] {
    guard case .following = state else { return [] }
    if signal.interface == BlueZ.objectManager, let path = signal[0]?.text {
      switch signal.member {
      case "InterfacesAdded":
        let before = device(path)
        add(signal[1] ?? .boolean(false), at: path)
        return compare() + received(path, isNew: device(path) != before, signal[1]?[BlueZ.device])
      case "InterfacesRemoved":
        remove(signal[1]?.elements?.compactMap(\.text) ?? [], at: path)
        return compare()
      default: return []
      }
    }
    if let changes = signal.changes(of: BlueZ.device), devices[signal.path] != nil {
      apply(changes, to: signal.path)
      return received(signal.path, isNew: true, changes)
    }
    if let changes = signal.changes(of: BlueZ.adapter),
      let powered = changes["Powered"]?.boolean,
      let index = adapters.firstIndex(where: { $0.path == signal.path })
    {
      adapters[index].isPowered = powered
      return compare()
    }
    return []
  }

  /// Handles data of a device. Only a change of strength or content is a new advertisement.
  private mutating func received(_ path: String, isNew: Bool, _ changes: BusValue?) -> [Change] {
    guard isNew, var device = device(path), let changes else { return [] }
    guard changes["RSSI"] != nil || changes["ManufacturerData"] != nil else { return [] }
    if changes["RSSI"] == nil { device.rssi = nil }
    return [.received(path: path, device)]
  }

  private mutating func add(_ interfaces: BusValue, at path: String) {
    if let properties = interfaces[BlueZ.device] {
      apply(properties, to: path)
    }
    var adapter = adapters.first { $0.path == path }
    if let properties = interfaces[BlueZ.adapter] {
      adapter = Adapter(
        path: path, address: properties["Address"]?.text.flatMap { BluetoothAddress($0) },
        isPowered: properties["Powered"]?.boolean ?? false, canMonitor: false,
        canAdvertise: false)
    }
    guard var adapter else { return }
    if interfaces[BlueZ.monitorManager] != nil { adapter.canMonitor = true }
    if interfaces[BlueZ.advertisingManager] != nil { adapter.canAdvertise = true }
    adapters.removeAll { $0.path == path }
    adapters.append(adapter)
    adapters.sort { $0.path < $1.path }
  }

  private mutating func apply(_ properties: BusValue, to path: String) {
    moment += 1
    devices[path, default: Known()].device.apply(properties)
    devices[path]?.lastReceived = moment
    if devices.count > Self.mostDevices { forgetSome() }
  }

  /// Forgets devices, because any radio can invent some: first those that are no beacons, then
  /// those not received for longest.
  private mutating func forgetSome() {
    let order = devices.map { path, known in
      (rank: known.device.isBeacon ? 1 : 0, lastReceived: known.lastReceived, path: path)
    }
    .sorted { ($0.rank, $0.lastReceived) < ($1.rank, $1.lastReceived) }
    let over = order.prefix(Self.mostDevices / 4)
    for entry in over { devices[entry.path] = nil }
    forgotten += over.count
  }

  private mutating func remove(_ interfaces: [String], at path: String) {
    if interfaces.contains(BlueZ.device) { devices[path] = nil }
    if interfaces.contains(BlueZ.adapter) { adapters.removeAll { $0.path == path } }
    guard let index = adapters.firstIndex(where: { $0.path == path }) else { return }
    if interfaces.contains(BlueZ.monitorManager) { adapters[index].canMonitor = false }
    if interfaces.contains(BlueZ.advertisingManager) { adapters[index].canAdvertise = false }
  }

  private mutating func compare(isFirst: Bool = false) -> [Change] {
    let chosen = adapters.first(where: \.isPowered) ?? adapters.first
    let new: BlueZAdapter =
      switch chosen {
      case nil: .none
      case let chosen? where !chosen.isPowered: .off
      case let chosen?:
        .on(
          path: chosen.path, canMonitor: chosen.canMonitor, canAdvertise: chosen.canAdvertise)
      }
    guard isFirst || new != adapter else { return [] }
    adapter = new
    return [.adapter(new)]
  }

  /// Devices. Chosen: twice as many beacons as are ranged at the same time.
  package static let mostDevices = 4000

  private static let matches = BusMatch.objects(of: BlueZ.service)
}

/// The adapter to use: the first one that is switched on.
package enum BlueZAdapter: Hashable, Sendable {
  /// No adapter, or no `bluetoothd`.
  case none
  case off
  /// `canMonitor` if it scans passively for patterns; `canAdvertise` if it can be a beacon.
  case on(path: String, canMonitor: Bool, canAdvertise: Bool)
}

/// The data of a device from `bluetoothd`.
package struct BlueZDevice: Hashable, Sendable {
  /// `nil` while unknown, or when it is not an address.
  package var address: BluetoothAddress?
  /// dBm; `nil` when not measured.
  package var rssi: Int?
  /// Sorted by company.
  package var manufacturerData: [ManufacturerData] = []

  var isBeacon: Bool { IBeaconAdvert(manufacturerData) != nil }

  mutating func apply(_ properties: BusValue) {
    if let text = properties["Address"]?.text { address = BluetoothAddress(text) }
    if let value = properties["RSSI"]?.integer {
      rssi = Self.measurable.contains(value) ? value : nil
    }
    guard let entries = properties["ManufacturerData"]?.entries else { return }
    manufacturerData = entries.compactMap { entry in
      guard case .uint16(let company) = entry.key.content, let payload = entry.value.bytes else {
        return nil
      }
      return ManufacturerData(company: company, payload: payload)
    }.sorted { $0.company < $1.company }
    manufacturerData.removeSubrange(min(manufacturerData.count, Self.mostData)...)
  }

  /// Companies. Chosen: an advertisement has room for a few.
  private static let mostData = 16

  /// dBm; the Bluetooth core specification's range. 127 means "not available".
  private static let measurable = -127...20
}

/// The names of `bluetoothd` on the bus.
package enum BlueZ {
  package static let service = "org.bluez"
  package static let objectManager = "org.freedesktop.DBus.ObjectManager"
  package static let adapter = "org.bluez.Adapter1"
  package static let device = "org.bluez.Device1"
  package static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
  package static let monitor = "org.bluez.AdvertisementMonitor1"
  package static let advertisingManager = "org.bluez.LEAdvertisingManager1"
  package static let advertisement = "org.bluez.LEAdvertisement1"
}
