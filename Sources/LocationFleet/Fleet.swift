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
  }

  package let fences: FleetFences
  package let settings: FleetDevice.Settings
  private let mostDevices: Int
  private let mostAwake: Int
  private var asleep: [FleetDeviceName: [UInt8]] = [:]
  private var awake: [FleetDeviceName: FleetDevice] = [:]
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
  package var names: [FleetDeviceName] { (Array(asleep.keys) + awake.keys).sorted() }

  /// Bytes of the devices that are stored, their containers left out.
  package var storedBytes: Int { asleep.values.reduce(0) { $0 + $1.count } }

  /// Takes a fix of a device as it comes.
  package mutating func take(
    _ fix: Fix, of name: FleetDeviceName, group: String? = nil, received: UnixTime? = nil
  ) -> (events: [FleetEvent], rejected: [FixOrder.Reason])? {
    guard var device = wake(name) else {
      counts.surplus += 1
      return nil
    }
    if let group, device.group != group { device.group = group }
    counts.fixes += 1
    let outcome = device.take(fix, received: received, fences, settings)
    for reason in outcome.rejected { counts.rejected[reason, default: 0] += 1 }
    counts.events += outcome.events.count
    awake[name] = device
    return outcome
  }

  /// Ends a device: nothing earlier than what has come will come; silence decides until a date.
  package mutating func end(
    _ name: FleetDeviceName, until date: UnixTime? = nil
  ) -> [FleetEvent] {
    guard asleep[name] != nil || awake[name] != nil, var device = wake(name) else { return [] }
    var events = device.flush(fences, settings)
    if let date { events += device.pass(until: date, fences, settings) }
    awake[name] = nil
    counts.events += events.count
    return events
  }

  /// Makes every device bytes.
  package mutating func rest() {
    for (name, device) in awake { asleep[name] = device.stored(fences) }
    awake.removeAll(keepingCapacity: true)
  }

  private mutating func wake(_ name: FleetDeviceName) -> FleetDevice? {
    if let device = awake.removeValue(forKey: name) { return device }
    if awake.count >= mostAwake { rest() }
    if let bytes = asleep.removeValue(forKey: name) {
      return FleetDevice(name, stored: bytes, fences) ?? FleetDevice(name)
    }
    return count < mostDevices ? FleetDevice(name) : nil
  }
}
