/// The hardware that all clients together need now.
///
/// Derived by the engine after every step and compared with the last one; no service switches a
/// receiver by itself.
package struct Demand: Hashable, Sendable {
  /// Positions; `nil` while nobody needs one.
  package var position: PositionDemand?
  /// Whether a motion sensor must report when the device starts to move.
  package var motion: Bool
  /// Bluetooth scanning for beacons.
  package var beacons: BeaconScan
  /// Whether the magnetometer must run (POW-4).
  package var magnetometer: Bool
  /// The longest time between two samples of the air's pressure; `nil` while nobody needs any.
  package var pressure: Duration?
  /// The beacon that this computer must advertise; `nil` for none.
  package var advert: IBeaconAdvert?

  package init(
    position: PositionDemand? = nil, motion: Bool = false, beacons: BeaconScan = .off,
    magnetometer: Bool = false, advert: IBeaconAdvert? = nil
  ) {
    self.position = position
    self.motion = motion
    self.beacons = beacons
    self.magnetometer = magnetometer
    self.advert = advert
    pressure = nil
  }

  /// Nothing at all.
  package static let none = Demand()

  /// Returns the demand that serves both; of two beacons the first.
  package func union(_ other: Demand) -> Demand {
    var both = Demand(
      position: PositionDemand.union(position, other.position),
      motion: motion || other.motion,
      beacons: max(beacons, other.beacons),
      magnetometer: magnetometer || other.magnetometer,
      advert: advert ?? other.advert)
    both.pressure = pressure.map { min($0, other.pressure ?? $0) } ?? other.pressure
    return both
  }
}

/// The hardware that one client, or one service for all its clients together, needs.
package struct DemandShare: Hashable, Sendable {
  /// `APP/SERVICE`, or the name of a service that works for all apps together.
  package var client: String
  package var demand: Demand

  package init(client: String, demand: Demand) {
    self.client = client
    self.demand = demand
  }
}

/// How well and how often positions are needed.
package struct PositionDemand: Hashable, Sendable {
  package var tier: PositionTier
  /// The longest acceptable time between two fixes; zero means as often as the receiver can.
  package var interval: Duration

  package init(tier: PositionTier, interval: Duration = .zero) {
    self.tier = tier
    self.interval = interval
  }

  package static func union(_ first: PositionDemand?, _ second: PositionDemand?) -> PositionDemand?
  {
    guard let first else { return second }
    guard let second else { return first }
    return PositionDemand(
      tier: max(first.tier, second.tier), interval: min(first.interval, second.interval))
  }
}

/// The hardware that positions come from, in the order of what it costs (POW-1, POW-2).
package enum PositionTier: Int, Comparable, CaseIterable, Sendable {
  /// Cell towers: kilometers.
  case cell
  /// Wi-Fi: about a hundred meters.
  case network
  /// A satellite receiver: ten meters and better.
  case satellite
  /// A satellite receiver with motion sensors beside it.
  case navigation

  package static func < (left: PositionTier, right: PositionTier) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// How Bluetooth scans for beacons (POW-3).
package enum BeaconScan: Int, Comparable, Sendable {
  case off
  /// Low duty, for monitoring.
  case passive
  /// Without pause, for ranging.
  case continuous

  package static func < (left: BeaconScan, right: BeaconScan) -> Bool {
    left.rawValue < right.rawValue
  }
}
