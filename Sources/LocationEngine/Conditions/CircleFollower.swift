package import LocationModel

/// What one device knows about circles, beyond that it is outside of the others.
///
/// A circle without an entry is one that the device is verified to be outside of, and about which no
/// evidence is open. So the state of a device does not grow with the number of circles.
package struct CircleFollower: Sendable {
  package typealias Slot = ConditionIndex.Slot

  /// A circle that is satisfied, undecided, or contains the newest fix.
  struct Entry: Sendable {
    var slot: Slot
    var detector: CrossingDetector
    /// The distance from the boundary in the last fix evaluated; for the time of a crossing.
    var previous: (distance: Double, time: UnixTime)?
  }

  /// The newest fix, as far as it is compared with the next one.
  struct Sight: Sendable {
    var coordinate: Coordinate
    var point: GeocentricPoint
    var time: UnixTime
    var uptime: Instant

    /// What a circle's entry knows of this fix.
    func distance(
      to slot: Slot, _ shape: WatchedCircles.Shape, of circles: borrowing WatchedCircles
    ) -> (distance: Double, time: UnixTime) {
      (circles.distance(from: point, coordinate, to: slot, shape), time)
    }
  }

  /// Circles to evaluate with the next fix, in the order of their slots.
  var entries: [Entry] = []
  var last: Sight?
  /// The place of the device, if the newest fixes stay at one place.
  var rest: Stay?
  var motion = MotionEstimate()

  package init() {}

  /// Begins to follow a circle of which nothing is known, or a state that is assumed or stored.
  package mutating func follow(
    _ slot: Slot, assuming state: ConditionState = .unknown, isStored: Bool = false
  ) {
    insert(
      Entry(slot: slot, detector: CrossingDetector(assuming: state, isStored: isStored)),
      at: place(of: slot))
    // The accuracy of the place must be established again.
    rest = nil
  }

  /// Forgets what is known about a circle.
  package mutating func drop(_ slot: Slot) {
    let place = place(of: slot)
    if has(slot, at: place) { entries.remove(at: place) }
  }

  package func state(of slot: Slot) -> ConditionState {
    let place = place(of: slot)
    return has(slot, at: place) ? entries[place].detector.state : .unsatisfied
  }

  /// Whether the state of a circle was confirmed, by this engine or an earlier one.
  func isConfirmed(_ slot: Slot) -> Bool {
    let place = place(of: slot)
    return has(slot, at: place) ? entries[place].detector.isConfirmed : true
  }

  package func isVerified(_ slot: Slot) -> Bool {
    let place = place(of: slot)
    return has(slot, at: place) ? entries[place].detector.isVerified : true
  }

  /// Takes the next fix, in order of time, and returns the decisions. The estimate for that fix is
  /// taken before it.
  package mutating func observe(
    _ fix: Fix, of circles: borrowing WatchedCircles, at now: Moment
  ) -> [(slot: Slot, decision: Decision)] {
    observe(fix, GeocentricPoint(fix.coordinate), of: circles, at: now) { _ in true }
  }

  /// The same for a caller that has the fix's point for other detectors, too, and for those circles
  /// alone that concern the device.
  package mutating func observe(
    _ fix: Fix, _ point: GeocentricPoint, of circles: borrowing WatchedCircles, at now: Moment,
    where concerns: (Slot) -> Bool
  ) -> [(slot: Slot, decision: Decision)] {
    if let last, fix.time <= last.time {
      guard fix.time.isSetBack(from: last.time) else { return [] }
      beginAnew()
    }
    if motion.verdict == .returned { dismissExcursions() }
    if rest?.take(fix, point, reach: Self.reach) != true { rest = Stay(at: fix, point) }
    activate(at: fix.coordinate, circles, where: concerns)
    let weight = last.map { min(fix.time.seconds(since: $0.time), Self.longestWeight) }
    let view = view(of: fix, point)
    for place in entries.indices {
      guard let shape = circles[entries[place].slot] else { continue }
      // A fix coarser than this cannot change the state (REG-20).
      guard view.accuracy <= max(shape.radius, 200) else { continue }
      let distance = circles.distance(
        from: view.point, view.coordinate, to: entries[place].slot, shape)
      look(at: place, distance, view, fix.time, weight: weight ?? Self.longestWeight)
    }
    last = Sight(coordinate: fix.coordinate, point: point, time: fix.time, uptime: now.uptime)
    guard motion.verdict != .doubted else { return [] }
    return decide(at: fix.time)
  }

  /// Takes the estimate of how the device moves.
  package mutating func take(_ motion: MotionEstimate) { self.motion = motion }

  /// Returns the decisions that silence makes possible after the last fix.
  package mutating func wake(at now: Moment) -> [(slot: Slot, decision: Decision)] {
    guard let last, !motion.isDoubting, let due = nextDeadline, due <= now.uptime else {
      return []
    }
    let time = last.time + (now.uptime - last.uptime)
    for place in entries.indices { entries[place].detector.extend(to: time) }
    let decisions = decide(at: time)
    for place in entries.indices { entries[place].detector.dismissExcursion() }
    return decisions
  }

  /// When silence can decide the first open question.
  @inline(__always)
  package var nextDeadline: Instant? {
    guard let last, !motion.isDoubting else { return nil }
    var soonest: UnixTime?
    for entry in entries {
      guard let due = entry.detector.nextDecision else { continue }
      soonest = min(soonest ?? due, due)
    }
    return soonest.map { last.uptime + max($0 - last.time, .zero) }
  }

  /// The greatest time in seconds for which one fix counts, however long the gap before it.
  private static let longestWeight = 10.0
}

