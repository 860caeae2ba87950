import CIngress
import CSystemd
import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel

/// The ingress as a process: one thread that reads what devices send, has the streams keep it, and
/// acknowledges what they keep.
struct IngressProcess {
  /// Who waits for a message to be kept.
  enum Origin {
    case device(DeviceConnections.Name, Int)
    case web(WebRequests.Request)
  }

  /// A visitor with a password that is to be checked.
  enum Visitor {
    case device(DeviceConnections.Name)
    case web(WebRequests.Request)
  }

  private let configuration: IngressConfiguration
  private let watch: Int32
  private var listener: Int32 = -1
  var devices: DeviceConnections
  var web: WebRequests?
  private var port: FigurePort?
  var writer: StreamWriter
  var ingress: Ingress
  var check: PasswordCheck
  var visitors = PasswordLines()
  var awaited: AwaitedMessages<Origin>
  var limits: SendingLimits
  /// Connections of which a message is held back.
  var slowed = DueConnections()
  private var events = [cin_event](repeating: cin_event(), count: 256)
  private var lastWake: Instant = .start
  /// Whether the streams did not keep something, and that was said.
  private var isUnavailable = false
  private var nextNote: Instant = .start
  /// Nothing new is taken.
  private(set) var isEnding = false
  private let signals: Int32
  /// When the listener is looked at again, if it is not now.
  private var relisten: Instant?

  init(_ configuration: IngressConfiguration) throws(FleetFault) {
    self.configuration = configuration
    // Before there is a thread of libnats, which would be ended by one.
    signals = cin_signals([SIGTERM, SIGINT, SIGHUP], 3)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    // A device that has gone while TLS writes to it.
    signal(SIGPIPE, SIG_IGN)
    check = PasswordCheck(try Self.accounts(configuration.accounts))
    let security = try TransportSecurity(configuration.security)
    watch = cin_watch_open()
    _ = cin_watch(watch, signals, UInt32(CIN_READABLE))
    devices = DeviceConnections(
      watch: watch, most: configuration.mostConnections,
      longestMessage: configuration.tenants.longestMessage, security)
    limits = configuration.tenants.limits(connections: configuration.mostConnections)
    awaited = AwaitedMessages(for: .seconds(configuration.acknowledgeWithin))
    let keys = configuration.fleet.tenantKeys.map { TenantKeyFiles(folder: $0) }
    ingress = Ingress(partitions: configuration.fleet.worker.partitions) {
      keys?.isWithout($0) ?? false
    }
    writer = try Self.connect(configuration.fleet)
    if let number = configuration.port {
      let figures = try FigurePort(number)
      _ = cin_watch(watch, figures.listener, UInt32(CIN_READABLE))
      port = figures
    }
    if let number = configuration.mqttPort {
      listener = cin_listen(configuration.address, UInt16(number))
      guard listener >= 0 else {
        throw FleetFault.port(number, at: configuration.address, -listener)
      }
      _ = cin_watch(watch, listener, UInt32(CIN_READABLE))
    }
    if let number = configuration.httpPort {
      let web = try WebRequests(
        configuration.address, port: number, most: min(configuration.mostConnections, 10_000),
        longest: configuration.tenants.longestMessage, security)
      _ = cin_watch(watch, web.descriptor, UInt32(CIN_READABLE))
      self.web = web
    }
  }

  /// - Chosen (FLEET-112): nothing is taken before it is known that the partitions are those of the fleet.
  private static func connect(_ fleet: FleetConfiguration) throws(FleetFault) -> StreamWriter {
    let name = "locationfleet ingress"
    var broker = try FleetTasks.connect(fleet, name: name)
    try FleetTasks.requirePartitions(fleet, &broker, else: "nothing is taken")
    do throws(BrokerFault) { return try StreamWriter(fleet.access, name: name) } catch {
      throw FleetFault(
        reason: "\(fleet.access.servers.joined(separator: ", ")): \(error)", status: 1)
    }
  }

  /// Looks at everything that an ingress would need; returns the accounts.
  static func check(
    _ configuration: IngressConfiguration
  ) throws(FleetFault) -> DeviceAccounts {
    guard cin_is_address(configuration.address) != 0 else {
      throw FleetFault(reason: "`listen` \(configuration.address) is no address")
    }
    _ = try TransportSecurity(configuration.security)
    return try accounts(configuration.accounts)
  }

