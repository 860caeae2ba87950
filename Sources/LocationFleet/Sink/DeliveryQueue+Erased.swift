package import LocationModel

// What waits for long may have been erased in the log meanwhile; then it is not handed on any more.
extension DeliveryQueue {
  /// Events of a delivery that were not seen in the log for some time.
  package func unseen(_ delivery: EventDelivery, at now: Instant) -> [SinkEvent] {
    delivery.events.filter { event in
      waiting[event.place].map { now - $0.seen >= Self.longestUnseen } ?? false
    }
  }

  /// An event is still in the log.
  package mutating func saw(_ place: EventPlace, at now: Instant) { waiting[place]?.seen = now }

  /// Takes back a delivery that was not made, without those of its events that have gone.
  package mutating func takeBack(_ delivery: EventDelivery, without gone: Set<EventPlace>) {
    guard let places = flights.removeValue(forKey: delivery.number) else { return }
    var left: [FleetDeviceName] = []
    for place in places {
      guard let device = waiting[place]?.event.device else { continue }
      if !left.contains(device) { left.append(device) }
      guard gone.contains(place) else { continue }
      waiting[place] = nil
      devices[device]?.removeAll { $0 == place }
      partitions[place.partition].settle(place.sequence)
    }
    for device in left.reversed() {
      if let head = devices[device]?.first { ready.prepend(head) } else { devices[device] = nil }
    }
  }

  /// Chosen: what is handed on at once is not looked for again, what waits for another side is.
  private static var longestUnseen: Duration { .seconds(10) }
}
