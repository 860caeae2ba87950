import CVirtualTime
public import CoreLocation
import Dispatch
import LocationEngine
package import LocationModel
import LocationSimulation
import Synchronization

/// A device in a world of its own, where time passes only when a test says so.
///
/// Apps on it run unchanged Core Location code against the real engine:
///
/// ```swift
/// let device = SimulatedDevice(at: .init(latitude: 52.52, longitude: 13.40))
/// let app = device.app("com.example.walk")
/// try await app.run {
///   let model = WalkModel()
///   model.start()
///   try await device.advance(by: .seconds(60))
///   #expect(model.distance > 50)
/// }
/// ```
public final class SimulatedDevice: Sendable {
  private struct State {
    var world: VirtualWorld
    var clients: [ClientID: @Sendable (Delivery) -> Void] = [:]
    var apps: [AppIdentity: Installed] = [:]
    /// Calls of `advance` that have not returned, the earliest end first.
    var waits: [Wait] = []
    var lastWait = 0
  }

  private struct Installed {
    weak var app: SimulatedApp?
    /// The client of its current process.
    var client: ClientID?
    /// Settings that the person changed while it had no process: the engine may not know the app
    /// yet.
    var settings: [Setting] = []
  }

  /// A call of `advance` that has not returned.
  private struct Wait {
    var end: Instant
    /// The real time without progress after which the call fails.
    var timeout: Duration
    var number: Int
    var task: UInt64
    var continuation: CheckedContinuation<Void, any Error>
  }

  private let state: Mutex<State>
  /// What it has said to developers.
  let log = MessageLog()
  /// What its geocoders find.
  let gazetteer = Mutex(Gazetteer())
  /// The executor of everything that runs on this device.
  let executor: DeviceExecutor

  /// Makes a device that is switched on, with one receiver under an open sky, Bluetooth, a compass,
  /// and a motion sensor. It may also have a Wi-Fi radio, a modem, and a barometer.
  ///
  /// While the receiver has positions, the device learns where access points and cells are received;
  /// without satellites it finds its place from them. What is received falls with the distance as within
  /// buildings, and for cells as in a town, and is the same again at each visit of a place, with small
  /// variations, which are each transmitter's own: another one changes nothing of them. Only those around
  /// the device are considered in each scan, so that there may be as many as a city has.
  ///
  /// - Parameters:
  ///   - place: Where the device is; one that is not on Earth is said in ``messages``, and the device
  ///     then has no position until it is moved.
  ///   - altitude: Meters above mean sea level.
  ///   - date: The time on its clock.
  ///   - accessPoints: The access points of its world, at most 524,288; in the order of their addresses,
  ///     hotspots apart; `nil` for a device without a Wi-Fi radio.
  ///   - churn: How the access points at fixed places change over time; `nil` where they do not.
  ///   - cells: The cells of its world; in the order of their identities. The loudest serves the device,
  ///     until another is louder by 3 dB; it also receives up to eight neighbors, down to -120 dBm. A
  ///     device without a Wi-Fi radio has a modem where there are cells.
  ///   - barometer: Its barometer; `nil` for none.
  ///   - receiver: How its receiver starts, which protocol it uses, and how often it has a fix.
  ///   - seed: The seed of all randomness; the same seed gives the same test.
  ///   - visitLatency: How long a stay or a departure must last before a visit is delivered, as a
  ///     multiple of the usual (VISIT-11), a million at most; 0 for no longer than the fixes need to show it, and the
  ///     usual where it is not finite.
  public convenience init(
    at place: CLLocationCoordinate2D, altitude: CLLocationDistance = 0,
    date: Date = Date(timeIntervalSince1970: 1_767_254_400),
    accessPoints: [SimulatedAccessPoint]? = nil, churn: SimulatedChurn? = nil,
    cells: [SimulatedCell] = [],
    barometer: SimulatedBarometer? = nil, receiver: SimulatedReceiver = SimulatedReceiver(),
    seed: UInt64 = 1, visitLatency: Double = 1
  ) {
    let radio =
      accessPoints == nil && cells.isEmpty
      ? nil
      : VirtualRadio(
        accessPoints.map(Self.virtual), churn: churn?.virtual, cells: Self.virtual(cells),
        seed: seed)
    self.init(
      VirtualWorld(
        at: Coordinate(place), date: UnixTime(seconds: date.timeIntervalSince1970),
        receivers: [receiver.receiver(seed: seed)], bluetooth: VirtualBluetooth(seed: seed),
        compass: VirtualCompass(seed: seed), motion: VirtualMotion(), radio: radio,
        barometer: barometer?.virtual(seed: seed), altitude: altitude,
        visitLatency: visitLatency.isFinite ? min(max(visitLatency, 0), 1e6) : 1))
    if let fault = Coordinate(place).fault { log.say("\(fault): the device has no position") }
  }

