package import LocationModel
package import LocationSecrets

/// Learns where transmitters are heard while a receiver knows the place, and finds the place from
/// them when it does not.
///
/// A position that was found by radio never teaches.
package struct RadioMap: Machine {
  package enum Input: MachineInput {
    /// What the radio of a provider heard.
    case scan(RadioScan, from: ProviderID)
    /// A position of a receiver.
    case fix(Fix)
    /// The durable state, at the start.
    case stored([StateEntry])
    /// Forgets everything.
    case forget
    case wake
  }

  package enum Output: Hashable, Sendable {
    case fix(Fix, from: ProviderID)
    /// A scan gave no position, and why.
    case silent(ProviderID, RadioSilence)
    case store(StateChange)
  }

  /// What kinds of transmitters there are; each has a layer.
  package enum Kind: String, CaseIterable, Sendable {
    case accessPoints = "wifi"
    case cells = "cell"
  }

  /// A scan that waits for the receiver's next position.
  private struct Pending: Sendable {
    var kind: Kind
    var readings: Readings
    var time: UnixTime
    var position: RadioPosition?
  }

  private var names: RadioStationNames
  private var layers: [Kind: RadioLayer]
  private var locators: [Kind: RadioLocator] = [:]
  private var pending: [Pending] = []
  /// The last position of a receiver that may teach.
  private var lastFix: Fix?
  /// Where was taught lately: a position found there was only just learned, and shows nothing.
  private var lessons: [(place: Coordinate, at: Instant)] = []
  /// When changed tiles are stored; `nil` while none has changed.
  private var storing: Instant?

  package init(secret: SecretKey) {
    names = RadioStationNames(secret)
    layers = [
      .accessPoints: RadioLayer(.accessPoints), .cells: RadioLayer(.cells),
    ]
  }

  package var nextDeadline: Instant? { storing }

  /// What is known of one kind of transmitters.
  package func layer(_ kind: Kind) -> RadioLayer? { layers[kind] }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .scan(let scan, let provider): return take(scan, from: provider, at: now)
    case .fix(let fix): return learn(from: fix, at: now)
    case .stored(let entries):
      restore(entries)
      return []
    case .forget: return forget()
    case .wake: return isDue(storing, now) ? store() : []
    }
  }

  // MARK: Scans

  private mutating func take(
    _ scan: RadioScan, from provider: ProviderID, at now: Moment
  ) -> [Output] {
    var outputs: [Output] = []
    for kind in Kind.allCases {
      let readings = Readings(scan, kind, &names)
      guard !readings.isEmpty, let layer = layers[kind] else { continue }
      let answer = locators[kind, default: RadioLocator()].locate(
        readings.levels, in: layer, day: scan.time.day, at: now.uptime)
      var position: RadioPosition?
      switch answer {
      case .position(let found):
        position = found
        outputs.append(.fix(Fix(found, kind, at: scan.time), from: provider))
      case .unknown(let reason): outputs.append(.silent(provider, reason))
      }
      pending.append(
        Pending(kind: kind, readings: readings, time: scan.time, position: position))
    }
    if outputs.isEmpty { outputs.append(.silent(provider, .nothingHeard)) }
    if pending.count > Self.mostPending { pending.removeFirst(pending.count - Self.mostPending) }
    return outputs
  }

  // MARK: Teaching

  /// Teaches the scans since the last position, each at the place where it was heard.
  private mutating func learn(from fix: Fix, at now: Moment) -> [Output] {
    guard fix.origin.method == .receiver, fix.horizontalAccuracy <= Self.worstAccuracy,
      (fix.speed ?? 0) <= Self.fastest
    else {
      lastFix = nil
      return []
    }
    defer { lastFix = fix }
    guard let lastFix, fix.time > lastFix.time,
      fix.time.seconds(since: lastFix.time) <= Self.longestGap
    else { return [] }
    let due = pending.filter { $0.time <= fix.time }
    pending.removeAll { $0.time <= fix.time }
    for scan in due where scan.time >= lastFix.time {
      teach(scan, between: lastFix, and: fix, at: now.uptime)
    }
    if storing == nil, !due.isEmpty { storing = now.uptime + Self.storingInterval }
    return []
  }

  private mutating func teach(
    _ scan: Pending, between first: Fix, and second: Fix, at now: Instant
  ) {
    guard var layer = layers[scan.kind] else { return }
    let frame = LocalFrame(center: first.coordinate)
    let way = frame.offset(of: second.coordinate)
    let span = second.time.seconds(since: first.time)
    let length = hypotenuse(way.east, way.north)
    // A receiver that jumps from fix to fix is not where it claims.
    guard length / span <= Self.fastest else { return }
    let heard = scan.time.seconds(since: first.time) - scan.readings.age
    let share = min(max(heard / span, -1), 1)
    let place = frame.place(east: way.east * share, north: way.north * share)
    let accuracy = max(first.horizontalAccuracy, second.horizontalAccuracy)
    lessons.removeAll { now - $0.at > Self.lesson }
    if let position = scan.position, !wasTaughtLately(place) {
      locators[scan.kind, default: RadioLocator()].calibrate(
        position, truth: place, accuracy: accuracy)
    }
    let weight = 1 / (1 + (accuracy / Self.goodAccuracy) * (accuracy / Self.goodAccuracy))
    layer.teach(
      scan.readings.levels(fresherThan: layer.grain.spacing / max(length / span, 0.1)), at: place,
      RadioLayer.Teaching(
        weight: weight, day: scan.time.day, floor: second.floor.flatMap { Int8(exactly: $0) },
        local: scan.readings.local, canMove: scan.kind == .accessPoints))
    layers[scan.kind] = layer
    lessons.append((place, now))
    if lessons.count > Self.mostLessons { lessons.removeFirst() }
  }

  private func wasTaughtLately(_ place: Coordinate) -> Bool {
    let frame = LocalFrame(center: place)
    return lessons.contains { frame.chord(to: $0.place) < Self.sameLesson }
  }

  /// Teaches one scan at a known place, as an import does.
  package mutating func teach(_ scan: RadioScan, at place: Coordinate, floor: Int8? = nil) {
    for kind in Kind.allCases {
      let readings = Readings(scan, kind, &names)
      guard !readings.isEmpty else { continue }
      layers[kind]?.teach(
        readings.levels, at: place,
        RadioLayer.Teaching(
          weight: 1, day: scan.time.day, floor: floor, local: readings.local,
          canMove: kind == .accessPoints))
    }
  }

  // MARK: Storing

  private mutating func forget() -> [Output] {
    var outputs: [Output] = []
    for kind in Kind.allCases {
      guard let layer = layers[kind] else { continue }
      outputs += layer.tiles.map { .store(.remove(RadioMapStore.key(of: $0, kind))) }
      layers[kind] = RadioLayer(layer.grain)
    }
    outputs.append(.store(.remove(RadioMapStore.calibrationKey)))
    (locators, pending, lastFix, storing) = ([:], [], nil, nil)
    lessons = []
    return outputs
  }

  private mutating func store() -> [Output] {
    storing = nil
    var outputs: [Output] = []
    for kind in Kind.allCases {
      guard let tiles = layers[kind]?.takeChangedTiles(), let layer = layers[kind] else { continue }
      outputs += tiles.map { .store(RadioMapStore.change(of: $0, in: layer, kind)) }
    }
    let scales = Kind.allCases.map { locators[$0]?.calibration.scale ?? RadioCalibration.standard }
    outputs.append(.store(RadioMapStore.change(of: scales)))
    return outputs
  }

  private mutating func restore(_ entries: [StateEntry]) {
    for entry in entries where entry.key.domain == RadioMapStore.domain {
      if let (kind, _) = RadioMapStore.tile(of: entry.key), var layer = layers[kind] {
        RadioMapStore.restore(entry.value, to: &layer)
        layers[kind] = layer
      } else if entry.key == RadioMapStore.calibrationKey {
        let scales = RadioMapStore.scales(in: entry.value)
        for (kind, scale) in zip(Kind.allCases, scales) {
          locators[kind, default: RadioLocator()].restore(RadioCalibration(scale: scale))
        }
      }
    }
    for kind in Kind.allCases { _ = layers[kind]?.takeChangedTiles() }
  }

  /// Scans that wait. Chosen: a fix comes every second while a receiver works.
  private static let mostPending = 16
  /// Meters. Chosen (docs/decisions/0080): a receiver that claims more is not sure of the street.
  private static let worstAccuracy = 20.0
  /// Meters: the accuracy with half the weight.
  private static let goodAccuracy = 6.0
  /// Meters per second: a scan of four seconds would be as long as a block of houses.
  private static let fastest = 15.0
  /// Seconds between two positions that a scan may lie between.
  private static let longestGap = 6.0
  private static let storingInterval = Duration.seconds(60)
  /// How long a lesson is one. Chosen: longer than a person stays to be measured.
  private static let lesson = Duration.seconds(900)
  /// Meters.
  private static let sameLesson = 15.0
  private static let mostLessons = 512
}

extension UnixTime {
  /// Days since 1970.
  var day: Int32 { Int32(clamping: Int64((seconds / 86_400).rounded(.down))) }
}

extension Fix {
  fileprivate init(_ position: RadioPosition, _ kind: RadioMap.Kind, at time: UnixTime) {
    let method: PositionMethod = kind == .accessPoints ? .accessPoints : .cells
    self.init(
      coordinate: position.coordinate, horizontalAccuracy: position.radius, time: time,
      origin: Origin(method: method))
    floor = position.floor.map { Int($0) }
  }
}
