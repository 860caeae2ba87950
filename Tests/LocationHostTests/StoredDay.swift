import LocationEngine
import LocationModel
import LocationRecording
import LocationSecrets

/// A day that leaves an entry of every kind in the state: an app with regions, a monitor, visits,
/// and sessions goes from home to work, and acknowledges nothing.
struct StoredDay {
  static let app = AppIdentity("org.example.walk")
  static let client = ClientID(1)
  static let manager = SubscriberID(1)
  static let monitor = SubscriberID(2)
  static let manifest = Manifest([
    Manifest.Key.whenInUse: .string("To draw your walk."),
    Manifest.Key.always: .string("To draw it in your pocket."),
    Manifest.Key.backgroundModes: .array([.string("location")]),
  ])
  static let home = Coordinate(latitude: 59.25, longitude: 18)
  /// Each half is greater than the greatest signed number.
  static let beacon = BeaconIdentity(
    uuid: BeaconUUID(high: .max - 1, low: 0x8000_0000_0000_0001), major: 7, minor: 65_535)
  static let setup = Recording.Setup(
    providers: 1, secret: SecretKey(seed: 7), limits: Conditions.Limits(),
    keeping: RetentionTerms(
      position: .seconds(1e7), visits: .seconds(1e7), access: .seconds(1e7)))

  private(set) var now = Moment(
    uptime: Instant(nanoseconds: 5_000_000_001), unixTime: UnixTime(seconds: 1_700_000_000.25))
  /// The day as it was recorded.
  private(set) var recording = Recording.opening
  /// What is stored at its end.
  var entries: [StateEntry] {
    state.sorted { $0.key < $1.key }.map { StateEntry(key: $0.key, value: $0.value) }
  }
  private var state: [StateKey: [UInt8]] = [:]
  private var engine = Self.setup.engine
  private var recorder = Recorder(Self.setup)
  private var log = BoundedLog(keeping: .seconds(1e7))

  /// With conditions of these identifiers.
  init(conditions identifiers: Set<String> = Set(conditions.map(\.identifier))) {
    send(.stored([]))
    send(.client(Self.client, .connected(Self.description)))
    send(.setting(.authorization(Self.app, .always)))
    send(.setting(.authorization(AppIdentity("/opt/other"), .whileUsing)))
    send(.reception(.listening))
    begin(Self.conditions.filter { identifiers.contains($0.identifier) })
    run(fixes: 200, from: 0, to: 0)
    run(fixes: 30, from: 0, to: 6000)
    for _ in 0..<150 {
      receive()
      run(fixes: 1, from: 6000, to: 6000)
    }
    for _ in 0..<2 { request(.monitor(Self.monitor, .next(after: .latest))) }
    send(.client(Self.client, .disconnected))
  }

  static var description: ClientDescription { ClientDescription(app: app, manifest: manifest) }

  /// The circles, beacons, and services of the app.
  private mutating func begin(_ conditions: [Condition]) {
    request(.session(SubscriberID(3), .open(.always, purposeKey: "route")))
    request(.session(SubscriberID(4), .openBackgroundActivity))
    request(.significantChanges(Self.manager, on: true))
    request(.visits(on: true))
    request(.live(SubscriberID(5), .start(LiveOptions())))
    for region in Self.regions { request(.region(Self.manager, .start(region))) }
    request(.monitor(Self.monitor, .open(name: "places")))
    for (identifier, target) in conditions {
      request(
        .monitor(Self.monitor, .add(identifier: identifier, target, assuming: .unsatisfied)))
    }
  }

  static let regions = [
    RegionDescription(
      identifier: "home/garden", target: .circle(Circle(center: home, radius: 150)),
      notices: RegionNotices(onEntry: true, onExit: true, onDisplay: false)),
    RegionDescription(
      identifier: "office", target: .beacon(BeaconConstraint(uuid: beacon.uuid, major: 7)),
      notices: RegionNotices(onEntry: true, onExit: false, onDisplay: true)),
  ]

  typealias Condition = (identifier: String, target: ConditionTarget)

  static let conditions: [Condition] = [
    ("work", .circle(Circle(center: home.moved(by: 6000, towards: 90), radius: 200.5))),
    ("desk", .beacon(BeaconConstraint(uuid: beacon.uuid, major: 7, minor: 65_535))),
    ("everywhere", .circle(Circle(center: home, radius: .infinity))),
    ("nowhere", .circle(Circle(center: Coordinate(latitude: .nan, longitude: 0), radius: -1))),
    ("unheard of", .unsupported),
  ]

  // MARK: Inputs

  private mutating func send(_ input: LocationEngine.Input) {
    let outputs = engine.handle(input, at: now)
    recorder.note(input, outputs, at: now)
    recording += recorder.takeBytes()
    for output in outputs {
      switch output {
      case .persist(let change): store(change)
      case .deliver(_, let delivery):
        for case .persist(let change) in log.handle(.delivered(Self.app, delivery), at: now) {
          store(change)
        }
      default: break
      }
    }
  }

  private mutating func store(_ change: StateChange) {
    switch change {
    case .set(let key, let value): state[key] = value
    case .remove(let key): state[key] = nil
    }
  }

  private mutating func request(_ request: Request) {
    send(.client(Self.client, .request(request)))
  }

  private mutating func receive() {
    send(
      .beacon(
        BeaconSample(
          identity: Self.beacon, address: BluetoothAddress(bits: 1), measuredPower: -59, rssi: -60,
          time: now.unixTime)))
  }

  /// Fixes every ten seconds on the way from one distance east of home to another.
  private mutating func run(fixes: Int, from start: Double, to end: Double) {
    for number in 0..<fixes {
      let meters = start + (end - start) * Double(number) / Double(fixes)
      send(
        .fix(
          Fix(
            coordinate: Self.home.moved(by: meters, towards: 90), horizontalAccuracy: 8,
            time: now.unixTime), from: ProviderID(0)))
      pass(.seconds(10))
    }
  }

  /// Lets time pass, and wakes the engine when it is due.
  private mutating func pass(_ duration: Duration) {
    let end = now.uptime + duration
    while let due = engine.nextDeadline, due <= end {
      advance(to: max(due, now.uptime))
      send(.wake)
    }
    advance(to: end)
  }

  private mutating func advance(to uptime: Instant) {
    now = Moment(uptime: uptime, unixTime: now.unixTime + (uptime - now.uptime))
  }
}
