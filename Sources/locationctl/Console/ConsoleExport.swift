import LocationModel
import LocationSimulation

/// A day as a file: a scenario, or a test in Swift (CONSOLE-10).
struct ConsoleExport {
  let day: ConsoleDay

  init(_ day: ConsoleDay) { self.day = day }

  /// A part of the way: straight to a place, or a stop there where it takes no distance.
  struct Leg: Hashable, Sendable {
    var to: Coordinate
    var seconds: Double
    /// Meters per second; 0 for a stop.
    var speed: Double
  }

  /// The way from the fixes, as few straight legs as keep within 10 m of them.
  static func legs(of track: [ConsoleDay.TrackPoint]) -> [Leg] {
    guard let first = track.first else { return [] }
    var legs: [Leg] = []
    var (anchor, last) = (first, first)
    var between: [ConsoleDay.TrackPoint] = []
    for point in track.dropFirst() where point.time > last.time {
      if !between.allSatisfy({ isNear($0, from: anchor, to: point) }) || between.count > mostBetween
      {
        append(from: anchor, to: last, to: &legs)
        (anchor, between) = (last, [])
      }
      between.append(point)
      last = point
    }
    append(from: anchor, to: last, to: &legs)
    return legs
  }

  /// Whether a fix is where a way at an even pace has it.
  private static func isNear(
    _ point: ConsoleDay.TrackPoint, from: ConsoleDay.TrackPoint, to: ConsoleDay.TrackPoint
  ) -> Bool {
    let share = point.time.seconds(since: from.time) / to.time.seconds(since: from.time)
    let (a, b) = (from.coordinate, to.coordinate)
    let even = Coordinate(
      latitude: a.latitude + (b.latitude - a.latitude) * share,
      longitude: a.longitude + (b.longitude - a.longitude) * share)
    return even.distance(to: point.coordinate) <= max(tolerance, point.accuracy)
  }

  private static func append(
    from: ConsoleDay.TrackPoint, to: ConsoleDay.TrackPoint, to legs: inout [Leg]
  ) {
    let seconds = to.time.seconds(since: from.time)
    guard seconds > 0 else { return }
    let distance = from.coordinate.distance(to: to.coordinate)
    let speed = (distance / seconds * 100).rounded() / 100
    let place = Coordinate(
      latitude: (to.coordinate.latitude * 1e6).rounded() / 1e6,
      longitude: (to.coordinate.longitude * 1e6).rounded() / 1e6)
    legs.append(
      Leg(to: place, seconds: seconds.rounded(), speed: speed < 0.05 ? 0 : min(speed, 1000)))
  }

  /// Meters.
  private static let tolerance = 10.0
  /// Fixes on one leg, so that the time grows with the fixes and not with their square.
  private static let mostBetween = 120

  // MARK: A scenario

  /// - Throws: that the lines that are written are no scenario, which would be a fault of ours.
  var scenario: String {
    get throws(Failure) {
      do throws(ScenarioFault) { return try ScenarioReader.adding(day.changes, to: lines) } catch {
        throw .refused("the scenario cannot be written: \(error)", next: "report it")
      }
    }
  }

