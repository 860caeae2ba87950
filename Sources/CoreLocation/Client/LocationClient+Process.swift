import LocationHost
package import LocationModel
import Synchronization

extension LocationClient {
  /// The client of the process, connected on first use: to the daemon where there is one, else to
  /// an engine of its own.
  static let ofProcess: LocationClient = {
    let description = ClientDescription.ofProcess
    let client = LocationClient(
      description, over: engine(for: description), advising: HostEnvironment.writeError)
    processLife.withLock { process in
      process.isConnected = true
      if process.life != .foreground { client.send(.life(process.life)) }
    }
    return client
  }()

  /// Whether location services are switched on, as far as that is known without waiting for a daemon.
  ///
  /// The first call of a process that uses a daemon connects on another thread, and waits for its
  /// welcome only ``longestWait``; without it services count as switched on, as they are everywhere
  /// at first (AVAIL-2).
  static var servicesAreOn: Bool {
    if let ofTest { return ofTest.readable.servicesEnabled }
    let isAway = !processLife.withLock { $0.isConnected } && DaemonSocket.mayAnswer()
    guard isAway else { return ofProcess.readable.servicesEnabled }
    let isFirst = processLife.withLock { process in
      defer { process.isConnecting = true }
      return !process.isConnecting
    }
    guard isFirst else { return true }
    let connected = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = ofProcess
      connected.signal()
    }
    guard connected.wait(timeout: .now() + longestWait) == .success else { return true }
    return ofProcess.readable.servicesEnabled
  }

  /// Chosen: a daemon answers within a few milliseconds, and nobody notices this wait.
  private static let longestWait = DispatchTimeInterval.milliseconds(40)

  /// The reported lifecycle state of this process; engines assume the foreground. What a framework
  /// has reported counts, and then no window does.
  private static let processLife = Mutex(
    (life: AppLife.foreground, isConnected: false, isConnecting: false, isOfFramework: false))

  /// What follows the windows of this process for a daemon that does not see them.
  private static let ownUse = Mutex<OwnUse?>(nil)

  /// Sets the lifecycle state of the app; a process that has not used location yet reports it when
  /// it connects.
  package static func enter(_ life: AppLife) {
    if let ofTest { return ofTest.send(.life(life)) }
    report(life, isOfFramework: true)
  }

  private static func report(_ life: AppLife, isOfFramework: Bool) {
    let isConnected = processLife.withLock { process in
      guard isOfFramework || !process.isOfFramework else { return false }
      process.isOfFramework = isOfFramework
      process.life = life
      return process.isConnected
    }
    if isConnected { ofProcess.send(.life(life)) }
  }

  /// Reports whether a window of this process is the active one, to a daemon that cannot see it.
  private static func reportWindows(_ environment: HostEnvironment, to socket: String) {
    guard let use = OwnUse(environment, socket: socket) else { return }
    ownUse.withLock { $0 = use }
    use.begin { report($0, isOfFramework: false) }
  }

  private static func engine(for client: ClientDescription) -> any EngineLink {
    let environment = HostEnvironment.current
    guard let socket = DaemonSocket.inUse(environment.variables) else {
      return LocationHost.ofProcess(of: client)
    }
    reportWindows(environment, to: socket)
    return SocketLink(at: socket, noting: HostEnvironment.writeError)
  }
}

extension ClientDescription {
  /// What the process declares: its bundle's information property list, else `NAME.plist` beside
  /// the executable `NAME` (MODEL-1, MODEL-3), read with the bounds of the daemon.
  static var ofProcess: ClientDescription {
    let executable = ProcessInfo.processInfo.arguments.first.map {
      URL(fileURLWithPath: $0).standardizedFileURL
    }
    let path =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? executable?.path ?? "unknown"
    let reading = ManifestReader().read(ofExecutable: path)
    for fault in [reading.fault, reading.textsFault] { fault.map(HostEnvironment.writeError) }
    let app = AppIdentity(declaring: reading.manifest.identifier, path: path)
    if let identifier = reading.manifest.identifier,
      let fault = AppIdentity.fault(ofIdentifier: identifier)
    {
      let shown = identifier.escapedForDisplay()
      HostEnvironment.writeError("CFBundleIdentifier \"\(shown)\" \(fault); the app is \(app)")
    }
    var description = ClientDescription(app: app, manifest: reading.manifest)
    description.isNew = true
    description.program = VerifiedProgram(ofThisProcess: path)
    return description
  }
}

extension Manifest {
  /// Reads a property list file; an app without one declares nothing.
  package init(file: URL) {
    self.init(list: file.path)
  }

  /// Reads the keys of a property list.
  package init(propertyList: [String: Any], file: String) {
    self.init(propertyList.compactMapValues(ManifestValue.init), file: file)
  }
}

extension ManifestValue {
  /// Converts a property list value; `nil` for one that no manifest needs, such as a date.
  init?(_ value: Any) {
    switch value {
    case let text as String: self = .string(text)
    case let flag as Bool: self = .bool(flag)
    case let number as Int: self = .integer(number)
    case let elements as [Any]: self = .array(elements.compactMap(ManifestValue.init))
    case let entries as [String: Any]:
      self = .dictionary(entries.compactMapValues(ManifestValue.init))
    default: return nil
    }
  }
}
