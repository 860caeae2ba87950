package import LocationModel
package import LocationProviders

/// What can be simulated: a scenario, or a recording that is played.
package enum SimulationInput: Sendable {
  case scenario(Scenario)
  case recording(Source, [UInt8])

  /// Reads a file's contents; its name identifies GPX and recorded fixes, its text a scenario,
  /// and everything else is a receiver's log.
  package init(path: String, bytes: [UInt8]) throws(ScenarioFault) {
    let name = path.lowercased()
    if name.hasSuffix(".gpx") {
      self = .recording(.gpx(path: path, Source.Playback()), bytes)
    } else if name.hasSuffix(".jsonl") {
      self = .recording(.fixes(path: path), bytes)
    } else if ScenarioReader.isScenario(String(decoding: bytes.prefix(4096), as: UTF8.self)) {
      self = .scenario(try ScenarioReader.read(String(decoding: bytes, as: UTF8.self)))
    } else {
      self = .recording(.log(path: path, rate: 1), bytes)
    }
  }

  /// The world, and the end of the simulation; `nil` if the recording determines it.
  ///
  /// A recording begins at `date`, else at the date of its first fix where its fixes have one.
  package func world(seed: UInt64?, date: UnixTime? = nil) -> (VirtualWorld, end: Duration?) {
    switch self {
    case .scenario(let scenario): return (scenario.world(seed: seed), scenario.end)
    case .recording(let source, let bytes):
      let date = date ?? Self.firstDate(of: source, bytes) ?? Scenario.standardDate
      return (Self.world(playing: source, bytes, date: date), nil)
    }
  }

  /// For people.
  package var title: String {
    switch self {
    case .scenario(let scenario): return scenario.name ?? ""
    case .recording(.gpx(let path, _), _), .recording(.log(let path, _), _),
      .recording(.fixes(let path), _):
      return path.split(separator: "/").last.map(String.init) ?? path
    case .recording: return ""
    }
  }

  package var circles: [Simulation.NamedCircle] {
    guard case .scenario(let scenario) = self else { return [] }
    return scenario.circles
  }

  /// The file of a list of access points that a scenario names.
  package var accessPointList: String? {
    guard case .scenario(let scenario) = self else { return nil }
    return scenario.accessPointList
  }

  package var beacons: [Simulation.NamedBeacon] {
    guard case .scenario(let scenario) = self else { return [] }
    return scenario.beacons
  }

  private static func world(
    playing source: Source, _ bytes: [UInt8], date: UnixTime
  ) -> VirtualWorld {
    let path: String
    switch source {
    case .gpx(let file, _), .log(let file, _), .fixes(let file): path = file
    default: path = ""
    }
    return VirtualWorld(playing: source, files: [path: bytes], date: date)
  }

  /// The date at the recording's beginning, found by playing it to its first fix.
  private static func firstDate(of source: Source, _ bytes: [UInt8]) -> UnixTime? {
    struct Found: Error { var date: UnixTime }
    let begin = Scenario.standardDate
    var simulation = Simulation(world(playing: source, bytes, date: begin))
    do {
      try simulation.run { event, now in
        guard case .update(let update) = event, let fix = update.fix else { return }
        throw Found(date: fix.time - (now.uptime - .start))
      }
    } catch {
      return (error as? Found)?.date
    }
    return nil
  }

  /// The lines of a file that could not be played; a receiver's log has many that are not used.
  package func losses(in simulation: Simulation) -> [String] {
    switch self {
    case .recording(.gpx, _), .recording(.fixes, _): simulation.world.rejections
    case .scenario, .recording: []
    }
  }

  /// Why a recording could not be played; `nil` when it could.
  package func complaint(of simulation: Simulation) -> String? {
    guard case .recording(let source, _) = self else { return nil }
    var cause = "there is no position in it"
    if case .unavailable(let reason)? = simulation.world.sourceStatuses.first, reason != .ended {
      guard case .log = source else { return reason.text }
      cause = reason.text
    }
    guard case .log = source, simulation.summary.fixes == 0 else { return nil }
    return """
      \(title) was read as a receiver's log: \(cause); a scenario begins with a line such as: \
      scenario A walk home
      """
  }
}
