import Foundation
import LocationEngine
import LocationModel
import TestSupport

/// Compares the events from every fix with those from the requested fixes only.
///
/// `Benchmarks demand [FOLDER]`: visits, significant change, and 20 conditions on recorded days;
/// how long satellites are on, and which service wanted them.
func measureDemand() throws {
  let days = try PhoneDay.withoutPause(in: CommandLine.arguments.dropFirst(2).first)
  guard !days.isEmpty else {
    print("no recorded phones: set MERIDIAN_SHARED or name a folder")
    return
  }
  var (whole, asked) = (PhoneReport(), PhoneReport())
  var (resting, travelling) = (OnTime(), OnTime())
  for day in days {
    var receiver = AskedReceiver(day)
    let received = receiver.run()
    whole.add(PhoneReport(day))
    asked.add(PhoneReport(received))
    resting.add(receiver.resting)
    travelling.add(receiver.travelling)
  }
  print(whole.line(named: "every fix"))
  print(asked.line(named: "asked fixes"))
  print(resting.line(named: "at places"))
  print(travelling.line(named: "on the way"))
  var all = resting
  all.add(travelling)
  print(all.line(named: "all days"))
  try Figure.report("demand.on", all.share, "%", "satellites on, share of all days")
  try Figure.report(
    "demand.day", 0.9 * resting.share + 0.1 * travelling.share, "%",
    "satellites on, share of a day with a tenth of it on the way")
  try Figure.report(
    "demand.arrival.missed", Double(asked.missedArrivals), "", "arrivals missed, asked fixes")
  try Figure.report(
    "demand.departure.missed", Double(asked.missedDepartures), "", "departures missed, asked fixes")
  try Figure.report(
    "demand.exit.missed", Double(asked.missedExits), "", "exits missed, asked fixes")
}

/// How long satellites were on, in seconds, in all and wanted by each service.
struct OnTime {
  var total = 0.0
  var satellites = 0.0
  var byService = ["conditions": 0.0, "significant change": 0.0, "visits": 0.0]
  var networkFixes = 0

  /// Percent.
  var share: Double { 100 * satellites / total }

  mutating func add(_ other: OnTime) {
    total += other.total
    satellites += other.satellites
    networkFixes += other.networkFixes
    byService.merge(other.byService, uniquingKeysWith: +)
  }

  func line(named name: String) -> String {
    let services = byService.sorted { $0.key < $1.key }.map {
      String(format: "%@ %.1f %%", $0.key, 100 * $0.value / total)
    }
    return String(
      format: "%@: satellites on %.1f %% of %.1f h (%@), %.0f network fixes an hour", name, share,
      total / 3600, services.joined(separator: ", "), Double(networkFixes) * 3600 / total)
  }
}

/// A receiver that works only as far as it is asked to, over the places that a phone recorded.
///
/// Satellites give the recorded fixes after four seconds, after thirty when they were off for two
/// hours; asked for at intervals above ten seconds they are on for each fix only. The network gives
/// the recorded place with an error of 20 m that belongs to the place and 15 m that does not, and
/// claims 65 m. Where the phone recorded nothing because it lay still, it is where it was; where it
/// recorded only fixes coarser than 100 m, satellites give those.
struct AskedReceiver {
  private let day: PhoneDay
  private var visits = VisitDetector()
  private var conditions = Conditions()
  private var motion = MotionEstimator()
  private var significant = SignificantChangeDetector()
  private var random = SeededRandom(seed: 1)
  private(set) var resting = OnTime()
  private(set) var travelling = OnTime()
  private var received: [PhoneDay.Delivered] = []
  private var nextMotion = 0
  /// Seconds since the beginning.
  private var second = 0.0
  private var lastFix = -1000.0
  /// When satellites were switched on; `nil` while off.
  private var onSince: Double?
  private var lastOn = -10_000.0

  init(_ day: PhoneDay) {
    self.day = day
  }

  /// The day as it would have been recorded.
  mutating func run() -> PhoneDay {
    begin()
    var next = 0
    var place: PhoneDay.Delivered?
    var latest: PhoneDay.Delivered?
    let length = day.span.end.seconds(since: day.span.start)
    while second < length {
      second += 1
      let time = day.span.start + .seconds(second)
      var isFresh = false
      while next < day.fixes.count, day.fixes[next].delivered <= time {
        latest = day.fixes[next]
        isFresh = true
        if day.fixes[next].fix.horizontalAccuracy <= 100 || place == nil { place = latest }
        next += 1
      }
      count { $0.total += 1 }
      wake(at: day.moment(time))
      feel(until: time)
      if let place, let latest { step(from: place, latest, isFresh: isFresh, at: time) }
    }
    var result = day
    result.fixes = received
    return result
  }

  /// The reports of the motion sensor, while anybody requested one.
  private mutating func feel(until time: UnixTime) {
    while nextMotion < day.motion.count, day.motion[nextMotion].time <= time {
      let report = day.motion[nextMotion]
      nextMotion += 1
      if demands.values.contains(where: \.motion) {
        pass(motion.take(report.activity, at: day.moment(time)), at: day.moment(time))
      }
    }
  }