  init(_ world: sending VirtualWorld) {
    TaskOwners.shared.begin()
    state = Mutex(State(world: world))
    let device = WeakDevice()
    executor = DeviceExecutor(
      now: { device.value?.now.uptime ?? .start }, whenQuiet: { device.value?.goOn() ?? .resting })
    device.value = self
  }

  // MARK: Time

  /// Advances virtual time, and returns when everything due in it was delivered and handled:
  /// delegates were called, the bodies of loops have run and their loops wait again, sleepers have
  /// resumed.
  ///
  /// - Parameters:
  ///   - duration: How much virtual time passes; for a negative one, which ``messages`` then says, none.
  ///   - timeout: The real time after which a piece of work counts as stuck.
  /// - Throws: ``Standstill`` when a piece of work does not end, or a task stays on an executor of
  ///   its own, for the real time of `timeout`; when something real resumes a task after more than
  ///   a second, and time has advanced without it; where the runtime is one that virtual time does
  ///   not know; and, once the time has passed, when the body of
  ///   a loop over the device's deliveries has not returned.
  /// - Complexity: Linear in the fixes and events of the time.
  public func advance(by duration: Duration, timeout: Duration = .seconds(30)) async throws {
    if let refusal = RuntimeLayout.present.refusal {
      throw Standstill(cause: .runtime(refusal), since: .zero, timeout: .zero)
    }
    let task = virtual_time_current_task()
    if duration < .zero { log.say("\(duration) is no time to advance by: none passes") }
    let end = now.uptime + max(duration, .zero)
    executor.expect("advance(by:)")
    executor.welcome(task)
    try await withCheckedThrowingContinuation { continuation in
      let number = state.withLock { state in
        state.lastWait += 1
        let wait = Wait(
          end: end, timeout: timeout, number: state.lastWait, task: task,
          continuation: continuation)
        let place = state.waits.firstIndex { $0.end > end } ?? state.waits.endIndex
        state.waits.insert(wait, at: place)
        return wait.number
      }
      executor.poke()
      watch(number, last: nil, timeout: timeout)
    }
    await executor.settle()
  }

  /// A queue that gets a thread even where the code under test keeps those of the global queue
  /// busy.
  static let watchdog = DispatchQueue(label: "meridian.watchdog")

  /// Checks every `timeout` whether there is progress while a call of `advance` waits.
  private func watch(_ number: Int, last: DeviceExecutor.Activity?, timeout: Duration) {
    Self.watchdog.asyncAfter(deadline: .now() + timeout.inSeconds) { [weak self] in
      guard let self, state.withLock({ $0.waits.contains { $0.number == number } }) else { return }
      let activity = executor.activity
      if let activity, activity == last {
        return giveUp(number, at: activity, timeout: timeout)
      }
      executor.poke()
      watch(number, last: executor.activity, timeout: timeout)
    }
  }

