package import LocationFleet
import LocationModel

/// How far the events that a fleet reports of its devices are those of each device alone.
package struct EventComparison: Sendable {
  /// Events that are equal in everything.
  package var same = 0
  /// Of events of one kind and fence that both have, and that are not equal: seconds by which the fleet's was decided
  /// later.
  package var shifts: [Double] = []
  /// Events that only the device alone has, and only the fleet.
  package var onlyAlone: [FleetEvent] = []
  package var onlyFleet: [FleetEvent] = []

  /// Events that are not those of the device alone.
  package var differences: Int { shifts.count + onlyAlone.count + onlyFleet.count }

  /// - Parameters:
  ///   - alone: the events of each device, in their order.
  ///   - fleet: those of the same devices in a fleet.
  package init(_ alone: [[FleetEvent]], with fleet: [[FleetEvent]]) {
    for (alone, fleet) in zip(alone, fleet) {
      let (own, others) = (Self.byFence(alone), Self.byFence(fleet))
      for key in Set(own.keys).union(others.keys).sorted() {
        compare(own[key] ?? [], others[key] ?? [])
      }
    }
  }

  private static func byFence(_ events: [FleetEvent]) -> [String: [FleetEvent]] {
    Dictionary(grouping: events) { "\($0.kind) \($0.fence ?? "")" }
  }

  /// Compares the events of one kind and fence.
  private mutating func compare(_ alone: [FleetEvent], _ fleet: [FleetEvent]) {
    var (alone, fleet) = (alone, fleet)
    same += alone.takeOut(&fleet) { $0 == $1 }
    for (own, other) in zip(alone, fleet) {
      shifts.append(other.decided.seconds(since: own.decided))
    }
    onlyAlone += alone.dropFirst(fleet.count)
    onlyFleet += fleet.dropFirst(alone.count)
  }
}

extension [FleetEvent] {
  /// Removes the events that have an equal in others, with that; returns how many.
  fileprivate mutating func takeOut(
    _ others: inout [FleetEvent], _ isEqual: (FleetEvent, FleetEvent) -> Bool
  ) -> Int {
    var left: [FleetEvent] = []
    for event in self {
      if let place = others.firstIndex(where: { isEqual(event, $0) }) {
        others.remove(at: place)
      } else {
        left.append(event)
      }
    }
    defer { self = left }
    return count - left.count
  }
}
