package import LocationModel

/// Drives the source `wifi:`: what the Wi-Fi adapters of this computer hear, without a privilege.
///
/// Results of every scan that another program makes are read from the kernel. A scan is asked for
/// only while a position is needed and the newest results are older than the demand allows, and no
/// more often than the movement of the device makes useful. Nothing is open while nobody asks.
package struct WiFiDriver: SourceDriver {
  private enum Bus: Hashable, Sendable {
    case closed
    case opening
    case open
  }

  /// What is known of an adapter.
  private struct Known: Sendable {
    var adapter: WiFiAdapter
    /// How many usable stations it heard last; `nil` until it was read.
    var stations: Int?
    /// dBm, of the strongest of them; `nil` without any.
    var strongest: Double?
    /// The latest moment at which one of them was heard.
    var newest: Instant?
  }

  private var survey: WiFiSurvey
  private var requester = WiFiScanRequester()
  private var spacing = ScanSpacing()
  private var demand: PositionDemand?
  private var status = ProviderStatus.idle
  private var adapters: [Known] = []
  private var rules: [WiFiRules] = []
  /// Why the kernel's side is not open; `nil` while it is, or is being opened.
  private var fault: ProviderStatus.Reason?
  private var retry = Retry()
  /// When the kernel's side is opened again.
  private var reopening: Instant?

  private var bus = Bus.closed
  private var busRetry = Retry()
  /// When the results that are there were made; `nil` without any.
  private var resultsAt: Instant?
  /// Whether a scan was finished whose results are not read yet.
  private var isScanned = false
  private var requestedAt: Instant?
  /// Until when the results of a request are awaited.
  private var awaiting: Instant?
  /// Why the last request failed, and when it is repeated; `nil` for a change that is announced.
  private var obstacle: (reason: ScanObstacle, until: Instant?)?
  /// The program that scanned last.
  private var control: WiFiControl?

  private var refused: [WiFiFilter.Refusal: Int] = [:]
  private var repeated = 0
  private var busRefusals: [BusRefusal: Int] = [:]

  private let name: String?

  /// - Parameter adapter: the only adapter to use, such as `wlan0`; `nil` for all.
  package init(adapter: String? = nil) {
    name = adapter
    survey = WiFiSurvey(adapter: adapter)
  }

  package var rejections: [SourceRejection] {
    let filtered = refused.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
    let faults = survey.faults.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
    let others = [
      ("access points that a list holds twice", repeated),
      ("access points beyond those that are read", survey.surplus),
    ]
    let unknownSenders = busRefusals.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
    return (filtered + faults + others + unknownSenders).filter { $0.1 > 0 }
      .map { SourceRejection(reason: $0.0, count: $0.1) }
  }

  package var evidence: SourceEvidence {
    var evidence = SourceEvidence()
    evidence.adapters = adapters.map {
      WiFiEvidence(
        name: $0.adapter.name, stations: $0.stations, strongest: $0.strongest, control: control,
        obstacle: obstacle?.reason, rules: rules(of: $0.adapter))
    }
    return evidence
  }

  /// The rules of an adapter's radio, or those of all that have none of their own.
  private func rules(of adapter: WiFiAdapter) -> WiFiRules? {
    rules.first { $0.radio == adapter.radio } ?? rules.first { $0.radio == nil }
  }

  package var nextDeadline: Instant? {
    guard demand != nil else { return nil }
    return earliest(earliest(survey.nextDeadline, reopening), awaiting ?? nextRequest)
  }

  package mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    let outputs: [SourceOutput]
    switch input {
    case .demand(let demand): outputs = settle(demand.position, at: now)
    case .kernel(let event):
      outputs = survey.receive(event, at: now.uptime).flatMap { carry($0, at: now) }
    case .channel(let event): outputs = receive(event, at: now)
    case .wake: outputs = wake(at: now)
    case .stored, .scan: return []
    }
    return outputs + requestIfDue(at: now) + report()
  }

  // MARK: Demand

  private mutating func settle(_ new: PositionDemand?, at now: Moment) -> [SourceOutput] {
    let old = demand
    demand = new
    switch (old != nil, new != nil) {
    case (false, true): return open(at: now)
    case (true, false): return close()
    case (true, true), (false, false): return []
    }
  }

  private mutating func open(at now: Moment) -> [SourceOutput] {
    (fault, reopening, obstacle) = (nil, nil, nil)
    adapters = []
    return survey.open(at: now.uptime).flatMap { carry($0, at: now) }
  }

  /// Closes everything; what was found out stays, for a person and for the next demand.
  private mutating func close() -> [SourceOutput] {
    let isBusOpen = bus == .opening || bus == .open
    let last = survey.close().isEmpty ? [] : [SourceOutput.closeKernel]
    bus = .closed
    requester.disconnect()
    (retry, busRetry) = (Retry(), Retry())
    (fault, reopening, awaiting) = (nil, nil, nil)
    return last + (isBusOpen ? [.close] : [])
  }

  private mutating func wake(at now: Moment) -> [SourceOutput] {
    var outputs: [SourceOutput] = []
    if isDue(survey.nextDeadline, now) {
      outputs += survey.wake(at: now.uptime).flatMap { carry($0, at: now) }
    }
    if isDue(reopening, now) { outputs += open(at: now) }
    if isDue(awaiting, now) {
      // No results in time; what is there may be new all the same.
      awaiting = nil
      outputs += survey.read(at: now.uptime).flatMap { carry($0, at: now) }
    }
    return outputs
  }

  // MARK: The kernel

  private mutating func carry(_ output: WiFiSurvey.Output, at now: Moment) -> [SourceOutput] {
    switch output {
    case .open(let groups): return [.open(.netlink(groups: groups))]
    case .close: return [.closeKernel]
    case .send(let bytes): return [.request(bytes)]
    case .adapters(let all):
      retry.reset()
      adapters = all.map { adapter in
        adapters.first { $0.adapter == adapter } ?? Known(adapter: adapter)
      }
      return []
    case .rules(let all):
      rules = all
      return []
    case .scanned:
      awaiting = nil
      resultsAt = now.uptime
      isScanned = true
      return []
    case .heard(let adapter, let stations): return take(stations, of: adapter, at: now)
    case .failed(let reason):
      fault = reason
      adapters = []
      reopening = retry.next(after: now.uptime)
      return []
    }
  }

  /// Makes a scan of what an adapter heard, unless none of it is new.
  private mutating func take(
    _ stations: [WiFiStation], of adapter: WiFiAdapter, at now: Moment
  ) -> [SourceOutput] {
    guard let index = adapters.firstIndex(where: { $0.adapter == adapter }) else { return [] }
    let readings = readings(of: stations, at: now.uptime)
    adapters[index].stations = readings.count
    adapters[index].strongest = readings.compactMap(\.level).max()
    let isNew = isScanned
    isScanned = false
    guard let youngest = readings.map(\.age).min() else {
      if isNew { spacing.note([]) }
      return []
    }
    let ages = readings.map(\.age).sorted()
    // The station to which the adapter is connected is always new; alone it tells nothing of a scan.
    if ages.count > 1 {
      let made = now.uptime - .seconds(ages[ages.count / 2])
      resultsAt = max(resultsAt ?? made, made)
    }
    let newest = now.uptime - .seconds(youngest)
    if let last = adapters[index].newest, newest - last < Self.leastProgress { return [] }
    adapters[index].newest = newest
    spacing.note(readings)
    return [.scan(RadioScan(readings, time: now.unixTime))]
  }

  /// The usable stations, each address once, in their order.
  private mutating func readings(
    of stations: [WiFiStation], at now: Instant
  ) -> [RadioScan.Reading] {
    var best: [BSSID: RadioScan.Reading] = [:]
    for station in stations {
      if let refusal = WiFiFilter.refusal(of: station, at: now) {
        refused[refusal, default: 0] += 1
        continue
      }
      guard let heard = station.heard?.moment(at: now) else { continue }
      let reading = RadioScan.Reading(
        .accessPoint(station.address), level: station.level, frequency: station.frequency,
        age: now.seconds(since: heard))
      guard let other = best[station.address] else {
        best[station.address] = reading
        continue
      }
      repeated += 1
      if reading.age < other.age { best[station.address] = reading }
    }
    return best.values.sorted { $0.transmitter < $1.transmitter }
  }

  // MARK: The bus

  private mutating func receive(_ event: ChannelEvent, at now: Moment) -> [SourceOutput] {
    switch event {
    case .opened:
      guard bus == .opening else { return [] }
      bus = .open
      busRetry.reset()
      let scan = requester.connect() + requester.scan(with: adapters.map(\.adapter.name))
      return scan.flatMap { carry($0, at: now) }
    case .bus(.refused(let reason, let count)):
      busRefusals[reason, default: 0] += count
      return []
    case .bus(let event): return requester.receive(event).flatMap { carry($0, at: now) }
    case .closed:
      requester.disconnect()
      bus = .closed
      obstacle = (.noBus, busRetry.next(after: now.uptime))
      return []
    default: return []
    }
  }

  private mutating func carry(
    _ output: WiFiScanRequester.Output, at now: Moment
  ) -> [SourceOutput] {
    switch output {
    case .bus(let action): return [.bus(action)]
    case .accepted(_, let control):
      self.control = control
      obstacle = nil
      // The kernel may have been quicker than the program's answer.
      guard let resultsAt, let requestedAt, resultsAt > requestedAt else {
        awaiting = now.uptime + Self.scanTime
        return []
      }
      return []
    case .failed(let reason):
      obstacle = (reason, reason.pause.map { now.uptime + $0 })
      // What is there is used, or found to be old by now.
      return survey.read(at: now.uptime).flatMap { carry($0, at: now) }
    case .appeared:
      obstacle = nil
      return []
    }
  }

  // MARK: Requests

  /// When a scan is asked for next; `nil` while one is, and while none can be.
  private var nextRequest: Instant? {
    guard let demand, !adapters.isEmpty, !requester.isBusy, awaiting == nil, bus != .opening else {
      return nil
    }
    if let obstacle, obstacle.until == nil { return nil }
    let shortest = spacing.shortest
    var next = obstacle?.until ?? .start
    if let resultsAt {
      next = max(next, resultsAt + max(demand.interval, shortest - Self.usualScanTime))
    }
    if let requestedAt { next = max(next, requestedAt + (obstacle == nil ? shortest : .zero)) }
    return next
  }

  private mutating func requestIfDue(at now: Moment) -> [SourceOutput] {
    // What the kernel has is read first.
    guard adapters.contains(where: { $0.stations != nil }), let next = nextRequest,
      now.uptime >= next
    else { return [] }
    requestedAt = now.uptime
    guard bus == .open else {
      bus = .opening
      return [.open(.systemBus)]
    }
    return requester.scan(with: adapters.map(\.adapter.name)).flatMap { carry($0, at: now) }
  }

  // MARK: Status

  private mutating func report() -> [SourceOutput] {
    let new = currentStatus
    guard new != status else { return [] }
    status = new
    return [.status(new)]
  }

  private var currentStatus: ProviderStatus {
    guard demand != nil else { return .idle }
    if let fault { return .unavailable(fault) }
    if survey.isFollowing, adapters.isEmpty { return .unavailable(.missing(lack)) }
    if adapters.contains(where: { $0.stations ?? 0 > 0 }) { return .working }
    guard let obstacle = obstacle?.reason else { return .searching }
    return obstacle.unavailability.map { .unavailable($0) } ?? .searching
  }

  private var lack: String {
    let adapter = name.map { "no Wi-Fi adapter named \($0)" } ?? "no Wi-Fi adapter"
    return "there is \(adapter), or none in the network namespace of this process"
  }

  /// How long the results of a request are awaited: a scan takes about 4 s, one of iwd 6 s.
  private static let scanTime = Duration.seconds(12)
  /// From the request to the results, mostly: those of a scan by another program are as late.
  private static let usualScanTime = Duration.seconds(4)
  /// Chosen: less is a rounding of the age.
  private static let leastProgress = Duration.milliseconds(100)
}

