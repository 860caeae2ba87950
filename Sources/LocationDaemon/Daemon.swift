import CLinux
import Dispatch
import Glibc
import LocationEngine
package import LocationHost
import LocationLink
import LocationModel
import LocationProviders

/// Runs a daemon: serves until a signal ends it, and restarts it with a new configuration.
package final class Daemon {
  private let options: DaemonOptions
  private let supervisor: ServiceSupervisor
  private let variables: [String: String]
  private let journal: DaemonJournal
  private var host: LocationHost?
  private var server: SocketServer?
  private var listener: Int32 = -1
  /// The socket that this process has made, perhaps before a restart; `nil` for systemd's.
  private var ownSocket: OwnSocket?
  /// The lock that gives the state to this daemon alone; `nil` if it is kept in memory only.
  private var lock: StateLock?
  private var heartbeat: (any DispatchSourceTimer)?

  /// Creates a daemon with these options in the environment of this process.
  package init(_ options: DaemonOptions, _ environment: HostEnvironment = .current) {
    self.options = options
    variables = environment.variables
    journal = DaemonJournal(environment.variables)
    supervisor = ServiceSupervisor()
  }

  /// Begins to serve; the caller then gives its thread to ``run()``.
  ///
  /// - Throws: `DaemonFault` with what a person must correct first.
  package func start() throws(DaemonFault) {
    signal(SIGPIPE, SIG_IGN)
    // A write beyond a limit of the size of files then fails as one to a full disk does.
    signal(SIGXFSZ, SIG_IGN)
    // Before there is another thread, so that none takes them.
    linux_hold_signals()
    try confine()
    ChildProcess.adopt()
    let room = raiseDescriptorLimit()
    var configuration = try options.configuration(variables)
    configuration.limits.room.fit(room)
    let folder = StateFolder(path: configuration.state ?? options.stateFolder(variables))
    let path = configuration.socket ?? options.socket(variables)
    try takeState(folder)
    try listen(at: path)
    let journal = journal
    let noting: @Sendable (Note) -> Void = { note in
      if case .provider = note { return }
      guard let record = LogRecord(note, at: HostClock.now.unixTime) else { return }
      journal.write(record, from: record.app.map { LogCaller(app: $0) })
    }
    let sources = configuration.sources
    let agents = LinkAgents()
    let keeper = StateKeeper(
      folder: folder, lock: lock,
      secrets: options.isSystem ? nil : HostEnvironment(variables).secrets, noting: noting)
    if let obstacle = keeper.obstacle {
      if let ownSocket { DaemonSocket.remove(ownSocket) }
      throw DaemonFault(reason: "\(obstacle)", status: 1)
    }
    let environment = configuration.environment(variables)
    let host = LocationHost(
      sources: sources.isEmpty ? [HostEnvironment.discovered] : sources,
      keeper: keeper,
      agents: configuration.prompters(variables, connected: agents),
      launcher: launcher(configuration, socket: path, noting: noting),
      limits: configuration.conditions, keeping: configuration.keeping,
      settings: configuration.settings,
      observing: environment.useWatch(noting: noting), windows: environment.windowWatch(),
      sessions: environment.loginWatches(awaitsUnlock: configuration.awaitsUnlock),
      indicator: environment.indicator(),
      recordingTo: environment.recordingTarget, journal: noting)
    agents.whenAttended { [weak host] in host?.askAgain() }
    server = SocketServer(
      listener, for: host, limits: configuration.limits, agents: agents, journal: journal,
      facts: DaemonFacts(
        folder: folder, options: options, variables: variables,
        flatpaks: configuration.flatpaks,
        allowsSimulation: configuration.allowsSimulation ?? !options.isSystem),
      trusting: configuration.trusted)
    if configuration.servesGeoClue { server?.serveGeoClue() }
    if let port = configuration.gpsdPort { server?.serveGpsd(at: UInt16(port), of: sources) }
    server?.serveUplink(configuration.uplink)
    for fault in configuration.trusted.faults { journal.write(.service, fault, isFault: true) }
    self.host = host
    beat(on: host.queue)
    announce(folder)
  }

  /// Says that the daemon is ready, as soon as it is.
  private func announce(_ folder: StateFolder) {
    if let fault = Self.namelessUser { journal.write(.service, fault, isFault: true) }
    server?.whenServing { [journal, supervisor] in
      journal.write(.service, "serving; its state is in \(folder.path)")
      supervisor.notify("READY=1")
    }
  }

  /// That dbus-daemon will not serve this daemon, because it cannot look up its user.
  ///
  /// It is kept from asking for the users that systemd makes for a time (`DynamicUser=`).
  private static var namelessUser: String? {
    guard getpwuid(getuid()) == nil || dynamicUsers.contains(getuid()) else { return nil }
    return "user \(getuid()) of this daemon has no name for dbus-daemon, which refuses it: no "
      + "Bluetooth, modems, sessions, or waking; make the user locationd: systemd-sysusers"
  }

  /// The numbers that systemd gives to such users.
  private static let dynamicUsers: ClosedRange<uid_t> = 61_184...65_519

  /// Locks the state folder, before any state is read and before the socket is touched.
  private func takeState(_ folder: StateFolder) throws(DaemonFault) {
    do throws(Errno) { try folder.create() } catch {
      throw DaemonFault(reason: "\(error)", status: 1)
    }
    do throws(StateFault) {
      try folder.secure { journal.write(.store, $0, isFault: true) }
      lock = try StateLock(
        folder, .alone, inherited: variables[Self.lockVariable].flatMap { Int32($0) })
    } catch {
      // No program can write there, so no lock is needed.
      guard error.kind == .unavailable else { throw DaemonFault(reason: "\(error)", status: 1) }
    }
  }

  private func listen(at path: String) throws(DaemonFault) {
    if let socket = supervisor.sockets.first {
      listener = socket
      ownSocket = variables[Self.ownSocketVariable].flatMap { OwnSocket(at: $0) }
      return
    }
    do throws(Errno) {
      try DaemonSocket.makeFolder(for: path)
      listener = try DaemonSocket.listen(at: path)
      ownSocket = OwnSocket(at: path)
    } catch {
      guard error.code == EADDRINUSE else { throw DaemonFault(reason: "\(error)", status: 1) }
      let process = DaemonSocket.listener(at: path).map { "process \($0)" } ?? "another program"
      throw DaemonFault(
        reason: "\(process) answers at \(path); next: end it, or give this daemon a socket and a "
          + "folder of its own: --socket PATH --state FOLDER", status: 1)
    }
  }

  /// Creates the launcher of apps that have a pending event.
  private func launcher(
    _ configuration: Configuration, socket: String, noting: @escaping @Sendable (Note) -> Void
  ) -> AppLauncher {
    let folder = configuration.launch ?? options.launchFolder(variables)
    // The folder is created now to be watched; the system's own is created by the installation.
    if configuration.launch != nil || !options.isSystem {
      try? StateFolder(path: folder).create()
    }
    let others =
      AppLauncher.Folder.ofPackages
      + (options.isSystem ? [] : AppLauncher.Folder.ofDesktop(variables))
    return AppLauncher(
      folders: [.registrations(folder)] + others, socket: socket,
      manager: options.isSystem ? .system : .user(startsCommands: supervisor.isManager),
      noting: noting)
  }

  /// Environment variables by which a daemon passes its socket and lock to its next start.
  private static let ownSocketVariable = "LOCATIOND_OWN_SOCKET"
  private static let lockVariable = "LOCATIOND_LOCK"

  /// Keeps positions out of core dumps and from tracers of the same user, and the daemon's one
  /// capability from the programs that it starts (docs/decisions/0073).
  ///
  /// - Throws: `DaemonFault` if the kernel refuses: an unconfined daemon must not serve.
  private func confine() throws(DaemonFault) {
    let steps = [
      ("prctl(PR_SET_DUMPABLE)", linux_forbid_core_dumps()),
      ("prctl(PR_CAP_AMBIENT)", linux_keep_capabilities_from_children()),
    ]
    for (call, code) in steps where code != 0 {
      throw DaemonFault(reason: "the daemon cannot be confined: \(Errno(code: code, call: call))")
    }
    // Until now, and so whenever it starts over, a program of its user could have attached.
    let tracer = RunningProcesses.status(of: getpid())?.tracer ?? 0
    guard tracer == 0 || !options.isSystem || RunningProcesses.status(of: tracer)?.user == 0 else {
      throw DaemonFault(reason: "process \(tracer) traces the daemon, which then serves nobody")
    }
  }

  /// Raises the limit of descriptors: a client needs one or two, and identifying it needs more.
  ///
  /// - Returns: the number of clients for which the process has descriptors.
  private func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else {
      return .max
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    return max(16, (Int(clamping: limit.rlim_max) - 200) / 2)
  }

  // MARK: Signals

  /// Does what signals ask for, for as long as the process lives: SIGHUP starts over, SIGTERM and SIGINT
  /// end it. One that comes earlier, or while the daemon starts over, waits in the kernel.
  package func run() -> Never {
    while true {
      switch linux_await_signal() {
      case SIGHUP: reload()
      case SIGTERM, SIGINT: end()
      default: break
      }
    }
  }

  /// Ends the daemon. Every step is durable, except those that could not be stored so far.
  private func end() {
    supervisor.notify("STOPPING=1")
    if host?.settleStore() == false {
      journal.write(.store, "what was decided last could not be stored, and is lost", isFault: true)
    }
    if let ownSocket { DaemonSocket.remove(ownSocket) }
    exit(0)
  }

  /// Restarts in the same process and keeps the socket open, so that no client is refused; all
  /// clients reconnect by themselves. If the configuration has a fault, nothing changes.
  private func reload() {
    do throws(DaemonFault) { _ = try options.configuration(variables) } catch {
      let reason = error.loggedReason
      server?.enter { server in
        let since = server.owner.refusedReload?.since ?? HostClock.now.unixTime
        server.owner.refusedReload = RefusedReload(since: since, reason: reason)
      }
      for line in reason.split(separator: "\n") {
        journal.write(.service, "not reloaded: \(line)", isFault: true)
      }
      return
    }
    guard host?.settleStore() != false else {
      return journal.write(
        .service, "not reloaded: what was decided last could not be stored yet", isFault: true)
    }
    supervisor.notify("RELOADING=1\nMONOTONIC_USEC=\(HostClock.now.uptime.nanoseconds / 1000)")
    journal.write(.service, "starting over with the configuration as it is now")
    // The new program gets the socket at the descriptor where systemd would have put it.
    if listener != ServiceSupervisor.firstSocket {
      dup2(listener, ServiceSupervisor.firstSocket)
    } else {
      _ = fcntl(listener, F_SETFD, 0)
    }
    if let ownSocket { setenv(Self.ownSocketVariable, ownSocket.path, 1) }
    if let lock {
      _ = fcntl(lock.descriptor, F_SETFD, 0)
      setenv(Self.lockVariable, "\(lock.descriptor)", 1)
    }
    setenv("LISTEN_FDS", "1", 1)
    setenv("LISTEN_PID", "\(getpid())", 1)
    var arguments = CommandLine.arguments.map { strdup($0) }
    arguments.append(nil)
    let code = linux_pass_capabilities_on()
    if code != 0 {
      journal.write(.service, "\(Errno(code: code, call: "prctl(PR_CAP_AMBIENT)"))", isFault: true)
    }
    execv("/proc/self/exe", arguments)
    journal.write(.service, "\(Errno(last: "exec")); ending", isFault: true)
    exit(1)
  }

  // MARK: Watchdog

  /// Sends signs of life from the host's own queue, so that a blocked queue is noticed.
  private func beat(on queue: DispatchQueue) {
    guard let watchdog = supervisor.watchdog else { return }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let interval = Int(watchdog.wholeNanoseconds / 2)
    timer.schedule(deadline: .now(), repeating: .nanoseconds(interval))
    timer.setEventHandler { [supervisor] in supervisor.notify("WATCHDOG=1") }
    timer.activate()
    heartbeat = timer
  }
}

/// Why a daemon does not start.
package struct DaemonFault: Error, Hashable, Sendable {
  package var reason: String
  /// 1 if the environment prevents the start, 2 for wrong usage or a fault in a file.
  package var status: Int32 = 2

  /// The reason without the URLs of sources and of the uplink, which have places, keys, and passwords, for the log;
  /// `locationd --check` shows them.
  package var loggedReason: String {
    let lines = reason.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { Self.withoutQuotations(String($0)) }.joined(separator: "\n")
  }

  /// A line that quotes a URL, without what it quotes but the scheme.
  private static func withoutQuotations(_ line: String) -> String {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count > 2, line.contains("source \"") || line.contains("://") else { return line }
    let shown = parts.enumerated().map { number, part in
      guard !number.isMultiple(of: 2), number < parts.count - 1 else { return String(part) }
      let scheme = part.prefix { $0.isLetter || $0 == "+" }
      return part.dropFirst(scheme.count).first == ":" ? "\(scheme):‹private›" : "‹private›"
    }
    return shown.joined(separator: "\"") + " (locationd --check shows it)"
  }
}
