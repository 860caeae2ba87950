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

  /// Whose password is to be looked at.
  enum Visitor {
    case device(DeviceConnections.Name)
    case web(WebRequests.Request)
  }

  private let configuration: IngressConfiguration
  private let path: String
  private let watch: Int32
  private var listener: Int32 = -1
  var devices: DeviceConnections
  var web: WebRequests?
  private var port: FigurePort?
  var writer: StreamWriter
  var ingress: Ingress
  var check: PasswordCheck
  var visitors: [(Visitor, user: String, password: [UInt8])] = []
  var awaited: AwaitedMessages<Origin>
  private var events = [cin_event](repeating: cin_event(), count: 256)
  private var lastWake: Instant = .start
  /// Whether the streams did not keep something, and that was said.
  private var isUnavailable = false
  private var nextNote: Instant = .start
  /// Nothing new is taken.
  private(set) var isEnding = false
  private var signals = sigset_t()

  init(_ configuration: IngressConfiguration) throws(FleetFault) {
    self.configuration = configuration
    if let missing = configuration.missing {
      throw FleetFault(reason: "an ingress has \(missing) in its configuration")
    }
    // Before there is a thread of libnats, which would be ended by one.
    sigemptyset(&signals)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    path = configuration.accounts ?? ""
    check = PasswordCheck(try Self.accounts(path))
    watch = cin_watch_open()
    devices = DeviceConnections(watch: watch, most: configuration.mostConnections)
    awaited = AwaitedMessages(for: .seconds(configuration.acknowledgeWithin))
    ingress = Ingress(partitions: configuration.fleet.worker.partitions)
    let fleet = configuration.fleet
    do throws(BrokerFault) {
      writer = try StreamWriter(fleet.access, name: "locationfleet ingress")
    } catch {
      throw FleetFault(
        reason: "\(fleet.access.servers.joined(separator: ", ")): \(error)", status: 1)
    }
    if let number = configuration.port { port = try FigurePort(number) }
    if let number = configuration.mqttPort {
      listener = cin_listen(UInt16(number))
      guard listener >= 0 else { throw FleetFault.port(number, -listener) }
      _ = cin_watch(watch, listener, UInt32(CIN_READABLE))
    }
    if let number = configuration.httpPort {
      let web = try WebRequests(port: number, most: min(configuration.mostConnections, 10_000))
      _ = cin_watch(watch, web.descriptor, UInt32(CIN_READABLE))
      self.web = web
    }
  }

  /// Reads the file of the accounts; every fault of it is in the one that is thrown.
  static func accounts(_ path: String) throws(FleetFault) -> DeviceAccounts {
    var state = stat()
    guard stat(path, &state) == 0, state.st_mode & 0o022 == 0 else {
      throw FleetFault(reason: "\(path) must be there, and writable by its owner alone")
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
    let ports = [("mqtt", configuration.mqttPort), ("http", configuration.httpPort)]
      .compactMap { name, port in port.map { "\(name) 127.0.0.1:\($0)" } }
    Log.ingress("takes fixes at \(ports.joined(separator: ", "))")
    _ = sd_notify(0, "READY=1\nSTATUS=\(ports.joined(separator: ", "))")
    while true {
      turn()
      var nothing = timespec()
      switch sigtimedwait(&signals, nil, &nothing) {
      case SIGHUP: reload()
      case let number where number > 0: return try drain()
      default: break
      }
    }
  }

  private mutating func reload() {
    do throws(FleetFault) {
      check.replace(try Self.accounts(path))
      Log.ingress("read the accounts again")
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
    let longest = Duration.seconds(configuration.acknowledgeWithin + 1)
    let end = Self.now.uptime + longest
    while awaited.count > 0, Self.now.uptime < end { turn() }
    for (visitor, _, _) in visitors {
      if case .web(let request) = visitor { web?.reply(request, .unavailable) }
    }
    visitors = []
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
    let isIdle = awaited.count == 0 && visitors.isEmpty
    let found = isFull ? 0 : cin_watch_wait(watch, &events, 256, isIdle ? pause : 0)
    let now = Self.now
    for event in events.prefix(Int(max(found, 0))) {
      switch event.descriptor {
      case listener: accept(at: now)
      case web?.descriptor: break
      default: carry(devices.take(event, at: now))
      }
    }
    runWeb()
    verify(at: now)
    takeAnswers(mayWait: found <= 0)
    if now.uptime.seconds(since: lastWake) >= 0.25 { wake(at: now) }
    devices.flush()
    if var served = port {
      served.turn { figuresNow.prometheus }
      port = served
    }
  }

  /// Milliseconds until something has to be done although nothing happens.
  private var pause: Int32 {
    let limit = web?.longestPause ?? -1
    return limit < 0 ? Self.longestPause : min(limit, Self.longestPause)
  }

  private mutating func accept(at now: Moment) {
    for _ in 0..<Self.mostAccepted {
      let descriptor = cin_accept(listener)
      guard descriptor >= 0 else {
        // Without descriptors, until some may be free again.
        if descriptor != -EAGAIN { _ = cin_watch(watch, listener, 0) }
        return
      }
      devices.add(descriptor, at: now)
    }
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
    if listener >= 0 { _ = cin_watch(watch, listener, UInt32(CIN_READABLE)) }
    devices.wake(at: now)
    for origin in awaited.expire(at: now.uptime) { settle(origin, isKept: false) }
    count()
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
    for end in devices.takeEnds() { ingress.figures.ended(end) }
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

  private static let longestPause: Int32 = 50
  private static let mostAccepted = 64
  private static let mostAnswers = 4096
  /// Messages on their way; nothing is read while there are more.
  static let mostAwaited = 16_384
}