  private func giveUp(_ number: Int, at activity: DeviceExecutor.Activity, timeout: Duration) {
    let wait = state.withLock { state in
      state.waits.firstIndex { $0.number == number }.map { state.waits.remove(at: $0) }
    }
    guard let wait else { return }
    // The executor is blocked: the task resumes on any thread of the platform.
    executor.release(wait.task)
    let cause: Standstill.Cause =
      activity.waitsForMain ? .mainQueue : .work(WatchedTask.place(activity.place))
    wait.continuation.resume(throwing: standstill(cause, after: timeout))
  }

  private func standstill(_ cause: Standstill.Cause, after timeout: Duration) -> Standstill {
    Standstill(cause: cause, since: now.uptime - .start, timeout: timeout)
  }

  /// Readable descriptions of what the apps' tasks await that is not a delivery, a time, or another
  /// task, each with the function that awaits it: a callback of the device, or something that never
  /// comes.
  public var awaiting: [String] { executor.awaiting }

  /// The date on the device.
  public var date: Date { Date(timeIntervalSince1970: now.unixTime.seconds) }

  /// Advances time when no work is queued, a call of `advance` waits, and no task is away.
  private func goOn() -> DeviceExecutor.Quiet {
    guard let timeout = state.withLock({ $0.waits.first?.timeout }) else {
      executor.remindLater { [weak self] in self?.log.say($0) }
      return .resting
    }
    if let story = executor.takeLatecomer() { return stop(.latecomer(story), after: timeout) }
    while let (absentee, waited, looks) = executor.absentee() {
      let mayPass = absentee.reason == .continuation && looks >= AwaitedPlaces.looks
      if waited < (mayPass ? AwaitedPlaces.wait : timeout) { return .waiting }
      let story = executor.story(of: absentee)
      executor.letPass(absentee)
      if !mayPass { return stop(.elsewhere(story), after: timeout) }
    }
    return pass() ? .working : .resting
  }

  /// Fails the first call of `advance`.
  private func stop(_ cause: Standstill.Cause, after timeout: Duration) -> DeviceExecutor.Quiet {
    let first = state.withLock { $0.waits.isEmpty ? nil : $0.waits.removeFirst() }
    guard let wait = first else { return .resting }
    wait.continuation.resume(throwing: standstill(cause, after: timeout))
    return .working
  }

  /// Advances to the next deadline, or to the end of a call of `advance`. Returns whether it did.
  private func pass() -> Bool {
    let next = executor.nextWake
    let (effects, finished) = state.withLock { state -> ([VirtualWorld.Effect]?, Wait?) in
      guard let first = state.waits.first else { return (nil, nil) }
      if let due = earliest(state.world.nextDeadline, next), due <= first.end {
        state.world.advance(to: due)
        return (state.world.wake(), nil)
      }
      state.world.advance(to: first.end)
      return (nil, state.waits.removeFirst())
    }
    if let effects {
      carryOut(effects)
      executor.wakeSleepers(at: now.uptime)
      return true
    }
    guard let finished else { return false }
    if let story = executor.unhandled {
      finished.continuation.resume(throwing: standstill(.loop(story), after: finished.timeout))
    } else {
      finished.continuation.resume()
    }
    return true
  }

  // MARK: The world

  /// Changes the world now, in its turn on the executor.
  func change(_ body: @escaping @Sendable (inout VirtualWorld) -> [VirtualWorld.Effect]) {
    executor.add(.call { self.carryOut(self.state.withLock { body(&$0.world) }) })
  }

  func does(_ worldEvent: WorldEvent) {
    change { $0.perform(worldEvent) }
  }

  var truth: Truth { state.withLock { $0.world.truth } }
  /// The true pressure of the air at the device in hectopascals, without the barometer's noise; `nil`
  /// for a device without a barometer.
  public var pressure: Double? { state.withLock { $0.world.pressure } }

