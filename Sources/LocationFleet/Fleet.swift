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
    /// Fixes of devices beyond the most.
    package var surplus = 0
    /// Devices that began anew, as what was stored of them cannot be read.
    package var damaged = 0
  }

  package private(set) var fences: FleetFences
  package let settings: FleetDevice.Settings
  private let mostDevices: Int
  private let mostAwake: Int
  private var asleep = StoredDevices()
  /// The devices that were heard last; they are changed where they are, and never copied.
  private var awake: [FleetDevice] = []
  /// The places of these.
  private var places: [FleetDeviceName: Int] = [:]
  package private(set) var counts = Counts()

  package init(
    _ fences: FleetFences, _ settings: FleetDevice.Settings = .init(), mostDevices: Int = .max,
    mostAwake: Int = 1024
  ) {
    self.fences = fences
    self.settings = settings
    self.mostDevices = mostDevices
    self.mostAwake = mostAwake
  }

  package var count: Int { asleep.count + awake.count }

  /// Every device, in the order of their names.
  package var names: [FleetDeviceName] { (asleep.names + places.keys).sorted() }

  /// Bytes of the devices that are stored, their containers left out.
  package var storedBytes: Int { asleep.stateBytes }

  /// Takes a fix of a device as it comes.
  package mutating func take(
    _ fix: Fix, of name: FleetDeviceName, group: String? = nil, received: UnixTime? = nil
  ) -> (events: [FleetEvent], rejected: [FixOrder.Reason])? {
    guard let place = wake(name) else {
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
    guard places[name] != nil || asleep.contains(name), let place = wake(name) else { return [] }
    var events = awake[place].flush(fences, settings)
    if let date { events += awake[place].pass(until: date, fences, settings) }
    removeAwake(name, place)
    counts.events += events.count
    return events
  }

  /// Forgets a device: what comes of it later begins a new one.
  package mutating func forget(_ name: FleetDeviceName) {
    asleep.drop(name)
    if let place = places[name] { removeAwake(name, place) }
  }

  /// Forgets all devices of a tenant; returns how many there were.
  package mutating func forget(tenant: String) -> Int {
    let own = (asleep.names + places.keys).filter { $0.tenant.isExactly(tenant) }
    for name in own { forget(name) }
    asleep.compact()
    return own.count
  }

  private mutating func removeAwake(_ name: FleetDeviceName, _ place: Int) {
    places[name] = nil
    let last = awake.removeLast()
    if place < awake.count {
      awake[place] = last
      places[last.name] = place
    }
  }

  /// Makes every device bytes.
  package mutating func rest() {
    for device in awake { asleep.insert(device.stored(fences), of: device.name) }
    awake.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    asleep.compact()
  }

  /// Returns the place of a device; `nil` if it is a new one beyond the most.
  private mutating func wake(_ name: FleetDeviceName) -> Int? {
    if let place = places[name] { return place }
    if awake.count >= mostAwake { rest() }
    let device: FleetDevice
    if let bytes = asleep.remove(name) {
      let read = FleetDevice(name, stored: bytes, fences)
      if read == nil { counts.damaged += 1 }
      device = read ?? FleetDevice(name)
    } else {
      guard count < mostDevices else { return nil }
      device = FleetDevice(name)
    }
    awake.append(device)
    places[name] = awake.count - 1
    return awake.count - 1
  }
}

// MARK: - Storing

extension Fleet {
  /// What is stored of every device, in the order of their names.
  package var stored: [(name: FleetDeviceName, bytes: [UInt8])] {
    let awake = awake.map { (name: $0.name, bytes: $0.stored(fences)) }
    return (asleep.all + awake).sorted { $0.name < $1.name }
  }

  /// Takes a device as it was stored, in place of what is known of it.
  package mutating func restore(_ name: FleetDeviceName, stored bytes: [UInt8]) {
    if places[name] != nil { rest() }
    asleep.insert(bytes, of: name)
  }

  /// From here on the devices are judged by other fences; each learns of it with its next fix.
  package mutating func replace(_ fences: FleetFences) {
    rest()
    self.fences = fences
  }
}
