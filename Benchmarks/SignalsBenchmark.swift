import Foundation
import LocationEngine
import LocationModel

/// Measures what 200 beacons at ten advertisements a second, and a compass at 100 Hz, cost the
/// engine with one app that asks for them: from the observation to the delivery.
func measureSignals() throws {
  try measureBeacons()
  try measureHeadings()
}

/// Seconds of virtual time in each round.
private let span = 20

private func measureBeacons() throws {
  var world = SignalsWorld()
  let constraint = BeaconConstraint(uuid: BeaconUUID(high: 1, low: 2))
  world.handle(.reception(.listening))
  world.request(.ranging(SubscriberID(1), .start(constraint)))
  let identities = (0..<200).map {
    BeaconIdentity(uuid: constraint.uuid, major: 1, minor: UInt16($0))
  }
  let seconds = try leastProcessorTime {
    for tick in 0..<(span * 10) {
      for (index, identity) in identities.enumerated() {
        let sample = BeaconSample(
          identity: identity, address: BluetoothAddress(bits: UInt64(index)), measuredPower: -59,
          rssi: -60 - (tick + index) % 7, time: world.now.unixTime)
        world.handle(.beacon(sample))
      }
      world.pass(.milliseconds(100))
    }
  }
  let adverts = Double(span * 10 * identities.count)
  try Figure.report(
    "signals.beacons.share", 100 * seconds / Double(span), "%",
    "200 beacons at 10/s, share of one core")
  try Figure.report(
    "signals.beacons.time", 1e9 * seconds / adverts, "ns", "each advertisement, all included")
}

private func measureHeadings() throws {
  var world = SignalsWorld()
  world.handle(.compass(ProviderID(0), true))
  world.request(.updates(SubscriberID(1), .start(UpdateOptions())))
  world.request(.heading(SubscriberID(1), .start(HeadingOptions(filter: nil))))
  let place = Coordinate(latitude: 51.5, longitude: -0.1)
  let fix = Fix(coordinate: place, horizontalAccuracy: 5, time: world.now.unixTime)
  world.handle(.fix(fix, from: ProviderID(0)))
  let field = DeviceVector(x: 0, y: 20, z: -40)
  let seconds = try leastProcessorTime {
    for tick in 0..<(span * 100) {
      let sample = HeadingSample(
        magneticHeading: Double(tick % 360), accuracy: 5, field: field, inclination: 63,
        time: world.now.unixTime)
      world.handle(.heading(sample, from: ProviderID(0)))
      world.pass(.milliseconds(10))
    }
  }
  try Figure.report(
    "signals.heading.share", 100 * seconds / Double(span), "%",
    "headings at 100 Hz with true north, share of one core")
}

/// An engine in virtual time with one app that may know where it is.
private struct SignalsWorld {
  private var engine = LocationEngine(providers: 1)
  private(set) var now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000))
  private static let app = AppIdentity("benchmark")

  init() {
    handle(.stored([]))
    let description = ClientDescription(app: Self.app, manifest: Manifest())
    handle(.client(ClientID(1), .connected(description)))
    handle(.setting(.authorization(Self.app, .whileUsing)))
  }

  mutating func handle(_ input: LocationEngine.Input) {
    _ = engine.handle(input, at: now)
  }

  mutating func request(_ request: Request) { handle(.client(ClientID(1), .request(request))) }

  mutating func pass(_ time: Duration) {
    now = Moment(uptime: now.uptime + time, unixTime: now.unixTime + time)
    if let due = engine.nextDeadline, due <= now.uptime { handle(.wake) }
  }
}
