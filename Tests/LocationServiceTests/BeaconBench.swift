import LocationEngine
import LocationModel
import LocationProviders
import LocationRadio
import LocationService
import LocationSimulation
import TestSupport

/// The street of `MapBench` with beacons every ten meters, and a simulated `bluetoothd`.
struct BeaconBench {
  private(set) var map: MapBench
  private var bluetooth = VirtualBluetooth()
  /// Outputs that were looked at.
  private var seen = 0
  private static let ranging = SubscriberID(2)
  private static let uuid = BeaconUUID(high: 0x1122, low: 0x3344)
  static let source = 1

  init(
    _ urls: [String] = ["nmea+tcp://receiver:10110", "bluez:"], beacons: Int = 13,
    stored: [StateEntry] = [], records: Bool = false
  ) throws {
    map = try MapBench(urls, stored: stored, records: records)
    for number in 0..<beacons {
      let place = MapBench.street.place(east: Double(number) * 10, north: 3)
      var beacon = VirtualBeacon(Self.identity(number), at: place)
      beacon.interval = .seconds(1)
      bluetooth.place(beacon, at: map.bench.now.uptime)
    }
  }

  static func identity(_ number: Int) -> BeaconIdentity {
    BeaconIdentity(uuid: uuid, major: 1, minor: UInt16(number))
  }

  // MARK: The app

  mutating func start(_ options: UpdateOptions = UpdateOptions()) { act { $0.start(options) } }

  mutating func stop() { act { $0.stop() } }

  mutating func range(_ isOn: Bool) {
    let constraint = BeaconConstraint(uuid: Self.uuid)
    request(.ranging(Self.ranging, isOn ? .start(constraint) : .stop(constraint)))
  }

  mutating func advertise(_ number: Int?) {
    map.engine(.setting(.beacon(AppIdentity("an.app"), .allowed)))
    let advert = number.map { IBeaconAdvert(identity: Self.identity($0)) }
    request(.advertising(Self.ranging, advert.map { .start($0) } ?? .stop))
  }

  private mutating func request(_ request: Request) {
    act { $0.engine(.client(ClientID(1), .request(request))) }
  }

  // MARK: The street

  /// Walks along the street for so many seconds, at a meter a second.
  mutating func walk(_ seconds: Int, hasReceiver: Bool = true) {
    for second in 0..<seconds { step(Double(second), hasReceiver: hasReceiver) }
  }

  /// Stays at a place for so many seconds, without satellites.
  mutating func stay(at east: Double, seconds: Int) {
    for _ in 0..<seconds { step(east, hasReceiver: false) }
  }

  private mutating func step(_ east: Double, hasReceiver: Bool) {
    let place = MapBench.street.place(east: east, north: 0)
    let events = bluetooth.wake(at: map.bench.now.uptime, place: place, facing: 90)
    if let id = map.open[Self.source] {
      for event in events { act { $0.send(.channel(id, .bus(event))) } }
    }
    act { if hasReceiver { $0.fix(at: east) } else { $0.run(seconds: 1) } }
  }

  mutating func run(seconds: Double) { act { $0.run(seconds: seconds) } }

  /// Does something, and answers what `bluetoothd` is asked.
  private mutating func act(_ body: (inout MapBench) -> Void) {
    body(&map)
    while seen < map.bench.outputs.count {
      let output = map.bench.outputs[seen].output
      seen += 1
      switch output {
      case .open(_, .systemBus): bluetooth.open()
      case .close(let id) where id.provider.index == Self.source: bluetooth.close()
      case .bus(let id, let action):
        for event in bluetooth.handle(action, at: map.bench.now.uptime) {
          map.send(.channel(id, .bus(event)))
        }
      default: break
      }
    }
  }

  // MARK: What came of it

  /// Places of the map with beacons.
  var taught: Int { map.bench.machine.map?.layer(.beacons)?.cellCount ?? 0 }

  var report: SourceReport { map.bench.machine.sourceReports[Self.source] }

  mutating func takeRecording() -> [UInt8] { map.bench.machine.takeRecording() }

  /// The calls by which `bluetoothd` was asked to listen.
  var scans: Int {
    map.bench.outputs.count { entry in
      guard case .bus(_, .call(_, let call)) = entry.output else { return false }
      return call.member == "StartDiscovery" || call.member == "RegisterMonitor"
    }
  }
}
