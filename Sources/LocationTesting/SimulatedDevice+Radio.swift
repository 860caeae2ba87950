public import CoreLocation
import LocationModel
import LocationSimulation

/// An access point of a Wi-Fi network at a fixed place.
public struct SimulatedAccessPoint: Hashable, Sendable {
  /// Where it is.
  public var latitude: CLLocationDegrees
  /// Where it is.
  public var longitude: CLLocationDegrees
  /// The signal strength at one meter, in dBm.
  public var level: Double

  /// Makes an access point.
  ///
  /// - Parameters:
  ///   - place: Where it is.
  ///   - level: The signal strength at one meter, in dBm.
  public init(at place: CLLocationCoordinate2D, level: Double = -40) {
    (latitude, longitude, self.level) = (place.latitude, place.longitude, level)
  }
}

extension SimulatedDevice {
  /// Makes a device that also has a Wi-Fi radio.
  ///
  /// While the receiver has positions, the device learns where access points are received; without
  /// satellites it finds its place from them. What is received falls with the distance as within
  /// buildings, and is the same again at each visit of a place, with small variations.
  ///
  /// - Parameters:
  ///   - place: Where the device is.
  ///   - accessPoints: The access points of its world; in the order of their addresses.
  ///   - receiver: How its receiver starts, which protocol it uses, and how often it has a fix.
  ///   - seed: The seed of all randomness; the same seed gives the same test.
  public convenience init(
    at place: CLLocationCoordinate2D, accessPoints: [SimulatedAccessPoint],
    receiver: SimulatedReceiver = SimulatedReceiver(), seed: UInt64 = 1
  ) {
    self.init(
      VirtualWorld(
        at: Coordinate(place), date: Scenario.standardDate,
        receivers: [receiver.receiver(seed: seed)], bluetooth: VirtualBluetooth(seed: seed),
        compass: VirtualCompass(seed: seed), motion: VirtualMotion(),
        radio: VirtualRadio(Self.virtual(accessPoints), seed: seed)))
  }

  /// Replaces the access points of the world: some were moved, renewed, or switched off.
  ///
  /// Has no effect on a device without a Wi-Fi radio.
  ///
  /// - Parameter accessPoints: The access points from now on; the first has the address that the
  ///   first had before, and so on.
  public func setAccessPoints(_ accessPoints: [SimulatedAccessPoint]) {
    does(.accessPoints(Self.virtual(accessPoints)))
  }

  private static func virtual(_ accessPoints: [SimulatedAccessPoint]) -> [VirtualAccessPoint] {
    accessPoints.enumerated().map { number, accessPoint in
      VirtualAccessPoint(
        .simulated(UInt64(number)),
        at: Coordinate(latitude: accessPoint.latitude, longitude: accessPoint.longitude),
        level: accessPoint.level)
    }
  }
}
