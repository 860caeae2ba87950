package import LocationModel

/// A story that a person can write and read: docs/formats/scenario.md.
package struct Scenario: Sendable {
  /// Something that happens at a time since the beginning.
  package struct Event: Sendable {
    package var at: Duration
    package var worldEvent: WorldEvent
    /// The line as it was written.
    package var text: String
  }

  /// `nil` until the file has declared that it is a scenario.
  package var name: String?
  package var origin = Coordinate(latitude: 0, longitude: 0)
  package var date = Self.standardDate
  package var seed: UInt64 = 1
  package var start = VirtualReceiver.Start.hot
  package var language = VirtualReceiver.Language.nmea
  package var interval = Duration.seconds(1)
  /// Stands in for the standard noise.
  package var noise: ReceiverNoise?
  /// The access points; with at least one, the device has a Wi-Fi radio.
  package var accessPoints: [VirtualAccessPoint] = []
  /// The file of a list of more access points, as the scenario names it; whoever runs the scenario
  /// reads it and adds them.
  package var accessPointList: String?
  /// How the access points change over time; `nil` where they do not.
  package var churn: AccessPointChurn?
  /// The surveys of buildings that the device's map has at first.
  package var surveys: [Journey] = []
  /// The cells; with at least one, the device has a modem.
  package var cells: [VirtualCell] = []
  /// Hectopascals at sea level; `nil` where the device has no barometer.
  package var pressureAtSea: Double?
  package var circles: [Simulation.NamedCircle] = []
  /// The beacons; with at least one, the device has Bluetooth.
  package var beacons: [Simulation.NamedBeacon] = []
  package var journey = Journey(from: Coordinate(latitude: 0, longitude: 0))
  package var events: [Event] = []
  package var end = Duration.zero

  /// 2026-01-01T08:00:00Z. Chosen, for scenarios without a date.
  package static let standardDate = UnixTime(milliseconds: 1_767_254_400_000)

  /// The way through places as simulators go it (SIM-8): exact, at one speed, with an update each
  /// `interval`, until half a minute after its end.
  package init(through places: [Coordinate], speed: Double, every interval: Duration) {
    name = "waypoints"
    origin = places.first ?? origin
    journey = Journey(from: origin)
    for place in places.dropFirst() { journey.move(to: place, speed: speed) }
    self.interval = interval
    noise = .simulator(accuracy: 5)
    end = journey.duration + max(interval, .seconds(30))
  }

  package init() {}

  /// The true way until it or the story ends, a place each second.
  package var truth: [Coordinate] {
    let way = journey.goesRound ? end : min(journey.duration, end)
    let seconds = Int(way.inSeconds.rounded(.up))
    return (0...seconds).map { journey.truth(at: .seconds($0)).coordinate }
  }

  /// The world in which it happens; `seed` stands in for the scenario's own.
  package func world(seed: UInt64? = nil) -> VirtualWorld {
    var receiver = VirtualReceiver(
      start: start, language: language, interval: interval, seed: seed ?? self.seed)
    receiver.noise = noise
    let radio =
      accessPoints.isEmpty && cells.isEmpty
      ? nil : VirtualRadio(accessPoints, churn: churn, cells: cells, seed: seed ?? self.seed)
    let barometer = pressureAtSea.map {
      VirtualBarometer(pressureAtSea: $0, seed: seed ?? self.seed)
    }
    let bluetooth = beacons.isEmpty ? nil : VirtualBluetooth(seed: seed ?? self.seed)
    var world = VirtualWorld(
      at: origin, date: date, receivers: [receiver], bluetooth: bluetooth, radio: radio,
      barometer: barometer)
    for beacon in beacons { world.plan(.beacon(beacon.virtual), after: .zero) }
    for survey in surveys { world.plan(.survey(survey), after: .zero) }
    world.plan(.depart(journey), after: .zero)
    for event in events { world.plan(event.worldEvent, after: event.at) }
    return world
  }
}

/// What is wrong with a scenario, and what was expected.
package struct ScenarioFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  package var line: Int
  package var problem: String
  package var expectation: String

  package var description: String { "line \(line): \(problem); expected \(expectation)" }
}