  /// The scenario without the changes.
  private var lines: String {
    if let story = day.story {
      return Self.replacingConditions(of: story, by: conditions + beacons)
    }
    var lines = ["scenario \(Self.oneLine(day.title))", "date \(day.begin.iso8601)"]
    if let first = day.way.first { lines.append("place \(Self.words(first.coordinate))") }
    lines += conditions
    for (index, leg) in Self.legs(of: day.way).enumerated() {
      let time = index == 0 ? "00:00:00" : "then"
      lines.append(
        leg.speed > 0
          ? "\(time) walk to \(Self.words(leg.to)) at \(leg.speed.plain)"
          : "\(time) stay \(Int(max(leg.seconds, 1)))s")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var conditions: [String] {
    day.fences.map { fence in
      "condition \(Self.word(fence.identifier)) \(Self.words(fence.circle.center)) \(fence.circle.radius.plain)"
    }
  }

  private var beacons: [String] {
    day.beacons.map { "beacon \(Self.word($0.identifier)) \(Self.words($0.place))" }
  }

  /// A name as one word of a scenario.
  private static func word(_ name: String) -> String {
    name.split(whereSeparator: \.isWhitespace).joined(separator: "-").filter { $0 != "#" }
  }

  /// The text of a scenario, with these lines behind the first place.
  static func replacingConditions(of story: String, by conditions: [String]) -> String {
    var lines: [String] = []
    var isPlaced = false
    for line in story.split(separator: "\n", omittingEmptySubsequences: false) {
      let word = line.split(whereSeparator: \.isWhitespace).first
      if word == "condition" || word == "beacon" { continue }
      lines.append(String(line))
      if word == "place", !isPlaced {
        lines += conditions
        isPlaced = true
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func words(_ place: Coordinate) -> String {
    let (latitude, longitude) = (place.latitude, place.longitude)
    return "\((latitude * 1e6).rounded() / 1e6),\((longitude * 1e6).rounded() / 1e6)"
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ").filter { $0 != "#" }
  }

  // MARK: A test

  /// - Parameter suite: the name of its suite, an identifier of Swift.
  /// - Returns: the text of its file.
  func test(named suite: String = "DayTests") -> String {
    let origin = day.way.first?.coordinate ?? Coordinate(latitude: 0, longitude: 0)
    let legs = Self.legs(of: day.way)
    let seconds = legs.reduce(0) { $0 + $1.seconds } + 60
    return """
      import CoreLocation
      import Foundation
      import LocationTesting
      import Testing

      /// Made by locationctl console from \(Self.quoted(Self.oneLine(day.title))).
      @Suite @MainActor struct \(suite) {
        let begin = CLLocationCoordinate2D(
          latitude: \(origin.latitude), longitude: \(origin.longitude))
        /// Latitude, longitude, meters per second, and, for a stop, seconds.
        let legs: [(Double, Double, Double, Double)] = [
      \(legs.map(Self.row).joined(separator: "\n"))
        ]
        /// Identifier, latitude, longitude, and radius in meters.
        let fences: [(String, Double, Double, Double)] = [
      \(day.fences.map(Self.row).joined(separator: "\n"))
        ]\(beaconTable)
        /// What each fence shall become, in order.
        let expected: [String] = [
      \(ofFences.map { "    " + Self.quoted("\($0.fence) \($0.state)") + "," }.joined(separator: "\n"))
        ]

      \(Self.route)

        @Test func day() async throws {
          let date = Date(timeIntervalSince1970: \(day.begin.milliseconds / 1000))
          let device = SimulatedDevice(at: begin, date: date)\(leftOut)
          let app = device.app("org.example.day")
          app.setPermission(.always)
          try await app.run {
      \(Self.monitoring)\(beaconStatements)
            device.travel(route)
      \(ConsoleSteps(day, until: .seconds(Int(seconds))).text)
            \(comparison)
            events.cancel()
            session.invalidate()
          }
        }
      }

      """
  }

  /// A comment for each kind of heading that the test's device lacks.
  private var leftOut: String {
    guard case .scenario(let scenario) = day.input else { return "" }
    let hotspots = scenario.accessPoints.count { $0.place == nil }
    let counts = [
      ("access points", scenario.accessPoints.count - hotspots), ("hotspots", hotspots),
      ("surveys", scenario.surveys.count),
      ("cells", scenario.cells.count), ("barometers", scenario.pressureAtSea == nil ? 0 : 1),
    ]
    return counts.filter { $0.1 > 0 }.map { name, count in
      "\n    // Not in this test: \(count) \(count == 1 ? String(name.dropLast()) : name)"
    }.joined()
  }

  private static let route = """
      var route: Route {
        var route = Route(from: begin)
        for (latitude, longitude, speed, seconds) in legs {
          let place = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
          if speed > 0 {
            route.move(to: place, speed: speed)
          } else {
            route.stay(for: .seconds(seconds))
          }
        }
        return route
      }
    """

  private static let monitoring = """
          let session = CLServiceSession(authorization: .always)
          let monitor = await CLMonitor("day")
          for (name, latitude, longitude, radius) in fences {
            let center = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
            await monitor.add(
              CLMonitor.CircularGeographicCondition(center: center, radius: radius),
              identifier: name)
          }
          var seen: [String] = []
          let events = Task {
            for try await event in await monitor.events {
              guard event.state == .satisfied || event.state == .unsatisfied else { continue }
              let state = event.state == .satisfied ? "satisfied" : "unsatisfied"
              seen.append("\\(event.identifier) \\(state)")
            }
          }
    """

  private static func row(_ leg: Leg) -> String {
    "    (\(leg.to.latitude), \(leg.to.longitude), \(leg.speed), \(leg.speed > 0 ? 0 : leg.seconds)),"
  }

  private static func row(_ fence: Simulation.NamedCircle) -> String {
    let center = fence.circle.center
    return "    (\(quoted(fence.identifier)), \(center.latitude), \(center.longitude), "
      + "\(fence.circle.radius)),"
  }

  /// A string of Swift.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": quoted += "\\\(Character(scalar))"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        quoted += "\\u{\(String(scalar.value, radix: 16))}"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
