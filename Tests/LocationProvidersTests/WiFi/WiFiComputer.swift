import LocationModel
import LocationProviders
import TestSupport

/// A driver of `wifi:` on a computer with a simulated kernel and simulated programs on the bus.
struct WiFiComputer {
  private(set) var bench: Bench<WiFiDriver>
  var kernel: KernelWiFi
  /// The programs on the bus, and whether there is a bus.
  var running: Set<WiFiControl> = [.networkManager]
  var hasBus = true
  /// NetworkManager's state of each adapter: 10 unmanaged, 20 unavailable, 30 disconnected.
  var state: UInt32 = 30
  /// The error with which a scan is refused; `nil` for none.
  var refusal: String?
  /// What the person or a switch has switched off.
  var isEnabled = true
  var isUnlocked = true
  /// Seconds from a request to its results; `nil` for a scan that never ends.
  var scanTime: Double? = 4
  private var handled = 0
  /// When each scan ends that was begun.
  private var ends: [Instant] = []

  init(_ kernel: KernelWiFi, adapter: String? = nil) {
    self.kernel = kernel
    bench = Bench(WiFiDriver(adapter: adapter)) { Self.line($0) }
  }

  /// With one adapter and this many access points, heard now.
  init(points: Int = 3) {
    let list = (0..<points).map { AccessPoint("net\($0)", last: UInt8($0 + 1)) }
    self.init(KernelWiFi([KernelWiFi.Adapter(3, "wlan0", list)]))
  }

  var driver: WiFiDriver { bench.machine }

  mutating func want(_ tier: PositionTier? = .network, every seconds: Double = 0) {
    let position = tier.map { PositionDemand(tier: $0, interval: .seconds(seconds)) }
    send(.demand(Demand(position: position)))
  }

  mutating func send(_ input: SourceInput) {
    bench.send(input)
    answer()
  }

  /// Lets time pass; scans end when they are due, with everything heard at their end.
  mutating func run(seconds: Double) {
    let end = bench.now.uptime + .seconds(seconds)
    while true {
      let deadline = min(bench.machine.nextDeadline ?? end, ends.first ?? end)
      guard deadline < end else { break }
      bench.run(for: max(.zero, deadline - bench.now.uptime))
      answer()
      if let scan = ends.first, scan <= bench.now.uptime {
        ends.removeFirst()
        scanned()
      }
    }
    bench.run(for: end - bench.now.uptime)
    answer()
  }

  /// An adapter has finished a scan, by whoever: all its access points are heard now.
  mutating func scanned(_ index: Int = 3) {
    hear(index)
    send(.kernel(.bytes(KernelWiFi.scanned(index))))
  }

  /// All access points of an adapter are heard now.
  mutating func hear(_ index: Int = 3) {
    for adapter in kernel.adapters.indices where kernel.adapters[adapter].index == index {
      for point in kernel.adapters[adapter].accessPoints.indices {
        kernel.adapters[adapter].accessPoints[point].heardAt =
          Int(bench.now.uptime.nanoseconds)
      }
    }
  }

  /// A program starts or ends.
  mutating func set(_ control: WiFiControl, isRunning: Bool) {
    if isRunning { running.insert(control) } else { running.remove(control) }
    let (old, new) = isRunning ? ("", ":1.9") : (":1.9", "")
    send(.channel(.bus(.owner(of: control.service, from: old, to: new))))
  }

  // MARK: What came of it

  var scans: [RadioScan] {
    bench.outputs.compactMap { if case .scan(let scan) = $0.output { scan } else { nil } }
  }

  var status: ProviderStatus? {
    bench.outputs.compactMap { if case .status(let status) = $0.output { status } else { nil } }
      .last
  }

  /// The seconds at which a program was asked for a scan.
  var requests: [Double] {
    bench.outputs.compactMap { entry in
      guard case .bus(.call(_, let call)) = entry.output, Self.scans.contains(call.member) else {
        return nil
      }
      return (entry.at.seconds(since: .start) * 1000).rounded() / 1000
    }
  }

  func count(_ isMeant: (SourceOutput) -> Bool) -> Int {
    bench.outputs.count { isMeant($0.output) }
  }

  func rejected(_ words: String) -> Int {
    driver.rejections.filter { $0.reason.contains(words) }.reduce(0) { $0 + $1.count }
  }

  private static let scans = ["RequestScan", "Scan"]

  // MARK: The system

  private mutating func answer() {
    while handled < bench.outputs.count {
      let output = bench.outputs[handled].output
      handled += 1
      switch output {
      case .open(.netlink): bench.send(.kernel(.opened))
      case .open(.systemBus):
        bench.send(.channel(hasBus ? .opened : .closed(.missing("no bus"))))
      case .request(let bytes):
        for datagram in kernel.answers(to: bytes) { bench.send(.kernel(.bytes(datagram))) }
      case .bus(.call(let number, let call)):
        bench.send(.channel(.bus(.reply(number, reply(to: call)))))
      default: continue
      }
    }
  }

  private mutating func reply(to call: BusCall) -> BusReply {
    if call.member == "NameHasOwner" {
      let name = call.arguments.first?.text
      return .values([.boolean(running.contains { $0.service == name })])
    }
    guard running.contains(where: { $0.service == call.destination }) else {
      return .error("org.freedesktop.DBus.Error.ServiceUnknown")
    }
    switch call.member {
    case "GetDevices":
      let paths = kernel.adapters.map { BusValue.objectPath(Self.device + $0.name) }
      return .values([.array(of: "o", [.objectPath(Self.device + "lo")] + paths)])
    case "GetAll": return .values([properties(of: call.path)])
    case "GetManagedObjects": return .values([objects])
    case "GetInterface": return .values([.objectPath("/interface/0")])
    case "RequestScan", "Scan":
      if let refusal { return .error(refusal) }
      if let scanTime { ends.append(bench.now.uptime + .seconds(scanTime)) }
      return .values([])
    default: return .error("org.freedesktop.DBus.Error.UnknownMethod")
    }
  }

  private func properties(of path: String) -> BusValue {
    guard path.hasPrefix(Self.device) else {
      return .properties([
        "WirelessEnabled": .boolean(isEnabled), "WirelessHardwareEnabled": .boolean(isUnlocked),
      ])
    }
    let name = String(path.dropFirst(Self.device.count))
    return .properties([
      "Interface": .string(name), "DeviceType": .uint32(name == "lo" ? 14 : 2),
      "State": .uint32(state),
    ])
  }

  private var objects: BusValue {
    let device = BusEntry(
      key: .string("net.connman.iwd.Device"), value: .properties(["Name": .string("wlan0")]))
    let station = BusEntry(key: .string("net.connman.iwd.Station"), value: .properties([:]))
    let object = BusEntry(
      key: .objectPath("/net/connman/iwd/0/3"),
      value: .dictionary(key: "s", value: "a{sv}", [device, station]))
    return .dictionary(key: "o", value: "a{sa{sv}}", [object])
  }

  private static let device = "/org/freedesktop/NetworkManager/Devices/"

  private static func line(_ output: SourceOutput) -> String? {
    switch output {
    case .open(.netlink(let groups)): "open netlink \(groups)"
    case .open(let channel): "open \(channel)"
    case .close: "close"
    case .closeKernel: "close kernel"
    case .bus(.call(_, let call)):
      "\(call.destination.split(separator: ".").last ?? "") \(call.member)"
    case .scan(let scan): "scan of \(scan.readings.count)"
    case .status(let status): "\(status)"
    default: nil
    }
  }
}
