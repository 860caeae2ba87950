internal import LocationEngine
package import LocationModel

/// Puts the fixes of one device into the order of their times before any detector sees them, and
/// counts those that it does not hand on.
package struct FixOrder: Sendable {
  /// Why a fix was not handed on.
  package enum Reason: String, CaseIterable, Sendable {
    /// Dated before the year 2000.
    case clock
    /// Dated 1024 weeks before it came: its receiver counts the weeks of GPS from 0 again.
    case rollover
    /// Dated after it came, and not corrected.
    case future
    /// The same time and place as another one.
    case duplicate
    /// The same time as another one, at another place.
    case conflict
    /// Older than what the detectors have seen.
    case late
  }

  package enum Output: Hashable, Sendable {
    /// A fix, with its date less so many seconds that the device's clock is ahead.
    case fix(Fix, ahead: Int = 0)
    /// The device's clock was set back: this fix begins a new order.
    case setBack(Fix, ahead: Int = 0)
    case rejected(Reason)
  }

  /// A fix handed on, as far as it takes to know it again: by its date as the device says it.
  fileprivate struct Seen: Equatable, Sendable {
    var time: UnixTime
    var place: PlaceMark

    init(_ fix: Fix) { (time, place) = (fix.time, PlaceMark(of: fix.coordinate)) }

    /// Why a fix of the same time is not handed on.
    func reason(_ fix: Fix) -> Reason {
      place == PlaceMark(of: fix.coordinate) ? .duplicate : .conflict
    }
  }

  /// Whether two fixes of one time are at one place: two places have the same mark once in 2^32 times,
  /// which calls a conflict a duplicate, and is no reason to store sixteen bytes for each.
  fileprivate struct PlaceMark: Equatable, Sendable {
    var bits: UInt32

    init(of place: Coordinate) {
      let both = place.latitude.bitPattern &* 0x9e37_79b9_7f4a_7c15 ^ place.longitude.bitPattern
      let mixed = (both ^ both >> 32) &* 0xd6e8_feb8_6659_fd93
      bits = UInt32(truncatingIfNeeded: mixed >> 32)
    }
  }

  /// The newest fixes handed on, the newest last, in memory of the order's own: another piece of it would have to
  /// come from far away with each fix.
  private struct Newest: Sendable {
    static let most = 8

    private var places = InlineArray<8, Seen>(repeating: Seen(.blank))
    private var count = 0

    var last: Seen? { count > 0 ? places[count - 1] : nil }

    mutating func append(_ fix: Seen) {
      if count == Self.most {
        for place in 1..<Self.most { places[place - 1] = places[place] }
      } else {
        count += 1
      }
      places[count - 1] = fix
    }

    /// Whether one of them has a later date than the last one, by a clock that was still ahead.
    var hasLater: Bool { last.map { last in all.contains { $0.time > last.time } } ?? false }

    /// The newest of a time.
    func last(of time: UnixTime) -> Seen? { all.last { $0.time == time } }

    /// Whether one with an earlier date has come after the newest of a time, as when a clock was set right.
    func isBeforeChange(_ time: UnixTime) -> Bool {
      all.lastIndex { $0.time == time }.map { all[$0...].contains { $0.time < time } } ?? false
    }

    var all: [Seen] {
      get { (0..<count).map { places[$0] } }
      set {
        self = Newest()
        for fix in newValue { append(fix) }
      }
    }
  }

  private struct Candidate: Sendable {
    var first: UnixTime
    var latest: UnixTime
    /// When the first one came.
    var came: UnixTime
    /// Seconds from its date to its arrival.
    var offset: Double
    var count: Int
  }

  /// Fixes that wait for earlier ones, in the order of their times.
  private(set) var waiting: [Fix] = []
  private var seen = Newest()
  private var candidate: Candidate?
  /// What is known of a clock that is ahead, or may be: of nearly all devices nothing.
  private var ahead: ClockAhead?

  package init() {}

  /// The time of the newest fix handed on, as its device's clock says it now.
  package var newest: UnixTime? { seen.last?.time }

  /// By how many seconds dates are corrected.
  var correction: Int { ahead?.seconds ?? 0 }

  /// Whether a clock is ahead, may be, or was a few fixes ago.
  var isUnsure: Bool { ahead != nil }

  /// Takes the next fix as it comes.
  ///
  /// - Parameters:
  ///   - fix: as the device has dated it.
  ///   - received: when it came; `nil` when that is not known.
  ///   - limit: no fix may be dated later where it is not known when it came.
  ///   - window: seconds for which fixes wait for earlier ones.
  ///   - bound: seconds for which a date may be ahead, and is believed.
  /// - Returns: the fixes that are handed on now, and why this one is not.
  package mutating func take(
    _ fix: Fix, received: UnixTime?, limit: UnixTime, window: Double, bound: Double = 10
  ) -> [Output] {
    guard fix.time >= Self.earliest else { return [.rejected(.clock)] }
    if let received, Self.isRolledOver(fix.time, received: received) {
      return [.rejected(.rollover)]
    }
    // A fix from before the clock has changed may be newer than the newest one, by the clock as it is now.
    if ahead != nil, let reason = repeated(fix, received) { return [.rejected(reason)] }
    var outputs: [Output] = []
    switch note(fix, received, limit, bound) {
    case .agrees: break
    case .tooFar: return [.rejected(.future)]
    case .changed(let seconds):
      outputs = flush()
      change(to: seconds, isSetBack: false)
    }
    outputs += takeInTime(fix, received, window: window, bound: bound)
    if let ahead, ahead.isEmpty, !seen.hasLater { self.ahead = nil }
    return outputs
  }

  /// Why a fix is not handed on that has the date of another one; `nil` where the other one had it by a clock that
  /// was ahead, and this one comes when it is dated: so whole minutes come twice.
  private func repeated(_ fix: Fix, _ received: UnixTime?) -> Reason? {
    guard let same = seen.last(of: fix.time) else { return nil }
    guard let received, fix.time.seconds(since: received).magnitude <= Self.longestDelay,
      correction > 0 || seen.isBeforeChange(fix.time)
    else { return same.reason(fix) }
    return nil
  }

  private mutating func takeInTime(
    _ fix: Fix, _ received: UnixTime?, window: Double, bound: Double
  ) -> [Output] {
    if let newest, fix.time <= newest { return takeOld(fix, newest, received, bound) }
    candidate = nil
    if let index = waiting.firstIndex(where: { $0.time == fix.time }) {
      guard waiting[index].coordinate != fix.coordinate else { return [.rejected(.duplicate)] }
      if fix.horizontalAccuracy < waiting[index].horizontalAccuracy { waiting[index] = fix }
      return [.rejected(.conflict)]
    }
    waiting.insert(fix, at: waiting.firstIndex { $0.time > fix.time } ?? waiting.count)
    return release(window: window)
  }

  /// Takes a fix that is handed on as it comes, as nearly all are; `false`, and nothing is changed, where it
  /// is not one of these.
  mutating func takeNext(
    _ fix: Fix, received: UnixTime?, limit: UnixTime, window: Double, bound: Double
  ) -> Bool {
    guard window <= 0, waiting.isEmpty, ahead == nil, fix.time >= Self.earliest,
      fix.time.seconds(since: received ?? limit) <= bound, newest.map({ fix.time > $0 }) ?? true,
      received.map({ !Self.isRolledOver(fix.time, received: $0) }) ?? true
    else { return false }
    candidate = nil
    handOn(fix)
    return true
  }

  /// What a fix says of the clock; where it is not known when it came, it says nothing.
  private mutating func note(
    _ fix: Fix, _ received: UnixTime?, _ limit: UnixTime, _ bound: Double
  ) -> ClockAhead.Finding {
    let rest = fix.time.seconds(since: received ?? limit) - Double(correction)
    let isNewer = newest.map { fix.time > $0 } ?? true
    guard let received, isNewer, ahead != nil || rest > bound else {
      return rest > bound ? .tooFar : .agrees
    }
    var clock = ahead ?? ClockAhead()
    defer { ahead = clock.isEmpty && ahead == nil ? nil : clock }
    return clock.note(fix.time, received: received, bound: bound)
  }

  /// From here on dates are corrected by another amount; nothing waits. The newest fix gets the date that the
  /// clock would give it now, so that no fix is handed on before it that was not.
  private mutating func change(to seconds: Int, isSetBack: Bool) {
    let change = seconds - correction
    ahead = ahead ?? ClockAhead()
    ahead?.change(to: seconds)
    guard var last = seen.last, isSetBack || change > 0 else { return }
    last.time = last.time + .seconds(change)
    seen.append(last)
  }

  /// Hands on what waits.
  package mutating func flush() -> [Output] { release(window: 0) }

  private mutating func release(window: Double) -> [Output] {
    var outputs: [Output] = []
    while let first = waiting.first, let last = waiting.last,
      last.time.seconds(since: first.time) >= window || waiting.count > Self.mostWaiting
    {
      waiting.removeFirst()
      handOn(first)
      outputs.append(.fix(corrected(first), ahead: correction))
    }
    return outputs
  }

  private func corrected(_ fix: Fix) -> Fix {
    guard correction != 0 else { return fix }
    var fix = fix
    fix.time = fix.time - .seconds(correction)
    return fix
  }

  private mutating func handOn(_ fix: Fix) {
    seen.append(Seen(fix))
  }

  /// A fix that is not newer than those handed on: late, unless three in a row show, by their
  /// arrival, that the clock goes on from an earlier date.
  private mutating func takeOld(
    _ fix: Fix, _ newest: UnixTime, _ received: UnixTime?, _ bound: Double
  ) -> [Output] {
    if let reason = repeated(fix, received) { return [.rejected(reason)] }
    guard let received, fix.time.isSetBack(from: newest) else { return [.rejected(.late)] }
    // What is sent again shows nothing.
    if candidate?.latest == fix.time { return [.rejected(.late)] }
    let offset = received.seconds(since: fix.time)
    guard var known = candidate, fix.time > known.latest,
      (offset - known.offset).magnitude <= Self.agreement
    else {
      candidate = Candidate(
        first: fix.time, latest: fix.time, came: received, offset: offset, count: 1)
      return [.rejected(.late)]
    }
    known.latest = fix.time
    known.count += 1
    candidate = known
    guard known.count >= 3, received.seconds(since: known.came) >= Self.leastTime else {
      return [.rejected(.late)]
    }
    candidate = nil
    let waited = flush()
    let seconds = ClockAhead.correction(-offset, bound: bound)
    return waited + beginAnew(with: fix, received, seconds, bound)
  }

  /// Takes a fix of a clock that was set back; one that was ahead, and now is not, or is less so, goes on.
  private mutating func beginAnew(
    with fix: Fix, _ received: UnixTime, _ seconds: Int, _ bound: Double
  ) -> [Output] {
    if correction > 0 {
      change(to: seconds, isSetBack: true)
      let delay = received.seconds(since: corrected(fix).time)
      if let newest, fix.time > newest || delay <= bound {
        guard fix.time > newest else { return [.rejected(.late)] }
        handOn(fix)
        return [.fix(corrected(fix), ahead: seconds)]
      }
    }
    seen = Newest()
    handOn(fix)
    return [.setBack(corrected(fix), ahead: correction)]
  }

  /// Whether a date is that of a receiver that counts the weeks of GPS from 0 again.
  ///
  /// - Chosen (FLEET-163): from a day less than 1024 weeks before it came, for clocks that are ahead, to 30 days
  ///   more, for what a device has kept. Other old dates are those of a backlog, or of a recording.
  static func isRolledOver(_ date: UnixTime, received: UnixTime) -> Bool {
    rollover.contains(received.seconds(since: date))
  }

  /// Seconds; 1024 weeks are 619,315,200.
  private static let rollover: ClosedRange<Double> = 619_228_800...621_907_200
  /// 2000-01-01: earlier dates are those of a receiver without the time.
  static let earliest = UnixTime(seconds: 946_684_800)
  /// Seconds over which a clock set back must show (chosen).
  private static let leastTime = 10.0
  /// Seconds by which the delays of fixes of a clock set back may differ (chosen).
  private static let agreement = 2.0
  /// Seconds after its date in which a fix comes that nothing delays (chosen).
  private static let longestDelay = 10.0
  package static let longestWindow = 600.0
  static let mostWaiting = 64
}