  private mutating func pass(_ estimate: MotionEstimate, at now: Moment) {
    _ = visits.handle(.motion(estimate), at: now)
    _ = conditions.handle(.motion(estimate), at: now)
  }

  private var demands: [String: Demand] {
    [
      "conditions": conditions.demand, "significant change": significant.demand,
      "visits": visits.demand,
    ]
  }

  /// Counts for where the device is now.
  private mutating func count(_ change: (inout OnTime) -> Void) {
    let time = day.span.start + .seconds(second)
    let isOnTheWay = day.trips.contains { $0.start <= time && time < $0.end }
    if isOnTheWay { change(&travelling) } else { change(&resting) }
  }

  private mutating func begin() {
    let start = day.moment(day.span.start)
    _ = significant.handle(.start(cached: nil), at: start)
    let key = { (number: Int) in
      ConditionKey(app: AppIdentity("phone"), owner: .regions, identifier: "\(number)")
    }
    // Around the places, and along the way between them.
    var centers = day.stays.map(\.center)
    let stride = max(day.fixes.count / max(20 - centers.count, 1), 1)
    for index in Swift.stride(from: stride / 2, to: day.fixes.count, by: stride) {
      centers.append(day.fixes[index].fix.coordinate)
    }
    for (number, center) in centers.prefix(20).enumerated() {
      let circle = Circle(center: center, radius: 100)
      _ = conditions.handle(.register(key(number), .circle(circle), RegionNotices()), at: start)
    }
  }

  private mutating func wake(at now: Moment) {
    if let due = motion.nextDeadline, due <= now.uptime { pass(motion.pass(to: now), at: now) }
    if let due = visits.nextDeadline, due <= now.uptime { _ = visits.handle(.wake, at: now) }
    if let due = conditions.nextDeadline, due <= now.uptime {
      _ = conditions.handle(.wake, at: now)
    }
    if let due = significant.nextDeadline, due <= now.uptime {
      _ = significant.handle(.wake, at: now)
    }
  }

  private mutating func step(
    from place: PhoneDay.Delivered, _ latest: PhoneDay.Delivered, isFresh: Bool, at time: UnixTime
  ) {
    let demands = demands
    let wanted = demands.values.reduce(Demand.none) { $0.union($1) }
    guard let position = wanted.position else { return }
    let isDue = second - lastFix >= position.interval.inSeconds
    guard position.tier >= .satellite else {
      onSince = nil
      if isDue, second - lastFix >= 5 { tell(networkFix(at: place, time), time) }
      return
    }
    guard isDue || position.interval <= .seconds(10) else {
      onSince = nil
      return
    }
    let since = onSince ?? second
    if onSince == nil { firstFix = second + (second - lastOn > 7200 ? 30 : 4) }
    onSince = since
    lastOn = second
    count { account in
      account.satellites += 1
      for (service, demand) in demands where (demand.position?.tier ?? .cell) >= .satellite {
        account.byService[service, default: 0] += 1
      }
    }
    guard second >= firstFix, isDue,
      isFresh || (second - lastFix >= 5 && latest.delivered == place.delivered)
    else { return }
    var fix = latest.fix
    fix.time = isFresh ? latest.fix.time : time
    tell(fix, time)
  }

  private var firstFix = 0.0

  private mutating func tell(_ fix: Fix, _ time: UnixTime) {
    lastFix = second
    if let last = received.last, fix.time <= last.fix.time { return }
    received.append(PhoneDay.Delivered(fix: fix, delivered: time))
    pass(motion.observe(fix, at: day.moment(time)), at: day.moment(time))
    _ = visits.handle(.fix(fix), at: day.moment(time))
    _ = conditions.handle(.fix(fix), at: day.moment(time))
    _ = significant.handle(.fix(fix), at: day.moment(time))
  }

  private mutating func networkFix(at place: PhoneDay.Delivered, _ time: UnixTime) -> Fix {
    count { $0.networkFixes += 1 }
    let truth = place.fix.coordinate
    let cell = (truth.latitude * 1000).rounded() * 400_000 + (truth.longitude * 1000).rounded()
    var there = SeededRandom(seed: UInt64(bitPattern: Int64(cell)))
    let north = gaussian(&there) * 20 + gaussian(&random) * 15
    let east = gaussian(&there) * 20 + gaussian(&random) * 15
    let shrink = cosine(truth.latitude * .pi / 180)
    return Fix(
      coordinate: Coordinate(
        latitude: truth.latitude + north / 111_132,
        longitude: truth.longitude + east / (111_320 * shrink)),
      horizontalAccuracy: 65, time: time)
  }

  private func gaussian(_ random: inout SeededRandom) -> Double {
    let radius = (-2 * logarithm(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
    return radius * cosine(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}
