import CoreLocation
import LocationEngine
import LocationModel
import LocationSimulation
import Synchronization

/// An app on a simulated device.
public final class SimulatedApp: Sendable {
  private struct State {
    /// The client of the process; `nil` when the app does not run.
    var client: LocationClient?
    var life = AppLife.terminated
    var whenLaunched: (@Sendable () async -> Void)?
    /// The task that the last launch started.
    var work: Task<Void, Never>?
  }

  /// The bundle identifier.
  public let identifier: String
  /// The device on which the app runs.
  public let device: SimulatedDevice
  private let description: ClientDescription
  private let state = Mutex(State())
  let asked = QuestionLog()

  init(_ description: ClientDescription, on device: SimulatedDevice) {
    identifier = description.app.name
    self.device = device
    self.description = description
  }

  // MARK: Running

  /// Runs code as this app: everything that it and its tasks do with Core Location happens on the
  /// device, in virtual time, one thing after the other.
  ///
  /// Opens the app in the foreground if it does not run yet.
  ///
  /// - Parameter body: The code of the app.
  /// - Returns: What the code returns.
  public func run<Result>(
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    let client = process(for: .foreground)
    let before = await device.executor.takeIn()
    do {
      let result = try await LocationClient.$bound.withValue(client) { try await body() }
      await device.executor.letGo(to: before)
      return result
    } catch {
      await device.executor.letGo(to: before)
      throw error
    }
  }

  /// Runs code that does not suspend as this app, outside the tasks that `run` began: in a callback
  /// of Dispatch, or on a thread of its own.
  ///
  /// - Parameter body: The code of the app; it does not wait.
  /// - Returns: What the code returns.
  public func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
    try LocationClient.$bound.withValue(process(for: .foreground)) { try body() }
  }

  /// Sets what the app does whenever its process begins: opened by the person, or launched by the
  /// system because an event is pending (LIFE-1).
  ///
  /// - Parameter body: The code; it replaces what was set before.
  public func whenLaunched(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { $0.whenLaunched = body }
  }

  // MARK: Life

  /// Opens the app, or brings it back to the foreground, as the person does.
  public func moveToForeground() {
    start(.foreground)
  }

  /// Moves the app to the background, as the person does by leaving it.
  public func moveToBackground() { change(to: .background) }

  /// Suspends the app's process, as the system does.
  public func suspend() { change(to: .suspended) }

  /// Ends the app's process, as the system or a crash does.
  public func terminate() { end(as: .terminated) }

  /// Quits the app, as the person does from the app switcher (LIFE-4): it is started again for events,
  /// unless ``SimulatedDevice/honorForceQuit(_:)`` says otherwise.
  public func forceQuit() {
    device.pass(.request(.life(.quit)), of: AppIdentity(identifier))
    end(as: .quit)
  }

  /// Whether the app has a process.
  public var isRunning: Bool { state.withLock { $0.client != nil } }

  /// Starts the process if there is none, else changes its lifecycle state.
  func start(_ life: AppLife) {
    guard !isRunning else { return change(to: life) }
    let client = process(for: life)
    let body = state.withLock { $0.whenLaunched }
    guard let body else { return }
    let work = LocationClient.$bound.withValue(client) { Task { await body() } }
    state.withLock { $0.work = work }
  }

  private func process(for life: AppLife) -> LocationClient {
    if let client = state.withLock({ $0.client }) { return client }
    var description = description
    description.life = life
    let client = LocationClient(
      description, over: device,
      callbacks: { [executor = device.executor] in executor.callbackRunner },
      watch: device.executor, places: device)
    state.withLock { state in
      state.client = client
      state.life = life
    }
    return client
  }

  func change(to life: AppLife) {
    let changed = state.withLock { state in
      guard state.client != nil, state.life != life else { return false }
      state.life = life
      return true
    }
    if changed { device.pass(.life(life), of: AppIdentity(identifier)) }
  }

  /// Suspends the app when the time it was given for an event is over (LIFE-6).
  func endRuntime() {
    if state.withLock({ $0.life == .background }) { suspend() }
  }

  private func end(as life: AppLife) {
    let (client, work) = takeProcess(leaving: life)
    guard client != nil else { return }
    // What the canceled code still asks for comes too late: a process that has ended asks for nothing.
    device.pass(.disconnected, of: AppIdentity(identifier))
    work?.cancel()
  }

  /// Ends the process without notice to anyone; returns its client, and its task, which is to be canceled.
  func takeProcess(leaving life: AppLife) -> (client: LocationClient?, work: Task<Void, Never>?) {
    state.withLock { state in
      defer {
        state.client = nil
        state.work = nil
        state.life = life
      }
      return (state.client, state.work)
    }
  }

  // MARK: Settings

  /// What the person can choose for an app in the settings.
  public enum Permission: Sendable {
    /// Never.
    case never
    /// Ask next time.
    case ask
    /// While using the app.
    case whileUsing
    /// Always.
    case always

    var setting: AuthorizationSetting {
      switch self {
      case .never: .never
      case .ask: .ask
      case .whileUsing: .whileUsing
      case .always: .always
      }
    }
  }

  /// Changes the app's permission, as the person does in the settings.
  ///
  /// - Parameter permission: The choice.
  public func setPermission(_ permission: Permission) {
    device.set(.authorization(AppIdentity(identifier), permission.setting), of: self)
  }

  /// Forbids the app to use locations, as an administrator or parents do, or permits it again.
  ///
  /// - Parameter isOn: Whether it is forbidden.
  public func setRestricted(_ isOn: Bool) {
    device.set(.restricted(AppIdentity(identifier), isOn), of: self)
  }

  /// Allows or forbids the app to make this computer a Bluetooth beacon, as the person does.
  ///
  /// - Parameter isAllowed: Whether the app may advertise a beacon.
  public func setBeaconAdvertising(_ isAllowed: Bool) {
    device.set(.beacon(AppIdentity(identifier), isAllowed ? .allowed : .declined), of: self)
  }

  /// Turns precise location on or off for the app, as the person does.
  ///
  /// - Parameter isOn: Whether the app may know exactly where the device is.
  public func setPreciseLocation(_ isOn: Bool) {
    device.set(.precise(AppIdentity(identifier), isOn), of: self)
  }
}

extension SimulatedDevice {
  /// Installs an app; it runs as soon as code runs in it, or it is opened.
  ///
  /// - Parameters:
  ///   - identifier: Its bundle identifier.
  ///   - information: Its information property list; without one, it has the usage texts that every
  ///     app needs.
  /// - Returns: The app.
  public func app(
    _ identifier: String, information: [String: any Sendable] = SimulatedDevice.usualInformation
  ) -> SimulatedApp {
    let manifest = Manifest(propertyList: information, file: "the test's information")
    let description = ClientDescription(app: AppIdentity(identifier), manifest: manifest)
    let app = SimulatedApp(description, on: self)
    install(app, as: description.app)
    return app
  }

  /// The usage texts that every app needs, and nothing else.
  public static let usualInformation: [String: any Sendable] = [
    "NSLocationWhenInUseUsageDescription": "To show where you are.",
    "NSLocationAlwaysAndWhenInUseUsageDescription": "To tell you when you arrive.",
  ]
}
