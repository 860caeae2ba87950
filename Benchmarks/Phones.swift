import Foundation
import LocationEngine
import LocationModel
import TestSupport

/// Feeds recorded phones to the detectors in virtual time and compares them with the truth.
///
/// `Benchmarks phones [FOLDER [PHONE…]]`: every run below the folder, by default the shared ones
/// with the phones that recorded without pause.
func measurePhones() throws {
  let days = try PhoneDay.chosen(CommandLine.arguments.dropFirst(2))
  guard !days.isEmpty else { return }
  var total = PhoneReport()
  var halves = [PhoneReport(), PhoneReport()]
  for day in days {
    let report = PhoneReport(day)
    print(report.line(named: day.name))
    total.add(report)
    halves[day.isHeldBack ? 1 : 0].add(report)
  }
  print(halves[0].line(named: "runs 0, 4, 8"))
  print(halves[1].line(named: "runs 2, 6, 10"))
  print(total.line(named: "total"))
  try total.reportFigures()
}

/// What came of the phones, in seconds after the truth.
struct PhoneReport {
  var arrivals: [Double] = []
  var missedArrivals = 0
  var arrivalsInTrips = 0
  var departures: [Double] = []
  var missedDepartures = 0
  /// Departures delivered while the phone stayed.
  var falseDepartures = 0
  var exits: [Double] = []
  var missedExits = 0
  /// What comparing each fix with the circle gives, on the same trips.
  var plainExits: [Double] = []
  /// When the recorded path left the circle of 100 m for two minutes, and one of 30 m: nobody
  /// could tell earlier.
  var pathExits: [Double] = []
  var pathDepartures: [Double] = []
  var falseExits = 0
  var stationaryHours = 0.0

  init() {}

  mutating func add(_ other: PhoneReport) {
    arrivals += other.arrivals
    missedArrivals += other.missedArrivals
    arrivalsInTrips += other.arrivalsInTrips
    departures += other.departures
    missedDepartures += other.missedDepartures
    falseDepartures += other.falseDepartures
    exits += other.exits
    missedExits += other.missedExits
    plainExits += other.plainExits
    pathExits += other.pathExits
    pathDepartures += other.pathDepartures
    falseExits += other.falseExits
    stationaryHours += other.stationaryHours
  }

  func line(named name: String) -> String {
    "\(name): arrivals \(Self.summary(arrivals)), missed \(missedArrivals), "
      + "in trips \(arrivalsInTrips); departures \(Self.summary(departures)), "
      + "missed \(missedDepartures), false \(falseDepartures); exits \(Self.summary(exits)), missed \(missedExits), "
      + "plain \(Self.summary(plainExits)); false exits \(falseExits)"
      + String(format: " in %.1f h", stationaryHours)
  }

  func reportFigures() throws {
    let figures: [(String, Double, String, String)] = [
      ("arrival.missed", Double(missedArrivals), "", "visit arrivals missed"),
      ("arrival.median", Self.quantile(0.5, arrivals), "s", "visit arrival, median"),
      ("arrival.p90", Self.quantile(0.9, arrivals), "s", "visit arrival, p90"),
      ("arrival.in-trip", Double(arrivalsInTrips), "", "visit arrivals inside a trip"),
      ("departure.missed", Double(missedDepartures), "", "visit departures missed"),
      ("departure.median", Self.quantile(0.5, departures), "s", "visit departure, median"),
      ("departure.p90", Self.quantile(0.9, departures), "s", "visit departure, p90"),
      ("departure.false", Double(falseDepartures), "", "visit departures while staying"),
      ("exit.missed", Double(missedExits), "", "region exits missed"),
      ("exit.median", Self.quantile(0.5, exits), "s", "region exit, median"),
      ("exit.plain", Self.quantile(0.5, plainExits), "s", "plain containment, median"),
      ("exit.path", Self.quantile(0.5, pathExits), "s", "path beyond 100 m for good, median"),
      (
        "departure.path", Self.quantile(0.5, pathDepartures), "s",
        "path beyond 30 m for good, median"
      ),
      ("exit.false", Double(falseExits), "", "false exits on stationary days"),
    ]
    for (name, value, unit, label) in figures {
      try Figure.report("phones." + name, value, unit, label)
    }
  }

