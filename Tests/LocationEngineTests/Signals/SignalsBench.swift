import LocationEngine
import LocationModel
import TestSupport

/// The whole engine in virtual time with one app, and the signals it receives.
struct SignalsBench {
  private var bench = Bench(LocationEngine(providers: 2), describe: describe)
  static let app = AppIdentity("org.example.signals")
  static let client = ClientID(1)
  static let manager = SubscriberID(1)

  init(
    _ setting: AuthorizationSetting = .whileUsing, stored: [StateEntry] = [],
    manifest: Manifest = Manifest()
  ) {
    bench.send(.stored(stored))
    let description = ClientDescription(app: Self.app, manifest: manifest)
    bench.send(.client(Self.client, .connected(description)))
    bench.send(.setting(.authorization(Self.app, setting)))
  }

  var transcript: String { bench.transcript }
  var prompts: [Prompt] {
    bench.outputs.compactMap { if case .prompt(let prompt) = $0.output { prompt } else { nil } }
  }
  /// What is stored of the permission to be a beacon, oldest first; `nil` for a row removed.
  var storedPermissions: [String?] {
    bench.outputs.compactMap { entry -> String?? in
      switch entry.output {
      case .persist(.set(BeaconPermission.key(of: Self.app), let value)):
        String(decoding: value, as: UTF8.self)
      case .persist(.remove(BeaconPermission.key(of: Self.app))): .some(nil)
      default: nil
      }
    }
  }
  var demand: Demand { bench.machine.currentDemand }
  var equipment: Equipment { bench.machine.state(of: Self.client).equipment }

  /// What the owner of the machine sees.
  var heading: Heading? { bench.machine.latestHeading }
  var beacons: [RangedBeacon] { bench.machine.rangedBeacons }
  var coarse: Fix? { bench.machine.coarseFix }

  /// Seconds at which what the events of conditions tell was observed.
  var dates: [Double] {
    bench.outputs.compactMap { entry in
      guard case .deliver(_, .monitor(_, .event(_, let event))) = entry.output else { return nil }
      return event.date.seconds - 1_700_000_000
    }
  }

  /// The number of the last event of a monitor.
  var lastEvent: EventNumber {
    bench.outputs.compactMap { entry -> EventNumber? in
      guard case .deliver(_, .monitor(_, .event(let number, _))) = entry.output else { return nil }
      return number
    }.last ?? .none
  }

  mutating func send(_ input: LocationEngine.Input) { bench.send(input) }
  mutating func request(_ request: Request) { bench.send(.client(Self.client, .request(request))) }
  mutating func live(_ life: AppLife) { bench.send(.client(Self.client, .life(life))) }
  mutating func run(seconds: Int) { bench.run(for: .seconds(seconds)) }

  mutating func heading(_ request: HeadingRequest) { self.request(.heading(Self.manager, request)) }

  mutating func point(_ degrees: Double, from provider: Int = 0) {
    let sample = HeadingSample(magneticHeading: degrees, accuracy: 5, time: bench.now.unixTime)
    bench.send(.heading(sample, from: ProviderID(provider)))
  }

  mutating func stand(at coordinate: Coordinate) {
    let fix = Fix(coordinate: coordinate, horizontalAccuracy: 5, time: bench.now.unixTime)
    bench.send(.fix(fix, from: ProviderID(0)))
  }

  mutating func range(_ constraint: BeaconConstraint, by manager: SubscriberID = Self.manager) {
    request(.ranging(manager, .start(constraint)))
  }

  mutating func advertise(_ advert: IBeaconAdvert, by subscriber: SubscriberID = Self.manager) {
    request(.advertising(subscriber, .start(advert)))
  }

  mutating func receive(_ identity: BeaconIdentity, rssi: Int = -59) {
    bench.send(
      .beacon(
        BeaconSample(
          identity: identity, address: BluetoothAddress(bits: 1), measuredPower: -59, rssi: rssi,
          time: bench.now.unixTime)))
  }

  private static func describe(_ output: LocationEngine.Output) -> String? {
    switch output {
    case .deliver(_, .heading(let manager, .heading(let heading))):
      "heading \(heading.magneticHeading) to \(manager.rawValue)"
        + (heading.trueHeading.map { ", true \(($0 * 10).rounded() / 10)" } ?? "")
    case .deliver(_, .heading(_, .failed)): "heading failed"
    case .deliver(_, .heading(_, .askCalibration)): "calibrate?"
    case .deliver(_, .ranging(let manager, .ranged(_, let beacons))):
      "ranged \(beacons.map(\.identity.minor)) to \(manager.rawValue)"
    case .deliver(_, .ranging(_, .failed(_, let failure))): "ranging \(failure)"
    case .deliver(_, .advertising(let subscriber, let state)):
      "\(state) to \(subscriber.rawValue)"
    case .deliver(_, .pending(_, .region(_, .entered))): "entered"
    case .deliver(_, .pending(_, .region(_, .exited))): "exited"
    case .deliver(_, .region(_, let region, .failed(let failure))):
      "\(region.identifier) \(failure)"
    case .deliver(_, .monitor(_, .event(_, let event))):
      "\(event.identifier) \(event.state)" + (event.refinement.map { " by \($0.minor)" } ?? "")
    case .calibration(_, let shown): shown ? "calibration shown" : "calibration hidden"
    case .persist(.set(HeadingService.key(of: app), _)): "asked for the first time"
    default: nil
    }
  }
}
