import CSystemd
import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel

/// A sink as a process: one thread that reads events, hands them on, and remembers what was confirmed.
struct SinkProcess {
  private let configuration: SinkConfiguration
  private let kind: SinkKind
  private let name: String
  private let life: String
  private var outlet: any Outlet
  private var signals = sigset_t()

  /// It remembers how far it is under `name`; its kind unless given.
  init(_ configuration: SinkConfiguration, _ kind: SinkKind, name: String?) throws(FleetFault) {
    self.configuration = configuration
    self.kind = kind
    self.name = name ?? kind.rawValue
    // Before there is a thread of libnats or of libcurl, which would be ended by one.
    sigemptyset(&signals)
    for number in [SIGTERM, SIGINT] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    var host = [CChar](repeating: 0, count: 65)
    gethostname(&host, 64)
    let machine = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let life =
      [FleetAddress.part(String(decoding: machine, as: UTF8.self))]
      + ["\(getpid())", "\(Self.now.unixTime.nanoseconds / 1_000_000)"]
    self.life = life.joined(separator: "-")
    outlet = try Self.outlet(configuration, kind)
  }

  /// Reads everything that a sink of a kind needs, so that whatever is wrong with it is found now.
  static func outlet(
    _ configuration: SinkConfiguration, _ kind: SinkKind
  ) throws(FleetFault) -> any Outlet {
    switch kind {
    case .webhook: try WebhookOutlet(configuration.webhook)
    case .postgis: PostGISOutlet(configuration.postgis)
    case .mqtt: try MQTTOutlet(configuration.mqtt)
    case .nats: try NATSOutlet(configuration.nats)
    }
  }

  mutating func run() throws(FleetFault) {
    var broker = try FleetTasks.connect(
      configuration.ingress.fleet, name: "locationfleet \(name)", longestWait: .seconds(2))
    try FleetTasks.refuseOtherPartitions(
      configuration.ingress.fleet, &broker, else: "nothing is handed on")
    var port: FigurePort?
    if let number = configuration.ports[kind] { port = try FigurePort(number) }
    var sink = Sink(name: name, life: life, configuration.settings(kind))
    Log.sink("is ready", of: name)
    _ = sd_notify(0, "READY=1\nSTATUS=\(name)")
    var end: Instant?
    while !sink.isDrained {
      turn(&sink, &broker)
      let now = Self.now
      port?.turn { sink.figures(at: now.uptime).prometheus(sink: name) }
      if let end, now.uptime > end { throw FleetFault(reason: "not all was confirmed", status: 1) }
      var nothing = timespec()
      guard end == nil, sigtimedwait(&signals, nil, &nothing) > 0 else { continue }
      _ = sd_notify(0, "STOPPING=1")
      end = now.uptime + Self.longestEnd
      Log.sink("ends when what is on its way is answered", of: name)
      sink.drain()
    }
    outlet.close()
    let figures = sink.figures(at: Self.now.uptime)
    Log.sink("ended: \(figures.read) events read, \(figures.waiting) not confirmed", of: name)
  }

  private mutating func turn(_ sink: inout Sink, _ broker: inout NATSBroker) {
    let now = Self.now
    for delivery in sink.turn(&broker, at: now.uptime) {
      if sink.isOwner(at: Self.now.uptime) {
        outlet.send(delivery, at: now)
      } else {
        sink.takeBack(delivery)
      }
    }
    let isBusy = sink.isInFlight
    let results = outlet.turn(isBusy ? Self.pauseInFlight : 0, at: Self.now)
    for (number, outcome) in results { sink.settle(number, outcome, at: Self.now.uptime) }
    for note in sink.takeNotes() {
      Log.sink(note.text, of: name, partition: note.partition, isFault: note.isFault)
    }
    guard !isBusy, results.isEmpty, !sink.isDrained else { return }
    let left = sink.nextDeadline.map { $0 - Self.now.uptime } ?? Self.pause
    broker.wait(min(max(left, .milliseconds(10)), Self.pause))
  }

  private static var now: Moment {
    Moment(
      uptime: Instant(nanoseconds: clock(CLOCK_MONOTONIC)),
      unixTime: UnixTime(nanoseconds: clock(CLOCK_REALTIME)))
  }

  private static func clock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// How long it waits for events before it looks at its position, figures, and signals again.
  private static let pause = Duration.milliseconds(500)
  /// Milliseconds for which it waits for answers before it looks for further events.
  private static let pauseInFlight: Int32 = 20
  private static let longestEnd = Duration.seconds(30)
}