  /// Reads the file of the accounts, if there is one; every fault of it is in the one that is thrown.
  static func accounts(_ path: String?) throws(FleetFault) -> DeviceAccounts {
    guard let path else { return DeviceAccounts() }
    let mode = try Input.mode(of: path, "`accounts` \(path)")
    guard mode & 0o022 == 0 else {
      throw FleetFault(
        reason: "`accounts` \(path) has mode \(String(mode, radix: 8)): others than its owner can "
          + "write it; next: chmod 640 \(path)")
    }
    var faults: [FleetConfiguration.Fault] = []
    let accounts = DeviceAccounts(try Input.file(path, limit: DeviceAccounts.longest), &faults)
    guard faults.isEmpty else {
      throw FleetFault(
        reason: faults.map { "\(path):\($0.line): \($0.cause)" }.joined(separator: "\n"))
    }
    return accounts
  }

  mutating func run() throws(FleetFault) {
    let host =
      configuration.address.contains(":") ? "[\(configuration.address)]" : configuration.address
    let ports = [("mqtt", configuration.mqttPort), ("http", configuration.httpPort)]
      .compactMap { name, port in port.map { "\(name) \(host):\($0)" } }
    let places =
      ports.joined(separator: ", ") + (configuration.security.isSecure ? " with TLS" : "")
    Log.ingress("takes fixes at \(places)")
    warnOfCertificates()
    _ = sd_notify(0, "READY=1\nSTATUS=\(places)")
    while true {
      turn()
      switch cin_next_signal(signals) {
      case 0: break
      case SIGHUP: reload()
      default: return try drain()
      }
    }
  }

  private func warnOfCertificates() {
    for finding in AccessFiles.certificates(of: configuration, at: Self.now.unixTime) {
      Log.ingress(
        finding.message + (finding.next.map { "; next: \($0)" } ?? ""), isFault: true)
    }
  }

  private mutating func reload() {
    do throws(FleetFault) {
      if let security = try TransportSecurity(configuration.security) {
        devices.replace(security)
        web?.replace(security)
        Log.ingress("read the files of TLS again")
        warnOfCertificates()
      }
    } catch { Log.ingress("keeps the files of TLS it has: \(error.reason)", isFault: true) }
    do throws(FleetFault) {
      let accounts = try Self.accounts(configuration.accounts)
      check.replace(accounts)
      let ended = devices.keep(accounts)
      // What was held back of them is sent on before anybody hears that they have ended.
      count()
      Log.ingress(
        "read the accounts again"
          + (ended > 0 ? "; ended \(ended) connections whose accounts are gone, or others" : ""))
    } catch { Log.ingress("keeps the accounts it has: \(error.reason)", isFault: true) }
  }

  /// Takes nothing more, and ends when all that has come is kept and acknowledged, or was given up.
  private mutating func drain() throws(FleetFault) {
    _ = sd_notify(0, "STOPPING=1")
    isEnding = true
    if listener >= 0 { close(listener) }
    listener = -1
    web?.quiesce()
    devices.stopReading()
    releaseSlowed(until: Self.now.uptime + Self.longestHold + .seconds(1))
    let longest = Duration.seconds(configuration.acknowledgeWithin + 1)
    let end = Self.now.uptime + longest
    while awaited.count > 0, Self.now.uptime < end { turn() }
    while let entry = visitors.take() {
      if case .web(let request) = entry.visitor { web?.reply(request, .unavailable) }
    }
    for origin in awaited.expire(at: Self.now.uptime + longest) {
      settle(origin, isKept: false)
    }
    runWeb()
    devices.flush()
    devices.closeAll()
    web?.stop()
    count()
    let figures = ingress.figures
    Log.ingress("ended: \(figures.kept) messages kept, \(figures.failed) not")
  }

  // MARK: One turn

  private mutating func turn() {
    let isFull = awaited.count >= Self.mostAwaited
    let found = isFull ? 0 : cin_watch_wait(watch, &events, 256, pause)
    let now = Self.now
    for event in events.prefix(Int(max(found, 0))) {
      switch event.descriptor {
      case listener: accept(at: now)
      case web?.descriptor, port?.listener, signals: break
      default: carry(devices.take(event, at: now))
      }
    }
    carry(devices.shakeHands(at: now) { Self.now.uptime })
    if !isEnding { releaseSlowed(until: now.uptime) }
    listenAgain(at: now)
    runWeb()
    verify(at: now)
    takeAnswers(mayWait: found <= 0)
    if let due = nextWake, now.uptime >= due { wake(at: now) }
    devices.flush()
    count()
    serveFigures()
  }

