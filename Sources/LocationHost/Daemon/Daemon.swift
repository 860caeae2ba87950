import CLinux
import Dispatch
import Glibc
import LocationEngine
import LocationLink
import LocationModel
import LocationProviders

/// The life of a daemon: serves until it is told to end, and starts over with a new configuration.
package final class Daemon {
  private let options: DaemonOptions
  private let supervisor: ServiceSupervisor
  private let variables: [String: String]
  private let journal: DaemonJournal
  private var host: LocationHost?
  private var server: SocketServer?
  private var listener: Int32 = -1
  /// The socket that this process has made, before it started over perhaps; `nil` for systemd's.
  private var ownSocket: String?
  private var signals: [any DispatchSourceSignal] = []
  private var heartbeat: (any DispatchSourceTimer)?

  /// A daemon with these options, in the surroundings of this process.
  package init(_ options: DaemonOptions, _ environment: HostEnvironment = .current) {
    self.options = options
    variables = environment.variables
    journal = DaemonJournal(environment.variables)
    supervisor = ServiceSupervisor(environment.variables)
  }

  /// Begins to serve; the caller then gives its thread to the main queue.
  ///
  /// - Throws: what a person must mend first.
  package func start() throws(DaemonFault) {
    try confine()
    ChildProcess.adopt()
    raiseDescriptorLimit()
    let configuration = try options.configuration(variables)
    let folder = StateFolder(path: configuration.state ?? options.stateFolder(variables))
    let path = configuration.socket ?? options.socket(variables)
    do throws(Errno) {
      try folder.create()
      if let socket = supervisor.sockets.first {
        listener = socket
        ownSocket = variables[Self.ownSocketVariable]
      } else {
        listener = try DaemonSocket.listen(at: path)
        ownSocket = path
      }
    } catch { throw DaemonFault(reason: "\(error)") }
    let journal = journal
    let noting: @Sendable (Note) -> Void = { note in
      if case .provider = note { return }
      guard let record = LogRecord(note, at: HostClock.now.unixTime) else { return }
      journal.write(record, from: record.app.map { LogCaller(app: $0) })
    }
    let sources = configuration.sources
    let agents = LinkAgents()
    let host = LocationHost(
      sources: sources.isEmpty ? [HostEnvironment.discovered] : sources,
      keeper: StateKeeper(folder: folder, noting: noting),
      agents: configuration.prompters(variables, connected: agents),
      launcher: launcher(configuration, socket: path, noting: noting),
      limits: configuration.conditions, keeping: configuration.keeping,
      recordingTo: HostEnvironment(variables).recordingFile, journal: noting)
    agents.whenAttended { [weak host] in host?.askAgain() }
    server = SocketServer(
      listener, for: host, limits: configuration.limits, agents: agents, journal: journal,
      facts: DaemonFacts(
        folder: folder, options: options, variables: variables,
        flatpaks: configuration.flatpaks),
      trusting: configuration.trusted)
    for fault in configuration.trusted.faults { journal.write(.service, fault, isFault: true) }
    self.host = host
    listenToSignals()
    beat(on: host.line.queue)
    supervisor.tell("READY=1")
    journal.write(.service, "serving; its state is in \(folder.path)")
  }

  /// Starts apps that are owed an event.
  private func launcher(
    _ configuration: Configuration, socket: String, noting: @escaping @Sendable (Note) -> Void
  ) -> AppLauncher {
    let folder = configuration.launch ?? options.launchFolder(variables)
    // Made now, so that it can be watched; the system's own is made by whoever installs.
    if configuration.launch != nil || !options.isSystem {
      try? StateFolder(path: folder).create()
    }
    return AppLauncher(
      folder: folder, socket: socket,
      manager: options.isSystem ? .system : .user(startsCommands: supervisor.isManager),
      noting: noting)
  }

  /// Tells the daemon that starts over what it has made.
  private static let ownSocketVariable = "LOCATIOND_OWN_SOCKET"

  /// Keeps positions out of core dumps and from tracers of the same user, and the daemon's one
  /// capability from the programs that it starts (docs/decisions/0073).
  ///
  /// - Throws: `DaemonFault` when the kernel refuses: a daemon that cannot be confined serves nobody.
  private func confine() throws(DaemonFault) {
    let steps = [
      ("prctl(PR_SET_DUMPABLE)", linux_forbid_core_dumps()),
      ("prctl(PR_CAP_AMBIENT)", linux_keep_capabilities_from_children()),
    ]
    for (call, code) in steps where code != 0 {
      throw DaemonFault(reason: "the daemon cannot be confined: \(Errno(code: code, call: call))")
    }
  }

  /// Every client is a descriptor, and each one that is slow another.
  private func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
  }

  // MARK: Signals

  private func listenToSignals() {
    signal(SIGPIPE, SIG_IGN)
    signals = [SIGTERM, SIGINT, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { [unowned self] in
        if number == SIGHUP { reload() } else { end() }
      }
      source.activate()
      return source
    }
  }

  /// Every step is durable already, so there is nothing to write down at the end.
  private func end() {
    supervisor.tell("STOPPING=1")
    if let ownSocket { unlink(ownSocket) }
    exit(0)
  }

  /// Starts over in the same process with the socket kept open, so no client is turned away; all of
  /// them come back by themselves. A configuration with a fault changes nothing.
  private func reload() {
    do throws(DaemonFault) { _ = try options.configuration(variables) } catch {
      for line in error.reason.split(separator: "\n") {
        journal.write(.service, "not reloaded: \(line)", isFault: true)
      }
      return
    }
    supervisor.tell("RELOADING=1\nMONOTONIC_USEC=\(HostClock.now.uptime.nanoseconds / 1000)")
    journal.write(.service, "starting over with the configuration as it is now")
    // Children inherit the socket at the place where systemd would have put it.
    if listener != ServiceSupervisor.firstSocket {
      dup2(listener, ServiceSupervisor.firstSocket)
    } else {
      _ = fcntl(listener, F_SETFD, 0)
    }
    if let ownSocket { setenv(Self.ownSocketVariable, ownSocket, 1) }
    setenv("LISTEN_FDS", "1", 1)
    setenv("LISTEN_PID", "\(getpid())", 1)
    var arguments = CommandLine.arguments.map { strdup($0) }
    arguments.append(nil)
    for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_DFL) }
    let code = linux_pass_capabilities_on()
    if code != 0 {
      journal.write(.service, "\(Errno(code: code, call: "prctl(PR_CAP_AMBIENT)"))", isFault: true)
    }
    execv("/proc/self/exe", arguments)
    journal.write(.service, "\(Errno(last: "exec")); ending", isFault: true)
    exit(1)
  }

  // MARK: Signs of life

  /// The host's queue itself says that it is alive.
  private func beat(on queue: DispatchQueue) {
    guard let watchdog = supervisor.watchdog else { return }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let interval = Int(watchdog.wholeNanoseconds / 2)
    timer.schedule(deadline: .now(), repeating: .nanoseconds(interval))
    timer.setEventHandler { [supervisor] in supervisor.tell("WATCHDOG=1") }
    timer.activate()
    heartbeat = timer
  }
}

/// Why a daemon does not start.
package struct DaemonFault: Error, Hashable, Sendable {
  package var reason: String
}
