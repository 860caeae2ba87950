internal import LocationModel

/// Devices that are bytes, by their names.
///
/// A million of them are kept: a dictionary takes as many bytes for each as what is stored of it. The buckets of a
/// partition lie in one memory, as each would have room of its own for what is to come.
struct StoredDevices: Sendable {
  private typealias Place = RecordMemory.Place

  /// What lies at the beginning of a record.
  private struct Head {
    /// The next record of the same list.
    var next: Place
    var state: Int
    var tenant: Int
    var device: Int
    /// How long the head itself is.
    var length: Int

    var count: Int { length + tenant + device + state }
  }

  /// How many buckets the devices are in.
  private let buckets: Int
  /// Where lists of records begin, by the hash of their names; each bucket has as many, one behind the other.
  private var lists: [Place] = []
  /// How many lists a bucket has, a power of two.
  private var listsOfBucket = 0
  private var memory = RecordMemory()
  private(set) var count = 0
  /// The bytes of all devices, without their names.
  private(set) var stateBytes = 0

  init(buckets: Int = 1) { self.buckets = buckets }

  /// The bytes of all records, free ones included.
  var memorySize: Int { memory.size.all }

  /// The bytes in which records may be, those with room for more included.
  var reservedMemory: Int { memory.reserved }

  /// All names, in no order.
  var names: [FleetDeviceName] {
    var names: [FleetDeviceName] = []
    names.reserveCapacity(count)
    forEach { names.append(name(at: $0, $1)) }
    return names
  }

  /// The names of a bucket, in no order.
  func names(in bucket: Int) -> [FleetDeviceName] {
    var names: [FleetDeviceName] = []
    forEach(in: bucket) { names.append(name(at: $0, $1)) }
    return names
  }

  /// The devices of a bucket, in no order.
  func devices(in bucket: Int) -> [(name: FleetDeviceName, bytes: [UInt8])] {
    var devices: [(name: FleetDeviceName, bytes: [UInt8])] = []
    forEach(in: bucket) { devices.append((name(at: $0, $1), state(at: $0, $1))) }
    return devices
  }

  func contains(_ name: FleetDeviceName) -> Bool { find(name) != nil }

  /// What is stored of a device; `nil` if it is none of these.
  subscript(name: FleetDeviceName) -> [UInt8]? {
    find(name).map { state(at: $0.place, $0.head) }
  }

  /// Stores a device, in place of what was stored of it.
  mutating func insert(_ bytes: [UInt8], of name: FleetDeviceName) {
    drop(name)
    if count >= Self.lengthOfLists * lists.count {
      let fewest = buckets > 1 ? 1 : Self.fewestLists
      makeLists(ofBucket: max(2 * listsOfBucket, fewest))
    }
    add(bytes, of: name)
  }

  private mutating func add(_ bytes: [UInt8], of name: FleetDeviceName) {
    let list = list(of: name)
    var record = ByteWriter()
    record.reserve(16 + name.tenant.utf8.count + name.device.utf8.count + bytes.count)
    record.append(RecordMemory.bytes(of: lists[list]))
    record.append(number: UInt64(bytes.count))
    record.append(number: UInt64(name.tenant.utf8.count))
    record.append(number: UInt64(name.device.utf8.count))
    record.append(name.tenant.utf8)
    record.append(name.device.utf8)
    record.append(bytes)
    lists[list] = memory.add(record.bytes)
    count += 1
    stateBytes += bytes.count
  }

  /// Removes a device; returns what was stored of it, `nil` if it is none of these.
  mutating func remove(_ name: FleetDeviceName) -> [UInt8]? {
    guard let found = find(name) else { return nil }
    defer { remove(name, found) }
    return state(at: found.place, found.head)
  }

  /// Removes a device if it is one of these.
  mutating func drop(_ name: FleetDeviceName) {
    if let found = find(name) { remove(name, found) }
  }

  private mutating func remove(_ name: FleetDeviceName, _ found: Found) {
    if let before = found.before {
      memory.set(found.head.next, in: before)
    } else {
      lists[list(of: name)] = found.head.next
    }
    memory.remove(found.place, found.head.count)
    count -= 1
    stateBytes -= found.head.state
    if count == 0 { self = StoredDevices(buckets: buckets) }
  }

