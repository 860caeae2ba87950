import LocationModel

/// The last position on disk (docs/decisions/0084).
extension LocationEngine {
  /// Whether the current position is to be stored: once a minute, unless it is set from outside,
  /// which was never that of the device (SIM-15).
  func isPositionDue(at now: Moment) -> Bool {
    !simulated.isActive && lastPosition.isDue(hasCoarse: coarse.place != nil, at: now.uptime)
  }

  /// Stores the current position.
  mutating func storePosition(_ fix: Fix, at now: Moment, to outputs: inout [Output]) {
    let change = lastPosition.note(fix, coarse.place?.time, at: now, retention.steady)
    outputs.append(.persist(change))
  }

  /// Restores the last position of an earlier run, with its date (STD-2, STD-9), and forgets what was
  /// moved aside long ago (MON-7).
  mutating func restorePosition(
    _ entries: [StateEntry], at now: Moment, to outputs: inout [Output]
  ) {
    if let date = retention.startOfDamaged(at: now) {
      carry(conditions.forgetDamaged(before: date, at: now), at: now, to: &outputs)
    }
    let (position, change) = lastPosition.restore(entries, at: now, retention.steady)
    if let change { outputs.append(.persist(change)) }
    guard let position else { return }
    arbiter.restore(position.fix)
    coarse.restore(position.coarseTime, position.fix.origin)
    for index in coordinators.indices {
      coordinators[index].world.current = position.fix
      coordinators[index].place(coarse.place)
    }
  }
}
