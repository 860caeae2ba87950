package import LocationModel

/// The access log and the event log: which apps received positions, when, and by what service; and
/// which events.
package struct BoundedLog: Machine {
  package enum Input: MachineInput {
    case stored([StateEntry])
    case delivered(AppIdentity, Delivery)
    /// An app could read the last position when it connected.
    case read(AppIdentity)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case persist(StateChange)
  }

  private var access: AccessLog
  private var events: EventLog

  /// Creates the logs; all records are kept up to this age.
  package init(keeping keep: Duration) {
    access = AccessLog(keeping: keep)
    events = EventLog(keeping: keep)
  }

  package var nextDeadline: Instant? { earliest(access.nextDeadline, events.nextDeadline) }

  /// The accesses of all apps, in the order of time.
  package var accesses: [AccessLog.Access] { access.accesses }

  /// The events that were delivered to apps, in the order of delivery.
  package var eventRecords: [EventRecord] { events.records }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .stored(let entries):
      return access.handle(.stored(entries), at: now) + events.handle(.stored(entries), at: now)
    case .delivered(let app, let delivery):
      var outputs: [Output] = []
      if let delivered = LocationService.access(of: delivery) {
        outputs += access.handle(.delivered(app, delivered.service, delivered.count), at: now)
      }
      if let event = DeliveredEvent(delivery, at: now.unixTime) {
        outputs += events.handle(.delivered(app, event, pending: delivery.pendingNumber), at: now)
      }
      return outputs
    case .read(let app): return access.handle(.delivered(app, .lastPosition, 1), at: now)
    case .wake: return access.handle(.wake, at: now) + events.handle(.wake, at: now)
    }
  }
}

extension Delivery {
  /// The number of a pending event.
  fileprivate var pendingNumber: EventNumber? {
    if case .pending(let number, _) = self, number != .none { number } else { nil }
  }
}
