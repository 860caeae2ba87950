package import LocationModel

/// Reports once a second how near the wanted beacons are.
///
/// One ranger serves all clients: equal constraints give equal reports (BEACON-5). Permission and
/// suspension (BEACON-17, BEACON-18) are decided outside.
package struct BeaconRanger: Machine {
  package enum Input: MachineInput {
    case range(BeaconConstraint)
    case stopRanging(BeaconConstraint)
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
    /// The power expected at one meter here, in dBm.
    var measuredPower: Int
    var lastReceived: Instant
    /// The same moment as a date.
    var time: UnixTime

    mutating func receive(_ sample: BeaconSample, offset: Int, at now: Instant) {
      measuredPower = sample.measuredPower + offset
      lastReceived = now
      time = sample.time
      if let rssi = sample.rssi { signal.add(rssi, at: now) }
    }

    /// Returns the report; without samples since the last it is unknown (BEACON-10, BEACON-11).
    mutating func line(of identity: BeaconIdentity, at now: Instant) -> RangedBeacon {
      let rssi = signal.takeMean()
      let distance = rssi == nil ? nil : signal.distance(measuredPower: measuredPower, at: now)
      return RangedBeacon(
        identity: identity, proximity: distance.map(SignalDistance.proximity) ?? .unknown,
        accuracy: distance, rssi: rssi, time: time)
    }
  }

  private var state = State.idle
  private var reception: BeaconReception
  /// Sorted.
  private var constraints: [BeaconConstraint] = []
  private var tracks: [Source: Track] = [:]

  /// dB by which this receiver reports more than a phone does.
  private let receiverOffset: Int

  /// Measure `receiverOffset` once per adapter: hold a beacon at one meter, and subtract what it
  /// claims from what is received. It matters most of all (docs/decisions/0024).
  package init(reception: BeaconReception = .listening, receiverOffset: Int = 0) {
    self.reception = reception
    self.receiverOffset = receiverOffset
  }

  package var nextDeadline: Instant? {
    guard case .ranging(let nextReport) = state else { return nil }
    return nextReport
  }

  /// How Bluetooth must scan (POW-3).
  package var scan: BeaconScan { constraints.isEmpty ? .off : .continuous }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .range(let constraint): return range(constraint, at: now.uptime)
    case .stopRanging(let constraint): stop(constraint)
    case .reception(let reception): return setReception(reception, at: now.uptime)
    case .sample(let sample): return take(sample, at: now.uptime)
    case .wake:
      guard case .ranging(let due) = state, now.uptime >= due else { return [] }
      return report(due: due, at: now.uptime)
    }
    return []
  }

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

  private mutating func stop(_ constraint: BeaconConstraint) {
    constraints.removeAll { $0 == constraint }
    tracks = tracks.filter { entry in isWanted(entry.key.identity) }
    if constraints.isEmpty { state = .idle }
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
    let new = Track(measuredPower: sample.measuredPower, lastReceived: now, time: sample.time)
    tracks[source, default: new].receive(sample, offset: receiverOffset, at: now)
    return []
  }

  private func isWanted(_ identity: BeaconIdentity) -> Bool {
    constraints.contains { $0.matches(identity) }
  }

  private mutating func report(due: Instant, at now: Instant) -> [Output] {
    let onTime = due + Self.interval
    state = .ranging(nextReport: onTime > now ? onTime : now + Self.interval)
    tracks = tracks.filter { entry in now - entry.value.lastReceived < Self.dropAfter }
    let lines = tracks.keys.sorted().compactMap { source in
      tracks[source]?.line(of: source.identity, at: now)
    }
    let ranked = lines.enumerated().sorted { left, right in
      rank(left.element, left.offset) < rank(right.element, right.offset)
    }.map(\.element)
    return constraints.map { constraint in
      .report(constraint, ranked.filter { constraint.matches($0.identity) })
    }
  }

  /// Observed (BEACON-6).
  private static let interval = Duration.seconds(1)
  /// Documented (BEACON-11).
  private static let dropAfter = Duration.seconds(10)
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
}

private func rank(_ beacon: RangedBeacon, _ offset: Int) -> (Proximity, Double, Int) {
  (beacon.proximity, beacon.accuracy ?? .infinity, offset)
}
