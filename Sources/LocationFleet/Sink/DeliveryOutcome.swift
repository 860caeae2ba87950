/// Events that are handed on together.
package struct EventDelivery: Hashable, Sendable {
  /// Above those of all earlier ones.
  package var number: UInt64
  package var events: [SinkEvent]
}

/// What has become of a delivery.
package enum DeliveryOutcome: Hashable, Sendable {
  /// The other side has it, and says so.
  case confirmed
  /// The other side will never take it, with a reason that names no place.
  case refused(String)
  /// The other side has failed with it, and may take it later; not before a time, if it has named one.
  case failed(String, after: Duration?)
  /// There is no other side now, or it takes nothing.
  case unreachable(String, after: Duration?)
  /// The other side has no room, whichever event it is.
  case full(String)
}
