internal import LocationEngine
package import LocationModel

/// Many devices over one set of fences.
///
/// A device between two of its fixes is bytes: the detectors of the few that were heard last are
/// kept as they are, which changes no output. The devices are in buckets, each with its own bounds.
package struct Fleet: Sendable {
  package struct Counts: Hashable, Sendable {
    package var fixes = 0
    package var events = 0
    package var rejected: [FixOrder.Reason: Int] = [:]
    /// Fixes of devices beyond the most of a bucket, or of their tenant there.
    package var surplus = 0
    /// Devices that began anew, as what was stored of them cannot be read. A worker takes none such over.
    package var damaged = 0
  }

  package private(set) var fences: FleetFences
  package let settings: FleetDevice.Settings
  private let buckets: Int
  private let mostDevices: Int
  private let mostOfTenant: Int
  /// How many devices each bucket has, and how many of them are each tenant's, those without a tenant included.
  private var taken: [Int]
  private var takenByTenants: [Owner: Int] = [:]
  private var asleep: StoredDevices
  private var awake: AwakeDevices
  package private(set) var counts = Counts()

  /// - Parameters:
  ///   - fences: by which the devices are judged.
  ///   - settings: the same for all devices.
  ///   - buckets: in how many buckets the devices are, by their names.
  ///   - mostDevices: how many may be in a bucket; fixes of others are surplus.
  ///   - mostOfTenant: how many of them may be one tenant's. Of those that are restored all are taken.
  ///   - mostAwake: how many, of all buckets, are kept as they are between two of their fixes; a part of that where
  ///     there are many times as many devices.
  package init(
    _ fences: FleetFences, _ settings: FleetDevice.Settings = .init(), buckets: Int = 1,
    mostDevices: Int = .max, mostOfTenant: Int = .max, mostAwake: Int = 1024
  ) {
    self.fences = fences
    self.settings = settings
    self.buckets = buckets
    self.mostDevices = mostDevices
    self.mostOfTenant = mostOfTenant
    taken = [Int](repeating: 0, count: buckets)
    asleep = StoredDevices(buckets: buckets)
    awake = AwakeDevices(most: mostAwake)
  }

  /// A tenant in a bucket.
  private struct Owner: Hashable, Sendable {
    var bucket: Int
    var tenant: ExactName
  }

  /// How many of the devices are each tenant's.
  var places: [ExactName: Int] {
    Dictionary(takenByTenants.map { ($0.key.tenant, $0.value) }, uniquingKeysWith: +)
  }

  package var count: Int { asleep.count + awake.count }

  /// How many devices are kept as they are.
  var awakeCount: Int { awake.count }

  /// How many may be, beside all others.
  var mostAwake: Int { awake.room(beside: count) }

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
    release(name, hash: hash)
    counts.events += events.count
    return events
  }

  /// Forgets a device: what comes of it later begins a new one.
  package mutating func forget(_ name: FleetDeviceName) {
    let hash = FleetAddress.hash(of: name)
    if let place = awake.place(of: name, hash: hash) {
      awake.remove(at: place)
    } else {
      guard asleep.remove(name) != nil else { return }
    }
    release(name, hash: hash)
  }

  /// Forgets all devices of a tenant in a bucket; returns how many there were.
  package mutating func forget(tenant: String, in bucket: Int = 0) -> Int {
    let own = names(in: bucket).filter { $0.tenant.isExactly(tenant) }
    for name in own { forget(name) }
    if !own.isEmpty { asleep.compact() }
    return own.count
  }

  private func names(in bucket: Int) -> [FleetDeviceName] {
    asleep.names(in: bucket) + awake.places(in: bucket, of: buckets).map { awake[$0].name }
  }

  /// Makes every device bytes.
  package mutating func rest() {
    for device in awake.devices { asleep.insert(device.stored(fences), of: device.name) }
    awake.removeAll(keeping: awake.room(beside: asleep.count))
    asleep.compact()
  }

  /// Returns the place of a device; `nil` if it is a new one beyond the most of its bucket, or of its tenant there.
  private mutating func wake(_ name: FleetDeviceName, hash: UInt64) -> AwakeDevices.Place? {
    if let place = awake.place(of: name, hash: hash) { return place }
    if awake.count >= mostAwake { rest() }
    let device: FleetDevice
    if let bytes = asleep.remove(name) {
      let read = FleetDevice(name, stored: bytes, fences)
      if read == nil { counts.damaged += 1 }
      device = read ?? FleetDevice(name)
    } else {
      let owner = owner(of: name, hash: hash)
      guard taken[owner.bucket] < mostDevices, takenByTenants[owner, default: 0] < mostOfTenant
      else { return nil }
      take(owner)
      device = FleetDevice(name)
    }
    return awake.append(device, hash: hash)
  }
}

// MARK: - Places

extension Fleet {
  private func owner(of name: FleetDeviceName, hash: UInt64) -> Owner {
    Owner(
      bucket: FleetAddress.bucket(ofHash: hash, count: buckets), tenant: ExactName(name.tenant))
  }

  private mutating func take(_ owner: Owner) {
    taken[owner.bucket] += 1
    takenByTenants[owner, default: 0] += 1
  }

  /// Gives the place of a device back.
  private mutating func release(_ name: FleetDeviceName, hash: UInt64) {
    let owner = owner(of: name, hash: hash)
    taken[owner.bucket] -= 1
    let left = takenByTenants[owner, default: 0] - 1
    takenByTenants[owner] = left > 0 ? left : nil
  }
}

// MARK: - Storing

extension Fleet {
  /// What is stored of every device of a bucket, in the order of their names.
  package func stored(in bucket: Int = 0) -> [(name: FleetDeviceName, bytes: [UInt8])] {
    var devices = asleep.devices(in: bucket)
    for place in awake.places(in: bucket, of: buckets) {
      devices.append((awake[place].name, awake[place].stored(fences)))
    }
    return devices.sorted { $0.name < $1.name }
  }

  /// Takes a device as it was stored, in place of what is known of it.
  package mutating func restore(_ name: FleetDeviceName, stored bytes: [UInt8]) {
    let hash = FleetAddress.hash(of: name)
    if awake.place(of: name, hash: hash) != nil { rest() }
    if !asleep.contains(name) { take(owner(of: name, hash: hash)) }
    asleep.insert(bytes, of: name)
  }

  /// From here on the devices are judged by other fences; each learns of it with its next fix.
  package mutating func replace(_ fences: FleetFences) {
    rest()
    self.fences = fences
  }
}