  private func carryOut(_ effects: [VirtualWorld.Effect]) {
    for effect in effects {
      switch effect {
      case .deliver(let client, let delivery):
        executor.hasDelivered(at: now.uptime)
        state.withLock { $0.clients[client] }?(delivery)
      case .wakeApp(let app): installed(app)?.change(to: .background)
      case .launch(let app): installed(app)?.start(.background)
      case .runtimeOver(let app): installed(app)?.endRuntime()
      case .note(let note): note.message.map(log.say)
      case .asked(let prompt): installed(prompt.id.app)?.asked.add(prompt)
      case .answered(let id, let answer): installed(id.app)?.asked.close(id, answer)
      case .withdrawn(let id): installed(id.app)?.asked.close(id, nil)
      case .demand, .ignored: break
      }
    }
  }

  // MARK: Apps

  func install(_ app: SimulatedApp, as identity: AppIdentity) {
    state.withLock { $0.apps[identity] = Installed(app: app) }
  }

  private func installed(_ app: AppIdentity) -> SimulatedApp? {
    state.withLock { $0.apps[app]?.app }
  }

  /// Ends the processes of all apps without notice to them; returns their tasks, which are to be
  /// canceled.
  func endAllProcesses() -> [Task<Void, Never>] {
    let apps = state.withLock { state -> [SimulatedApp] in
      state.clients = [:]
      for app in state.apps.keys { state.apps[app]?.client = nil }
      return state.apps.sorted { $0.key.name < $1.key.name }.compactMap(\.value.app)
    }
    return apps.compactMap { $0.takeProcess(leaving: .terminated).work }
  }

  /// Changes a setting of an app as the person does, whether it runs or not.
  func set(_ setting: Setting, of app: SimulatedApp) {
    does(.input(.setting(setting)))
    guard !app.isRunning else { return }
    state.withLock { $0.apps[AppIdentity(app.identifier)]?.settings.append(setting) }
  }

  /// Resets location and privacy, as the person does in the settings: every app has to request
  /// authorization again (AUTH-7).
  ///
  /// - Complexity: Linear in the apps of the device.
  public func resetLocationPrivacy() {
    does(.input(.setting(.reset)))
    state.withLock { state in
      for app in state.apps.keys {
        state.apps[app]?.settings.removeAll {
          if case .restricted = $0 { false } else { true }
        }
      }
    }
  }

  /// Chooses whether an app that the person has quit stays away until the person opens it, as some
  /// versions of iOS do, or is started for events all the same, as the device does at first (LIFE-4).
  ///
  /// - Parameter isOn: Whether it stays away; holds for apps that are quit from now on.
  public func honorForceQuit(_ isOn: Bool = true) {
    does(.input(.setting(.honorsQuit(isOn))))
  }

  /// Sends an event of an app's process to the engine.
  func pass(_ event: ClientEvent, of app: AppIdentity) {
    guard let client = state.withLock({ $0.apps[app]?.client }) else { return }
    change { $0.handle(.client(client, event)) }
  }
}

/// A weak reference to the device, which may not exist yet or no longer.
private final class WeakDevice: Sendable {
  private struct Reference {
    weak var device: SimulatedDevice?
  }

  private let reference = Mutex(Reference())

  var value: SimulatedDevice? {
    get { reference.withLock { $0.device } }
    set { reference.withLock { $0.device = newValue } }
  }
}

// MARK: The engine, as apps reach it

extension SimulatedDevice: EngineLink {
  package var now: Moment { state.withLock { $0.world.now } }

  package func connect(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState) {
    let (id, effects, readable) = state.withLock { state in
      let (id, first) = state.world.connect(client)
      var effects = first
      state.clients[id] = deliver
      state.apps[client.app, default: Installed()].client = id
      for setting in state.apps[client.app]?.settings ?? [] {
        effects += state.world.handle(.setting(setting))
      }
      state.apps[client.app]?.settings = []
      return (id, effects, state.world.state(of: id))
    }
    executor.add(.call { self.carryOut(effects) })
    return (id, readable)
  }

  package func send(_ request: Request, from client: ClientID) {
    change { $0.handle(.client(client, .request(request))) }
  }

  package func disconnect(_ client: ClientID) {
    change { $0.handle(.client(client, .disconnected)) }
    executor.add(.call { self.state.withLock { $0.clients[client] = nil } })
  }
}
