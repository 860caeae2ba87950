import LocationModel

/// A stored condition of a monitor that could not be read.
struct UnreadableCondition: Hashable, Sendable {
  var identifier: String
  var bytes: [UInt8]
}

/// Stored conditions that could not be read are moved aside, for inspection, until their retention
/// ends or the data is erased (MON-7).
extension Conditions {
  /// The domain of conditions that were moved aside. Their names begin with the time of the move,
  /// in seconds since 1970.
  package static let damagedDomain = "condition-damaged"
  /// Entries that are kept for one app; a new one replaces the oldest. Chosen.
  package static let mostDamaged = 100

  /// Notes the entries that were moved aside earlier.
  mutating func restoreDamaged(_ entries: [StateEntry]) {
    damaged = entries.map(\.key).filter { $0.domain == Self.damagedDomain }.sorted()
  }

  /// Moves the unreadable conditions of a monitor aside.
  mutating func moveAside(_ monitor: MonitorKey, at now: Moment) -> [Output] {
    let all = monitors[monitor]?.unreadable ?? []
    monitors[monitor]?.unreadable = []
    return all.flatMap { moveAside($0, of: monitor, at: now) }
  }

  /// Moves an unreadable condition aside before another one of its name is stored.
  mutating func moveAside(_ key: ConditionKey, at now: Moment) -> [Output] {
    guard case .monitor(let name) = key.owner else { return [] }
    let monitor = MonitorKey(app: key.app, name: name)
    guard
      let index = monitors[monitor]?.unreadable.firstIndex(where: {
        $0.identifier == key.identifier && !$0.bytes.isEmpty
      }), let entry = monitors[monitor]?.unreadable[index]
    else { return [] }
    // The entry stays, without bytes, until the app has received that conditions are lost.
    monitors[monitor]?.unreadable[index].bytes = []
    return moveAside(entry, of: monitor, at: now)
  }

  private mutating func moveAside(
    _ entry: UnreadableCondition, of monitor: MonitorKey, at now: Moment
  ) -> [Output] {
    guard !entry.bytes.isEmpty else { return [] }
    let key = stateKey(
      of: ConditionKey(
        app: monitor.app, owner: .monitor(monitor.name), identifier: entry.identifier))
    let aside = StateKey(
      domain: Self.damagedDomain, owner: key.owner,
      name: "\(Int64(now.unixTime.seconds)) \(key.name)")
    damaged.append(aside)
    let own = damaged.filter { $0.owner == key.owner }
    let surplus = own.count > Self.mostDamaged ? own.first : nil
    damaged.removeAll { $0 == surplus }
    return [.store(.set(aside, entry.bytes)), .store(.remove(key))]
      + [surplus.map { .store(.remove($0)) }].compactMap(\.self)
  }

  /// Removes what was moved aside before a date, or later than now.
  mutating func forgetDamaged(before date: UnixTime, at now: Moment) -> [Output] {
    let old = damaged.filter { key in
      guard let seconds = key.name.split(separator: " ").first.flatMap({ Double($0) }) else {
        return true
      }
      return seconds < date.seconds || seconds > now.unixTime.seconds
    }
    damaged.removeAll { old.contains($0) }
    return old.map { .store(.remove($0)) }
  }
}