  static func summary(_ values: [Double]) -> String {
    guard !values.isEmpty else { return "0" }
    return String(
      format: "%d (%.0f/%.0f s)", values.count, quantile(0.5, values), quantile(0.9, values))
  }

  /// The quantile, interpolated between ranks; zero without values.
  static func quantile(_ part: Double, _ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard let last = sorted.indices.last else { return 0 }
    let rank = Double(last) * part
    let below = Int(rank)
    let above = min(below + 1, last)
    return sorted[below] + (sorted[above] - sorted[below]) * (rank - Double(below))
  }
}

// MARK: - One phone, one day

extension PhoneReport {
  init(_ day: PhoneDay) {
    if day.trips.isEmpty { watchStationary(day) } else { watchTrips(day) }
  }

  private mutating func watchTrips(_ day: PhoneDay) {
    let visits = day.visits()
    for (number, trip) in day.trips.enumerated() {
      let next = number + 1 < day.trips.count ? day.trips[number + 1].start : day.span.end
      let before = number > 0 ? day.trips[number - 1].end : day.span.start
      let grace = Duration.seconds(120)
      let arrival = visits.first {
        $0.isArrival && $0.time > trip.end - grace && $0.time < next
      }
      if let arrival { arrivals.append(arrival.time.seconds(since: trip.end)) }
      missedArrivals += arrival == nil ? 1 : 0
      arrivalsInTrips +=
        visits.count {
          $0.isArrival && $0.time > trip.start + grace && $0.time < trip.end - grace
        }
      // The day begins at a place: a departure counts only when its arrival could be seen.
      let wasVisiting = visits.last { $0.time < trip.start }?.isArrival ?? false
      // What began on the way is a wait, not the place that the trip leaves; a receiver that was off
      // may see that place late.
      let departure = visits.first {
        !$0.isArrival && $0.time > trip.start - grace && $0.time < trip.end
          && $0.visit.arrival ?? trip.start <= trip.start + .seconds(30)
      }
      if let departure {
        departures.append(departure.time.seconds(since: trip.start))
      } else if wasVisiting || trip.start.seconds(since: before) > 900 {
        missedDepartures += 1
      }
      falseDepartures += visits.count {
        !$0.isArrival && $0.time > before + grace && $0.time <= trip.start - grace
      }
      watchExit(day, trip, from: before)
    }
  }

  /// A circle of 100 m around the place that the trip leaves.
  private mutating func watchExit(_ day: PhoneDay, _ trip: PhoneDay.Trip, from before: UnixTime) {
    let stay = day.path.filter {
      $0.delivered > before + .seconds(30) && $0.delivered <= trip.start
        && $0.fix.horizontalAccuracy <= 100
    }
    guard let center = stay.last?.fix.coordinate else { return }
    let circle = Circle(center: center, radius: 100)
    let exits = day.exits(from: circle, between: before + .seconds(30), and: trip.end)
    falseExits += exits.count { $0 < trip.start - .seconds(30) }
    stationaryHours += trip.start.seconds(since: before) / 3600
    guard day.leaves(circle, in: trip) else { return }
    for (radius, times) in [(100.0, \Self.pathExits), (30, \Self.pathDepartures)] {
      let around = Circle(center: center, radius: radius)
      if let left = day.crossing(of: around, after: trip.start, until: trip.end) {
        self[keyPath: times].append(left.seconds(since: trip.start))
      }
    }
    let exit = exits.first { $0 >= trip.start - .seconds(30) }
    if let exit { self.exits.append(exit.seconds(since: trip.start)) } else { missedExits += 1 }
    let plain = day.path.first {
      $0.delivered >= trip.start && center.distance(to: $0.fix.coordinate) > 100
    }
    if let plain { plainExits.append(plain.delivered.seconds(since: trip.start)) }
  }

  /// A day at one place: whatever leaves the circle around it is an error.
  private mutating func watchStationary(_ day: PhoneDay) {
    let good = day.path.filter { $0.fix.horizontalAccuracy <= 100 }
    guard !good.isEmpty else { return }
    let center = Coordinate(
      latitude: Self.quantile(0.5, good.map { $0.fix.coordinate.latitude }),
      longitude: Self.quantile(0.5, good.map { $0.fix.coordinate.longitude }))
    let circle = Circle(center: center, radius: 100)
    falseExits += day.exits(from: circle, between: day.span.start, and: day.span.end).count
    falseDepartures += day.visits().count { !$0.isArrival }
    stationaryHours += day.span.end.seconds(since: day.span.start) / 3600
  }
}

