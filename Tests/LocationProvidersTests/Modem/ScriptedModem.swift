import LocationModel
import LocationProviders
import LocationSimulation
import TestSupport

/// A ModemManager with modems of a test's choice, which answers what a driver calls.
struct ScriptedModem {
  var bench: Bench<AnyDriver>
  /// By path.
  var modems: [String: Modem] = [:]
  /// Calls by member, in order, with the modem's path.
  private(set) var calls: [(member: String, path: String)] = []
  /// The members that are answered with an error.
  var errors: [String: String] = [:]
  /// The members that are not answered.
  var silent: Set<String> = []
  private var handled = 0
  /// The contents of the file of assistance data, as often as it is read; or why there are none.
  var file = Result<[UInt8], FileFault>.failure(FileFault(end: .missing("open: No such file")))
  /// Whether the reading of the file is not answered.
  var isFileSlow = false
  /// The assistance data that modems were given.
  private(set) var given: [(path: String, data: [UInt8])] = []
  /// The last call that was not answered.
  private var last: (number: Int, call: BusCall)?

  struct FileFault: Error {
    var end: ChannelEnd
  }

  struct Modem {
    var state: Int32 = 8
    var failure: UInt32 = 0
    var lock: UInt32 = 1
    var technologies: UInt32 = 1 << 14
    var capabilities: UInt32? = 1
    var enabled: UInt32 = 1
    var serving = "262,02,0,1A2B301,C1D"
    var sentences = ""
    var cells: [BusValue] = []
    /// The kinds of assistance data that it takes.
    var assistance: UInt32 = 0
  }

  init(_ modems: [String: Modem] = ["/m/0": Modem()], assistance: String? = nil) {
    bench = Bench(AnyDriver(Source.modem(assistance: assistance).driver))
    self.modems = modems
  }

  mutating func need(_ tier: PositionTier?, every seconds: Int = 0) {
    let position = tier.map { PositionDemand(tier: $0, interval: .seconds(seconds)) }
    send(.demand(Demand(position: position)))
  }

  mutating func send(_ input: SourceInput) {
    bench.send(input)
    answer()
  }

  mutating func run(for seconds: Int) {
    for _ in 0..<(seconds * 4) {
      bench.run(for: .milliseconds(250))
      answer()
    }
  }

  mutating func tell(_ signal: BusSignal) { send(.channel(.bus(.signal(signal)))) }

  mutating func plug(_ path: String, _ modem: Modem) {
    modems[path] = modem
    tell(
      BusSignal(
        path: ModemService.root, interface: BlueZ.objectManager, member: "InterfacesAdded",
        arguments: [.objectPath(path), Self.interfaces(modem)]))
  }

  mutating func unplug(_ path: String) {
    modems[path] = nil
    let interfaces: [BusValue] = [.string(ModemService.modem), .string(ModemService.location)]
    tell(
      BusSignal(
        path: ModemService.root, interface: BlueZ.objectManager, member: "InterfacesRemoved",
        arguments: [.objectPath(path), .array(of: "s", interfaces)]))
  }

  /// Changes a modem, and has ModemManager say so.
  mutating func change(_ path: String, _ change: (inout Modem) -> Void) {
    guard var modem = modems[path] else { return }
    change(&modem)
    modems[path] = modem
    for (interface, values) in Self.properties(modem) {
      tell(
        BusSignal(
          path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
          arguments: [.string(interface), values, .array(of: "s", [])]))
    }
  }

  mutating func presence(_ isThere: Bool) {
    let (old, new) = isThere ? ("", ":1.9") : (":1.9", "")
    send(.channel(.bus(.owner(of: ModemService.service, from: old, to: new))))
  }

  /// Answers the last call that was not answered.
  mutating func replyToLast() {
    guard let last else { return }
    send(.channel(.bus(.reply(last.number, reply(to: last.call)))))
  }

  // MARK: What the driver did

  var outputs: [SourceOutput] { bench.outputs.map(\.output) }
  var scans: [RadioScan] {
    outputs.compactMap { if case .scan(let scan) = $0 { scan } else { nil } }
  }
  /// The modems that receive nothing any more.
  var quiet: [SourceOutput] { outputs.filter { if case .quiet = $0 { true } else { false } } }
  var fixes: [Fix] { outputs.compactMap { if case .fix(let fix) = $0 { fix } else { nil } } }
  var status: ProviderStatus? {
    outputs.compactMap { if case .status(let status) = $0 { status } else { nil } }.last
  }
  /// How often the file of assistance data was opened.
  var reads: Int {
    outputs.count { if case .open(.contents) = $0 { true } else { false } }
  }
  func faults(_ fault: ModemAssistanceFault) -> Int {
    bench.machine.driver.rejections.first { $0.reason == fault.rawValue }?.count ?? 0
  }
  var members: [String] { calls.map(\.member) }
  var isClosed: Bool { outputs.last { $0 == .close || $0 == .open(.systemBus) } == .close }
  func count(_ member: String) -> Int { calls.count { $0.member == member } }
  func rejections(_ reason: ModemRejection) -> Int {
    bench.machine.driver.rejections.first { $0.reason == reason.rawValue }?.count ?? 0
  }

  // MARK: Answers