// MARK: - Storing

extension FixOrder {
  /// Writes or reads every field; `newest` is the fix that was handed on last, and is passed before.
  mutating func pass(_ coder: inout StateCoder, newest: Fix?) {
    coder.pass(&waiting, most: Self.mostWaiting + 1, blank: .blank) { $1.pass(&$0) }
    let time = UnixTime(nanoseconds: 0)
    let last = newest.map { Seen($0) }
    var endsWithNewest = last != nil && seen.last == last
    if !coder.isOfEarlierForm { coder.pass(&endsWithNewest) }
    var all = seen.all
    if endsWithNewest, !coder.isReading { all.removeLast() }
    let most = endsWithNewest ? Newest.most - 1 : Newest.most
    coder.pass(&all, most: most, blank: Seen(.blank)) { coder, seen in
      coder.pass(&seen.time)
      seen.place.pass(&coder)
    }
    if coder.isReading {
      if endsWithNewest, let last { all.append(last) }
      seen.all = all
    }
    coder.pass(
      &candidate, blank: Candidate(first: time, latest: time, came: time, offset: 0, count: 0)
    ) { coder, candidate in
      coder.pass(&candidate.first)
      coder.pass(&candidate.latest)
      coder.pass(&candidate.came)
      coder.pass(&candidate.offset)
      coder.pass(&candidate.count)
    }
  }