extension PhoneDay {
  /// As the engine of the phone counts it.
  func moment(_ time: UnixTime) -> Moment {
    Moment(uptime: Instant(nanoseconds: time.nanoseconds - span.start.nanoseconds), unixTime: time)
  }

  /// What a phone gives the engine.
  private enum Observation {
    case fix(Fix)
    case motion(MotionActivity)
  }

  /// Runs one machine over the day; `body` gets each input's outputs with their time.
  private func replay<M: Machine>(
    _ machine: inout M, from start: UnixTime, until end: UnixTime,
    _ fix: (Fix) -> M.Input, _ motion: (MotionEstimate) -> M.Input,
    body: (M.Output, UnixTime) -> Void
  ) {
    var estimator = MotionEstimator()
    func hand(_ input: M.Input, at time: UnixTime) {
      for output in machine.handle(input, at: moment(time)) { body(output, time) }
    }
    func wake(until time: UnixTime) {
      while let due = earliest(machine.nextDeadline, estimator.nextDeadline),
        due <= moment(time).uptime
      {
        let at = span.start + (due - .start)
        if let fading = estimator.nextDeadline, fading <= due {
          hand(motion(estimator.pass(to: moment(at))), at: at)
        }
        if let wake = machine.nextDeadline, wake <= due { hand(.wake, at: at) }
      }
    }
    for (time, observation) in observations(from: start) where time <= end {
      wake(until: time)
      switch observation {
      case .fix(let seen):
        hand(motion(estimator.observe(seen, at: moment(time))), at: time)
        hand(fix(seen), at: time)
      case .motion(let activity):
        hand(motion(estimator.take(activity, at: moment(time))), at: time)
      }
    }
    wake(until: end)
  }

  /// Fixes and reports of the motion sensor, in the order of time.
  private func observations(
    from start: UnixTime
  ) -> [(time: UnixTime, observation: Observation)] {
    let seen = fixes.map { (time: $0.delivered, observation: Observation.fix($0.fix)) }
    let felt = motion.map { (time: $0.time, observation: Observation.motion($0.activity)) }
    return (felt + seen).filter { $0.time >= start }.sorted { $0.time < $1.time }
  }

  /// The visits delivered, in order.
  func deliveredVisits() -> [Visit] { visits().map(\.visit) }

  /// The same with the time of each delivery.
  func visits() -> [(isArrival: Bool, visit: Visit, time: UnixTime)] {
    var detector = VisitDetector()
    var delivered: [(isArrival: Bool, visit: Visit, time: UnixTime)] = []
    replay(
      &detector, from: span.start, until: span.end, { .fix($0) }, { .motion($0) }
    ) { output, time in
      switch output {
      case .arrived(let visit): delivered.append((true, visit, time))
      case .departed(let visit): delivered.append((false, visit, time))
      }
    }
    return delivered
  }

  /// When exits from a circle were delivered.
  func exits(from circle: Circle, between start: UnixTime, and end: UnixTime) -> [UnixTime] {
    var conditions = Conditions()
    let key = ConditionKey(
      app: AppIdentity("phone"), owner: .regions, identifier: "place")
    let now = Moment(uptime: .start, unixTime: start)
    _ = conditions.handle(.register(key, .circle(circle), RegionNotices()), at: now)
    var exits: [UnixTime] = []
    replay(
      &conditions, from: start, until: end, { .fix($0) }, { .motion($0) }
    ) { output, time in
      if case .region(_, .exited) = output { exits.append(time) }
    }
    return exits
  }

  /// Whether the phone really is outside the circle for a while.
  func leaves(_ circle: Circle, in trip: Trip) -> Bool {
    path.contains {
      $0.delivered > trip.start && $0.delivered < trip.end
        && $0.fix.horizontalAccuracy <= 100
        && circle.center.distance(to: $0.fix.coordinate) > circle.radius + 150
    }
  }
}
