/// An event that an app must receive once, even if its process, the engine, or the power fails.
package enum PendingEvent: Hashable, Sendable {
  case visit(Visit)
  /// An entry or an exit.
  case region(RegionDescription, RegionEvent)
}

/// Identifies an event among those of its app: a later one always has a greater number.
package struct EventNumber: RawRepresentable, Hashable, Comparable, Sendable {
  package var rawValue: Int64

  package init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Before every event; also that of a daemon without numbers.
  package static let none = EventNumber(rawValue: 0)
  /// The last one that was delivered, whatever its number: the meaning of a request without a number.
  package static let latest = EventNumber(rawValue: .max)

  package static func < (left: EventNumber, right: EventNumber) -> Bool {
    left.rawValue < right.rawValue
  }
}
