package import LocationModel

/// Decides what a device sends to the ingress of its fleet, and when (UPLINK-1 to UPLINK-12): one request at a
/// time, in the order of the fixes, and again until the ingress has acknowledged it.
package struct Uplink: Machine {
  /// What the fleet may know of the place.
  package enum Permission: Hashable, Sendable {
    case none, reduced, full
  }

  package enum Input: MachineInput {
    /// The state of an earlier run.
    case stored([StateEntry])
    case permission(Permission)
    case fix(Fix)
    /// What came of a request, by its number.
    case answer(Int, WebAnswer)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case persist(StateChange)
    /// Send a request of this number with lines of JSON.
    case post(Int, [UInt8])
    /// Report to the owner, without a place.
    case say(String, isFault: Bool)
  }

  package enum Standing: Hashable, Sendable {
    case forbidden
    /// Whatever was sent last was acknowledged, or nothing was sent so far.
    case good
    case waiting(String)
    case refused(String, next: String)
  }

  /// What became of fixes, in this run.
  package struct Figures: Hashable, Sendable {
    package var sent = 0
    /// Gone unsent, for one of the reasons that the log has.
    package var dropped = 0
    /// When the ingress has acknowledged last.
    package var lastSent: UnixTime?
  }

  private struct Flight {
    var number: Int
    /// `nil` once it was erased here: the ingress may have it yet, and its answer says nothing.
    var batch: UInt64?
    var fixes: Int
  }

  private enum DropReason: String {
    case room = "have no room in the queue"
    case age = "are older than 72 hours"
    case date = "have no date: they were taken while the clock was not set"
    case name = "are of another device, as which this computer does not come any more"
  }

  private let device: ReportingDevice
  private let interval: Duration
  private let seed: Int
  private var queue: UplinkQueue
  package private(set) var permission = Permission.none
  /// The time of the newest fix that was seen.
  private var newest: UnixTime?
  /// From when on the next fix is taken.
  private var nextTaken = Instant.start
  private var flight: Flight?
  private var requests = 0
  private var failures = 0
  private var inRequest = Self.mostInRequest
  /// Until when nothing is sent, after a failure.
  private var pause: Instant?
  /// Said since the ingress has taken something.
  private var saidDropped: [DropReason] = []
  package private(set) var standing = Standing.forbidden
  package private(set) var figures = Figures()

  /// - Parameters:
  ///   - name: the device, as its ingress knows it.
  ///   - app: the app of the engine, whose data the queue is.
  ///   - interval: at most one fix is sent in that time.
  ///   - known: the time of the fix that was known before this run, which an engine delivers once more.
  package init(
    _ name: FleetDeviceName, of app: AppIdentity, every interval: Duration, after known: UnixTime?
  ) {
    device = ReportingDevice(name, group: nil)
    self.interval = interval
    newest = known
    // Devices of a fleet do not come back at one moment.
    seed = (name.tenant + "/" + name.device).utf8.reduce(17) { ($0 &* 31) &+ Int($1) }
    queue = UplinkQueue(of: app.name)
  }

  package var queued: Int { queue.count }
  /// When the oldest fix that waits was taken.
  package var oldest: UnixTime? { queue.batches.first?.taken }

  package var nextDeadline: Instant? {
    let waits = permission != .none && flight == nil && queue.count > 0
    return earliest(waits ? pause : nil, queue.nextDeadline(except: flight?.batch))
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    var outputs: [Output] = []
    switch input {
    case .stored(let entries): restore(entries, at: now, &outputs)
    case .permission(let permission): permit(permission, &outputs)
    case .fix(let fix): take(fix, at: now, &outputs)
    case .answer(let number, let answer): settle(number, answer, at: now, &outputs)
    case .wake: break
    }
    expire(at: now, &outputs)
    send(at: now, &outputs)
    return outputs
  }

  // MARK: What is taken

  private mutating func restore(
    _ entries: [StateEntry], at now: Moment, _ outputs: inout [Output]
  ) {
    queue.restore(entries, at: now)
    // The ingress would take them from no other than that one, and nothing behind them.
    let head = device.head
    drop(
      queue.remove { !$0.lines.allSatisfy { $0.utf8.starts(with: head) } }, .name, &outputs)
  }

  private mutating func permit(_ new: Permission, _ outputs: inout [Output]) {
    guard new != permission || standing == .forbidden else { return }
    permission = new
    let (fixes, changes) = queue.remove { new == .none || $0.isPrecise && new == .reduced }
    outputs += changes.map { .persist($0) }
    if fixes > 0 {
      outputs.append(
        .say(
          "\(fixes) fixes that waited are erased: the uplink may not know that any more",
          isFault: false))
    }
    // It is on its way all the same: a second one could come before it.
    if let batch = flight?.batch, !queue.batches.contains(where: { $0.number == batch }) {
      flight?.batch = nil
    }
    if new == .none {
      standing = .forbidden
    } else if standing == .forbidden {
      (standing, failures, pause) = (.good, 0, nil)
    }
  }

  private mutating func take(_ fix: Fix, at now: Moment, _ outputs: inout [Output]) {
    guard permission != .none, fix.time != newest else { return }
    // A receiver's second is not exactly one.
    guard now.uptime >= nextTaken - Self.slack else { return }
    let place = fix.coordinate
    guard
      let reported = try? ReportedFix(
        time: fix.time, latitude: place.latitude, longitude: place.longitude,
        accuracy: fix.horizontalAccuracy, altitude: fix.altitude, speed: fix.speed,
        course: fix.course)
    else { return }
    newest = fix.time
    nextTaken = max(nextTaken, now.uptime) + interval
    let line = String(decoding: reported.line(device.head), as: UTF8.self)
    // A fix is not of the future: where the clock is behind it, the clock is not set.
    let taken = max(now.unixTime, fix.time)
    let changes = queue.add(line, isPrecise: permission == .full, taken: taken, at: now.uptime)
    outputs += changes.map { .persist($0) }
    drop(queue.trim(except: flight?.batch), .room, &outputs)
  }

  private mutating func expire(at now: Moment, _ outputs: inout [Output]) {
    queue.age(at: now)
    // One that is on its way may be acknowledged yet.
    let sent = flight?.batch
    func isOver(_ batch: UplinkQueue.Batch) -> Bool {
      batch.expires <= now.uptime && batch.number != sent
    }
    drop(queue.remove { isOver($0) && $0.taken < Self.firstDate }, .date, &outputs)
    drop(queue.remove { isOver($0) }, .age, &outputs)
  }

  private mutating func drop(
    _ gone: (fixes: Int, changes: [StateChange]), _ reason: DropReason,
    _ outputs: inout [Output]
  ) {
    guard gone.fixes > 0 else { return }
    figures.dropped += gone.fixes
    outputs += gone.changes.map { .persist($0) }
    // Once until the ingress takes something again; status counts them all.
    guard !saidDropped.contains(reason) else { return }
    saidDropped.append(reason)
    outputs.append(
      .say(
        "\(gone.fixes) fixes are dropped unsent: they \(reason.rawValue); status counts further ones",
        isFault: true))
  }

  // MARK: What is sent

  private mutating func send(at now: Moment, _ outputs: inout [Output]) {
    guard permission != .none, flight == nil, pause.map({ $0 <= now.uptime }) ?? true,
      let batch = queue.closeFirst()
    else { return }
    // The computer slept, or nothing waited: what failed before says nothing of now.
    if let pause, now.uptime - pause > Self.longestDelay { failures = 0 }
    pause = nil
    requests += 1
    let lines = batch.lines.prefix(inRequest)
    flight = Flight(number: requests, batch: batch.number, fixes: lines.count)
    outputs.append(.post(requests, Array(lines.joined(separator: "\n").utf8)))
  }

  private mutating func settle(
    _ number: Int, _ answer: WebAnswer, at now: Moment, _ outputs: inout [Output]
  ) {
    guard let flight, flight.number == number else { return }
    self.flight = nil
    guard let batch = flight.batch else { return }
    switch answer {
    case .response(200, Self.acknowledgement, _):
      outputs += queue.confirm(flight.fixes, of: batch).map { .persist($0) }
      figures.sent += flight.fixes
      figures.lastSent = now.unixTime
      (failures, saidDropped) = (0, [])
      if queue.count == 0 { inRequest = Self.mostInRequest }
      stand(.good, &outputs)
    case .response(413, _, _) where flight.fixes > 1:
      inRequest = flight.fixes / 2
      wait("it takes no requests of \(flight.fixes) fixes", nil, at: now, &outputs)
    case .response(let status, _, let after)
    where status >= 500 || [408, 425, 429].contains(status):
      wait("it answers \(status)", after, at: now, &outputs)
    case .response(let status, _, let after): refuse(status, after, at: now, &outputs)
    case .unreachable(let reason):
      // No certificate is good then.
      let hint = now.unixTime < Self.firstDate ? "; the clock of this computer is not set" : ""
      wait(reason + hint, nil, at: now, &outputs)
    case .refused(let reason):
      pause = now.uptime + Backoff.pause(Self.manyFailures, at: seed, longest: Self.longestPause)
      stand(.refused(reason, next: "write the address of the ingress itself as uplink"), &outputs)
    }
  }

  private mutating func wait(
    _ reason: String, _ after: Duration?, at now: Moment, _ outputs: inout [Output]
  ) {
    failures += 1
    let time = Backoff.pause(failures, at: seed, longest: Self.longestPause)
    pause = now.uptime + max(time, Backoff.bounded(after))
    stand(.waiting(reason), &outputs)
  }

  /// An answer that stays the same until a person has changed something: the fixes wait, and are tried
  /// seldom.
  private mutating func refuse(
    _ status: Int, _ after: Duration?, at now: Moment, _ outputs: inout [Output]
  ) {
    let time = Backoff.pause(Self.manyFailures, at: seed &+ status, longest: Self.longestPause)
    pause = now.uptime + max(time, Backoff.bounded(after))
    let names = "uplink-tenant and uplink-device must be those of the account or the certificate"
    let (reason, next) =
      switch status {
      case 401:
        (
          "the ingress does not know the user and password, or the certificate",
          "compare uplink-user and uplink-password-file, or uplink-certificate, with its accounts"
        )
      case 403: ("the ingress has another device under this account", names)
      case 413:
        (
          "the ingress takes no message as long as one fix",
          "let the owner of the fleet raise the limit of this tenant"
        )
      default:
        (
          "nothing takes these fixes at this address (it answers \(status))",
          "uplink must be the address of an ingress's http-port; \(names)"
        )
      }
    stand(.refused(reason, next: next), &outputs)
  }

  /// Reports to the owner what has changed.
  private mutating func stand(_ new: Standing, _ outputs: inout [Output]) {
    guard new != standing else { return }
    standing = new
    switch new {
    case .forbidden: break
    case .good:
      outputs.append(.say("the ingress takes fixes again; \(queued) wait", isFault: false))
    case .waiting(let reason):
      outputs.append(
        .say("the ingress has not taken \(queued) fixes, which wait: \(reason)", isFault: true))
    case .refused(let reason, let next):
      outputs.append(.say("\(reason); \(queued) fixes wait; next: \(next)", isFault: true))
    }
  }

  /// What an ingress answers to fixes that are kept, and no web site to everything.
  package static let acknowledgement = Array("[]".utf8)
  /// The domain of the state in which the queue lies.
  package static let domain = "uplink"
  private static let slack = Duration.milliseconds(500)
  /// Seconds; with a quarter more by chance 300.
  private static let longestPause = 240.0
  private static let manyFailures = 16
  /// Chosen: much later than a wake comes on a computer that is awake.
  private static let longestDelay = Duration.seconds(10)
  /// 2020-01-01. Chosen: no clock that was set is before it.
  static let firstDate = UnixTime(seconds: 1_577_836_800)
}
