/// What an app must hear of once, whatever becomes of its process, of the engine, or of the power.
package enum PendingEvent: Hashable, Sendable {
  case visit(Visit)
  /// An entry or an exit.
  case region(RegionDescription, RegionEvent)
}

/// Names an event among those of its app: a later one has a greater number, for good.
package struct EventNumber: RawRepresentable, Hashable, Comparable, Sendable {
  package var rawValue: Int64

  package init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Before every event; also that of a daemon which knows no numbers.
  package static let none = EventNumber(rawValue: 0)
  /// The last one that was delivered, whatever its number: what a request without a number means.
  package static let latest = EventNumber(rawValue: .max)

  package static func < (left: EventNumber, right: EventNumber) -> Bool {
    left.rawValue < right.rawValue
  }
}