/// What a Wi-Fi adapter can do, for a person.
package struct WiFiEvidence: Hashable, Sendable {
  package var name: String
  /// How many usable access points it heard last; `nil` until it was read.
  package var stations: Int?
  /// dBm, of the strongest of them; `nil` without any, or without levels.
  package var strongest: Double?
  /// The program that scanned last; `nil` while none was asked.
  package var control: WiFiControl?
  /// Why no scan could be asked for; `nil` while nothing prevents it.
  package var obstacle: ScanObstacle?
  /// What its radio may send and receive; `nil` where the kernel does not say.
  package var rules: WiFiRules?

  package init(
    name: String, stations: Int?, strongest: Double? = nil, control: WiFiControl? = nil,
    obstacle: ScanObstacle? = nil, rules: WiFiRules? = nil
  ) {
    self.name = name
    self.stations = stations
    self.strongest = strongest
    self.control = control
    self.obstacle = obstacle
    self.rules = rules
  }
}

extension ScanObstacle {
  /// After how long the request is repeated; `nil` where a change is announced.
  fileprivate var pause: Duration? {
    switch self {
    case .nobody, .noBus: nil
    case .busy: .seconds(10)
    // Chosen: these change when a person does something.
    case .unmanaged, .switchedOff, .unavailable, .refused: .seconds(60)
    }
  }

  /// The reason why there is nothing; `nil` for an obstacle that passes by itself.
  fileprivate var unavailability: ProviderStatus.Reason? {
    switch self {
    case .busy: nil
    case .refused: .noPermission("\(self)")
    case .nobody, .noBus, .unmanaged, .switchedOff, .unavailable: .missing("\(self)")
    }
  }
}
