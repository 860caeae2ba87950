public import CoreLocation
import LocationModel
import LocationSimulation

/// An access point of a Wi-Fi network, at a fixed place or traveling with the device.
public struct SimulatedAccessPoint: Hashable, Sendable {
  /// Where it is, in degrees; of no effect for one that travels.
  public var latitude: CLLocationDegrees
  /// Where it is, in degrees; of no effect for one that travels.
  public var longitude: CLLocationDegrees
  /// Meters above mean sea level; `nil` for one that is on every floor of the device.
  ///
  /// Each 3.5 meters between it and the device are a ceiling, which costs 15 dB.
  public var altitude: CLLocationDistance?
  /// The signal strength at one meter, in dBm.
  public var level: Double
  /// Whether it is always where the device is: a hotspot of a bus, or of a companion's phone.
  public var travels: Bool

  /// Makes an access point at a fixed place.
  ///
  /// - Parameters:
  ///   - place: Where it is.
  ///   - altitude: Meters above mean sea level; `nil` for one that is on every floor of the device.
  ///   - level: The signal strength at one meter, in dBm.
  public init(
    at place: CLLocationCoordinate2D, altitude: CLLocationDistance? = nil, level: Double = -40
  ) {
    (latitude, longitude, self.level) = (place.latitude, place.longitude, level)
    self.altitude = altitude
    travels = false
  }

  /// Makes a hotspot, which travels with the device while hotspots are turned on.
  ///
  /// - Parameter level: The signal strength at one meter, in dBm; it is three meters away.
  /// - Returns: The access point.
  public static func hotspot(level: Double = -40) -> SimulatedAccessPoint {
    var accessPoint = SimulatedAccessPoint(at: kCLLocationCoordinate2DInvalid, level: level)
    accessPoint.travels = true
    return accessPoint
  }
}

/// A cell of a mobile network at a fixed place, which sends in all directions.
public struct SimulatedCell: Hashable, Sendable {
  /// Where it is, in degrees.
  public var latitude: CLLocationDegrees
  /// Where it is, in degrees.
  public var longitude: CLLocationDegrees
  /// The strength of its reference signals (RSRP) at one meter, in dBm.
  public var level: Double

  /// Makes a cell.
  ///
  /// - Parameters:
  ///   - place: Where it is.
  ///   - level: The strength of its reference signals (RSRP) at one meter, in dBm. It falls by 35 dB with
  ///     each tenfold distance: one of 0 dBm is received for some 2.7 kilometers.
  public init(at place: CLLocationCoordinate2D, level: Double = 0) {
    (latitude, longitude, self.level) = (place.latitude, place.longitude, level)
  }
}

extension SimulatedDevice {
  /// Makes a device that also has a Wi-Fi radio and a modem, and may have a barometer.
  ///
  /// While the receiver has positions, the device learns where access points and cells are received;
  /// without satellites it finds its place from them. What is received falls with the distance as within
  /// buildings, and for cells as in a town, and is the same again at each visit of a place, with small
  /// variations. Of more than 1,000 access points, only those around the device are considered in each
  /// scan, so that there may be as many as a city has.
  ///
  /// - Parameters:
  ///   - place: Where the device is.
  ///   - accessPoints: The access points of its world; in the order of their addresses.
  ///   - cells: The cells of its world; in the order of their identities. The loudest serves the device,
  ///     until another is louder by 3 dB; it also receives up to eight neighbors, down to -120 dBm.
  ///   - barometer: Its barometer; `nil` for none.
  ///   - receiver: How its receiver starts, which protocol it uses, and how often it has a fix.
  ///   - seed: The seed of all randomness; the same seed gives the same test.
  public convenience init(
    at place: CLLocationCoordinate2D, accessPoints: [SimulatedAccessPoint],
    cells: [SimulatedCell] = [], barometer: SimulatedBarometer? = nil,
    receiver: SimulatedReceiver = SimulatedReceiver(), seed: UInt64 = 1
  ) {
    let radio = VirtualRadio(
      Self.virtual(accessPoints), cells: Self.virtual(cells), seed: seed)
    self.init(
      VirtualWorld(
        at: Coordinate(place), date: Scenario.standardDate,
        receivers: [receiver.receiver(seed: seed)], bluetooth: VirtualBluetooth(seed: seed),
        compass: VirtualCompass(seed: seed), motion: VirtualMotion(), radio: radio,
        barometer: barometer?.virtual(seed: seed)))
  }

  /// Replaces the access points of the world: some were moved, renewed, or switched off.
  ///
  /// Has no effect on a device without a Wi-Fi radio.
  ///
  /// - Parameter accessPoints: The access points from now on; the first has the address that the
  ///   first had before, and so on.
  /// - Complexity: O(n log n) in the access points.
  public func setAccessPoints(_ accessPoints: [SimulatedAccessPoint]) {
    does(.accessPoints(Self.virtual(accessPoints)))
  }

  /// Replaces the cells of the world.
  ///
  /// Has no effect on a device without a modem.
  ///
  /// - Parameter cells: The cells from now on; the first has the identity that the first had before,
  ///   and so on.
  /// - Complexity: O(n log n) in the cells.
  public func setCells(_ cells: [SimulatedCell]) {
    does(.cells(Self.virtual(cells)))
  }

  /// Turns the hotspots that travel with the device on or off, as the person does by getting into a bus
  /// and out of it; they are on at first.
  ///
  /// - Parameter on: Whether the device is where they are.
  public func turnHotspots(on: Bool) { does(.hotspot(on)) }

  private static func virtual(_ accessPoints: [SimulatedAccessPoint]) -> [VirtualAccessPoint] {
    accessPoints.enumerated().map { number, accessPoint in
      let place = Coordinate(latitude: accessPoint.latitude, longitude: accessPoint.longitude)
      return VirtualAccessPoint(
        .simulated(UInt64(number)), at: accessPoint.travels ? nil : place,
        altitude: accessPoint.altitude, level: accessPoint.level)
    }
  }

  private static func virtual(_ cells: [SimulatedCell]) -> [VirtualCell] {
    cells.enumerated().map { number, cell in
      VirtualCell(
        .simulated(number), at: Coordinate(latitude: cell.latitude, longitude: cell.longitude),
        level: cell.level)
    }
  }
}