// MARK: - Entries

extension CircleFollower {
  /// Returns where the entry of a circle is, or belongs.
  func place(of slot: Slot) -> Int {
    var (low, high) = (0, entries.count)
    if let last = entries.last, last.slot < slot { return high }
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].slot < slot { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func has(_ slot: Slot, at place: Int) -> Bool {
    place < entries.count && entries[place].slot == slot
  }

  /// Arrays grow by doubling, and memory per device counts here.
  private mutating func insert(_ entry: Entry, at place: Int) {
    entries.makeRoom()
    entries.insert(entry, at: place)
  }
}

// MARK: - One step

extension CircleFollower {
  /// Starts anew after the clock was set back: earlier dates cannot be compared with later ones.
  private mutating func beginAnew() {
    last = nil
    rest = nil
    for place in entries.indices {
      entries[place].previous = nil
      entries[place].detector.beginAnew()
    }
  }

  private mutating func activate(
    at coordinate: Coordinate, _ circles: borrowing WatchedCircles,
    where concerns: (Slot) -> Bool
  ) {
    circles.forEach(at: coordinate) { slot in
      let place = place(of: slot)
      guard !has(slot, at: place), concerns(slot), let shape = circles[slot] else { return }
      let previous = last.map { $0.distance(to: slot, shape, of: circles) }
      insert(
        Entry(slot: slot, detector: CrossingDetector.outside, previous: previous), at: place)
    }
  }

  /// What a fix stands for, read once for all conditions.
  private struct View: Sendable {
    var point: GeocentricPoint
    var coordinate: Coordinate
    /// Meters.
    var accuracy: Double
    var fused: [PositionMethod]?
  }

  /// Returns the place and accuracy that a fix stands for. A network fix that agrees with the place
  /// of a device at rest stands for that place, with the accuracy of the fix.
  private func view(of fix: Fix, _ point: GeocentricPoint) -> View {
    var view = View(
      point: point, coordinate: fix.coordinate, accuracy: fix.horizontalAccuracy,
      fused: fix.origin.fused)
    guard fix.horizontalAccuracy > Stay.coarse, let rest, rest.bestAccuracy <= Stay.coarse,
      rest.isSettled, !rest.isStraying
    else { return view }
    (view.point, view.coordinate) = (rest.center, rest.coordinate)
    return view
  }

  private mutating func look(
    at place: Int, _ distance: Double, _ view: View, _ time: UnixTime, weight: Double
  ) {
    entries[place].detector.observe(
      CrossingDetector.Sighting(
        distance: distance, spread: max(view.accuracy, Self.finest), time: time,
        weight: weight, previous: entries[place].previous, travelled: motion.travelled,
        fused: view.fused))
    entries[place].previous = (distance, time)
  }

  /// Takes every decision that is due, and lets go of circles that only a fix inside concerns.
  private mutating func decide(at time: UnixTime) -> [(slot: Slot, decision: Decision)] {
    var decisions: [(slot: Slot, decision: Decision)] = []
    var kept = 0
    for place in entries.indices {
      let decision = entries[place].detector.decide(at: time)
      if let decision { decisions.append((entries[place].slot, decision)) }
      guard !entries[place].detector.isIdle else { continue }
      if kept < place { entries[kept] = entries[place] }
      kept += 1
    }
    entries.removeSubrange(kept...)
    return decisions
  }

  private mutating func dismissExcursions() {
    for place in entries.indices { entries[place].detector.dismissExcursion() }
  }