  /// Moves everything into memory without gaps, where a quarter is free: as devices grow and shrink, what is
  /// free becomes too short or too long for them.
  mutating func compact() {
    guard memory.size.free > memory.size.all / 4, memory.size.free > Self.mostFree else { return }
    var packed = StoredDevices(buckets: buckets)
    packed.lists = [Place](repeating: RecordMemory.none, count: lists.count)
    packed.listsOfBucket = listsOfBucket
    forEach { packed.add(state(at: $0, $1), of: name(at: $0, $1)) }
    self = packed
  }

  /// Puts the records of each bucket into so many lists.
  private mutating func makeLists(ofBucket number: Int) {
    var places: [Place] = []
    places.reserveCapacity(count)
    forEach { place, _ in places.append(place) }
    listsOfBucket = number
    lists = [Place](repeating: RecordMemory.none, count: buckets * number)
    for place in places {
      let list = list(of: name(at: place, head(at: place)))
      memory.set(lists[list], in: place)
      lists[list] = place
    }
  }

  private func forEach(_ body: (Place, Head) -> Void) { forEach(of: lists.indices, body) }

  private func forEach(in bucket: Int, _ body: (Place, Head) -> Void) {
    let first = bucket * listsOfBucket
    forEach(of: first..<first + listsOfBucket, body)
  }

  private func forEach(of range: Range<Int>, _ body: (Place, Head) -> Void) {
    for list in range {
      var place = lists[list]
      while place != RecordMemory.none {
        let head = head(at: place)
        body(place, head)
        place = head.next
      }
    }
  }

  // MARK: Records

  private typealias Found = (before: Place?, place: Place, head: Head)

  private func find(_ name: FleetDeviceName) -> Found? {
    guard !lists.isEmpty else { return nil }
    var (before, place): (Place?, Place) = (nil, lists[list(of: name)])
    while place != RecordMemory.none {
      let head = head(at: place)
      if has(name, at: place, head) { return (before, place, head) }
      (before, place) = (place, head.next)
    }
    return nil
  }

  private func list(of name: FleetDeviceName) -> Int {
    let hash = FleetAddress.hash(of: name)
    // The lower half says which bucket a device is in.
    let place = Int(hash >> 32) & (listsOfBucket - 1)
    return FleetAddress.bucket(ofHash: hash, count: buckets) * listsOfBucket + place
  }

  private func head(at place: Place) -> Head {
    let next = memory.place(in: place)
    return memory.read(place) { bytes in
      var at = 4
      func number() -> Int {
        var (number, shift) = (0, 0)
        repeat {
          number |= Int(bytes[at] & 0x7f) << shift
          shift += 7
          at += 1
        } while bytes[at - 1] >= 0x80
        return number
      }
      let (state, tenant, device) = (number(), number(), number())
      return Head(next: next, state: state, tenant: tenant, device: device, length: at)
    }
  }

  private func has(_ name: FleetDeviceName, at place: Place, _ head: Head) -> Bool {
    let (tenant, device) = (name.tenant.utf8.span, name.device.utf8.span)
    guard tenant.count == head.tenant, device.count == head.device else { return false }
    return memory.read(place) {
      $0.has(device, at: head.length + head.tenant) && $0.has(tenant, at: head.length)
    }
  }

  private func name(at place: Place, _ head: Head) -> FleetDeviceName {
    let texts = bytes(at: place, head.length, head.tenant + head.device)
    return FleetDeviceName(
      tenant: String(decoding: texts.prefix(head.tenant), as: UTF8.self),
      device: String(decoding: texts.dropFirst(head.tenant), as: UTF8.self))
  }

  private func state(at place: Place, _ head: Head) -> [UInt8] {
    bytes(at: place, head.count - head.state, head.state)
  }

  private func bytes(at place: Place, _ start: Int, _ count: Int) -> [UInt8] {
    memory.read(place) { span in
      span.extracting(start..<start + count).withUnsafeBytes { [UInt8]($0) }
    }
  }

  /// Records of a list, at most and on average. Chosen: 1.3 to 2.7 bytes for a device.
  private static let lengthOfLists = 3
  private static let fewestLists = 16
  /// Bytes. Chosen: below that a new arrangement is not worth its time.
  private static let mostFree = 2048
}
