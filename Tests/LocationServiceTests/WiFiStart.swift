import LocationEngine
import LocationModel
import LocationProviders
import LocationService
import LocationSimulation
import TestSupport

/// A computer in the street of `MapBench` that has just started again: it has the stored map, a simulated
/// kernel with one Wi-Fi adapter and no sensors, and NetworkManager on its bus. Its receiver has no position.
struct WiFiStart {
  private(set) var bench: Bench<ServiceCore>
  private var kernel: KernelWiFi
  /// What is heard here by a scan.
  private let heard: [AccessPoint]
  /// How long a scan takes.
  private let scanTime: Duration
  private var scanEnd: Instant?
  /// Whether there is a system bus.
  private let hasBus: Bool
  /// The kernel's channel.
  private var netlink: ChannelID?
  /// What is open.
  private(set) var channels: Set<ChannelID> = []
  /// Outputs that were looked at.
  private var seen = 0
  private static let client = ClientID(1)
  private static let manager = SubscriberID(1)
  private static let began = Instant.start + .seconds(1000)

  /// Everything of `map` was heard last `age` ago at a place `east` meters along the street, except for the
  /// access point with the number `connected`, which is heard now.
  init(
    map: [StateEntry], at east: Double, heard age: Duration, scanTime: Duration = .seconds(4),
    connected: UInt64? = nil, hasBus: Bool = true,
    _ urls: [String] = ["nmea+tcp://receiver:10110", "wifi:"]
  ) throws {
    heard = (1...6).map { number in
      Self.point(UInt64(number), level: max(-40 - abs(east - Double(number - 1) * 20) * 0.8, -95))
    }
    self.scanTime = scanTime
    self.hasBus = hasBus
    kernel = KernelWiFi([KernelWiFi.Adapter(3, "wlan0")])
    let core = ServiceCore(sources: try urls.map { try Source(url: $0) })
    bench = Bench(
      core,
      startingAt: Moment(uptime: Self.began, unixTime: UnixTime(milliseconds: 1_785_931_200_000)))
    hear(heard, at: Self.began - age)
    if let connected { hear([Self.point(connected, level: -50)], at: Self.began) }
    let manifest = Manifest([Manifest.Key.whenInUse: .string("to test")])
    let app = AppIdentity("an.app")
    engine(.stored(map))
    engine(.client(Self.client, .connected(ClientDescription(app: app, manifest: manifest))))
    engine(.setting(.authorization(app, .whileUsing)))
  }

  private static func point(_ number: UInt64, level: Double) -> AccessPoint {
    let bytes = BSSID.simulated(number).bits
    let address = (0..<6).reversed().map { UInt8(truncatingIfNeeded: bytes >> (8 * $0)) }
    return AccessPoint("street", address, dBm: level, heardAt: nil)
  }

  private mutating func hear(_ points: [AccessPoint], at instant: Instant) {
    for var point in points {
      point.heardAt = Int(instant.nanoseconds)
      kernel.adapters[0].accessPoints.removeAll { $0.address == point.address }
      kernel.adapters[0].accessPoints.append(point)
    }
  }

  // MARK: What happens

  mutating func engine(_ input: LocationEngine.Input) { send(.engine(input)) }

  mutating func start() { ask(.start(UpdateOptions())) }

  mutating func stop() { ask(.stop) }

  private mutating func ask(_ request: UpdatesRequest) {
    engine(.client(Self.client, .request(.updates(Self.manager, request))))
  }

  mutating func run(seconds: Double) {
    let end = bench.now.uptime + .seconds(seconds)
    while true {
      let next = min(bench.machine.nextDeadline ?? end, scanEnd ?? end)
      guard next < end else { break }
      bench.run(for: max(.zero, next - bench.now.uptime))
      answer()
      guard let scan = scanEnd, scan <= bench.now.uptime else { continue }
      scanEnd = nil
      hear(heard, at: scan)
      if let netlink { send(.channel(netlink, .bytes(KernelWiFi.scanned(3)))) }
    }
    bench.run(for: end - bench.now.uptime)
    answer()
  }

  private mutating func send(_ input: ServiceCore.Input) {
    bench.send(input)
    answer()
  }

  private mutating func answer() {
    while seen < bench.outputs.count {
      let output = bench.outputs[seen].output
      seen += 1
      switch output {
      case .open(let id, let channel):
        if case .netlink = channel { netlink = id }
        if let end = pass(channel, id) {
          bench.send(.channel(id, .closed(end)))
        } else {
          channels.insert(id)
        }
      case .close(let id): channels.remove(id)
      case .send(let id, let bytes) where id == netlink:
        for datagram in kernel.answers(to: bytes) { bench.send(.channel(id, .bytes(datagram))) }
      case .read(let id, _): bench.send(.channel(id, .readings([])))
      case .bus(let id, .call(let number, let call)):
        bench.send(.channel(id, .bus(.reply(number, reply(to: call)))))
      default: break
      }
    }
  }

  /// Opens a channel; returns why it has ended already.
  private mutating func pass(_ channel: Channel, _ id: ChannelID) -> ChannelEnd? {
    if channel == .systemBus, !hasBus { return .missing("no bus") }
    bench.send(.channel(id, .opened))
    guard channel == .timeZone else { return nil }
    bench.send(.channel(id, .bytes(Array("/usr/share/zoneinfo/Europe/Berlin".utf8))))
    return .ended
  }

  private mutating func reply(to call: BusCall) -> BusReply {
    switch call.member {
    case "NameHasOwner":
      return .values([.boolean(call.arguments.first?.text == WiFiControl.networkManager.service)])
    case "GetDevices": return .values([.array(of: "o", [.objectPath("/wlan0")])])
    case "GetAll":
      return .values([
        .properties([
          "Interface": .string("wlan0"), "DeviceType": .uint32(2), "State": .uint32(30),
        ])
      ])
    case "RequestScan":
      scanEnd = bench.now.uptime + scanTime
      return .values([])
    default: return .error("org.freedesktop.DBus.Error.UnknownMethod")
    }
  }

  // MARK: What came of it

  /// The first position that the app received, and how long after it had asked.
  var first: (fix: Fix, after: Double)? {
    for entry in bench.outputs {
      guard case .engine(.deliver(_, .updates(_, .fixes(let fixes)))) = entry.output,
        let fix = fixes.first
      else { continue }
      return (fix, entry.at.seconds(since: Self.began))
    }
    return nil
  }
}
