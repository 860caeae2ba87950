package import LocationEngine
package import LocationModel
package import LocationProviders
package import LocationRadio
internal import LocationRecording
package import LocationSecrets

/// Joins the engine and its sources: takes bytes of channels, returns deliveries, and stays pure.
///
/// The same core runs in an app's own process, in the daemon, and in virtual time; its host only
/// carries out the outputs.
package struct ServiceCore: Machine {
  package private(set) var engine: LocationEngine
  private var sources: [SourceState]
  private var selection: SourceSelection
  /// The demand of the engine, which each source receives as far as it is selected.
  private var demand = Demand.none
  /// Records which app received what; `nil` where no such log is kept.
  private var log: BoundedLog?
  /// Counts the days on which each app uses Always in the background (AUTH-38).
  private var backgroundUse = BackgroundUse()
  /// Where transmitters are received; `nil` without a source that receives any.
  package private(set) var map: RadioMap?
  /// When a receiver gave the last position; `nil` without a map.
  private var received: Instant?
  /// The last position that a receiver gave and that the engine did not ignore.
  private var place: Fix?
  /// Whether simulated positions teach the map and the altitude: only where the transmitters and the
  /// barometer are simulated, too.
  private let learnsFromSimulated: Bool
  private var hasBegun = false
  /// Whether the second half of a fix is still to be handled. Stored, because a host that read it
  /// from the engine would copy the core.
  package private(set) var isUnfinished = false
  private let setup: Recording.Setup
  private var recorder: Recorder?
  /// Computed once after each step, because it is read more often than that.
  package private(set) var nextDeadline: Instant?

  /// One source and its state.
  private struct SourceState: Sendable {
    let source: Source
    var driver: any SourceDriver
    var status = ProviderStatus.idle
    /// The last status other than idle.
    var lastStatus = ProviderStatus.idle
    var fixes = 0
    /// The date of the newest fix.
    var fixTime: UnixTime?
    /// Why the last scan gave no position; `nil` if it did, and before the first.
    var silence: RadioSilence?
    /// When its last scan gave a position; `nil` if it did not.
    var placed: Instant?
    var openings = 0
    /// The channel that is open, or being opened.
    var channel: ChannelID?
    /// The kernel's channel, open or being opened beside the other one.
    var kernel: ChannelID?
    /// The demand that it received last.
    var demand = Demand.none
    /// The driver's deadline, cached because every step reads it.
    var deadline: Instant?
    /// What is received of beacons, for the map.
    var beacons = BeaconGatherer()
  }

  /// Creates a core. The secret determines the coarse places of this machine
  /// (docs/decisions/0015).
  package init(
    sources: [Source], secret: SecretKey = SecretKey(seed: 0), limits: Conditions.Limits = .init(),
    keeping terms: RetentionTerms = RetentionTerms(), visitLatency: Double = 1,
    isSimulated: Bool = false
  ) {
    map = sources.contains(where: \.receivesTransmitters) ? RadioMap(secret: secret) : nil
    learnsFromSimulated = isSimulated
    setup = Recording.Setup(
      providers: sources.count, secret: secret, limits: limits, keeping: terms,
      visitLatency: visitLatency)
    engine = setup.engine
    if isSimulated { engine.joinSimulatedAltitudes() }
    log = terms.access.map { BoundedLog(keeping: $0) }
    selection = SourceSelection(sources.map(\.tier))
    self.sources = sources.map { SourceState(source: $0, driver: $0.driver) }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    begin(input, at: now) + finish()
  }

  /// Handles an input, except for the second half of its last fix, which may wait until apps have
  /// received that fix. While ``isUnfinished``, the caller calls `finish` before the next input.
  /// While a recording is made, all is handled at once.
  package mutating func begin(_ input: Input, at now: Moment) -> [Output] {
    precondition(!isUnfinished, "an input comes before the last one is finished")
    var outputs: [Output] = []
    switch input {
    case .channel(let id, let event):
      let index = id.provider.index
      let isOver = if case .closed = event { true } else { false }
      // An event of an earlier opening is stale.
      if sources[index].channel == id {
        if isOver { sources[index].channel = nil }
        drive(index, .channel(event), at: now, to: &outputs)
      } else if sources[index].kernel == id {
        if isOver { sources[index].kernel = nil }
        drive(index, .kernel(event), at: now, to: &outputs)
      }
    case .engine(.stored(let entries)):
      begin(with: entries, at: now, to: &outputs)
    case .engine(let input): ask(input, at: now, to: &outputs)
    case .delivered(let client):
      guard let app = engine.app(of: client) else { break }
      note(.read(app), at: now, to: &outputs)
    case .map(let request):
      if request.forgets { forgetBeacons() }
      use(request.input, at: now, to: &outputs)
    case .wake: wake(at: now, to: &outputs)
    }
    isUnfinished = engine.unfinishedSince != nil
    if !isUnfinished { settleDeadline() }
    return outputs
  }

  /// Handles the second half of the last fix, at the moment of that fix.
  package mutating func finish() -> [Output] {
    var outputs: [Output] = []
    finishFix(to: &outputs)
    isUnfinished = false
    settleDeadline()
    return outputs
  }

  /// Handles the second half of a fix, and of those that sources deliver because of it.
  private mutating func finishFix(to outputs: inout [Output]) {
    while let now = engine.unfinishedSince { carry(engine.finish(), at: now, to: &outputs) }
  }

  /// Wakes the log, the drivers, and the engine where they are due.
  private mutating func wake(at now: Moment, to outputs: inout [Output]) {
    note(.wake, at: now, to: &outputs)
    if isDue(selection.nextDeadline, now) {
      selection.wake(at: now.uptime)
      settleDemand(at: now, to: &outputs)
    }
    for index in sources.indices where isDue(sources[index].deadline, now) {
      drive(index, .wake, at: now, to: &outputs)
    }
    for index in sources.indices where isDue(sources[index].beacons.nextDeadline, now) {
      gather(.wake, of: index, at: now, to: &outputs)
    }
    if isDue(map?.nextDeadline, now) { use(.wake, at: now, to: &outputs) }
    if isDue(engine.nextDeadline, now) { ask(.wake, at: now, to: &outputs) }
  }

  private mutating func settleDeadline() {
    nextDeadline = earliest(engine.nextDeadline, log?.nextDeadline)
    nextDeadline = earliest(nextDeadline, earliest(selection.nextDeadline, map?.nextDeadline))
    for index in sources.indices {
      nextDeadline = earliest(nextDeadline, sources[index].deadline)
      nextDeadline = earliest(nextDeadline, sources[index].beacons.nextDeadline)
    }
  }

  /// Passes the stored entries to the engine and, the first time, to the sources, so that the
  /// engine knows what each source can do before any condition is watched and any client connects.
  private mutating func begin(
    with entries: [StateEntry], at now: Moment, to outputs: inout [Output]
  ) {
    // Neither the engine nor a recording receives what the map has learned.
    use(.stored(entries), at: now, to: &outputs)
    let entries = entries.filter { $0.key.domain != RadioMap.domain }
    guard !hasBegun else { return ask(.stored(entries), at: now, to: &outputs) }
    hasBegun = true
    for index in sources.indices where !sources[index].source.givesPositions {
      let status = ProviderStatus.unavailable(.noPositions)
      ask(.provider(ProviderID(index), status), at: now, to: &outputs)
    }
    ask(.stored(entries), at: now, to: &outputs)
    note(.stored(entries), at: now, to: &outputs)
    backgroundUse.restore(entries, at: now)
    for index in sources.indices {
      drive(index, .stored(entries), at: now, to: &outputs)
    }
  }

  /// Whether this is the current opening; an event of an earlier one is stale.
  package func isOpen(_ id: ChannelID) -> Bool {
    sources[id.provider.index].channel == id || sources[id.provider.index].kernel == id
  }

  /// The app that a client belongs to; `nil` for a client that has gone.
  package func app(of client: ClientID) -> AppIdentity? { engine.app(of: client) }

  // MARK: The flight recorder

  /// Records all inputs of the engine from now on. Call it before the first input only.
  package mutating func record() { recorder = Recorder(setup) }

  package mutating func stopRecording() { recorder = nil }

  /// Returns what was recorded since the last call; empty while nothing is recorded.
  package mutating func takeRecording() -> [UInt8] { recorder?.takeBytes() ?? [] }

  /// Whether every source is a recording that has ended.
  package var haveSourcesEnded: Bool {
    sources.allSatisfy { $0.status == .unavailable(.ended) }
  }

  /// The last status of each source, in the order in which the sources were given.
  package var sourceReports: [SourceReport] {
    sources.map {
      var report = SourceReport(
        source: $0.source, status: $0.status, lastStatus: $0.lastStatus, fixes: $0.fixes,
        silence: $0.silence, rejections: $0.driver.rejections, evidence: $0.driver.evidence)
      report.fixTime = $0.fixTime
      return report
    }
  }

  /// The satellites that each source saw last, in the order of the sources; read at each call from
  /// what was received.
  package var skies: [[Satellite]] { sources.map(\.driver.sky) }

  private mutating func ask(
    _ input: LocationEngine.Input, at now: Moment, to outputs: inout [Output]
  ) {
    if engine.unfinishedSince != nil { finishFix(to: &outputs) }
    let answers: [LocationEngine.Output]
    if recorder == nil, case .fix = input {
      answers = engine.begin(input, at: now)
    } else {
      answers = engine.handle(input, at: now)
      recorder?.note(input, answers, at: now)
    }
    carry(answers, at: now, to: &outputs)
  }

  private mutating func carry(
    _ answers: [LocationEngine.Output], at now: Moment, to outputs: inout [Output]
  ) {
    for output in answers {
      outputs.append(.engine(output))
      if log != nil, case .deliver(let client, let delivery) = output,
        let app = engine.app(of: client)
      {
        note(.delivered(app, delivery), at: now, to: &outputs)
      }
      if let limit = engine.remindAfter { noteUse(output, limit, at: now, to: &outputs) }
      guard case .demand(let demand) = output else { continue }
      self.demand = demand
      if demand.position == nil { forgetBeacons() }
      selection.settle(demand.position, at: now.uptime)
      settleDemand(at: now, to: &outputs)
    }
  }

  /// Passes the demand to the sources whose part of it has changed.
  private mutating func settleDemand(at now: Moment, to outputs: inout [Output]) {
    for index in sources.indices {
      var part = demand
      if !selection.isSelected(index) { part.position = nil }
      guard part != sources[index].demand else { continue }
      sources[index].demand = part
      drive(index, .demand(part), at: now, to: &outputs)
    }
  }

  /// Counts the days on which an app uses Always in the background, where the owner wants a reminder.
  private mutating func noteUse(
    _ output: LocationEngine.Output, _ limit: Int, at now: Moment, to outputs: inout [Output]
  ) {
    guard case .deliver(let client, let delivery) = output,
      LocationService.access(of: delivery) != nil, let app = engine.app(of: client),
      engine.usesAlwaysUnseen(app)
    else { return }
    for output in backgroundUse.handle(.used(app, limit: limit), at: now) {
      switch output {
      case .persist(let change): outputs.append(.engine(.persist(change)))
      case .remind(let app): ask(.remind(app), at: now, to: &outputs)
      }
    }
  }

  /// Passes an input to the log, if there is one.
  private mutating func note(
    _ input: BoundedLog.Input, at now: Moment, to outputs: inout [Output]
  ) {
    for case .persist(let change) in log?.handle(input, at: now) ?? [] {
      outputs.append(.engine(.persist(change)))
    }
  }

  /// When each app received a location, in the order of time.
  package var accesses: [AccessLog.Access] { log?.accesses ?? [] }

  /// The events that were delivered to apps, in the order of delivery.
  package var eventRecords: [EventRecord] { log?.eventRecords ?? [] }

  private mutating func drive(
    _ index: Int, _ input: SourceInput, at now: Moment, to outputs: inout [Output]
  ) {
    let decisions = sources[index].driver.handle(input, at: now)
    sources[index].deadline = sources[index].driver.nextDeadline
    for output in decisions { carry(output, of: index, at: now, to: &outputs) }
  }

  private mutating func carry(
    _ output: SourceOutput, of index: Int, at now: Moment, to outputs: inout [Output]
  ) {
    let provider = ProviderID(index)
    switch output {
    case .open(let channel):
      sources[index].openings += 1
      let id = ChannelID(provider: provider, opening: sources[index].openings)
      if channel.isKernel {
        sources[index].kernel = id
      } else {
        sources[index].channel = id
      }
      outputs.append(.open(id, channel))
    case .close:
      guard let id = sources[index].channel.take() else { return }
      outputs.append(.close(id))
    case .closeKernel:
      guard let id = sources[index].kernel.take() else { return }
      outputs.append(.close(id))
    case .send(let bytes):
      if let id = sources[index].channel { outputs.append(.send(id, bytes)) }
    case .request(let bytes):
      if let id = sources[index].kernel { outputs.append(.send(id, bytes)) }
    case .bus(let action):
      if let id = sources[index].channel { outputs.append(.bus(id, action)) }
    case .read(let query):
      if let id = sources[index].kernel { outputs.append(.read(id, query)) }
    case .fix(let fix):
      sources[index].fixes += 1
      sources[index].fixTime = fix.time
      let first = outputs.count
      ask(.fix(fix, from: provider), at: now, to: &outputs)
      if map != nil, fix.origin.method == .receiver { teach(fix, since: first, at: now, &outputs) }
      // A region is no position: costlier sources are still needed.
      guard selection.hasChoice, fix.origin.method != .region else { return }
      selection.notePosition(from: index, at: now.uptime)
      settleDemand(at: now, to: &outputs)
    case .superseded(let fix): outputs.append(.engine(.ignored(fix, provider, .superseded)))
    case .compass(let has): ask(.compass(provider, has), at: now, to: &outputs)
    case .heading(let sample): ask(.heading(sample, from: provider), at: now, to: &outputs)
    case .sensor(let sample): ask(.sensor(sample), at: now, to: &outputs)
    case .scan(let scan):
      use(.scan(scan, from: provider), at: now, to: &outputs)
      passOn(scan, of: index, at: now, to: &outputs)
    case .quiet(let radio, let isGone):
      use(.quiet(provider, radio: radio, isGone: isGone), at: now, to: &outputs)
    case .reception(let reception): ask(.reception(reception), at: now, to: &outputs)
    case .beacon(let sample):
      if teaches(sample) { gather(.received(sample), of: index, at: now, to: &outputs) }
      ask(.beacon(sample), at: now, to: &outputs)
    case .advertising(let state): ask(.advertising(state), at: now, to: &outputs)
    case .store(let change): outputs.append(.engine(.persist(change)))
    case .status(let status): note(status, of: index, at: now, to: &outputs)
    }
  }

  private mutating func note(
    _ status: ProviderStatus, of index: Int, at now: Moment, to outputs: inout [Output]
  ) {
    let provider = ProviderID(index)
    sources[index].status = status
    if status != .idle { sources[index].lastStatus = status }
    outputs.append(.engine(.note(.provider(provider, status))))
    guard sources[index].source.givesPositions else {
      if case .unavailable = status { dropRegion(of: index, at: now, to: &outputs) }
      return
    }
    switch status {
    case .idle, .unavailable: map?.forgetRegion(of: provider)
    case .searching, .working: break
    }
    ask(.provider(provider, status), at: now, to: &outputs)
    guard selection.hasChoice else { return }
    selection.note(status, of: index, at: now.uptime)
    settleDemand(at: now, to: &outputs)
  }
}

