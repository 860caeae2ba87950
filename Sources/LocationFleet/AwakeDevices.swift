/// The devices of a fleet that were heard last, as they are: changed where they are, and never copied.
struct AwakeDevices: Sendable {
  /// Where one of these is.
  typealias Place = Int

  private(set) var devices: [FleetDevice] = []
  /// Of each: its hash, and the next one of the same list.
  private var links: [(hash: UInt64, next: Int32)] = []
  /// Where the lists begin, by the hash; empty while no device is awake.
  private var lists: [Int32] = []
  /// The most there may be.
  let most: Int

  init(most: Int) { self.most = max(most, 1) }

  private static let none: Int32 = -1

  var count: Int { devices.count }
  var names: [FleetDeviceName] { devices.map(\.name) }

  /// The places of those in a bucket.
  func places(in bucket: Int, of buckets: Int) -> [Place] {
    links.indices.filter { FleetAddress.bucket(ofHash: links[$0].hash, count: buckets) == bucket }
  }

  /// How many there may be beside so many devices.
  ///
  /// Where there are many more than fit, a device has made room for others before its next fix: then their memory
  /// would be for nothing (chosen; docs/decisions/0117).
  func room(beside devices: Int) -> Int {
    devices > Self.useful * most ? max(most / Self.share, 1) : most
  }

  private static let useful = 4
  private static let share = 32

  subscript(place: Place) -> FleetDevice {
    _read { yield devices[place] }
    _modify { yield &devices[place] }
  }

  /// Returns the place of a device with this hash; `nil` if it is none of these.
  func place(of name: FleetDeviceName, hash: UInt64) -> Place? {
    var place = first(hash)
    while place != Self.none {
      let link = links[Int(place)]
      if link.hash == hash, devices[Int(place)].name == name { return Int(place) }
      place = link.next
    }
    return nil
  }

  /// Adds one that is not here; returns its place.
  mutating func append(_ device: FleetDevice, hash: UInt64) -> Place {
    if devices.count >= lists.count { makeLists() }
    let list = list(hash)
    links.append((hash, lists[list]))
    lists[list] = Int32(devices.count)
    devices.append(device)
    return devices.count - 1
  }

  /// Removes a device; the last one takes its place.
  mutating func remove(at place: Place) {
    unlink(place)
    let last = devices.count - 1
    if place < last {
      unlink(last)
      let list = list(links[last].hash)
      links[place] = (links[last].hash, lists[list])
      lists[list] = Int32(place)
      devices.swapAt(place, last)
    }
    devices.removeLast()
    links.removeLast()
  }

  /// Removes all, and keeps memory for so many at most.
  mutating func removeAll(keeping room: Int) {
    guard devices.capacity <= 2 * room else { return self = AwakeDevices(most: most) }
    devices.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    for list in lists.indices { lists[list] = Self.none }
  }

  /// Makes lists for twice as many devices.
  private mutating func makeLists() {
    lists = [Int32](repeating: Self.none, count: max(2 * lists.count, Self.fewestLists))
    for place in links.indices {
      let list = list(links[place].hash)
      links[place].next = lists[list]
      lists[list] = Int32(place)
    }
  }

  private static let fewestLists = 16

  private mutating func unlink(_ place: Place) {
    let list = list(links[place].hash)
    guard lists[list] != place else { return lists[list] = links[place].next }
    var before = Int(lists[list])
    while links[before].next != place { before = Int(links[before].next) }
    links[before].next = links[place].next
  }

  private func first(_ hash: UInt64) -> Int32 { lists.isEmpty ? Self.none : lists[list(hash)] }

  // The lower half says which bucket of a partition a device is in.
  private func list(_ hash: UInt64) -> Int { Int(hash >> 32) & (lists.count - 1) }
}
