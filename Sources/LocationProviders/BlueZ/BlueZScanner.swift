package import LocationModel

/// Receives beacons through `bluetoothd`.
///
/// For monitoring (POW-3) the adapter waits for beacons by itself if it can; if not, the scanner
/// listens five seconds of fifteen. For ranging it listens without pause.
package struct BlueZScanner: Machine {
  package enum Input: MachineInput {
    /// How much to listen.
    case scan(BeaconScan)
    case bus(BusEvent)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case bus(BusAction)
    case observation(BeaconSample)
    /// Whether beacons can be received has changed, or is known for the first time.
    case reception(BeaconReception)
  }

  /// How the adapter listens.
  private enum Mode: Hashable, Sendable {
    /// Without pause.
    case discovery
    /// Five seconds of fifteen.
    case cycle
    /// The adapter waits for beacons by itself.
    case monitor
  }

  private enum State: Sendable {
    /// No scan is requested, or no adapter is on.
    case idle
    /// The call that begins to listen is pending.
    case starting(Mode, adapter: String, call: Int)
    /// Until `until`: the pause of a cycle, or the next report of monitored beacons.
    case listening(Mode, adapter: String, until: Instant?)
    /// Between two listening periods of a cycle.
    case pausing(adapter: String, until: Instant)
    /// The adapter refused; the next attempt is at `retry`.
    case refused(retry: Instant)
  }

  private var survey = BlueZSurvey()
  private var wanted = BeaconScan.off
  private var state = State.idle
  private var reception: BeaconReception?
  /// Whether the adapter refused to monitor although it offers to.
  private var monitorIsBroken = false
  /// Paths of the devices that the monitor has found and not lost, sorted.
  private var monitored: [String] = []
  /// Number of advertisements that were not of a beacon.
  package private(set) var otherAdvertisements = 0

  /// Number of beacons that were not monitored because too many are near.
  package private(set) var otherBeacons = 0
  /// Number of devices that were forgotten because too many others were received since.
  package var forgottenDevices: Int { survey.forgotten }
  /// What the adapters can do; `nil` until it is known.
  package var evidence: BluetoothEvidence? { survey.evidence }

  package init() {}

  package var nextDeadline: Instant? {
    switch state {
    case .idle, .starting: nil
    case .listening(_, _, let until): until
    case .pausing(_, let until): until
    case .refused(let retry): retry
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .scan(let scan):
      guard scan != wanted else { return [] }
      wanted = scan
      return stop() + start()
    case .bus(let event):
      let (actions, changes) = survey.handle(event)
      return actions.map { .bus($0) } + changes.flatMap { take($0, at: now) }
        + take(event, at: now)
    case .wake:
      guard let due = nextDeadline, now.uptime >= due else { return [] }
      return wake(at: now)
    }
  }

  private mutating func take(_ changes: BlueZSurvey.Change, at now: Moment) -> [Output] {
    switch changes {
    case .adapter(let adapter):
      monitorIsBroken = false
      guard case .on = adapter else {
        state = .idle
        monitored = []
        return report(.unavailable)
      }
      return stop() + start() + report(.listening)
    case .received(let path, let device):
      guard case .listening = state else { return [] }
      return observe(device, path, at: now)
    }
  }

  private mutating func take(_ event: BusEvent, at now: Moment) -> [Output] {
    switch (event, state) {
    case (.reply(let number, let reply), .starting(let mode, let adapter, let call))
    where number == call:
      return started(mode, adapter, reply, at: now)
    case (.called(let call), .starting(.monitor, _, _)),
      (.called(let call), .listening(.monitor, _, _)):
      return called(call, at: now)
    case (.connected, _), (.disconnected, _), (.reply, _), (.signal, _), (.called, _),
      (.refused, _):
      return []
    }
  }

  // MARK: - Beginning and ending

  private mutating func start() -> [Output] {
    guard wanted != .off, case .on(let adapter, let canMonitor, _) = survey.adapter else {
      return []
    }
    guard wanted == .passive else { return discover(.discovery, adapter) }
    return canMonitor && !monitorIsBroken ? monitor(adapter) : discover(.cycle, adapter)
  }

  private mutating func discover(_ mode: Mode, _ adapter: String) -> [Output] {
    let filter = BusValue.properties(["Transport": .string("le"), "DuplicateData": .boolean(true)])
    let (first, second) = (survey.nextCall(), survey.nextCall())
    state = .starting(mode, adapter: adapter, call: second)
    return [
      .bus(.call(first, Self.call("SetDiscoveryFilter", adapter).with(filter))),
      .bus(.call(second, Self.call("StartDiscovery", adapter))),
    ]
  }

  private mutating func monitor(_ adapter: String) -> [Output] {
    let number = survey.nextCall()
    state = .starting(.monitor, adapter: adapter, call: number)
    let register = Self.monitorCall("RegisterMonitor", adapter)
    return [.bus(.export(Self.monitorObject)), .bus(.call(number, register))]
  }

  private mutating func started(
    _ mode: Mode, _ adapter: String, _ reply: BusReply, at now: Moment
  ) -> [Output] {
    switch (reply, mode) {
    case (.values, _), (.error("org.bluez.Error.InProgress"), .discovery),
      (.error("org.bluez.Error.InProgress"), .cycle):
      state = .listening(mode, adapter: adapter, until: turn(of: mode).map { now.uptime + $0 })
      return report(.listening)
    case (.error, .monitor):
      return fallBack()
    case (.error, .discovery), (.error, .cycle):
      state = .refused(retry: now.uptime + Self.retryAfter)
      return report(.failing)
    }
  }

  private func turn(of mode: Mode) -> Duration? {
    switch mode {
    case .discovery: nil
    case .cycle: Self.cycleListens
    case .monitor: Self.monitorRepeats
    }
  }

  /// Listens in cycles from now on, because the adapter does not monitor after all.
  private mutating func fallBack() -> [Output] {
    monitorIsBroken = true
    monitored = []
    state = .idle
    return [.bus(.withdraw(path: Self.monitorPath))] + start()
  }

  private mutating func stop() -> [Output] {
    defer {
      state = .idle
      monitored = []
    }
    switch state {
    case .idle, .pausing, .refused: return []
    case .starting(let mode, let adapter, _), .listening(let mode, let adapter, _):
      return end(mode, adapter)
    }
  }

  private mutating func end(_ mode: Mode, _ adapter: String) -> [Output] {
    let number = survey.nextCall()
    switch mode {
    case .discovery, .cycle:
      return [.bus(.call(number, Self.call("StopDiscovery", adapter)))]
    case .monitor:
      return [
        .bus(.call(number, Self.monitorCall("UnregisterMonitor", adapter))),
        .bus(.withdraw(path: Self.monitorPath)),
      ]
    }
  }

  private mutating func wake(at now: Moment) -> [Output] {
    switch state {
    case .listening(.cycle, let adapter, _):
      state = .pausing(adapter: adapter, until: now.uptime + Self.cyclePauses)
      return end(.cycle, adapter)
    case .listening(.monitor, let adapter, _):
      state = .listening(.monitor, adapter: adapter, until: now.uptime + Self.monitorRepeats)
      return monitored.flatMap { observeSilent($0, at: now) }
    case .pausing, .refused:
      state = .idle
      return start()
    case .listening(.discovery, _, _), .starting, .idle:
      return []
    }
  }

  // MARK: - Receiving

  private mutating func called(_ call: BusSignal, at now: Moment) -> [Output] {
    guard call.path == Self.monitorPath, call.interface == BlueZ.monitor else { return [] }
    let device = call[0]?.text
    switch call.member {
    case "Release":
      return fallBack()
    case "DeviceFound":
      guard let device, !monitored.contains(device) else { return [] }
      guard monitored.count < Self.mostMonitored else {
        otherBeacons += 1
        return []
      }
      monitored.append(device)
      monitored.sort()
      return survey.device(device).map { observe($0, device, at: now) } ?? []
    case "DeviceLost":
      monitored.removeAll { $0 == device }
      return []
    default:
      return []
    }
  }

  /// Reports a monitored beacon as present, at an unknown distance, while the monitor is silent: it
  /// reports only that a beacon comes or goes, or that its strength has changed much.
  private mutating func observeSilent(_ path: String, at now: Moment) -> [Output] {
    guard var device = survey.device(path) else { return [] }
    device.rssi = nil
    return observe(device, path, at: now)
  }

  private mutating func observe(
    _ device: BlueZDevice, _ path: String, at now: Moment
  ) -> [Output] {
    guard let address = device.address,
      var sample = BeaconSample(
        Advertisement(
          address: address, rssi: device.rssi, manufacturerData: device.manufacturerData,
          time: now.unixTime))
    else {
      otherAdvertisements += 1
      return []
    }
    sample.adapter = survey.adapterAddress(ofDevice: path)
    return [.observation(sample)]
  }

  private mutating func report(_ new: BeaconReception) -> [Output] {
    guard new != reception else { return [] }
    reception = new
    return [.reception(new)]
  }

  // MARK: - What BlueZ is asked

  private static func call(_ member: String, _ adapter: String) -> BusCall {
    BusCall(BlueZ.service, path: adapter, interface: BlueZ.adapter, member: member)
  }

  private static func monitorCall(_ member: String, _ adapter: String) -> BusCall {
    BusCall(BlueZ.service, path: adapter, interface: BlueZ.monitorManager, member: member)
      .with(.objectPath(monitorRoot))
  }

  /// The monitor object: matches manufacturer data that begins as an iBeacon's.
  private static let monitorObject = BusObject(
    path: monitorPath, root: monitorRoot, interface: BlueZ.monitor, caller: BlueZ.service,
    properties: .properties([
      "Type": .string("or_patterns"),
      "Patterns": .array(
        of: "(yyay)",
        [.structure([.byte(0), .byte(0xFF), .bytes([0x4C, 0x00, 0x02, 0x15])])]),
    ]),
    methods: [
      BusMethod("Release"), BusMethod("Activate"), BusMethod("DeviceFound", "o"),
      BusMethod("DeviceLost", "o"),
    ])

  /// Beacons. Chosen: as many as are ranged at the same time.
  package static let mostMonitored = 2000
  private static let monitorRoot = "/org/meridian/monitors"
  private static let monitorPath = "/org/meridian/monitors/ibeacon"
  /// Chosen: a beacon that sends once a second is received in every listening period.
  private static let cycleListens = Duration.seconds(5)
  /// Chosen: two listening periods fit into the thirty seconds of BEACON-22.
  private static let cyclePauses = Duration.seconds(10)
  /// Chosen: three times within the thirty seconds of BEACON-22.
  private static let monitorRepeats = Duration.seconds(10)
  /// Chosen.
  private static let retryAfter = Duration.seconds(10)
}