extension ServiceCore {
  /// Withdraws the region of a source that gives none any more (RADIO-63).
  private mutating func dropRegion(of index: Int, at now: Moment, to outputs: inout [Output]) {
    guard sources[index].fixes > 0 else { return }
    ask(.provider(ProviderID(index), .unavailable(.noPositions)), at: now, to: &outputs)
  }
}

// MARK: The map of transmitters

extension ServiceCore {
  /// Teaches the map a position that the engine has not ignored. One that is simulated shows nothing
  /// of real transmitters.
  private mutating func teach(
    _ fix: Fix, since first: Int, at now: Moment, _ outputs: inout [Output]
  ) {
    received = now.uptime
    guard learnsFromSimulated || !fix.origin.isSimulated else { return }
    let isIgnored = outputs[first...].contains {
      if case .engine(.ignored(fix, _, _)) = $0 { true } else { false }
    }
    guard !isIgnored else { return }
    place = fix
    use(.fix(fix), at: now, to: &outputs)
  }

  /// Passes a scan to the sources that ask others, where neither the map, by whatever radio, nor a
  /// receiver knows the place, and to those that submit.
  private mutating func passOn(
    _ scan: RadioScan, of index: Int, at now: Moment, to outputs: inout [Output]
  ) {
    let isReceived = received.map { now.uptime - $0 < .seconds(10) } ?? false
    let isPlaced = sources.contains {
      $0.placed.map { now.uptime - $0 < Self.longestPlaced } ?? false
    }
    let isUnknown = sources[index].silence != nil && !isReceived && !isPlaced
    for other in sources.indices where other != index {
      guard isUnknown || sources[other].source.submits else { continue }
      drive(other, .scan(scan, near: place), at: now, to: &outputs)
    }
  }

