package import CoreLocation

/// One command to the location manager.
package enum HardwareCommand: Hashable, Sendable {
  case desiredAccuracy(INTULocationAccuracy)
  case activityType(CLActivityType)
  case startUpdatingLocation, stopUpdatingLocation
  case startSignificantChanges, stopSignificantChanges
  case startUpdatingHeading, stopUpdatingHeading
}

/// What all live requests together need of the hardware.
struct HardwareDemand: Hashable, Sendable {
  /// The accuracy of the most demanding request for standard updates; `nil` without one (INTU-12).
  var standard: INTULocationAccuracy?
  var significantChanges = false
  var heading = false
}

/// The settings and switches last sent to the hardware.
struct HardwareOrder: Hashable, Sendable {
  private var demand = HardwareDemand()
  /// Last settings, kept after the last request ends; `nil` before the first (INTU-12, INTU-13).
  private var accuracy: INTULocationAccuracy?
  private var activityType: CLActivityType?

  /// Whether nothing is switched on.
  var isOff: Bool { demand == HardwareDemand() }
  /// Whether standard updates are switched on.
  var updatesLocation: Bool { demand.standard != nil }

  /// Takes a new demand and returns the commands for the hardware, settings before switches.
  mutating func change(to new: HardwareDemand, activityType: CLActivityType) -> [HardwareCommand] {
    let old = demand
    guard new != old || activityType != self.activityType else { return [] }
    demand = new
    var commands: [HardwareCommand] = []
    if let level = new.standard {
      if level != accuracy { commands.append(.desiredAccuracy(level)) }
      if activityType != self.activityType { commands.append(.activityType(activityType)) }
      accuracy = level
      self.activityType = activityType
    }
    switch (old.standard, new.standard) {
    case (nil, .some): commands.append(.startUpdatingLocation)
    case (.some, nil): commands.append(.stopUpdatingLocation)
    case (nil, nil), (.some, .some): break
    }
    if old.significantChanges != new.significantChanges {
      commands.append(
        new.significantChanges ? .startSignificantChanges : .stopSignificantChanges)
    }
    if old.heading != new.heading {
      commands.append(new.heading ? .startUpdatingHeading : .stopUpdatingHeading)
    }
    return commands
  }
}
