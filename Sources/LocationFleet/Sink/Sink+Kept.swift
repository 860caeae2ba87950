internal import LocationModel

// An event of a device that was erased is neither handed on nor set aside any more. Who erases it overwrites
// the event first and copies of it after that; so a copy that was appended while the event was still there
// is found by that, and one that was appended later is taken back here.
extension Sink {
  /// Whether an event is still in the log.
  private func isKept(
    _ place: EventPlace, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Bool {
    let log = FleetLog.events(place.partition)
    let found = try broker.find(">", in: log, place.sequence...place.sequence)
    return found.messages.contains { $0.sequence == place.sequence }
  }

  /// Whether a delivery is to be made as it is; else it is taken back.
  mutating func isKept(
    _ delivery: EventDelivery, _ broker: inout some FleetBroker, at now: Instant
  ) throws(BrokerFault) -> Bool {
    var gone: Set<EventPlace> = []
    for event in queue?.unseen(delivery, at: now) ?? [] {
      if try isKept(event.place, &broker) {
        queue?.saw(event.place, at: now)
      } else {
        gone.insert(event.place)
      }
    }
    guard !gone.isEmpty else { return true }
    queue?.takeBack(delivery, without: gone)
    missed(gone.count)
    return false
  }

  private mutating func missed(_ count: Int) {
    figures.missed += count
    note("\(count) events were gone before they were handed on")
  }

  /// Has kept what was set aside, before it counts as settled.
  mutating func keepAsides(_ broker: inout some FleetBroker) throws(BrokerFault) {
    if !isSureOfCopies { try eraseUnsureCopies(behind: stored?.settled ?? [], &broker) }
    isSureOfCopies = asides.isEmpty
    while let first = asides.first {
      if try copy(first, &broker) {
        figures.setAside[first.group, default: 0] += 1
        note("set event \(first.event.id) aside: \(first.reason)", isFault: true)
      } else {
        missed(1)
      }
      asides.removeFirst()
      queue?.keptAside(first.event.place)
    }
    isSureOfCopies = true
  }

  /// Appends a copy of an event that is set aside; returns whether the event is still there.
  private mutating func copy(
    _ aside: SetAside, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> Bool {
    let place = aside.event.place
    guard try isKept(place, &broker) else { return false }
    let entry = LogEntry(subject: aside.subject(of: name), bytes: aside.line(of: name))
    let copy = try broker.append([entry], to: .refused, expecting: nil)
    if try isKept(place, &broker) { return true }
    _ = try broker.erase([copy], of: .refused)
    return false
  }

  /// Erases what was copied just when its event was erased, by a life that ended between the two. Only the
  /// newest copies can be such ones, and only of events that were not remembered as settled.
  mutating func eraseUnsureCopies(
    behind settled: [UInt64], _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    while let copy = try broker.last(of: .refused, key: "ref.\(name).>").message,
      let place = SetAside.place(of: copy.entry.bytes), settled.indices.contains(place.partition),
      place.sequence > settled[place.partition], try !isKept(place, &broker)
    {
      _ = try broker.erase([copy.sequence], of: .refused)
    }
  }
}
