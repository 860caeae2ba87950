import Glibc
import LocationLink
import LocationModel
import LocationProviders
import LocationSimulation

/// The way that `locationctl location` plays, as fixes in real time.
struct SimulatedWay {
  private let accuracy: Double
  /// Between two updates.
  var interval = Duration.seconds(1)
  private var journey = Journey(from: Coordinate(latitude: 0, longitude: 0))

  /// Creates a way whose fixes report an accuracy in meters.
  init(within accuracy: Double) { self.accuracy = accuracy }

  /// Returns the fix of the one place among the words.
  func place(
    _ words: [String], altitude: Double?, as invocation: Invocation
  ) throws(Failure) -> Fix {
    guard words.count == 1 else {
      throw invocation.usage("set takes one place: LATITUDE,LONGITUDE in degrees")
    }
    guard let place = SimulationFile.place(words[0]) else {
      throw invocation.usage(
        "\(words[0].quotedForDisplay()) is no place: LATITUDE,LONGITUDE in degrees, from -90,-180 "
          + "to 90,180")
    }
    var fix = Fix(coordinate: place, horizontalAccuracy: accuracy, time: UnixTime(nanoseconds: 0))
    fix.altitude = altitude
    return fix
  }

  /// Reads waypoints, or a scenario or file.
  mutating func read(
    _ action: String, _ words: [String], speed: Double?, as invocation: Invocation
  ) throws(Failure) {
    if action == "start" {
      let places = try SimulationFile.waypoints(words, as: invocation)
      journey = Journey(from: places[0])
      let pace = speed ?? Self.usualSpeed
      for place in places.dropFirst() { journey.move(to: place, speed: pace) }
      return
    }
    guard let name = words.first, words.count == 1 else {
      throw invocation.usage("run takes one scenario or file")
    }
    let scenario = BuiltInScenario(typed: name)
    guard scenario != nil || access(name, F_OK) == 0 else {
      throw SimulationFile.unknown(name)
    }
    if name.lowercased().hasSuffix(".gpx") { return try readGPX(name, speed, as: invocation) }
    guard speed == nil else {
      throw invocation.usage("\(name) has speeds of its own, so --speed changes nothing")
    }
    if let scenario {
      journey = scenario.journey
    } else {
      guard case .scenario(let scenario) = try SimulationFile.read(name, as: invocation) else {
        throw invocation.usage(
          "\(name) is neither a scenario nor a GPX file; a receiver's log is a source: "
            + "CORELOCATION_SOURCES=file:\(name)")
      }
      journey = scenario.journey
    }
  }

  private mutating func readGPX(
    _ name: String, _ speed: Double?, as invocation: Invocation
  ) throws(Failure) {
    let bytes = try SimulationFile.bytes(of: name, as: invocation)
    do throws(GPXFault) {
      journey = try Journey(gpx: bytes, pace: .speed(speed ?? Self.usualSpeed))
    } catch {
      throw invocation.usage("\(name), \(error)")
    }
    for warning in journey.warnings { Output.error.line("not played: \(warning)") }
  }

  /// Sends the fixes, each at its time, until the end of the way; one that goes round has none.
  func play(to daemon: RunningDaemon) async throws {
    let begin = ContinuousClock.now
    var elapsed = Duration.zero
    while true {
      let truth = journey.truth(at: elapsed)
      if truth.sky != .none { try daemon.perform(.simulate(fix(of: truth), hold: false)) }
      guard journey.goesRound || elapsed < journey.duration else { return }
      elapsed += interval
      if !journey.goesRound { elapsed = min(elapsed, journey.duration) }
      try await Task.sleep(until: begin + elapsed, clock: .continuous)
    }
  }

  /// Meters per second. Documented: of Apple's `simctl location start`.
  static let usualSpeed = 20.0

  private func fix(of truth: Truth) -> Fix {
    var fix = Fix(
      coordinate: truth.coordinate, horizontalAccuracy: accuracy, time: UnixTime(nanoseconds: 0))
    fix.altitude = truth.altitude
    fix.speed = truth.speed
    if truth.speed > 0 { fix.course = truth.course }
    return fix
  }
}
