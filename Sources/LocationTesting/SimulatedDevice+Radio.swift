public import CoreLocation
import LocationModel
import LocationSimulation

/// An access point of a Wi-Fi network, at a fixed place or traveling with the device.
///
/// One that is not finite, or whose place is not on Earth, is not received.
public struct SimulatedAccessPoint: Hashable, Sendable {
  /// Where it is, in degrees; of no effect for one that travels.
  public var latitude: CLLocationDegrees
  /// Where it is, in degrees; of no effect for one that travels.
  public var longitude: CLLocationDegrees
  /// Meters above mean sea level; `nil` for one that is on every floor of the device.
  ///
  /// Each 3.5 meters between it and the device are a ceiling, which costs 15 dB.
  public var altitude: CLLocationDistance?
  /// The signal strength at one meter in dBm, in `-80 ... -20`; what lies beyond counts as the nearest.
  public var level: Double
  /// Whether it is always where the device is: a hotspot of a bus, or of a companion's phone.
  public var travels: Bool

  /// Makes an access point at a fixed place.
  ///
  /// - Parameters:
  ///   - place: Where it is.
  ///   - altitude: Meters above mean sea level; `nil` for one that is on every floor of the device.
  ///   - level: The signal strength at one meter in dBm, in `-80 ... -20`.
  public init(
    at place: CLLocationCoordinate2D, altitude: CLLocationDistance? = nil, level: Double = -40
  ) {
    (latitude, longitude, self.level) = (place.latitude, place.longitude, level)
    self.altitude = altitude
    travels = false
  }

  /// Makes a hotspot, which travels with the device while hotspots are turned on.
  ///
  /// - Parameter level: The signal strength at one meter in dBm, in `-80 ... -20`; it is three meters
  ///   away.
  /// - Returns: The access point.
  public static func hotspot(level: Double = -40) -> SimulatedAccessPoint {
    var accessPoint = SimulatedAccessPoint(at: kCLLocationCoordinate2DInvalid, level: level)
    accessPoint.travels = true
    return accessPoint
  }
}

/// How access points change in the course of months: they are exchanged, moved, and removed while others
/// are added, as in a shopping mall.
///
/// Half of the changes exchange an access point in place, which then has another address; a quarter moves
/// it; by another quarter it is gone, and another one is added. What is moved or added stands within 50
/// meters of the first place. Each access point changes by chance, at any time as probably as at any other:
/// what has become of it follows from itself, the seed, and the time since the device was made. Hotspots do
/// not change.
public struct SimulatedChurn: Hashable, Sendable {
  /// The part of the access points that has changed once or more after the period, in `0...0.99`; what lies
  /// beyond counts as the nearest, and what is no number as 0.
  public var share: Double
  /// The time in which that part changes, an hour or more; what is shorter counts as an hour.
  public var period: Duration

  /// Makes a churn.
  ///
  /// - Parameters:
  ///   - share: The part of the access points that has changed once or more after the period, in
  ///     `0...0.99`.
  ///   - period: The time in which that part changes, an hour or more; 30 days unless given.
  public init(_ share: Double, in period: Duration = .seconds(30 * 86_400)) {
    (self.share, self.period) = (share, period)
  }

  var virtual: AccessPointChurn {
    AccessPointChurn(share: share, in: max(period, AccessPointChurn.shortestPeriod))
  }
}

/// A cell of a mobile network at a fixed place, which sends in all directions.
///
/// One that is not finite, or whose place is not on Earth, is not received.
public struct SimulatedCell: Hashable, Sendable {
  /// Where it is, in degrees.
  public var latitude: CLLocationDegrees
  /// Where it is, in degrees.
  public var longitude: CLLocationDegrees
  /// The strength of its reference signals (RSRP) at one meter in dBm, in `-30...30`; what lies beyond
  /// counts as the nearest.
  public var level: Double

  /// Makes a cell.
  ///
  /// - Parameters:
  ///   - place: Where it is.
  ///   - level: The strength of its reference signals (RSRP) at one meter in dBm, in `-30...30`. It falls
  ///     by 35 dB with each tenfold distance: one of 0 dBm is received for some 2.7 kilometers.
  public init(at place: CLLocationCoordinate2D, level: Double = 0) {
    (latitude, longitude, self.level) = (place.latitude, place.longitude, level)
  }
}

extension SimulatedDevice {
  /// Replaces the access points of the world: some were moved, renewed, or switched off.
  ///
  /// Has no effect on a device without a Wi-Fi radio.
  ///
  /// - Parameter accessPoints: The access points from now on, at most 524,288; the first at a fixed place
  ///   has the address that the first at one had before, and so on, and likewise the hotspots. Each is
  ///   given as it was before any change: what churn has made of it since the device was made holds here,
  ///   too.
  /// - Complexity: O(n log n) in the access points.
  public func setAccessPoints(_ accessPoints: [SimulatedAccessPoint]) {
    does(.accessPoints(Self.virtual(accessPoints)))
  }

  /// Replaces the cells of the world.
  ///
  /// Has no effect on a device that was made without access points and cells.
  ///
  /// - Parameter cells: The cells from now on; the first has the identity that the first had before,
  ///   and so on.
  /// - Complexity: O(n log n) in the cells.
  public func setCells(_ cells: [SimulatedCell]) {
    does(.cells(Self.virtual(cells)))
  }

  /// Imports a survey of a building into the device's map, as `locationctl map import` does.
  ///
  /// What is received of access points along the route, every two seconds, is taught with the floor that
  /// the route names, 10,000 times at most. Receivers name no floor, so that locations have one (`floor`)
  /// only where a survey has taught it. Has no effect on a device without a Wi-Fi radio.
  ///
  /// - Parameter route: The way of the person who makes the survey; it begins on a floor. The device stays
  ///   where it is.
  /// - Complexity: Linear in the duration of the route, and in the access points along it.
  public func survey(_ route: Route) {
    guard accepts(route.journey) else { return }
    does(.survey(route.journey))
  }

  /// Turns the hotspots that travel with the device on or off, as the person does by getting into a bus
  /// and out of it; they are on at first.
  ///
  /// - Parameter on: Whether the device is where they are.
  public func turnHotspots(on: Bool) { does(.hotspot(on)) }

  static func virtual(_ accessPoints: [SimulatedAccessPoint]) -> [VirtualAccessPoint] {
    var (fixed, traveling) = (UInt64(0), UInt64(0))
    return accessPoints.map { accessPoint in
      let number = accessPoint.travels ? traveling : fixed
      if accessPoint.travels { traveling += 1 } else { fixed += 1 }
      let place = Coordinate(latitude: accessPoint.latitude, longitude: accessPoint.longitude)
      return VirtualAccessPoint(
        .simulated(number, travels: accessPoint.travels), at: accessPoint.travels ? nil : place,
        altitude: accessPoint.altitude, level: accessPoint.level.within(VirtualAccessPoint.levels))
    }
  }

  static func virtual(_ cells: [SimulatedCell]) -> [VirtualCell] {
    cells.enumerated().map { number, cell in
      VirtualCell(
        .simulated(number), at: Coordinate(latitude: cell.latitude, longitude: cell.longitude),
        level: cell.level.within(VirtualCell.levels))
    }
  }
}

extension Double {
  /// The nearest of a range; one that is not finite stays.
  fileprivate func within(_ range: ClosedRange<Double>) -> Double {
    isFinite ? min(max(self, range.lowerBound), range.upperBound) : self
  }
}
