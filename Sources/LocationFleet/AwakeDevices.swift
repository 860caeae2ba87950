/// The devices of a fleet that were heard last, as they are: changed where they are, and never copied.
struct AwakeDevices: Sendable {
  /// Where one of these is.
  typealias Place = Int

  /// The devices in parts: one array of all would be copied as it grows, a kilobyte for each device. Those behind the
  /// last device are empty.
  private var parts: [[FleetDevice]] = []
  /// Of each: its hash, and the next one of the same list.
  private var links: [(hash: UInt64, next: Int32)] = []
  /// Where the lists begin, by the hash; empty while no device is awake.
  private var lists: [Int32] = []
  /// The most there may be.
  let most: Int

  init(most: Int) { self.most = max(most, 1) }

  private static let none: Int32 = -1

  var count: Int { links.count }
  var names: [FleetDeviceName] { links.indices.map { self[$0].name } }

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

  private static let lengthOfPart = 32

  subscript(place: Place) -> FleetDevice {
    _read { yield parts[place / Self.lengthOfPart][place % Self.lengthOfPart] }
    _modify { yield &parts[place / Self.lengthOfPart][place % Self.lengthOfPart] }
  }

  func forEach(_ body: (borrowing FleetDevice) -> Void) {
    for place in links.indices { body(self[place]) }
  }

  /// Returns the place of a device with this hash; `nil` if it is none of these.
  func place(of name: FleetDeviceName, hash: UInt64) -> Place? {
    var place = first(hash)
    while place != Self.none {
      let link = links[Int(place)]
      if link.hash == hash, self[Int(place)].name == name { return Int(place) }
      place = link.next
    }
    return nil
  }

  /// Adds one that is not here; returns its place.
  mutating func append(_ device: FleetDevice, hash: UInt64) -> Place {
    let place = count
    if place >= lists.count { makeLists() }
    let (list, part) = (list(hash), place / Self.lengthOfPart)
    links.append((hash, lists[list]))
    lists[list] = Int32(place)
    if part == parts.count {
      parts.append([])
      parts[part].reserveCapacity(Self.lengthOfPart)
    }
    parts[part].append(device)
    return place
  }

  /// Removes a device; the last one takes its place.
  mutating func remove(at place: Place) {
    unlink(place)
    let last = count - 1
    if place < last {
      unlink(last)
      let list = list(links[last].hash)
      links[place] = (links[last].hash, lists[list])
      lists[list] = Int32(place)
      self[place] = self[last]
    }
    parts[last / Self.lengthOfPart].removeLast()
    links.removeLast()
  }

  /// Removes all, and keeps memory for so many at most.
  mutating func removeAll(keeping room: Int) {
    guard parts.count * Self.lengthOfPart <= 2 * max(room, Self.lengthOfPart) else {
      return self = AwakeDevices(most: most)
    }
    for part in parts.indices { parts[part].removeAll(keepingCapacity: true) }
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
