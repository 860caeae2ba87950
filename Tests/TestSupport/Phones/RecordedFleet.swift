package import LocationEngine
package import LocationFleet
import LocationModel

/// Recorded phones, each alone and as the devices of one fleet, over circles at the places where they stayed.
package struct RecordedFleet {
  /// What a phone alone is given beside the fixes.
  package enum Alone: Sendable {
    /// Nothing: each fix comes at its date, in the order of dates. A fleet has no more.
    case dates
    /// The fixes come when they were delivered.
    case deliveries
    /// The same, and the motion sensor reports.
    case motion
  }

  /// How the fixes come to the fleet.
  package enum Order: Sendable {
    /// By their dates, where one in ten comes before the one that is dated before it, and one in ten comes again; with a
    /// window.
    case disturbed
    /// As they were delivered, without a window.
    case deliveries
  }

  package let days: [PhoneDay]
  package let fences: [FleetFence]

  /// - Parameters:
  ///   - days: the phones; each is one device.
  ///   - radii: of the circles around each place, in meters.
  package init(_ days: [PhoneDay], radii: [Double] = [50, 100, 200, 500]) {
    self.days = days
    fences = days.flatMap { $0.fences(radii) }
  }

  /// What each phone alone reports, and why its engine did not believe fixes.
  package func alone(
    _ inputs: Alone
  ) -> (events: [[FleetEvent]], ignored: [IgnoreReason: Int]) {
    var ignored: [IgnoreReason: Int] = [:]
    let events = days.map { day -> [FleetEvent] in
      var fixes = day.fixes
      if inputs == .dates { fixes = day.dated.map { .init(fix: $0.fix, delivered: $0.fix.time) } }
      var reports = (inputs == .motion ? day.motion : [])[...]
      guard let first = fixes.first?.delivered else { return [] }
      let begin = min(first, reports.first?.time ?? first)
      var phone = LonePhone(fences, startingAt: begin - .seconds(1))
      for fix in fixes {
        while let report = reports.first, report.time <= fix.delivered {
          phone.take(report.activity, at: report.time)
          reports.removeFirst()
        }
        phone.take(fix.fix, at: fix.delivered)
      }
      ignored.merge(phone.ignored, uniquingKeysWith: +)
      return phone.events
    }
    return (events, ignored)
  }

  /// What a fleet reports of each phone, whose fixes are mixed with those of the others, and what it counted.
  package func together(
    _ order: Order
  ) throws -> (events: [[FleetEvent]], counts: Fleet.Counts) {
    var index = FleetFences()
    for fence in fences { try index.insert(fence) }
    var settings = FleetDevice.Settings()
    settings.window = order == .disturbed ? 10 : 0
    // So few awake that most are written and read between two fixes.
    var fleet = Fleet(index, settings, mostAwake: 4)
    var events = Array(repeating: [FleetEvent](), count: days.count)
    for (phone, fix) in arrivals(order) {
      let name = FleetDeviceName(device: days[phone].name)
      events[phone] += fleet.take(fix.fix, of: name, received: fix.delivered)?.events ?? []
    }
    for (phone, day) in days.enumerated() {
      events[phone] += fleet.end(FleetDeviceName(device: day.name))
    }
    return (events, fleet.counts)
  }

  /// The fixes of all phones, as if all days had begun at the same moment.
  private func arrivals(_ order: Order) -> [(phone: Int, fix: PhoneDay.Delivered)] {
    var random = SeededRandom(seed: 1)
    var all: [(phone: Int, at: Double, fix: PhoneDay.Delivered)] = []
    for (phone, day) in days.enumerated() {
      var fixes = order == .deliveries ? day.fixes : day.dated
      // In place of the recorded moment of delivery, which would say that a clock was set back.
      var latest = day.span.start
      if order == .disturbed { fixes = Self.disturbed(fixes, &random) }
      for var fix in fixes {
        latest = max(latest, fix.delivered)
        fix.delivered = latest
        all.append((phone, latest.seconds(since: day.span.start), fix))
      }
    }
    // Stable: the fixes of a phone keep their order.
    return all.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map { ($0.element.phone, $0.element.fix) }
  }

  private static func disturbed(
    _ fixes: [PhoneDay.Delivered], _ random: inout SeededRandom
  ) -> [PhoneDay.Delivered] {
    var fixes = fixes
    var place = 1
    while place < fixes.count {
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        fixes.swapAt(place - 1, place)
        place += 2
      case 1:
        let later = min(place + .random(in: 0...3, using: &random), fixes.count)
        fixes.insert(fixes[place - 1], at: later)
        place += 1
      default: place += 1
      }
    }
    return fixes
  }
}

// MARK: - Places

extension RecordedFleet {
  /// The exits from circles around places at which the carrier of the phone stayed all the time.
  package func falseExits(in events: [[FleetEvent]]) -> Int {
    zip(days, events).reduce(0) { sum, entry in
      let (day, events) = entry
      return sum
        + day.stays.reduce(0) { sum, stay in
          sum
            + events.count {
              $0.kind == .exited && $0.fence?.hasPrefix(day.fenceName(stay.number)) == true
                && $0.time >= stay.start + .seconds(30) && $0.time <= stay.end - .seconds(30)
            }
        }
    }
  }
}

extension PhoneDay {
  /// The fixes in the order of their dates; of one date, the most accurate.
  fileprivate var dated: [Delivered] {
    let sorted = fixes.sorted {
      ($0.fix.time, $0.fix.horizontalAccuracy) < ($1.fix.time, $1.fix.horizontalAccuracy)
    }
    return sorted.reduce(into: []) { dated, next in
      if dated.last?.fix.time != next.fix.time { dated.append(next) }
    }
  }

  /// Before, between, and after the trips.
  fileprivate var stays: [(number: Int, start: UnixTime, end: UnixTime)] {
    let starts = [span.start] + trips.map(\.end)
    let ends = trips.map(\.start) + [span.end]
    return zip(starts, ends).enumerated().map { ($0.offset, $0.element.0, $0.element.1) }
  }

  fileprivate func fenceName(_ stay: Int) -> String { "\(name)/\(stay)/" }

  /// Circles around the places of the stays: where the phone was when it left, and in the middle of a day without a
  /// trip.
  fileprivate func fences(_ radii: [Double]) -> [FleetFence] {
    stays.flatMap { stay -> [FleetFence] in
      let good = path.filter {
        $0.delivered >= stay.start && $0.delivered <= stay.end && $0.fix.horizontalAccuracy <= 100
      }
      let place = trips.isEmpty ? good.dropFirst(good.count / 2).first : good.last
      guard let center = place?.fix.coordinate else { return [] }
      return radii.map { radius in
        FleetFence(
          id: fenceName(stay.number) + "\(Int(radius))",
          .circle(Circle(center: center, radius: radius)))
      }
    }
  }
}
