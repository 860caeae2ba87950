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
    /// A radio of a provider that has several receives nothing now, or is gone.
    case quiet(ProviderID, radio: String, isGone: Bool)
    /// A position of a receiver.
    case fix(Fix)
    /// The durable state, at the start, and when another process has changed it: what it holds
    /// replaces what is known of the same tiles.
    case stored([StateEntry])
    /// What somebody else has received or determined: an import.
    case learn([RadioObservation])
    /// Stores what has changed now.
    case save
    /// Forgets everything.
    case forget
    /// Forgets what is known within a circle; ``forgotten`` says how much that was.
    case forgetNear(Circle)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case fix(Fix, from: ProviderID)
    /// A scan gave no position, and why.
    case silent(ProviderID, RadioSilence)
    /// The region that a provider's cell gave does not hold any more, and there is no other.
    case noRegion(ProviderID)
    case store(StateChange)
  }

  /// What kinds of transmitters there are; each has a layer.
  package enum Kind: String, CaseIterable, Sendable {
    case accessPoints = "wifi"
    case cells = "cell"
    case beacons = "beacon"

    /// The kind to which a transmitter belongs.
    init(of transmitter: Transmitter) {
      switch transmitter {
      case .accessPoint: self = .accessPoints
      case .cell, .neighbor: self = .cells
      case .beacon: self = .beacons
      }
    }

    /// How a position is found by them.
    var method: PositionMethod {
      switch self {
      case .accessPoints: .accessPoints
      case .cells: .cells
      case .beacons: .beacons
      }
    }
  }

  /// A scan that waits for the receiver's next position.
  private struct Pending: Sendable {
    var kind: Kind
    var readings: Readings
    var time: UnixTime
    /// Its position without what was taught lately, while a receiver shows the truth.
    var rehearsed: RadioPosition?
  }

  private(set) var names: RadioStationNames
  private(set) var layers: [Kind: RadioLayer]
  /// Transmitters of imported lists.
  private(set) var placed: [Kind: PlacedStations] = [:]
  /// The rows as they are stored.
  private(set) var rows = StoredRows()
  /// What of the last import was not used.
  package private(set) var refusals = ImportRefusals()
  /// What the last ``Input/forgetNear(_:)`` has removed.
  package private(set) var forgotten = Forgotten()
  private var locators: [Kind: RadioLocator] = [:]
  private var pending: [Pending] = []
  /// The last position of a receiver that may teach.
  private var lastFix: Fix?
  private var clock = SatelliteLead()
  /// What was taught lately.
  private var lessons: [Kind: RadioLessons] = [:]
  /// The regions of the cells that serve the modems.
  var regions = RadioRegions()
  /// When changed tiles are stored; `nil` while none has changed.
  private var storing: Instant?

  package init(secret: SecretKey, accessPoints grain: RadioLayer.Grain = .accessPoints) {
    names = RadioStationNames(secret)
    layers = [
      .accessPoints: RadioLayer(grain), .cells: RadioLayer(.cells), .beacons: RadioLayer(.beacons),
    ]
  }

  package var nextDeadline: Instant? { earliest(storing, regions.due) }

  /// How far the radii of one kind of transmitters are right, as it was learned.
  package func calibration(_ kind: Kind) -> RadioCalibration {
    locators[kind]?.calibration ?? RadioCalibration()
  }

  /// What is known of one kind of transmitters.
  package func layer(_ kind: Kind) -> RadioLayer? { layers[kind] }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .scan(let scan, let provider): return take(scan, from: provider, at: now)
    case .quiet(let provider, let radio, let isGone):
      regions.silence(radio, of: provider, isGone: isGone, at: now)
      return []
    case .fix(let fix): return learn(from: fix, at: now)
    case .stored(let entries): return adopt(entries)
    case .learn(let observations):
      learn(observations, at: now)
      return []
    case .save: return store()
    case .forget: return forget()
    case .forgetNear(let circle): return forget(within: circle)
    case .wake:
      let found = isDue(regions.due, now) ? regions.take() : []
      return found + (isDue(storing, now) ? store() : [])
    }
  }

  // MARK: Scans

  private mutating func take(
    _ scan: RadioScan, from provider: ProviderID, at now: Moment
  ) -> [Output] {
    var outputs: [Output] = []
    let time = scan.time + clock.lead(at: now)
    var areas: [RadioStationID] = []
    for kind in Kind.allCases {
      let readings = Readings(scan, kind, &names)
      areas += readings.areas
      guard !readings.isEmpty, let layer = layers[kind] else { continue }
      let answer = locators[kind, default: RadioLocator()].locate(
        readings.levels(in: layer), in: layer, day: time.day, at: now.uptime)
      switch answer {
      case .position(let found):
        outputs.append(.fix(Fix(found, kind, at: time), from: provider))
      case .unknown(let reason):
        if let found = placed[kind]?.locate(
          readings.levels, day: time.day, least: Self.leastRadius(kind))
        {
          outputs.append(.fix(Fix(found, kind, at: time), from: provider))
        } else {
          outputs.append(.silent(provider, reason))
        }
      }
      pending.append(
        Pending(
          kind: kind, readings: readings, time: time,
          rehearsed: rehearse(readings, kind, layer, time, at: now)))
    }
    if outputs.isEmpty { outputs.append(.silent(provider, .nothingHeard)) }
    if pending.count > Self.mostPending { pending.removeFirst(pending.count - Self.mostPending) }
    return noteRegion(of: scan, in: areas, from: provider, outputs, at: now)
  }

  /// Finds the position of a scan from what is older than the present visit, while a receiver is
  /// there to compare it with.
  private mutating func rehearse(
    _ readings: Readings, _ kind: Kind, _ layer: RadioLayer, _ time: UnixTime, at now: Moment
  ) -> RadioPosition? {
    guard let lastFix, (0...Self.longestGap).contains(time.seconds(since: lastFix.time)) else {
      return nil
    }
    return locators[kind, default: RadioLocator()].rehearse(
      readings.levels(in: layer), in: layer, without: lessons[kind, default: RadioLessons()],
      day: time.day, at: now.uptime)
  }

  // MARK: Teaching

  /// Teaches the scans since the last position, each at the place where it was heard.
  private mutating func learn(from fix: Fix, at now: Moment) -> [Output] {
    if fix.origin.method == .receiver { clock.note(fix.time, at: now) }
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
    guard let grain = layers[scan.kind]?.grain else { return }
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
    let teaching = RadioLayer.Teaching(
      weight: Self.weight(of: accuracy), accuracy: accuracy, day: scan.time.day,
      floor: second.floor.flatMap { Int8(exactly: $0) }, local: scan.readings.local,
      canMove: grain.canTravel)
    compare(scan, with: place, accuracy, teaching.floor, at: now)
    let lesson = layers[scan.kind]?.teach(
      scan.readings.lesson(fresherThan: grain.spacing / max(length / span, 0.1)), at: place,
      teaching)
    placed[scan.kind]?.check(scan.readings.levels, at: place)
    if let lesson { lessons[scan.kind, default: RadioLessons()].note(lesson, at: now) }
  }

  /// Compares where a scan seems to have been made with where it was.
  private mutating func compare(
    _ scan: Pending, with place: Coordinate, _ accuracy: Double, _ floor: Int8?, at now: Instant
  ) {
    guard let position = scan.rehearsed, let layer = layers[scan.kind] else { return }
    // Where nothing was known, the error says how far the map reaches, which changes right now.
    let index = CellIndex(place, floor: floor, spacing: layer.grain.spacing)
    let distance = max(layer.grain.spacing, accuracy)
    guard lessons[scan.kind, default: RadioLessons()].knew(index, in: layer),
      lessons[scan.kind, default: RadioLessons()].compares(at: place, within: distance, at: now)
    else { return }
    locators[scan.kind, default: RadioLocator()].calibrate(
      position, truth: place, accuracy: accuracy)
  }

  private static func weight(of accuracy: Double) -> Double {
    1 / (1 + (accuracy / goodAccuracy) * (accuracy / goodAccuracy))
  }

  /// Teaches one scan at a place that is known with some accuracy, in meters.
  package mutating func teach(
    _ scan: RadioScan, at place: Coordinate, floor: Int8? = nil, accuracy: Double = 0
  ) {
    for kind in Kind.allCases {
      let readings = Readings(scan, kind, &names)
      guard !readings.isEmpty, let grain = layers[kind]?.grain else { continue }
      let lesson = layers[kind]?.teach(
        readings.lesson(), at: place,
        RadioLayer.Teaching(
          weight: 1, accuracy: accuracy, day: scan.time.day, floor: floor, local: readings.local,
          canMove: grain.canTravel))
      if let lesson, lesson.older > 0 { refusals.note(.older, lesson.older) }
    }
  }

  /// Takes what somebody else has received or determined; `refusals` says what of it was not used.
  package mutating func learn(_ observations: [RadioObservation], at now: Moment) {
    refusals = ImportRefusals()
    for observation in observations { learn(observation) }
    if storing == nil { storing = now.uptime + Self.storingInterval }
  }

  private mutating func learn(_ observation: RadioObservation) {
    switch observation {
    case .scan(let scan, let place, let floor, let accuracy):
      teach(scan, at: place, floor: floor, accuracy: accuracy)
    case .placed(let transmitter, let place):
      let kind = Kind(of: transmitter)
      guard let name = names.name(of: transmitter) else { return refusals.note(.noCell) }
      var place = place
      if case .cell(let cell) = transmitter { place.area = names.name(ofAreaWith: cell) }
      let refusal = placed[kind, default: PlacedStations()].add(name, place)
      if let refusal { refusals.note(refusal) }
    case .row(let name, let value, let fingerprint):
      guard fingerprint == names.fingerprint else { return refusals.note(.otherMap) }
      guard let row = RadioMapStore.row(RadioMapStore.key(name)) else {
        return refusals.note(.notUnderstood)
      }
      let parts = parts(of: row, in: value)
      if parts.refused > 0 { refusals.note(.notUnderstood, parts.refused) }
      // What nothing is understood of says nothing against what is known.
      if !parts.isEmpty { replace(row, by: parts, isStored: false) }
    }
  }

  // MARK: Storing

  private mutating func forget() -> [Output] {
    let outputs = rows.all.map { Output.store(.remove(RadioMapStore.key($0))) }
    rows = StoredRows()
    let withdrawn = regions.clear()
    forgetAll()
    return outputs + withdrawn
  }

  /// Forgets what lies within a circle, and stores that at once.
  private mutating func forget(within circle: Circle) -> [Output] {
    forgotten = Forgotten()
    for kind in Kind.allCases {
      if let removed = layers[kind]?.remove(within: circle) {
        forgotten.places += removed.places
        forgotten.transmitters += removed.transmitters
      }
      forgotten.transmitters += placed[kind]?.remove(within: circle) ?? 0
      // What follows from scan to scan, and waits for a position, may lie there, too.
      let calibration = calibration(kind)
      locators[kind] = RadioLocator()
      locators[kind]?.restore(calibration)
    }
    (pending, lessons, lastFix) = ([], [:], nil)
    return store() + regions.clear()
  }

  /// Forgets what is in memory.
  private mutating func forgetAll() {
    for kind in Kind.allCases {
      if let layer = layers[kind] { layers[kind] = RadioLayer(layer.grain) }
    }
    (locators, placed, pending, lessons) = ([:], [:], [], [:])
    (lastFix, storing) = (nil, nil)
    clock = SatelliteLead()
  }

  private mutating func store() -> [Output] {
    storing = nil
    var changes: [StateChange] = []
    for kind in Kind.allCases {
      if let tiles = layers[kind]?.takeChangedTiles(), let layer = layers[kind] {
        changes += tiles.map { RadioMapStore.change(of: $0, in: layer, kind) }
      }
      if let buckets = placed[kind]?.takeChangedBuckets(), let stations = placed[kind] {
        changes += buckets.map { RadioMapStore.change(of: $0, in: stations, kind) }
      }
      if let layer = layers[kind] {
        changes.append(RadioMapStore.change(ofMovedIn: layer, kind))
      }
    }
    let calibrations = Kind.allCases.map { calibration($0) }
    changes.append(RadioMapStore.change(of: calibrations))
    return changes.filter { rows.note($0) }.map { .store($0) }
  }

  /// Takes over what is stored. Rows that another process has changed or removed replace what is
  /// known of their tiles; when nothing is stored any more, nothing is known.
  ///
  /// - Returns: where rows were removed, what withdraws the regions, which may rest on them (RADIO-88).
  @discardableResult
  mutating func adopt(_ entries: [StateEntry]) -> [Output] {
    let hadRows = !rows.isEmpty
    var missing = Set(rows.all)
    for entry in entries where entry.key.domain == Self.domain {
      missing.remove(entry.key.name)
      guard rows.note(.set(entry.key, entry.value)) else { continue }
      replace(entry.key, by: entry.value)
    }
    if hadRows, missing.count == rows.all.count { forgetAll() }
    for name in missing.sorted() {
      let key = RadioMapStore.key(name)
      _ = rows.note(.remove(key))
      replace(key, by: nil)
    }
    for kind in Kind.allCases {
      layers[kind]?.shrink()
    }
    return missing.isEmpty ? [] : regions.clear()
  }

  private func parts(of row: RadioMapStore.Row, in bytes: [UInt8]) -> StoredParts {
    let spacing = row.kind.flatMap { layers[$0]?.grain.spacing } ?? 1
    return RadioMapStore.parts(of: row, in: bytes, spacing: spacing)
  }

  /// Replaces what is known of a row's tile or bucket; `nil` removes it.
  private mutating func replace(_ key: StateKey, by bytes: [UInt8]?) {
    guard let row = RadioMapStore.row(key) else { return }
    let isStored = bytes.map { rows.holds(key, $0) } ?? true
    replace(row, by: bytes.map { parts(of: row, in: $0) } ?? StoredParts(), isStored: isStored)
  }

  private mutating func replace(
    _ row: RadioMapStore.Row, by parts: StoredParts, isStored: Bool
  ) {
    switch row {
    case .tile(let kind, let tile):
      // Taken out, because a second reference would copy the layer for each of its rows.
      guard var layer = layers.removeValue(forKey: kind) else { return }
      layer.remove(tile)
      layer.restore(parts)
      if isStored { layer.settle(tile) }
      layers[kind] = layer
    case .placed(let kind, let bucket):
      placed[kind, default: PlacedStations()].restore(bucket, parts.places)
      if isStored { placed[kind]?.settle(bucket) }
    case .moved(let kind):
      layers[kind]?.restore(moved: parts.stations)
    case .calibration:
      for (kind, calibration) in zip(Kind.allCases, parts.calibrations) {
        locators[kind, default: RadioLocator()].restore(calibration)
      }
    }
  }

  /// Boxes of a scan that are used, the loudest first.
  package static let mostBoxes = Readings.most
  /// The domain of its rows in the durable state.
  package static let domain = "radio-map"
  /// Scans that wait. Chosen: a fix comes every second while a receiver works.
  private static let mostPending = 16
  /// Meters, of places that are without: what receivers claim outdoors.
  package static let usualAccuracy = 5.0
  /// Meters. Chosen (docs/decisions/0080): a receiver that claims more is not sure of the street.
  private static let worstAccuracy = 20.0
  /// Meters: the accuracy with half the weight.
  private static let goodAccuracy = 6.0
  /// Meters per second: a scan of four seconds would be as long as a block of houses.
  private static let fastest = 15.0
  /// Seconds between two positions that a scan may lie between.
  private static let longestGap = 6.0
  private static let storingInterval = Duration.seconds(60)

  /// Meters: the least radius of a position from an imported list.
  private static func leastRadius(_ kind: Kind) -> Double { kind == .cells ? 200 : 30 }
}

extension UnixTime {
  /// Days since 1970.
  var day: Int32 { Int32(clamping: Int64((seconds / 86_400).rounded(.down))) }

  /// The beginning of a day.
  init(day: Int32) { self.init(seconds: Double(day) * 86_400) }
}

extension Fix {
  fileprivate init(_ position: RadioPosition, _ kind: RadioMap.Kind, at time: UnixTime) {
    self.init(
      coordinate: position.coordinate, horizontalAccuracy: position.radius, time: time,
      origin: Origin(method: kind.method))
    floor = position.floor.map { Int($0) }
  }
}
