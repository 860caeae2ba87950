import CSystemd
import Glibc
import LocationFleet
import LocationFleetNATS
import LocationModel
import LocationSecrets

/// The worker as a process: one thread that gives the machine its turns until a signal comes.
struct WorkerProcess {
  private let configuration: FleetConfiguration
  private let name: String

  init(_ configuration: FleetConfiguration, name: String?) {
    self.configuration = configuration
    var host = [CChar](repeating: 0, count: 65)
    gethostname(&host, 64)
    let machine = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      .map { Self.isPlain($0) ? $0 : UInt8(ascii: "-") }
    // Never the name of a worker before it: that one's leases must run out.
    let life = "\(getpid())-\(Self.clock(CLOCK_REALTIME) / 1_000_000)"
    self.name = "\(name ?? String(decoding: machine, as: UTF8.self))-\(life)"
  }

  func run() throws(FleetFault) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // One answer that does not come loses no lease: it is renewed after a third of its time.
    let wait = min(max(configuration.worker.lease / 2, .seconds(1)), .seconds(5))
    var broker = try FleetTasks.connect(configuration, name: name, longestWait: wait)
    try FleetTasks.refuseOtherPartitions(configuration, &broker, else: "nothing is judged")
    try refuseOtherBuckets(&broker)
    var port: FigurePort?
    if let number = configuration.port { port = try FigurePort(number) }
    var worker = FleetWorker(
      name: name, configuration.worker, secret: .random(),
      tenantKeys: TenantKeyFiles.source(configuration.tenantKeys), at: Self.now.uptime)
    var isReady = false
    var end: Instant?
    while !worker.isDrained {
      let count = worker.turn(&broker) { Self.now }
      for note in worker.takeNotes() { Log.note(note, worker: name) }
      port?.turn { worker.figures(at: Self.now).prometheus }
      if !isReady, worker.isReady {
        isReady = true
        _ = sd_notify(0, "READY=1\nSTATUS=\(name)")
      }
      if count == 0 { broker.wait(Self.pause) }
      let now = Self.now
      if let end, now.uptime > end {
        if let cause = worker.unfit { throw FleetFault(reason: cause) }
        throw FleetFault(reason: "not all was handed over", status: 1)
      }
      var nothing = timespec()
      guard end == nil, worker.unfit != nil || sigtimedwait(&signals, nil, &nothing) > 0 else {
        continue
      }
      _ = sd_notify(0, "STOPPING=1")
      end = now.uptime + Self.longestEnd
      worker.drain(&broker, at: now)
    }
    for note in worker.takeNotes() { Log.note(note, worker: name) }
    if let cause = worker.unfit { throw FleetFault(reason: cause) }
  }

  /// Looks once whether devices are stored in as many buckets as the configuration says, before others hand
  /// partitions over to this one; where there is no answer, a takeover shows it.
  private func refuseOtherBuckets(_ broker: inout NATSBroker) throws(FleetFault) {
    let places = (0..<configuration.worker.partitions).map { Checkpoint.place(of: $0) }
    for message in broker.messages(places) {
      guard let bytes = message?.entry.bytes, let stored = Checkpoint(bytes),
        let cause = stored.fault(ofBuckets: configuration.worker.partition.buckets)
      else { continue }
      throw FleetFault(reason: cause)
    }
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

  private static func isPlain(_ byte: UInt8) -> Bool {
    Character(Unicode.Scalar(byte)).isASCII
      && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
  }

  /// How long it waits for messages before it looks at leases, figures, and signals again.
  private static let pause = Duration.milliseconds(50)
  private static let longestEnd = Duration.seconds(30)
}