  /// Writes or reads what is known of a clock that is ahead.
  mutating func passClock(_ coder: inout StateCoder) {
    coder.pass(&ahead, blank: ClockAhead()) { coder, clock in clock.pass(&coder) }
  }
}

extension FixOrder.PlaceMark {
  fileprivate mutating func pass(_ coder: inout StateCoder) {
    for shift in stride(from: 24 as UInt32, through: 0, by: -8) {
      var byte = UInt8(truncatingIfNeeded: bits >> shift)
      coder.pass(&byte)
      bits = bits & ~(0xff << shift) | UInt32(byte) << shift
    }
  }
}

extension Fix {
  static let blank = Fix(
    coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 1,
    time: UnixTime(nanoseconds: 0))

  /// Writes or reads what a line of a fleet can say of a fix.
  mutating func pass(_ coder: inout StateCoder) {
    var (place, accuracy, time) = (coordinate, horizontalAccuracy, time)
    var known = [altitude, verticalAccuracy, speed, speedAccuracy, course, courseAccuracy]
    coder.pass(&place)
    coder.pass(&accuracy)
    coder.pass(&time)
    var mask = known.reversed().reduce(0 as UInt8) { $0 << 1 | ($1 == nil ? 0 : 1) }
    coder.pass(&mask)
    for index in known.indices where mask >> UInt8(index) & 1 == 1 {
      var number = known[index] ?? 0
      coder.pass(&number)
      known[index] = number
    }
    guard coder.isReading else { return }
    self = Fix(coordinate: place, horizontalAccuracy: accuracy, time: time)
    (altitude, verticalAccuracy) = (known[0], known[1])
    (speed, speedAccuracy) = (known[2], known[3])
    (course, courseAccuracy) = (known[4], known[5])
  }
}
