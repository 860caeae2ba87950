/// Follows on a bus whether persons have unlocked their sessions, and when their displays turn on.
package protocol SessionMonitor: Sendable {
  /// Takes an event of the bus.
  mutating func take(_ event: BusEvent) -> [SessionOutput]
}

/// What follows from the events of a bus about sessions.
package enum SessionOutput: Hashable, Sendable {
  /// An action on the bus.
  case bus(BusAction)
  /// The users who have unlocked a session, in ascending order; `nil` where there is no logind
  /// (LIFE-7).
  case unlocked([UInt32]?)
  /// The display of a user has turned on; `nil` is the user of the bus (BEACON-24).
  case displayOn(UInt32?)
}

/// Detects that a display turns on, from signs that it is off: one event for each time.
struct DisplayState: Hashable, Sendable {
  private var isOff = false

  /// Takes a sign that the display is off, or on; returns whether it has turned on.
  mutating func turns(off: Bool) -> Bool {
    defer { isOff = off }
    return isOff && !off
  }
}
