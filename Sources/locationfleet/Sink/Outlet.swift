import LocationFleet
import LocationModel

/// A delivery, and what has become of it.
typealias SettledDelivery = (number: UInt64, outcome: DeliveryOutcome)

/// The acting part of a sink: hands deliveries on, and says what has become of each.
protocol Outlet {
  mutating func send(_ delivery: EventDelivery, at now: Moment)

  /// Does what can be done, and waits until something more can, at most for so many milliseconds.
  mutating func turn(_ milliseconds: Int32, at now: Moment) -> [SettledDelivery]

  mutating func close()
}