  private mutating func answer() {
    while handled < bench.outputs.count {
      let output = bench.outputs[handled].output
      handled += 1
      switch output {
      case .open(.systemBus): bench.send(.channel(.opened))
      case .open(.contents(_, let most)): if !isFileSlow { readFile(most) }
      case .bus(.call(let number, let call)):
        calls.append((call.member, call.path))
        guard !silent.contains(call.member) else {
          last = (number, call)
          continue
        }
        bench.send(.channel(.bus(.reply(number, reply(to: call)))))
      default: break
      }
    }
  }

  /// Answers the reading of the file.
  mutating func readFile(_ most: Int = 1 << 20) {
    switch file {
    case .success(let bytes): bench.send(.kernel(.contents(Array(bytes.prefix(most + 1)))))
    case .failure(let fault): bench.send(.kernel(.closed(fault.end)))
    }
    if isFileSlow { answer() }
  }

  private mutating func reply(to call: BusCall) -> BusReply {
    if let error = errors[call.member] { return .error(error) }
    if call.member == "GetManagedObjects" { return .values([objects]) }
    guard var modem = modems[call.path] else {
      return .error("org.freedesktop.DBus.Error.UnknownObject")
    }
    switch call.member {
    case "Get": return .values([.variant(.uint32(modem.enabled))])
    case "Setup":
      guard case .uint32(let bits)? = call.arguments.first, call.arguments.last == .boolean(false)
      else { return .error("org.freedesktop.DBus.Error.InvalidArgs") }
      modem.enabled = bits
      modems[call.path] = modem
      return .values([])
    case "InjectAssistanceData":
      guard modem.enabled & 4 != 0, let data = call.arguments.first?.bytes else {
        return .error("org.freedesktop.ModemManager1.Error.Core.WrongState")
      }
      given.append((call.path, data))
      return .values([])
    case "GetLocation":
      var entries: [BusEntry] = []
      if modem.enabled & 1 != 0 {
        entries.append(BusEntry(key: .uint32(1), value: .variant(.string(modem.serving))))
      }
      if modem.enabled & 4 != 0 {
        entries.append(BusEntry(key: .uint32(4), value: .variant(.string(modem.sentences))))
      }
      return .values([.dictionary(key: "u", value: "v", entries)])
    case "GetCellInfo": return .values([.array(of: "a{sv}", modem.cells)])
    default: return .error("org.freedesktop.DBus.Error.UnknownMethod")
    }
  }

  private var objects: BusValue {
    .dictionary(
      key: "o", value: "a{sa{sv}}",
      modems.sorted { $0.key < $1.key }.map {
        BusEntry(key: .objectPath($0.key), value: Self.interfaces($0.value))
      })
  }

  private static func interfaces(_ modem: Modem) -> BusValue {
    .dictionary(
      key: "s", value: "a{sv}",
      properties(modem).map { BusEntry(key: .string($0.interface), value: $0.values) })
  }

  private static func properties(_ modem: Modem) -> [(interface: String, values: BusValue)] {
    let own = BusValue.properties([
      "State": .int32(modem.state), "StateFailedReason": .uint32(modem.failure),
      "UnlockRequired": .uint32(modem.lock), "AccessTechnologies": .uint32(modem.technologies),
    ])
    guard let capabilities = modem.capabilities else { return [(ModemService.modem, own)] }
    let location = BusValue.properties([
      "Capabilities": .uint32(capabilities), "Enabled": .uint32(modem.enabled),
      "SupportedAssistanceData": .uint32(modem.assistance),
    ])
    return [(ModemService.modem, own), (ModemService.location, location)]
  }

  /// A cell as `GetCellInfo` lists an LTE cell; without `cell`, a neighbor.
  static func lte(
    cell: String? = nil, physical: String = "1F", channel: UInt32 = 1300, level: Double = -95
  ) -> BusValue {
    var entries: KeyValuePairs<String, BusValue> = [
      "cell-type": .uint32(5), "serving": .boolean(false), "physical-ci": .string(physical),
      "earfcn": .uint32(channel), "rsrp": .double(level),
    ]
    if let cell {
      entries = [
        "cell-type": .uint32(5), "serving": .boolean(true), "operator-id": .string("26202"),
        "tac": .string("C1D"), "ci": .string(cell), "physical-ci": .string(physical),
        "earfcn": .uint32(channel), "rsrp": .double(level),
      ]
    }
    return .properties(entries)
  }

  /// What a receiver says at noon and so many seconds: a position, or that it has none.
  static func sentences(second: Int, hasFix: Bool = true) -> String {
    let time = "1200\(second < 10 ? "0" : "")\(second).00"
    let lines =
      hasFix
      ? [
        "GPRMC,\(time),A,5230.000,N,01324.000,E,0.1,0.0,040826,,,A",
        "GPGGA,\(time),5230.000,N,01324.000,E,1,09,0.9,40.0,M,44.0,M,,",
      ] : ["GPRMC,\(time),V,,,,,,,040826,,,N"]
    return lines.map { String(decoding: NMEAWriter.sentence($0), as: UTF8.self) }.joined()
  }
}

/// A driver of any kind, for the bench.
struct AnyDriver: Machine {
  var driver: any SourceDriver
  init(_ driver: any SourceDriver) { self.driver = driver }
  var nextDeadline: Instant? { driver.nextDeadline }
  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    driver.handle(input, at: now)
  }
}
