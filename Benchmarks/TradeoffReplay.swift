import Foundation
import LocationEngine
import LocationModel
import TestSupport

extension TradeoffPoint {
  /// Circles around the places that recorded phones stayed at and left; or, with an inset, four
  /// circles each, whose boundary is only so many meters away in one direction.
  ///
  /// The time of the crossing is known by hindsight: after the last fix within the circle that
  /// two minutes outside follow.
  static func replay<R: FenceRule>(
    _: R.Type, _ name: String, _ radius: Double, _ days: [PhoneDay], inset: Double? = nil
  ) -> TradeoffPoint {
    var total = Replay()
    for day in days {
      for stay in day.stays {
        for center in stay.centers(inset.map { radius - $0 } ?? 0) {
          let circle = Circle(center: center, radius: radius)
          total.watch(R(circle: circle), circle, stay, of: day)
        }
      }
    }
    return TradeoffPoint(
      rule: name, radius: radius, transitions: total.transitions, hours: total.hours,
      delays: total.delays, missed: total.missed)
  }

  private struct Replay {
    var transitions = 0
    var hours = 0.0
    var delays: [Double] = []
    var missed = 0

    mutating func watch<R: FenceRule>(
      _ fresh: R, _ circle: Circle, _ stay: PhoneDay.Stay, of day: PhoneDay
    ) {
      var rule = fresh
      var wasInside = false
      var exit: UnixTime?
      let crossed = day.crossing(of: circle, after: stay.end, until: stay.tripEnd)
      var isSettled = false
      var felt = day.motion.drop { $0.time < stay.start }
      for delivered in day.fixes where delivered.delivered >= stay.start {
        let time = delivered.delivered
        if time > stay.tripEnd { break }
        while let report = felt.first, report.time <= time {
          rule.feel(report.activity, at: day.moment(report.time))
          felt.removeFirst()
        }
        let distance = circle.center.distance(to: delivered.fix.coordinate)
        let isInside = rule.observe(delivered.fix, distance: distance, at: day.moment(time))
        // The first entry is the finding of the state.
        if isInside != wasInside, isSettled {
          if time < crossed ?? (stay.end - .seconds(30)) { transitions += 1 }
        }
        // Out too early and still out when it was true counts as at once.
        if !isInside, let crossed, time >= crossed, exit == nil { exit = time }
        wasInside = isInside
        isSettled = isSettled || isInside
      }
      hours += (crossed ?? stay.end).seconds(since: stay.start) / 3600
      guard let crossed else { return }
      if let exit { delays.append(exit.seconds(since: crossed)) } else { missed += 1 }
    }
  }
}

extension PhoneDay {
  /// Time at one place, and the trip that follows, if any.
  struct Stay {
    var center: Coordinate
    var start: UnixTime
    var end: UnixTime
    /// The end of the trip that leaves the place; the end of the stay when none does.
    var tripEnd: UnixTime

    /// The place itself, or the four places so many meters north, south, east, and west of it.
    func centers(_ meters: Double) -> [Coordinate] {
      guard meters > 0 else { return [center] }
      let north = meters / 111_132
      let east = north / cosine(center.latitude * .pi / 180)
      return [(north, 0), (-north, 0), (0, east), (0, -east)].map {
        Coordinate(latitude: center.latitude + $0.0, longitude: center.longitude + $0.1)
      }
    }
  }

  var stays: [Stay] {
    guard !trips.isEmpty else {
      let center = middle(from: span.start, to: span.end)
      return center.map {
        [Stay(center: $0, start: span.start, end: span.end, tripEnd: span.end)]
      } ?? []
    }
    return trips.indices.compactMap { number in
      let start = number > 0 ? trips[number - 1].end + .seconds(30) : span.start
      let end = trips[number].start
      return middle(from: start, to: end).map {
        Stay(center: $0, start: start, end: end, tripEnd: trips[number].end)
      }
    }
  }

  /// The median of the good fixes.
  private func middle(from start: UnixTime, to end: UnixTime) -> Coordinate? {
    let good = path.filter {
      $0.delivered >= start && $0.delivered <= end && $0.fix.horizontalAccuracy <= 100
    }
    guard !good.isEmpty else { return nil }
    return Coordinate(
      latitude: PhoneReport.quantile(0.5, good.map { $0.fix.coordinate.latitude }),
      longitude: PhoneReport.quantile(0.5, good.map { $0.fix.coordinate.longitude }))
  }

  /// When the path leaves the circle for at least two minutes; `nil` when it does not.
  func crossing(of circle: Circle, after start: UnixTime, until end: UnixTime) -> UnixTime? {
    var since: UnixTime?
    for delivered in path where delivered.delivered > start && delivered.delivered <= end {
      guard delivered.fix.horizontalAccuracy <= 100 else { continue }
      if circle.center.distance(to: delivered.fix.coordinate) <= circle.radius {
        since = nil
      } else {
        let first = since ?? delivered.delivered
        since = first
        if delivered.delivered.seconds(since: first) >= 120 { return first }
      }
    }
    return nil
  }
}