  /// Meters: the best accuracy that is believed (chosen).
  private static let finest = 10.0
}

// MARK: - Storing

extension CircleFollower {
  /// Writes or reads every field but the circles' slots; the estimate of motion is passed on after it is read.
  ///
  /// - Parameters:
  ///   - coder: writes or reads.
  ///   - most: the most circles of a device.
  ///   - circles: the present ones.
  ///   - visits: the visits of the device, which were passed before: the place where it rests is most often theirs.
  ///   - name: passes a circle in another form; returns whether it is one of `circles`, unchanged.
  package mutating func pass(
    _ coder: inout StateCoder, most: Int, of circles: borrowing WatchedCircles,
    beside visits: borrowing VisitDetector, _ name: (inout StateCoder, inout Slot) -> Bool
  ) {
    if !coder.isOfEarlierForm { passSight(&coder) }
    let blank = Entry(slot: 0, detector: .outside)
    let last = last
    coder.pass(&entries, most: most, blank: blank) { coder, entry in
      let isKnown = name(&coder, &entry.slot)
      entry.detector.pass(&coder)
      let isReading = coder.isReading
      Self.pass(&coder, &entry.previous) {
        // The distance from a polygon costs too much to be compared each time.
        guard isKnown, let last, let shape = circles[entry.slot], isReading || !shape.isPolygon
        else { return nil }
        return last.distance(to: entry.slot, shape, of: circles)
      }
    }
    if coder.isReading { entries.sort { $0.slot < $1.slot } }
    if coder.isOfEarlierForm {
      passSight(&coder)
    } else {
      let stay = visits.stay?.withoutApproach
      var isSame = stay != nil && rest == stay
      coder.pass(&isSame)
      guard !isSame else { return rest = stay }
    }
    coder.pass(&rest, blank: .blank) { $1.pass(&$0) }
  }

  private mutating func passSight(_ coder: inout StateCoder) {
    let sight = Sight(
      coordinate: Coordinate(latitude: 0, longitude: 0), point: GeocentricPoint(vector: .zero),
      time: UnixTime(nanoseconds: 0), uptime: .start)
    coder.pass(&last, blank: sight) { coder, sight in
      coder.pass(&sight.coordinate)
      coder.pass(&sight.time)
      coder.pass(&sight.uptime)
      if coder.isReading { sight.point = GeocentricPoint(sight.coordinate) }
    }
  }

  /// Passes the distance of a circle, which is most often that of the last fix and need not be written. There is
  /// none of a circle that has changed since.
  private static func pass(
    _ coder: inout StateCoder, _ previous: inout (distance: Double, time: UnixTime)?,
    expecting expected: () -> (distance: Double, time: UnixTime)?
  ) {
    if !coder.isOfEarlierForm {
      var isExpected = false
      if let previous, let expected = expected() { isExpected = previous == expected }
      coder.pass(&isExpected)
      if isExpected, coder.isReading { previous = expected() }
      guard !isExpected else { return }
    }
    coder.pass(&previous, blank: (0, UnixTime(nanoseconds: 0))) { coder, previous in
      coder.pass(&previous.distance)
      coder.pass(&previous.time)
    }
  }

  /// The circles with an entry, and whether the device is inside, in the order of their slots.
  package var known: [(slot: Slot, state: ConditionState)] {
    entries.map { ($0.slot, $0.detector.state) }
  }

  /// Passes what is known about one circle to another, which is compared with the newest fix anew.
  package mutating func rename(
    _ slot: Slot, to other: Slot, of circles: borrowing WatchedCircles
  ) {
    let old = place(of: slot)
    guard has(slot, at: old) else { return }
    var entry = entries.remove(at: old)
    entry.slot = other
    if let last, let shape = circles[other] {
      entry.previous = last.distance(to: other, shape, of: circles)
    }
    let new = place(of: other)
    if has(other, at: new) { entries[new] = entry } else { insert(entry, at: new) }
  }

  /// What speaks against the present state of a circle.
  func belief(of slot: Slot) -> Belief? {
    let place = place(of: slot)
    return has(slot, at: place) ? entries[place].detector.belief : nil
  }

  /// What speaks against the present state of each circle where anything does, in the order of slots.
  var beliefs: [(slot: Slot, belief: Belief)] {
    entries.compactMap { entry in entry.detector.belief.map { (entry.slot, $0) } }
  }

  /// Whether evidence against the present state of a circle is open.
  package func isDoubted(_ slot: Slot) -> Bool {
    let place = place(of: slot)
    return has(slot, at: place) && entries[place].detector.excursion != nil
  }
}
