package import LocationModel

/// Reports once a second how near the wanted beacons are.
///
/// One ranger serves all clients: equal constraints give equal reports (BEACON-5). Permission and
/// suspension (BEACON-17, BEACON-18) are decided outside.
package struct BeaconRanger: Machine {
  package enum Input: MachineInput {
    case range(BeaconConstraint)
    case stopRanging(BeaconConstraint)
    /// Another process, or a person, has changed what is known of the adapters.
    case adapters(AdapterLevels)
    case reception(BeaconReception)
    case sample(BeaconSample)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Nearest first, unknown last (BEACON-8); empty when nothing is near (BEACON-7).
    case report(BeaconConstraint, [RangedBeacon])
    /// `.unavailable` or `.failing`, never `.listening` (BEACON-16).
    case fail(BeaconConstraint, BeaconReception)
    case ignored(BeaconSample, RangingRefusal)
    /// What was learned of an adapter (BEACON-27).
    case persist(StateChange)
  }

  private enum State: Sendable {
    /// No constraint is ranged.
    case idle
    /// Constraints are ranged while the radio cannot receive; the failure was output.
    case deaf
    /// The next report is due then.
    case ranging(nextReport: Instant)
  }

  /// One identity received from one radio; two radios are two beacons (BEACON-15).
  private struct Source: Hashable, Comparable {
    var identity: BeaconIdentity
    var address: BluetoothAddress

    static func < (left: Source, right: Source) -> Bool {
      (left.identity, left.address) < (right.identity, right.address)
    }
  }

  /// The state of a source.
  private struct Track: Sendable {
    var signal = SignalDistance()
    /// dBm expected at one meter, as the beacon claims.
    var measuredPower: Int
    /// The adapter that is followed; `nil` for an ideal receiver.
    var adapter: BluetoothAddress?
    var lastReceived: Instant
    /// The same moment as a date.
    var time: UnixTime
    /// How many reports had a sample of it.
    var reports = 0
    /// dBm, the mean of the last report; `nil` when nothing was measured in it.
    var rssi: Int?
    /// dBm at the last report, smoothed; `nil` without a recent sample.
    var smoothed: Double?

    init(_ sample: BeaconSample, at now: Instant) {
      (measuredPower, adapter) = (sample.measuredPower, sample.adapter)
      (lastReceived, time) = (now, sample.time)
    }

    mutating func receive(_ sample: BeaconSample, at now: Instant) {
      if adapter != sample.adapter {
        adapter = sample.adapter
        (signal, reports) = (SignalDistance(), 0)
      }
      measuredPower = sample.measuredPower
      lastReceived = now
      time = sample.time
      if let rssi = sample.rssi, measurable.contains(rssi) { signal.add(rssi, at: now) }
    }

    /// Computes the next report.
    mutating func settle(at now: Instant) {
      rssi = signal.takeMean()
      smoothed = signal.smoothed(at: now)
      if rssi != nil { reports += 1 }
    }

    /// Returns the report; without samples since the last it is unknown (BEACON-10, BEACON-11).
    func line(of identity: BeaconIdentity, _ path: SignalPath) -> RangedBeacon {
      let distance = rssi == nil ? nil : smoothed.map { path.distance(rssi: $0) }
      return RangedBeacon(
        identity: identity, proximity: distance.map(SignalDistance.proximity) ?? .unknown,
        accuracy: distance, rssi: rssi, time: time)
    }
  }

  /// A beacon as one adapter heard it.
  private struct Place: Hashable, Sendable {
    var identity: BeaconIdentity
    var adapter: BluetoothAddress
  }

  private var state = State.idle
  private var reception = BeaconReception.listening
  /// Sorted.
  private var constraints: [BeaconConstraint] = []
  private var tracks: [Source: Track] = [:]

  package private(set) var adapters = AdapterLevels()
  /// The level of each beacon from which its adapter learned last, in dB over the claim.
  private var lessons: [Place: Double] = [:]

  package init() {}

  package var nextDeadline: Instant? {
    guard case .ranging(let nextReport) = state else { return nil }
    return nextReport
  }

  /// How Bluetooth must scan (POW-3).
  package var scan: BeaconScan { constraints.isEmpty ? .off : .continuous }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .range(let constraint): return range(constraint, at: now.uptime)
    case .stopRanging(let constraint): return stop(constraint, at: now.uptime)
    case .adapters(let adapters):
      take(adapters)
      return []
    case .reception(let reception): return setReception(reception, at: now.uptime)
    case .sample(let sample): return take(sample, at: now.uptime)
    case .wake:
      guard case .ranging(let due) = state, now.uptime >= due else { return [] }
      return report(due: due, at: now)
    }
  }

  /// Takes what is known of the adapters.
  mutating func take(_ adapters: AdapterLevels) { self.adapters = adapters }

  private mutating func range(_ constraint: BeaconConstraint, at now: Instant) -> [Output] {
    guard !constraints.contains(constraint) else { return [] }
    constraints.append(constraint)
    constraints.sort()
    guard reception == .listening else {
      state = .deaf
      return [.fail(constraint, reception)]
    }
    if case .idle = state { state = .ranging(nextReport: now + Self.interval) }
    return []
  }

  private mutating func stop(_ constraint: BeaconConstraint, at now: Instant) -> [Output] {
    constraints.removeAll { $0 == constraint }
    tracks = tracks.filter { entry in isWanted(entry.key.identity) }
    guard constraints.isEmpty else { return [] }
    state = .idle
    return adapters.changes(at: now, isOver: true).map { .persist($0) }
  }

  private mutating func setReception(_ new: BeaconReception, at now: Instant) -> [Output] {
    guard new != reception else { return [] }
    reception = new
    guard !constraints.isEmpty else { return [] }
    guard new != .listening else {
      state = .ranging(nextReport: now + Self.interval)
      return []
    }
    state = .deaf
    tracks = [:]
    return constraints.map { .fail($0, new) }
  }

  private mutating func take(_ sample: BeaconSample, at now: Instant) -> [Output] {
    guard isWanted(sample.identity) else { return [.ignored(sample, .unwanted)] }
    guard case .ranging = state else { return [.ignored(sample, .deaf)] }
    let source = Source(identity: sample.identity, address: sample.address)
    guard tracks[source] != nil || tracks.count < Self.capacity else {
      return [.ignored(sample, .tooMany)]
    }
    let track = tracks[source] ?? Track(sample, at: now)
    guard track.adapter == sample.adapter || now - track.lastReceived > Self.unknownAfter else {
      return [.ignored(sample, .otherAdapter)]
    }
    tracks[source, default: track].receive(sample, at: now)
    return []
  }

  private func isWanted(_ identity: BeaconIdentity) -> Bool {
    constraints.contains { $0.matches(identity) }
  }

  private mutating func report(due: Instant, at now: Moment) -> [Output] {
    let onTime = due + Self.interval
    state = .ranging(nextReport: onTime > now.uptime ? onTime : now.uptime + Self.interval)
    tracks = tracks.filter { entry in now.uptime - entry.value.lastReceived < Self.dropAfter }
    let sources = tracks.keys.sorted()
    for source in sources { tracks[source]?.settle(at: now.uptime) }
    let lines = sources.compactMap { source in
      tracks[source].map { $0.line(of: source.identity, path(to: $0)) }
    }
    let ranked = lines.enumerated().sorted { left, right in
      rank(left.element, left.offset) < rank(right.element, right.offset)
    }.map(\.element)
    return learn(from: sources, at: now)
      + constraints.map { constraint in
        .report(constraint, ranked.filter { constraint.matches($0.identity) })
      }
  }

  private func path(to track: Track) -> SignalPath {
    guard let adapter = track.adapter else {
      return SignalPath(powerAtOneMeter: Double(track.measuredPower))
    }
    return adapters[adapter].path(measuredPower: track.measuredPower)
  }

  // MARK: Adapters

  /// Learns from at most one beacon of each adapter: one that is new, or has moved (BEACON-27).
  private mutating func learn(from sources: [Source], at now: Moment) -> [Output] {
    var learned: [BluetoothAddress] = []
    var changes: [StateChange] = []
    for source in sources {
      guard let track = tracks[source], let adapter = track.adapter, track.rssi != nil,
        let smoothed = track.smoothed, track.reports >= Self.reportsToLearn,
        Self.claims.contains(track.measuredPower), !learned.contains(adapter)
      else { continue }
      let place = Place(identity: source.identity, adapter: adapter)
      let level = smoothed - Double(track.measuredPower)
      if let known = lessons[place], abs(level - known) < Self.moved { continue }
      if lessons.count >= Self.capacity { lessons = [:] }
      lessons[place] = level
      learned.append(adapter)
      changes += adapters.learn(level, of: adapter, at: now.unixTime)
    }
    return (changes + adapters.changes(at: now.uptime)).map { .persist($0) }
  }

  /// The lines of the last report about all constraints, in the order of the beacons.
  package var lines: [RangedBeacon] {
    tracks.keys.sorted().compactMap { source in
      tracks[source].map { $0.line(of: source.identity, path(to: $0)) }
    }
  }

  /// How one beacon was received in the last report.
  package struct Reading: Hashable, Sendable {
    package var identity: BeaconIdentity
    /// `nil` where `bluetoothd` does not say.
    package var adapter: BluetoothAddress?
    /// dBm at one meter, as the beacon claims.
    package var measuredPower: Int
    /// dBm, the mean since the report before; `nil` when nothing was measured.
    package var rssi: Int?
    /// When it was last received.
    package var time: UnixTime

    package init(
      identity: BeaconIdentity, adapter: BluetoothAddress?, measuredPower: Int, rssi: Int?,
      time: UnixTime
    ) {
      (self.identity, self.adapter, self.measuredPower) = (identity, adapter, measuredPower)
      (self.rssi, self.time) = (rssi, time)
    }
  }

  /// How each beacon was received in the last report, for a calibration.
  package var readings: [Reading] {
    tracks.keys.sorted().compactMap { source in
      tracks[source].map {
        Reading(
          identity: source.identity, adapter: $0.adapter, measuredPower: $0.measuredPower,
          rssi: $0.rssi, time: $0.time)
      }
    }
  }

  /// Observed (BEACON-6).
  private static let interval = Duration.seconds(1)
  /// Documented (BEACON-11).
  private static let dropAfter = Duration.seconds(10)
  /// Documented (BEACON-11).
  private static let unknownAfter = Duration.seconds(2)
  /// Reports. Chosen: the first second of a beacon may be a part of one only.
  private static let reportsToLearn = 2
  /// dB. Chosen: a beacon that stays where it is counts once.
  private static let moved = 4.0
  /// dBm. Chosen: what beacons claim for one meter; nothing is learned from other claims.
  private static let claims = -100 ... -20
  /// Beacons. Chosen: more than were observed in any hall.
  package static let capacity = 2000
}

/// Why a sample was not ranged.
package enum RangingRefusal: Hashable, Sendable {
  /// No constraint matches.
  case unwanted
  /// It came while the radio could not receive.
  case deaf
  /// More beacons than the ranger keeps.
  case tooMany
  /// Another adapter, which is followed, hears the beacon too (BEACON-28).
  case otherAdapter
}

/// dBm; the Bluetooth core specification's range. 127 means "not available".
private let measurable = -127...20

private func rank(_ beacon: RangedBeacon, _ offset: Int) -> (Proximity, Double, Int) {
  (beacon.proximity, beacon.accuracy ?? .infinity, offset)
}
