internal import LocationModel

/// How far the clock of a device is ahead of the one by which its fixes come, and what may change that.
///
/// - Chosen (FLEET-121, FLEET-122): a fix that was delayed looks like one of a clock that is less far ahead, so
///   the least delay says how far. It counts where no fix has been further ahead for a while: a backlog, whose
///   delays become less and less, changes nothing before it is over, and neither does one wrong date.
struct ClockAhead: Hashable, Sendable {
  enum Finding: Hashable, Sendable {
    /// The clock is as far ahead as was known, or the fix was delayed.
    case agrees
    /// The clock is further ahead than was known, or seems to be.
    case tooFar
    /// From this fix on dates are corrected by so many seconds.
    case changed(to: Int)
  }

  /// Fixes in a row that may show that the clock is further ahead than was known, or less far.
  private struct Run: Hashable, Sendable {
    /// How far the date of the first one is ahead of its arrival, in seconds.
    var lead: Double
    /// When the last one came that was counted.
    var came: UnixTime
    /// The date of the last one that was counted: what is sent again shows nothing.
    var latest: UnixTime
    var count: Int
  }

  /// By how much dates are corrected; 0 for not.
  private(set) var seconds = 0
  private var run: Run?

  /// Whether it says nothing.
  var isEmpty: Bool { seconds == 0 && run == nil }

  /// From now on dates are corrected by so many seconds.
  mutating func change(to seconds: Int) {
    self.seconds = seconds
    run = nil
  }

  /// Takes the date of a fix that is newer than those before it.
  ///
  /// - Parameters:
  ///   - date: as the device says it.
  ///   - received: when the fix came.
  ///   - bound: seconds for which dates may be ahead.
  /// - Returns: what the fix says of the clock; ``change(to:)`` is the caller's to call.
  mutating func note(_ date: UnixTime, received: UnixTime, bound: Double) -> Finding {
    let lead = date.seconds(since: received)
    guard lead <= Self.most else { return .tooFar }
    let rest = lead - Double(seconds)
    let finding = rest > bound ? Finding.tooFar : .agrees
    let isLess = seconds > 0 && rest < -bound
    let isOfRise = isRising && lead >= (run?.lead ?? 0) - Self.agreement
    guard rest > bound || isLess || isOfRise else {
      run = nil
      return finding
    }
    guard var known = run, isRising != isLess, lead <= known.lead + Self.agreement else {
      run = Run(lead: lead, came: received, latest: date, count: 1)
      return finding
    }
    let enough = isLess ? Self.enoughForLess : Self.enoughForMore
    guard date > known.latest, received.seconds(since: known.came) >= enough.apart else {
      return finding
    }
    (known.came, known.latest) = (received, date)
    known.count += 1
    run = known
    guard known.count >= enough.count else { return finding }
    return .changed(to: Self.correction(known.lead, bound: bound))
  }

  /// Whether the run is one of fixes that are further ahead.
  private var isRising: Bool { run.map { $0.lead > Double(seconds) } ?? false }

  /// The correction of dates that are so many seconds ahead: in whole ones, rounded up, as dates with a fraction of
  /// their own are longer where they are stored, and none before its arrival.
  static func correction(_ lead: Double, bound: Double) -> Int {
    // A difference of whole seconds may be a little more than that as a number.
    lead > bound ? Int((min(lead, most) - 1e-6).rounded(.up)) : 0
  }

  /// Seconds: what is further ahead is no clock of a device, and is not corrected.
  private static let most = 86_400.0
  /// Seconds by which a later fix of a run may be further ahead than the first (chosen).
  private static let agreement = 2.0
  /// How many fixes, with how many seconds between their arrivals, show that a clock is further ahead: as many in
  /// the same time as show that one was set back (FLEET-6). That it is less far ahead takes longer, as what was
  /// delayed looks so, too, and a date that is some minutes early does less harm than one correction after
  /// another (chosen).
  private static let enoughForMore = (count: 3, apart: 5.0)
  private static let enoughForLess = (count: 8, apart: 75.0)
}

// MARK: - Storing

extension ClockAhead {
  /// Writes or reads every field.
  mutating func pass(_ coder: inout StateCoder) {
    coder.pass(&seconds)
    if coder.isReading, !(0...Int(Self.most)).contains(seconds) { coder.reject() }
    let time = UnixTime(nanoseconds: 0)
    coder.pass(&run, blank: Run(lead: 0, came: time, latest: time, count: 0)) { coder, run in
      coder.pass(&run.lead)
      coder.pass(&run.came)
      coder.pass(&run.latest)
      coder.pass(&run.count)
    }
  }
}

/// For how many seconds the dates of devices may be ahead of their arrival, by tenant.
package struct ClockBounds: Hashable, Sendable {
  /// Where nothing else is said of a tenant.
  package let usual: Double
  private var tenants: [ExactName: Double] = [:]
  /// What nobody's dates need a second look below.
  private(set) var least: Double

  package init(_ usual: Double = 10) { (self.usual, least) = (usual, usual) }

  package init(_ usual: Double, _ tenants: [ExactName: Double]) {
    (self.usual, self.tenants) = (usual, tenants)
    least = tenants.values.reduce(usual) { min($0, $1) }
  }

  /// That of everybody else, and what stands for those of tenants.
  var digest: String {
    guard !tenants.isEmpty else { return "\(usual)" }
    let text = tenants.sorted { $0.key < $1.key }.map { "\($0.key.text) \($0.value)\n" }.joined()
    return "\(usual)/" + String(FNV1a.hash(text.utf8), radix: 16)
  }

  /// Returns that of a tenant.
  func of(_ tenant: String) -> Double {
    tenants.isEmpty ? usual : tenants[ExactName(tenant)] ?? usual
  }

  /// What may be written for it.
  package static let range = 1.0...3600
}
