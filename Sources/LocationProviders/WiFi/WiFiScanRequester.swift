/// Asks the program that controls the Wi-Fi adapters for a scan, over the system bus.
///
/// A scan is never directed at a network: no name is sent. Which programs run is followed by the
/// owners of their names; none is started by a request. One that does not manage an adapter, or
/// does not permit a scan, is passed over for the next.
package struct WiFiScanRequester: Sendable {
  /// A request, or its result.
  package enum Output: Hashable, Sendable {
    case bus(BusAction)
    /// A scan was begun with this adapter.
    case accepted(String, WiFiControl)
    case failed(ScanObstacle)
    /// A program that can be asked has started.
    case appeared
  }

  /// A call whose reply is awaited, and what follows from it.
  private enum Step: Hashable, Sendable {
    /// The list of devices of NetworkManager.
    case devices
    /// The properties of a device; the paths of others.
    case device(String, others: [String])
    /// Whether NetworkManager has switched Wi-Fi off.
    case switches
    /// The objects of iwd.
    case objects
    /// The path of an interface of wpa_supplicant.
    case interface
    case scan

    /// What an error in this step means.
    func obstacle(of control: WiFiControl) -> ScanObstacle {
      switch self {
      case .devices, .device, .objects, .interface: .unmanaged(control)
      case .switches, .scan: .unavailable(control)
      }
    }
  }

  /// One adapter at one program.
  private struct Candidate: Hashable, Sendable {
    var adapter: String
    var control: WiFiControl
  }

  private struct Attempt: Sendable {
    var candidate: Candidate
    var others: ArraySlice<Candidate>
    var step: Step
    var call: Int
    var obstacle: ScanObstacle?

    mutating func note(_ new: ScanObstacle) {
      if let obstacle, obstacle.weight >= new.weight { return }
      obstacle = new
    }
  }

  private enum State: Sendable {
    case disconnected
    /// The owners of the names are asked for; the calls without a reply.
    case asking([Int: WiFiControl], wanted: [String])
    case ready
    case trying(Attempt)
  }

  private var state = State.disconnected
  private var running: Set<WiFiControl> = []
  private var lastCall = 0

  package init() {}

  /// Whether a request is being made.
  package var isBusy: Bool {
    switch state {
    case .asking(_, let wanted): !wanted.isEmpty
    case .trying: true
    case .disconnected, .ready: false
    }
  }

  /// Begins, on a new connection to the bus.
  package mutating func connect() -> [Output] {
    running = []
    let matches = WiFiControl.allCases.map { Output.bus(.subscribe(.owner(of: $0.service))) }
    var pending: [Int: WiFiControl] = [:]
    let calls = WiFiControl.allCases.map { control -> Output in
      lastCall += 1
      pending[lastCall] = control
      let call = BusCall(
        Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, member: "NameHasOwner",
        reply: "b")
      return .bus(.call(lastCall, call.with(.string(control.service))))
    }
    state = .asking(pending, wanted: [])
    return matches + calls
  }

  package mutating func disconnect() {
    state = .disconnected
    running = []
  }

  /// Asks for a scan with the first adapter of these with which a program can scan.
  package mutating func scan(with adapters: [String]) -> [Output] {
    switch state {
    case .disconnected, .trying: return []
    case .asking(let pending, _):
      state = .asking(pending, wanted: adapters)
      return []
    case .ready:
      let controls = WiFiControl.allCases.filter(running.contains)
      let candidates = adapters.flatMap { adapter in
        controls.map { Candidate(adapter: adapter, control: $0) }
      }
      guard let first = candidates.first else { return [.failed(.nobody)] }
      return begin(first, then: candidates.dropFirst(), obstacle: nil)
    }
  }

  package mutating func receive(_ event: BusEvent) -> [Output] {
    switch event {
    case .reply(let number, let reply): return receive(reply, to: number)
    case .signal(let signal):
      for control in WiFiControl.allCases {
        guard let isRunning = signal.presence(of: control.service) else { continue }
        return note(control, isRunning: isRunning)
      }
      return []
    case .connected, .disconnected, .called, .refused: return []
    }
  }

  private mutating func note(_ control: WiFiControl, isRunning: Bool) -> [Output] {
    if case .asking(var pending, let wanted) = state {
      // The reply may be older than the signal.
      pending = pending.filter { $0.value != control }
      state = .asking(pending, wanted: wanted)
    }
    if isRunning { running.insert(control) } else { running.remove(control) }
    return settle() + (isRunning ? [.appeared] : [])
  }

  // MARK: Replies

  private mutating func receive(_ reply: BusReply, to number: Int) -> [Output] {
    switch state {
    case .asking(var pending, let wanted):
      guard let control = pending.removeValue(forKey: number) else { return [] }
      if reply.first?.boolean == true { running.insert(control) }
      state = .asking(pending, wanted: wanted)
      return settle()
    case .trying(let attempt) where attempt.call == number: return advance(attempt, reply)
    case .trying, .ready, .disconnected: return []
    }
  }

  /// Makes the request that waited until it was known which programs run.
  private mutating func settle() -> [Output] {
    guard case .asking(let pending, let wanted) = state, pending.isEmpty else { return [] }
    state = .ready
    return wanted.isEmpty ? [] : scan(with: wanted)
  }

  private mutating func begin(
    _ candidate: Candidate, then others: ArraySlice<Candidate>, obstacle: ScanObstacle?
  ) -> [Output] {
    let attempt = Attempt(
      candidate: candidate, others: others, step: .scan, call: 0, obstacle: obstacle)
    switch candidate.control {
    case .networkManager:
      let call = Self.call(.networkManager, Self.manager, ".GetDevices", reply: "ao")
      return ask(attempt, .devices, call)
    case .iwd:
      let call = BusCall(
        WiFiControl.iwd.service, path: "/", interface: "org.freedesktop.DBus.ObjectManager",
        member: "GetManagedObjects", reply: "a{oa{sa{sv}}}")
      return ask(attempt, .objects, call)
    case .supplicant:
      let call = Self.call(.supplicant, Self.supplicant, ".GetInterface", reply: "o")
      return ask(attempt, .interface, call.with(.string(candidate.adapter)))
    }
  }

  private mutating func ask(_ attempt: Attempt, _ step: Step, _ call: BusCall) -> [Output] {
    lastCall += 1
    var attempt = attempt
    attempt.step = step
    attempt.call = lastCall
    state = .trying(attempt)
    return [.bus(.call(lastCall, call))]
  }

  private mutating func advance(_ attempt: Attempt, _ reply: BusReply) -> [Output] {
    let control = attempt.candidate.control
    switch control.judge(reply) {
    case .busy: return end(attempt, with: .busy(control))
    case .refused: return pass(attempt, for: .refused(control))
    case .unable: return pass(attempt, for: attempt.step.obstacle(of: control))
    case .done: break
    }
    switch attempt.step {
    case .devices:
      let paths = reply.first?.elements?.compactMap(\.text).prefix(Self.mostDevices) ?? []
      return askDevice(attempt, Array(paths))
    case .device(let path, let others):
      return judgeDevice(attempt, reply.first, path, others)
    case .switches:
      let isOn = reply.first?["WirelessEnabled"]?.boolean ?? true
      let isUnlocked = reply.first?["WirelessHardwareEnabled"]?.boolean ?? true
      let isOff = !isOn || !isUnlocked
      return pass(
        attempt, for: isOff ? .switchedOff(bySwitch: !isUnlocked) : .unavailable(control))
    case .objects: return judgeObjects(attempt, reply.first)
    case .interface:
      guard let path = reply.first?.text else { return pass(attempt, for: .unmanaged(control)) }
      let call = Self.call(.supplicant, path, ".Interface.Scan")
      return ask(attempt, .scan, call.with(.properties(["Type": .string("passive")])))
    case .scan:
      state = .ready
      return [.accepted(attempt.candidate.adapter, control)]
    }
  }

  private mutating func askDevice(_ attempt: Attempt, _ paths: [String]) -> [Output] {
    guard let path = paths.first else { return pass(attempt, for: .unmanaged(.networkManager)) }
    let properties = Self.properties(path, ".Device")
    return ask(attempt, .device(path, others: Array(paths.dropFirst())), properties)
  }

  private mutating func judgeDevice(
    _ attempt: Attempt, _ properties: BusValue?, _ path: String, _ others: [String]
  ) -> [Output] {
    guard properties?["Interface"]?.text == attempt.candidate.adapter,
      properties?["DeviceType"]?.integer == Self.wireless
    else { return askDevice(attempt, others) }
    let state = properties?["State"]?.integer ?? 0
    if state <= Self.unmanaged { return pass(attempt, for: .unmanaged(.networkManager)) }
    if state <= Self.unavailable {
      return ask(attempt, .switches, Self.properties(Self.manager, ""))
    }
    let call = Self.call(.networkManager, path, ".Device.Wireless.RequestScan")
    return ask(attempt, .scan, call.with(.properties([:])))
  }

  private mutating func judgeObjects(_ attempt: Attempt, _ objects: BusValue?) -> [Output] {
    let station = objects?.entries?.first { object in
      object.value["net.connman.iwd.Device"]?["Name"]?.text == attempt.candidate.adapter
        && object.value["net.connman.iwd.Station"] != nil
    }
    guard let path = station?.key.text else { return pass(attempt, for: .unmanaged(.iwd)) }
    return ask(attempt, .scan, Self.call(.iwd, path, ".Station.Scan"))
  }

  /// Goes on with the next candidate, or reports the gravest obstacle.
  private mutating func pass(_ attempt: Attempt, for obstacle: ScanObstacle) -> [Output] {
    var attempt = attempt
    attempt.note(obstacle)
    guard let next = attempt.others.first else {
      return end(attempt, with: attempt.obstacle ?? obstacle)
    }
    return begin(next, then: attempt.others.dropFirst(), obstacle: attempt.obstacle)
  }

  private mutating func end(_ attempt: Attempt, with obstacle: ScanObstacle) -> [Output] {
    state = .ready
    return [.failed(obstacle)]
  }

  // MARK: Calls

  /// A call of a method, by its interface, behind the name of the service, and its name.
  private static func call(
    _ control: WiFiControl, _ path: String, _ method: String, reply: String? = nil
  ) -> BusCall {
    let parts = (control.service + method).split(separator: ".")
    return BusCall(
      control.service, path: path, interface: parts.dropLast().joined(separator: "."),
      member: parts.last.map(String.init) ?? "", reply: reply)
  }

  /// Asks for all properties of an object of NetworkManager.
  private static func properties(_ path: String, _ interface: String) -> BusCall {
    let service = WiFiControl.networkManager.service
    return BusCall(
      service, path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
      reply: "a{sv}"
    ).with(.string(service + interface))
  }

  private static let bus = "org.freedesktop.DBus"
  private static let manager = "/org/freedesktop/NetworkManager"
  private static let supplicant = "/fi/w1/wpa_supplicant1"
  /// `NM_DEVICE_TYPE_WIFI`.
  private static let wireless = 2
  /// `NM_DEVICE_STATE_UNMANAGED` and `NM_DEVICE_STATE_UNAVAILABLE`.
  private static let unmanaged = 10
  private static let unavailable = 20
  /// Devices of NetworkManager that are looked at. Chosen: more than a computer has.
  private static let mostDevices = 64
}