  /// Whether the map has use for a beacon: while somebody needs a position, and not where this computer is
  /// the beacon, which a second adapter may receive.
  private func teaches(_ sample: BeaconSample) -> Bool {
    map != nil && demand.position != nil && sample.identity != demand.advert?.identity
  }

  /// Gathers the beacons of a source, and passes what it has received within some seconds to the map.
  private mutating func gather(
    _ input: BeaconGatherer.Input, of index: Int, at now: Moment, to outputs: inout [Output]
  ) {
    for case .scan(let scan) in sources[index].beacons.handle(input, at: now) {
      // Passed on to nobody: services know no identities of beacons.
      use(.scan(scan, from: ProviderID(index)), at: now, to: &outputs)
    }
  }

  /// Forgets what is gathered, because nobody needs a position any more.
  private mutating func forgetBeacons() {
    for index in sources.indices where sources[index].beacons.nextDeadline != nil {
      sources[index].beacons = BeaconGatherer()
    }
  }

  private mutating func use(
    _ input: RadioMap.Input, at now: Moment, to outputs: inout [Output]
  ) {
    guard let decisions = map?.handle(input, at: now) else { return }
    var found: [(fix: Fix, provider: ProviderID)] = []
    var silence: RadioSilence?
    for output in decisions {
      switch output {
      case .fix(let fix, let provider): found.append((fix, provider))
      case .silent(_, let reason): silence = reason
      case .noRegion(let provider): ask(.noRegion(provider), at: now, to: &outputs)
      case .store(let change): outputs.append(.engine(.persist(change)))
      }
    }
    if case .scan(_, let provider) = input {
      // Of two kinds of transmitters one is enough. Nobody expects positions of a source of beacons.
      let isSilent = found.isEmpty && sources[provider.index].source.givesPositions
      sources[provider.index].silence = isSilent ? silence : nil
      sources[provider.index].placed = found.isEmpty ? nil : now.uptime
    }
    for (fix, provider) in found { carry(.fix(fix), of: provider.index, at: now, to: &outputs) }
  }

  /// For how long the place of one radio's scan is that of the others'. Chosen: modems are asked once a minute.
  private static let longestPlaced = Duration.seconds(90)
}
