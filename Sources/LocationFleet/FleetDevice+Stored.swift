internal import LocationEngine
internal import LocationModel

extension FleetDevice {
  /// The version of the form in which a device is stored.
  private static let version: UInt8 = 6
  /// The same, and behind it what is known of a clock that is ahead; written of such devices alone.
  private static let versionWithClock: UInt8 = 7
  /// It writes what follows from the newest fix, too; it is read, and not written.
  package static let earlierVersion: UInt8 = 5
  private static let mostFences = 100_000

  /// All that is known of the device, as bytes: what is read from them continues bit for bit.
  package func stored(_ fences: borrowing FleetFences) -> [UInt8] {
    var coder = StateCoder()
    let hasClock = order.isUnsure || newestAhead != 0
    var version = hasClock ? Self.versionWithClock : Self.version
    coder.pass(&version)
    var copy = self
    var stale: [Stale] = []
    copy.pass(&coder, fences, &stale)
    if hasClock { copy.passClock(&coder) }
    return coder.sealed
  }

  /// Reads a device that `stored` has written; `nil` where the bytes are none of it.
  ///
  /// A fence that has moved since keeps its state where that agrees with the last fix, and is sought
  /// anew where not; the end of one that has gone is an event of the next step.
  package init?(
    _ name: FleetDeviceName, stored bytes: [UInt8], _ fences: borrowing FleetFences
  ) {
    self.init(name)
    let isEarlier = bytes.first == Self.earlierVersion
    guard var coder = StateCoder(sealed: bytes, isOfEarlierForm: isEarlier) else { return nil }
    var version: UInt8 = 0
    coder.pass(&version)
    guard Self.isRead(version) else { return nil }
    var stale: [Stale] = []
    pass(&coder, fences, &stale)
    if version == Self.versionWithClock { passClock(&coder) }
    guard coder.isComplete else { return nil }
    settle(stale, fences)
  }

  /// Whether bytes are unchanged since `stored` has written them, here or in an earlier version. Whether their
  /// values have a meaning is not looked at: for that each device would have to be made.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard let form = bytes.first, isRead(form) else { return false }
    return StateCoder(sealed: bytes, isOfEarlierForm: form == earlierVersion) != nil
  }

  private static func isRead(_ form: UInt8) -> Bool {
    form == version || form == versionWithClock || form == earlierVersion
  }

  private mutating func passClock(_ coder: inout StateCoder) {
    order.passClock(&coder)
    coder.pass(&newestAhead)
  }

  /// A fence that is another one now, or gone.
  private struct Stale: Sendable {
    /// The number that stands for it until it is settled.
    var slot: FleetFences.Slot
    var fence: FleetFence
    var since: UnixTime?
  }

  private mutating func pass(
    _ coder: inout StateCoder, _ fences: borrowing FleetFences, _ stale: inout [Stale]
  ) {
    coder.pass(&group, blank: "") { $0.pass(&$1, most: 256) }
    coder.pass(&isPlaced)
    var passed = Int64(shift.wholeNanoseconds)
    coder.pass(&passed)
    shift = .nanoseconds(passed)
    if !coder.isOfEarlierForm {
      coder.pass(&newest, blank: .blank) { $1.pass(&$0) }
      if let newest { coder.expect(newest.coordinate) }
    }
    order.pass(&coder, newest: newest)
    motion.pass(&coder)
    visits.pass(&coder)
    moves.pass(&coder) { $1.pass(&$0) }
    if coder.isOfEarlierForm { coder.pass(&newest, blank: .blank) { $1.pass(&$0) } }
    var (inside, sought) = (inside, sought)
    let known = fences.count
    follower.pass(&coder, most: Self.mostFences, of: fences.circles, beside: visits) {
      coder, slot in
      Self.pass(&coder, &slot, fences, &inside, &sought, &stale, known)
      return slot < known
    }
    (self.inside, self.sought) = (inside, sought)
    var gone = pending.compactMap(\.fence)
    coder.pass(&gone, most: Self.mostFences, blank: "") { $0.pass(&$1, most: 256) }
    if coder.isReading {
      let estimate = motion.latestEstimate
      follower.take(estimate)
      if newest != nil { visits.take(estimate) }
      pending = gone.map { ended($0) }
    }
  }

  private func ended(_ id: String) -> FleetEvent {
    var event = FleetEvent(
      .ended, at: newest?.time ?? UnixTime(nanoseconds: 0),
      decided: newest?.time ?? UnixTime(nanoseconds: 0))
    event.fence = id
    return event
  }

  /// Passes a fence by its id and revision, and what this device knows of it besides.
  private static func pass(
    _ coder: inout StateCoder, _ slot: inout FleetFences.Slot, _ fences: borrowing FleetFences,
    _ inside: inout [Inside], _ sought: inout [FleetFences.Slot], _ stale: inout [Stale],
    _ known: Int
  ) {
    let here = slot
    var (id, revision) = coder.isReading ? ("", 0) : (fences[slot].id, fences[slot].revision)
    coder.pass(&id, most: FleetFences.longestName)
    coder.pass(&revision)
    var isSought = !coder.isReading && sought.contains(here)
    coder.pass(&isSought)
    var stay = coder.isReading ? nil : inside.first { $0.slot == here }
    coder.pass(&stay, blank: Inside(slot: 0, since: UnixTime(nanoseconds: 0), isOver: true)) {
      coder, stay in
      coder.pass(&stay.since)
      coder.pass(&stay.isOver)
    }
    guard coder.isReading, !coder.isDamaged else { return }
    if let found = fences.slot(of: id), fences[found].revision == revision {
      slot = found
    } else {
      slot = FleetFences.Slot(known + stale.count)
      let place = Circle(center: Coordinate(latitude: 0, longitude: 0), radius: 1)
      stale.append(
        Stale(
          slot: slot, fence: FleetFence(id: id, revision: revision, .circle(place)),
          since: stay?.since))
    }
    if isSought { sought.append(slot) }
    if var stay {
      stay.slot = slot
      inside.append(stay)
    }
  }

  /// Brings what is known of fences that have changed to their present form.
  private mutating func settle(_ stale: [Stale], _ fences: borrowing FleetFences) {
    for old in stale {
      let wasInside = old.since != nil
      guard let slot = fences.slot(of: old.fence.id) else {
        if wasInside { pending.append(ended(old.fence.id)) }
        forget(old.slot)
        continue
      }
      let isIn = newest.map { fences[slot].area.contains($0.coordinate) } ?? false
      if wasInside, isIn {
        follower.rename(old.slot, to: slot, of: fences.circles)
        for place in inside.indices where inside[place].slot == old.slot {
          inside[place].slot = slot
          inside[place].isOver = inside[place].isOver || fences[slot].dwell == nil
        }
      } else {
        forget(old.slot)
        guard wasInside || isIn else { continue }
        follower.drop(slot)
        follower.follow(slot)
        sought.append(slot)
      }
    }
  }

  private mutating func forget(_ slot: FleetFences.Slot) {
    follower.drop(slot)
    inside.removeAll { $0.slot == slot }
    sought.removeAll { $0 == slot }
  }
}