  private mutating func serveFigures() {
    guard var served = port else { return }
    served.turn { figuresNow.prometheus }
    for caller in served.open { _ = cin_watch(watch, caller, UInt32(CIN_READABLE)) }
    port = served
  }

  /// When something is due that nothing says: connections that are silent, and messages that were not
  /// acknowledged.
  private var nextWake: Instant? {
    let limit = awaited.count > 0 ? Instant.start : devices.nextDeadline
    return limit.map { max($0, lastWake + .seconds(0.25)) }
  }

  /// Milliseconds until something has to be done although nothing happens; -1 for never.
  ///
  /// - Chosen (FLEET-76): what does nothing does not wake up.
  private var pause: Int32 {
    guard awaited.count == 0, devices.handshakesWaiting == 0 else { return 0 }
    let dates = [nextWake, slowed.next, visitors.isEmpty ? nil : check.next, relisten]
    var pause = web?.longestPause ?? -1
    guard let date = dates.compactMap({ $0 }).min() else { return pause }
    let left = (date.seconds(since: Self.now.uptime) * 1000).rounded(.up)
    let limit = Int32(max(min(left, 60_000), 0))
    pause = pause < 0 ? limit : min(pause, limit)
    return pause
  }

  private mutating func accept(at now: Moment) {
    for _ in 0..<Self.mostAccepted {
      let isBusy = devices.handshakesWaiting >= Self.mostAccepted
      let descriptor = isBusy ? -EBUSY : cin_accept(listener)
      guard descriptor < 0 else {
        devices.add(descriptor, at: now)
        continue
      }
      // Without descriptors, or when those who are here have to be let in first.
      if descriptor != -EAGAIN {
        _ = cin_watch(watch, listener, 0)
        relisten = now.uptime + .milliseconds(isBusy ? 10 : 250)
      }
      return
    }
  }

  private mutating func listenAgain(at now: Moment) {
    guard let date = relisten, now.uptime >= date else { return }
    relisten = nil
    if listener >= 0 { _ = cin_watch(watch, listener, UInt32(CIN_READABLE)) }
  }

  private mutating func takeAnswers(mayWait: Bool) {
    var wait: Int64 = mayWait && awaited.count > 0 ? 1 : 0
    for _ in 0..<Self.mostAnswers {
      guard let answer = writer.next(wait) else { return }
      wait = 0
      guard let done = awaited.settle(answer.number, isKept: answer.isKept) else { continue }
      settle(done.origin, isKept: done.isKept)
    }
  }

  private mutating func wake(at now: Moment) {
    lastWake = now.uptime
    devices.wake(at: now)
    for origin in awaited.expire(at: now.uptime) { settle(origin, isKept: false) }
  }

  private mutating func settle(_ origin: Origin, isKept: Bool) {
    if isKept { ingress.figures.kept += 1 } else { ingress.figures.failed += 1 }
    if isUnavailable == isKept, Self.now.uptime >= nextNote {
      (isUnavailable, nextNote) = (!isKept, Self.now.uptime + .seconds(isKept ? 0 : 10))
      Log.ingress(
        isKept ? "the streams keep what comes again" : "the streams do not keep what comes",
        isFault: !isKept)
    }
    switch origin {
    case .device(let name, let message):
      carry(
        devices.handle(
          name, isKept ? .kept(message) : .failed(message, .unavailable), at: Self.now))
    case .web(let request): web?.reply(request, isKept ? .kept : .unavailable)
    }
  }

  private mutating func count() {
    for end in devices.takeEnds() {
      ingress.figures.ended(end.reason)
      if let held = end.held { goOn(held) }
      guard let tenant = end.tenant else { continue }
      if end.isCounted { limits.disconnect(tenant) }
      if end.reason == .tooLong { ingress.figures.limited(tenant, .size) }
    }
    for status in web?.takeAnswers() ?? [] { ingress.figures.answered(Int(status.rawValue)) }
  }

  private var figuresNow: IngressFigures {
    var figures = ingress.figures
    (figures.waiting, figures.connections) = (awaited.count, devices.count)
    figures.arrivals = devices.arrivals
    return figures
  }

  static var now: Moment {
    Moment(
      uptime: Instant(nanoseconds: clock(CLOCK_MONOTONIC)),
      unixTime: UnixTime(nanoseconds: clock(CLOCK_REALTIME)))
  }

  private static func clock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static let mostAccepted = 64
  private static let mostAnswers = 4096
  /// Messages on their way; nothing is read while there are more.
  static let mostAwaited = 16_384
  /// How long a message may wait that is beyond a rate.
  static let longestHold = Duration.seconds(30)
}
