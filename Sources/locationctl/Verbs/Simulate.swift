import LocationCoding
import LocationModel
import LocationSimulation

extension Verb {
  private static let seed = Option(
    name: "seed", value: .wholeNumber("N", 0...Int.max),
    summary: "What chance is made of; the scenario's own unless given")
  private static let conditions = Option(
    name: "conditions", value: .text("FILE"),
    summary: "Circles to monitor: GeoJSON points with identifier and radius")
  private static let accessPoints = Option(
    name: "access-points", value: .text("FILE.csv"),
    summary: "Access points around the way: bssid, latitude, longitude")
  private static let churn = Option(
    name: "churn", value: .number("PERCENT", 0...99),
    summary:
      "Percent of the access points that have changed at the end; the scenario's own unless given")
  private static let recordDemand = Option(
    name: "record-demand",
    summary: "With --json: print every change of what the hardware must do, too")
  private static let transcript = Option(
    name: "transcript", summary: "Print what changes, and when, as without --json")
  private static let plot = Option(
    name: "plot", value: .text("OUT.svg"),
    summary: "Draw the way, the fixes, the conditions, and every event where it happened")

  private static let list = Option(
    name: "list", summary: "Print the built-in scenarios, one a line")
  private static let speed = Option(
    name: "speed", value: .number("SPEED", 0.01...10_000),
    summary: "Through waypoints: meters per second; 20 unless given")
  private static let distance = Option(
    name: "distance", value: .number("METERS", 0.01...1e6),
    summary: "Through waypoints: an update each so many meters")
  private static let interval = Option(
    name: "interval", value: .number("SECONDS", 0.1...86_400),
    summary: "Through waypoints: an update each so many seconds; 1 unless given")

  static let simulate = Verb(
    name: "simulate", summary: "Run a scenario or a recording in virtual time, all services on",
    details: [
      """
      WAY is a file (GPX, a receiver's log, recorded fixes in .jsonl, or a scenario), the name of \
      a built-in scenario, or waypoints: two and more of LATITUDE,LONGITUDE, or - for one a line \
      from standard input. Prints what changes, each line with the time since the begin, and last a \
      summary with a hash of all deliveries: the same way and seed give the same hash on every \
      machine. With --json every delivery is a line, with the time at which it was delivered, and \
      two runs print the same bytes.
      """,
      """
      Built-in scenarios and waypoints go as the simulator of Apple's tools does: exactly, at an \
      accuracy of 5 m. Their ways are this project's own.
      """,
    ],
    operands: [
      Operand(name: "WAY", summary: "what to simulate", isOptional: true, repeats: true)
    ],
    options: [
      .json, seed, conditions, accessPoints, churn, recordDemand, transcript, plot, list, speed,
      distance, interval,
    ],
    examples: [
      "locationctl simulate \"City Run\" --plot run.svg",
      "locationctl simulate --speed 5 52.52,13.40 52.53,13.41",
      "locationctl simulate \"City Run\" --transcript",
      "locationctl simulate track.gpx --conditions circles.geojson --json",
      "locationctl simulate --speed 1.4 --access-points city.csv 49.872,8.655 49.878,8.655",
    ],
    run: { invocation in
      guard !invocation.has(list) else {
        return listScenarios(invocation)
      }
      guard !invocation.has(transcript) || !invocation.has(.json) else {
        throw invocation.usage("give either --transcript or --json")
      }
      if let file = invocation.text(plot) { try OutputFile.check(file) }
      let pace = invocation.number(speed) ?? SimulatedWay.usualSpeed
      let seconds =
        invocation.number(distance).map { $0 / pace } ?? invocation.number(interval) ?? 1
      var input = try SimulationFile.input(
        of: invocation, speed: pace, every: .seconds(seconds))
      if let file = invocation.text(accessPoints) {
        guard input.accessPointList == nil else {
          throw invocation.usage("the scenario names a list of access points already: take one")
        }
        input = try AccessPointFile.add(file, to: input, as: invocation)
      }
      if let percent = invocation.number(churn) {
        input = try AccessPointFile.add(churn: percent / 100, to: input, as: invocation)
      }
      let circles =
        try invocation.text(conditions).map { try ConditionsFile.read($0, as: invocation) } ?? []
      let all = input.circles + circles
      let (world, end) = input.world(
        seed: invocation.wholeNumber(seed).map { UInt64($0) })
      var simulation = Simulation(world, circles: all, beacons: input.beacons)
      var printer = SimulationPrinter(
        isJSON: invocation.has(.json), printsDemand: invocation.has(recordDemand))
      var picture = invocation.text(plot).map { _ in
        SimulationPlot(circles: all, title: input.title)
      }
      if case .scenario(let scenario) = input {
        for place in scenario.truth { picture?.add(truth: place) }
      }
      let began = ContinuousClock.now
      simulation.run(until: end) { event, now in
        printer.print(event, at: now)
        picture?.add(event, at: now)
      }
      let wall = (ContinuousClock.now - began).inSeconds
      if let complaint = input.complaint(of: simulation) {
        throw invocation.usage(complaint)
      }
      printer.finish(simulation.summary, wall: wall)
      for loss in input.losses(in: simulation) { Output.error.line("not played: \(loss)") }
      guard let picture, let file = invocation.text(plot) else { return }
      try OutputFile.write(picture.svg.utf8, to: file)
    })

  /// Prints the names of the built-in scenarios.
  static func listScenarios(_ invocation: Invocation) {
    for scenario in BuiltInScenario.allCases {
      guard invocation.has(.json) else {
        Output.standard.line(scenario.rawValue)
        continue
      }
      var line = JSONLine(type: "scenario")
      line.add("name", scenario.rawValue)
      Output.standard.line(line.text)
    }
  }
}

/// Prints the events of a simulation, many lines at once.
struct SimulationPrinter {
  var isJSON: Bool
  var printsDemand: Bool
  private var story = SimulationTranscript()
  private var waiting = ""

  init(isJSON: Bool, printsDemand: Bool) {
    self.isJSON = isJSON
    self.printsDemand = printsDemand
  }

  mutating func print(_ event: SimulationEvent, at now: Moment) {
    if case .demand = event, !printsDemand, isJSON { return }
    let line =
      isJSON ? SimulationLine.json(event, at: now) : story.line(event, at: now)
    guard let line else { return }
    waiting += line + "\n"
    guard waiting.utf8.count > 60_000 else { return }
    flush()
  }

  mutating func finish(_ summary: Simulation.Summary, wall: Double) {
    flush()
    if isJSON { return Output.standard.line(SimulationLine.json(summary)) }
    let seconds = Int(summary.simulated.inSeconds)
    let duration = (wall * 1000).rounded() / 1000
    Output.standard.line(
      "\(seconds) s simulated in \(duration.plain) s: \(summary.fixes) fixes, "
        + "\(summary.deliveries) deliveries, hash \(SimulationLine.hash(summary))")
    for tier in PositionTier.allCases {
      guard let time = summary.onTime[tier] else { continue }
      let clients = summary.clients.compactMap { client, times in
        times[tier].map { "\(client) \(Int($0.inSeconds)) s" }
      }
      Output.standard.line(
        "\(tier) on for \(Int(time.inSeconds)) s: \(clients.joined(separator: ", "))")
    }
  }

  private mutating func flush() {
    Output.standard.write(waiting)
    waiting = ""
  }
}
