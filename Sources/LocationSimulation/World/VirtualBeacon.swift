package import LocationModel
import LocationProviders

/// A beacon that stands somewhere in the world and sends.
package struct VirtualBeacon: Hashable, Sendable {
  package var advert: IBeaconAdvert
  package var place: Coordinate
  /// Between two advertisements. Chosen: bluetoothd passes on about three a second of a beacon that
  /// sends ten.
  package var interval = Duration.milliseconds(300)

  /// The measured power is the signal strength at one meter, in dBm (BEACON-2).
  package init(
    _ identity: BeaconIdentity, at place: Coordinate,
    measuredPower: Int8 = IBeaconAdvert.defaultMeasuredPower
  ) {
    advert = IBeaconAdvert(identity: identity, measuredPower: measuredPower)
    self.place = place
  }

  /// dBm that a device receives on average; `facing` is where the body that carries it looks, in
  /// degrees.
  func strength(at device: Coordinate, facing: Double) -> Double {
    let line = Geodesic.inverse(from: device, to: place)
    let distance = max(line.distance, Self.nearest)
    let loss = PathLoss.decibels(over: distance, exponent: Self.pathLossExponent)
    let behind = (1 - cos(Angle(degrees: line.initialAzimuth - facing))) / 2
    return Double(advert.measuredPower) - loss - Self.bodyLoss * behind
  }

  /// Free space. Indoors 1.6 to 3 is measured.
  private static let pathLossExponent = 2.0
  /// dB of a body right between beacon and device. Two bodies cost up to 20 in the shared recordings
  /// (docs/decisions/0024).
  private static let bodyLoss = 10.0
  /// Meters; nearer, antennas do not follow the law of distance.
  private static let nearest = 0.1
}
