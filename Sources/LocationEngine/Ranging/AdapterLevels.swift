import LocationCoding
package import LocationModel

/// What is known of the Bluetooth adapters of this computer (BEACON-26, BEACON-27).
package struct AdapterLevels: Sendable {
  /// Why an adapter was not calibrated.
  package enum Refusal: Error, Hashable, Sendable {
    /// No radio differs that much from another one.
    case implausible(Int)
    /// As many adapters as are kept are calibrated.
    case tooMany
  }

  private var levels: [BluetoothAddress: AdapterLevel] = [:]
  /// The adapters that learned since they were stored, sorted.
  private var unstored: [BluetoothAddress] = []
  /// When something learned was stored last.
  private var storedAt: Instant?

  package init(restoring entries: [StateEntry] = []) {
    for entry in entries where entry.key.domain == Self.domain && entry.key.owner.isEmpty {
      guard levels.count < Self.capacity, let address = BluetoothAddress(entry.key.name),
        let level = AdapterLevel(stored: entry.value), level.isPlausible
      else { continue }
      levels[address] = level
    }
  }

  /// Takes over what another process or run has stored; keeps what this one has learned since,
  /// unless the adapter was calibrated, or forgotten, elsewhere.
  mutating func adopt(_ entries: [StateEntry]) {
    let stored = AdapterLevels(restoring: entries)
    unstored.removeAll { adapter in
      stored.levels[adapter] == nil || stored.levels[adapter]?.offset != levels[adapter]?.offset
    }
    let kept = levels.filter { unstored.contains($0.key) }
    levels = stored.levels.merging(kept) { _, own in own }
  }

  /// Every adapter of which something is known, in the order of the addresses.
  package var all: [(adapter: BluetoothAddress, level: AdapterLevel)] {
    levels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  package subscript(adapter: BluetoothAddress) -> AdapterLevel {
    levels[adapter] ?? AdapterLevel()
  }

  // MARK: Learning

  /// Counts a level that an adapter heard at one more place, and returns what must be stored for
  /// room. When all adapters that are kept are calibrated, nothing is learned of a further one.
  mutating func learn(
    _ value: Double, of adapter: BluetoothAddress, at time: UnixTime
  ) -> [StateChange] {
    guard let removed = makeRoom(for: adapter) else { return [] }
    levels[adapter, default: AdapterLevel()].learn(value, at: time)
    if !unstored.contains(adapter) {
      unstored.append(adapter)
      unstored.sort()
    }
    return removed
  }

  /// Returns what was learned since it was stored; at most once a minute unless ranging has ended.
  mutating func changes(at now: Instant, isOver: Bool = false) -> [StateChange] {
    guard !unstored.isEmpty else { return [] }
    if !isOver, let storedAt, now - storedAt < Self.pause { return [] }
    storedAt = now
    defer { unstored = [] }
    return unstored.compactMap { adapter in
      levels[adapter].map { .set(Self.key(of: adapter), $0.stored) }
    }
  }

  // MARK: The owner's changes

  /// Stores how many dB more an adapter receives at one meter than beacons claim.
  package mutating func calibrate(
    _ adapter: BluetoothAddress, _ offset: Int, at time: UnixTime
  ) throws(Refusal) -> [StateChange] {
    guard Self.offsets.contains(offset) else { throw .implausible(offset) }
    guard let removed = makeRoom(for: adapter) else { throw .tooMany }
    var level = self[adapter]
    level.calibrate(offset, at: time)
    levels[adapter] = level
    unstored.removeAll { $0 == adapter }
    return removed + [.set(Self.key(of: adapter), level.stored)]
  }

  /// Forgets an adapter's calibration, and what was learned of it.
  package mutating func forget(_ adapter: BluetoothAddress) -> [StateChange] {
    unstored.removeAll { $0 == adapter }
    return levels.removeValue(forKey: adapter) == nil ? [] : [.remove(Self.key(of: adapter))]
  }

  /// Removes the adapter that has not been used for longest and is not calibrated, if that is
  /// needed; `nil` when there is no room.
  private mutating func makeRoom(for adapter: BluetoothAddress) -> [StateChange]? {
    guard levels[adapter] == nil, levels.count >= Self.capacity else { return [] }
    let unused = levels.filter { $0.value.offset == nil }
      .min { ($0.value.used, $0.key) < ($1.value.used, $1.key) }
    return unused.map { forget($0.key) }
  }

  /// Where an adapter is stored.
  package static func key(of adapter: BluetoothAddress) -> StateKey {
    StateKey(domain: domain, owner: "", name: adapter.description)
  }

  package static let domain = "beacon-offset"
  /// Adapters. Chosen: more than a computer has in years.
  package static let capacity = 16
  /// dB. Chosen: wider than any radio was measured to differ (-29 on five recorded sets).
  package static let offsets = -60...40
  /// Chosen: one write a minute, as of the last position.
  private static let pause = Duration.seconds(60)
}

extension AdapterLevels.Refusal: CustomStringConvertible {
  package var description: String {
    switch self {
    case .implausible(let offset):
      "\(offset) dB is not between \(AdapterLevels.offsets.lowerBound) and "
        + "\(AdapterLevels.offsets.upperBound) dB, as for every radio"
    case .tooMany:
      "\(AdapterLevels.capacity) adapters are calibrated already; clear one first"
    }
  }
}
