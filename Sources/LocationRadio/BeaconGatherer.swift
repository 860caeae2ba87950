package import LocationModel

/// Gathers the advertisements of beacons, which come one by one, into scans for the map.
///
/// A scan has what was received within three seconds: each beacon once, with the mean of its levels and of
/// its ages. Beacons send several times a second, and each level alone is off by some 4 dB.
package struct BeaconGatherer: Machine {
  package enum Input: MachineInput {
    case received(BeaconSample)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case scan(RadioScan)
  }

  /// What was received of one beacon.
  private struct Reception: Sendable {
    var count = 0.0
    /// The sum of the levels, in dBm.
    var levels = 0.0
    /// The sum of the seconds since the beginning.
    var times = 0.0

    var level: Double { levels / count }
  }

  private var receptions: [BeaconIdentity: Reception] = [:]
  /// When the first of them was received; `nil` while there is none.
  private var begun: Instant?

  package init() {}

  package var nextDeadline: Instant? { begun.map { $0 + Self.window } }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    // After the computer was suspended, what was received before is of another place.
    if let begun, now.uptime - begun > Self.window * 2 { (receptions, self.begun) = ([:], nil) }
    let scans = isDue(nextDeadline, now) ? [Output.scan(take(at: now))] : []
    if case .received(let sample) = input { note(sample, at: now.uptime) }
    return scans
  }

  private mutating func note(_ sample: BeaconSample, at now: Instant) {
    // An adapter that monitors says again and again that a beacon is there, without having received it.
    guard let rssi = sample.rssi else { return }
    let beginning = begun ?? now
    begun = beginning
    receptions[sample.identity, default: Reception()].count += 1
    receptions[sample.identity]?.levels += min(max(Double(rssi), Self.faintest), Self.loudest)
    receptions[sample.identity]?.times += now.seconds(since: beginning)
    // Sorted at every hundredth or so, because anybody can invent beacons.
    if receptions.count > 2 * Readings.most { keepLoudest() }
  }

  private mutating func keepLoudest() {
    let loudest = receptions.sorted {
      ($1.value.level, $0.key) < ($0.value.level, $1.key)
    }
    receptions = Dictionary(
      uniqueKeysWithValues: loudest.prefix(Readings.most).map { ($0.key, $0.value) })
  }

  private mutating func take(at now: Moment) -> RadioScan {
    defer { (receptions, begun) = ([:], nil) }
    let length = begun.map { now.uptime.seconds(since: $0) } ?? 0
    keepLoudest()
    let readings = receptions.sorted { $0.key < $1.key }.map { identity, reception in
      RadioScan.Reading(
        .beacon(identity), level: reception.level,
        age: max(length - reception.times / reception.count, 0))
    }
    return RadioScan(readings, time: now.unixTime)
  }

  /// How long a scan lasts. Chosen: a person walks a place of the map, or a little more.
  private static let window = Duration.seconds(3)
  /// dBm: the levels of a scan.
  private static let faintest = -130.0
  private static let loudest = -10.0
}
