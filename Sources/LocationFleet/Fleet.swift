internal import LocationEngine
package import LocationModel

/// Many devices over one set of fences.
///
/// A device between two of its fixes is bytes: the detectors of the few that were heard last are
/// kept as they are, which changes no output.
package struct Fleet: Sendable {
  package struct Counts: Hashable, Sendable {
    package var fixes = 0
    package var events = 0
    package var rejected: [FixOrder.Reason: Int] = [:]
    /// Fixes of devices beyond the most of all, or of their tenant.
    package var surplus = 0
    /// Devices that began anew, as what was stored of them cannot be read. A worker takes none such over.
    package var damaged = 0
  }

  package private(set) var fences: FleetFences
  package let settings: FleetDevice.Settings
  private let mostDevices: Int
  private let mostOfTenant: Int
  /// How many of the devices are each tenant's, those without a tenant included.
  private(set) var places: [ExactName: Int] = [:]
  private var asleep = StoredDevices()
  private var awake: AwakeDevices
  package private(set) var counts = Counts()

  /// - Parameters:
  ///   - fences: by which the devices are judged.
  ///   - settings: the same for all devices.
  ///   - mostDevices: how many there may be; fixes of others are surplus.
  ///   - mostOfTenant: how many of them may be one tenant's. Of those that are restored all are taken.
  ///   - mostAwake: how many are kept as they are between two of their fixes.
  package init(
    _ fences: FleetFences, _ settings: FleetDevice.Settings = .init(), mostDevices: Int = .max,
    mostOfTenant: Int = .max, mostAwake: Int = 1024
  ) {
    self.fences = fences
    self.settings = settings
    self.mostDevices = mostDevices
    self.mostOfTenant = mostOfTenant
    awake = AwakeDevices(most: mostAwake)
  }

  package var count: Int { asleep.count + awake.count }

  /// Every device, in the order of their names.
  package var names: [FleetDeviceName] { (asleep.names + awake.names).sorted() }

  /// Bytes of the devices that are stored, their containers left out.
  package var storedBytes: Int { asleep.stateBytes }

  /// Takes a fix of a device as it comes.
  package mutating func take(
    _ fix: Fix, of name: FleetDeviceName, group: String? = nil, received: UnixTime? = nil
  ) -> FleetDevice.Outcome? {
    take(fix, of: name, hash: FleetAddress.hash(of: name), group: group, received: received)
  }

  /// The same for a caller that has the hash of the name.
  mutating func take(
    _ fix: Fix, of name: FleetDeviceName, hash: UInt64, group: String?, received: UnixTime?
  ) -> FleetDevice.Outcome? {
    guard let place = wake(name, hash: hash) else {
      counts.surplus += 1
      return nil
    }
    if let group, awake[place].group != group { awake[place].group = group }
    counts.fixes += 1
    let outcome = awake[place].take(fix, received: received, fences, settings)
    for reason in outcome.rejected { counts.rejected[reason, default: 0] += 1 }
    counts.events += outcome.events.count
    return outcome
  }

  /// Ends a device: nothing earlier than what has come will come; silence decides until a date.
  package mutating func end(
    _ name: FleetDeviceName, until date: UnixTime? = nil
  ) -> [FleetEvent] {
    let hash = FleetAddress.hash(of: name)
    guard awake.place(of: name, hash: hash) != nil || asleep.contains(name),
      let place = wake(name, hash: hash)
    else { return [] }
    var events = awake[place].flush(fences, settings)
    if let date { events += awake[place].pass(until: date, fences, settings) }
    awake.remove(at: place)
    release(name)
    counts.events += events.count
    return events
  }

  /// Forgets a device: what comes of it later begins a new one.
  package mutating func forget(_ name: FleetDeviceName) {
    if let place = place(of: name) {
      awake.remove(at: place)
    } else {
      guard asleep.remove(name) != nil else { return }
    }
    release(name)
  }

  /// Gives the place of a device back.
  private mutating func release(_ name: FleetDeviceName) {
    let tenant = ExactName(name.tenant)
    let left = places[tenant, default: 0] - 1
    places[tenant] = left > 0 ? left : nil
  }

  /// Forgets all devices of a tenant; returns how many there were.
  package mutating func forget(tenant: String) -> Int {
    let own = (asleep.names + awake.names).filter { $0.tenant.isExactly(tenant) }
    for name in own { forget(name) }
    asleep.compact()
    return own.count
  }

  private func place(of name: FleetDeviceName) -> AwakeDevices.Place? {
    awake.place(of: name, hash: FleetAddress.hash(of: name))
  }

  /// Makes every device bytes.
  package mutating func rest() {
    for device in awake.devices { asleep.insert(device.stored(fences), of: device.name) }
    awake.removeAll()
    asleep.compact()
  }

  /// Returns the place of a device; `nil` if it is a new one beyond the most of all, or of its tenant.
  private mutating func wake(_ name: FleetDeviceName, hash: UInt64) -> AwakeDevices.Place? {
    if let place = awake.place(of: name, hash: hash) { return place }
    if awake.isFull { rest() }
    let device: FleetDevice
    if let bytes = asleep.remove(name) {
      let read = FleetDevice(name, stored: bytes, fences)
      if read == nil { counts.damaged += 1 }
      device = read ?? FleetDevice(name)
    } else {
      let tenant = ExactName(name.tenant)
      guard count < mostDevices, places[tenant, default: 0] < mostOfTenant else { return nil }
      places[tenant, default: 0] += 1
      device = FleetDevice(name)
    }
    return awake.append(device, hash: hash)
  }
}

// MARK: - Storing

extension Fleet {
  /// What is stored of every device, in the order of their names.
  package var stored: [(name: FleetDeviceName, bytes: [UInt8])] {
    let awake = awake.devices.map { (name: $0.name, bytes: $0.stored(fences)) }
    return (asleep.all + awake).sorted { $0.name < $1.name }
  }

  /// Takes a device as it was stored, in place of what is known of it.
  package mutating func restore(_ name: FleetDeviceName, stored bytes: [UInt8]) {
    if place(of: name) != nil { rest() }
    if !asleep.contains(name) { places[ExactName(name.tenant), default: 0] += 1 }
    asleep.insert(bytes, of: name)
  }

  /// From here on the devices are judged by other fences; each learns of it with its next fix.
  package mutating func replace(_ fences: FleetFences) {
    rest()
    self.fences = fences
  }
}
