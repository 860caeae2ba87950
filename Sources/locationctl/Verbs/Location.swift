import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel
import LocationSimulation

extension Verb {
  private static let app = Option(
    name: "app", value: .text("NAME|PID"),
    summary: "Only for this app, which runs an engine of its own: its program, or its process")
  private static let speed = Option(
    name: "speed", value: .number("SPEED", 0.01...10_000),
    summary: "Through waypoints or a GPX file: meters per second; 20 unless given")
  private static let distance = Option(
    name: "distance", value: .number("METERS", 0.01...1e6),
    summary: "With start: an update each so many meters at that speed")
  private static let interval = Option(
    name: "interval", value: .number("SECONDS", 0.1...86_400),
    summary: "With start or run: an update each so many seconds; 1 unless given")
  private static let accuracy = Option(
    name: "within", value: .number("METERS", 0.1...1e6),
    summary: "The accuracy that is reported; 5 unless given")
  private static let altitude = Option(
    name: "altitude", value: .number("METERS", -12_000...1e6),
    summary: "With set: meters above mean sea level")

  static let location = Verb(
    name: "location", summary: "Set the place of running apps, as Apple's simulator tool does",
    details: [
      """
      set LATITUDE,LONGITUDE holds a place until clear. start goes through two and more waypoints, \
      or - for one a line from standard input. run plays a built-in scenario, a GPX file, or a \
      scenario; list prints those that are built in. start and run last as long as this command, \
      Ctrl-C gives the place back, and clear ends whatever was begun.
      """,
      """
      While it lasts, the positions of all sources are ignored, and every position says that it is \
      simulated. Without --app it is the place of all apps of the location daemon, which only its \
      owner may set; that of the whole machine refuses unless its configuration has \
      allow-simulation = yes. With --app it is that of one app without a daemon, of the same user.
      """,
    ],
    operands: [
      Operand(
        name: "ACTION", summary: "what to do", choices: ["set", "start", "run", "clear", "list"]),
      Operand(
        name: "WAY", summary: "a place, waypoints, a scenario, or a file", isOptional: true,
        repeats: true),
    ],
    options: [app, speed, distance, interval, accuracy, altitude, .json],
    examples: [
      "locationctl location set 52.52,13.40",
      "locationctl location start --speed 5 52.52,13.40 52.53,13.41",
      "locationctl location run \"City Run\" --app walk", "locationctl location clear",
    ],
    run: { invocation in try await perform(invocation) })

  private static func perform(_ invocation: Invocation) async throws {
    let action = invocation.operand(0) ?? ""
    let words = Array(invocation.operands.dropFirst())
    try check(action, words, as: invocation)
    switch action {
    case "list":
      listScenarios(invocation)
    case "clear":
      let ended: Bool = try target(invocation).ask(.endSimulation, "ended")
      say(
        ended ? "cleared" : "none",
        ended ? "the place is that of the sources again" : "no place was set", invocation)
    case "set":
      let way = SimulatedWay(within: invocation.number(accuracy) ?? 5)
      let fix = try way.place(words, altitude: invocation.number(altitude), as: invocation)
      try target(invocation).perform(.simulate(fix, hold: true))
      let name = invocation.text(app).map { " --app \($0.quotedForShell)" } ?? ""
      say("set", "the place is set until: locationctl location clear\(name)", invocation)
    default:
      var way = SimulatedWay(within: invocation.number(accuracy) ?? 5)
      let pace = invocation.number(speed)
      let seconds = invocation.number(distance).map { $0 / (pace ?? SimulatedWay.usualSpeed) }
      // Chosen: as for a receiver; without a bound, time would not advance.
      way.interval = .seconds(max(seconds ?? invocation.number(interval) ?? 1, 0.01))
      try way.read(action, words, speed: pace, as: invocation)
      let daemon = try target(invocation)
      say(
        "started", "the place is simulated as long as this runs: Ctrl-C gives it back", invocation)
      try await way.play(to: daemon)
    }
  }

  /// Says what has become of the place.
  private static func say(_ state: String, _ words: String, _ invocation: Invocation) {
    guard invocation.has(.json) else { return Output.standard.line(words) }
    var line = JSONLine(type: "place")
    line.add("state", state)
    Output.standard.line(line.text)
  }

  /// Checks that an action was given nothing that it would ignore.
  private static func check(
    _ action: String, _ words: [String], as invocation: Invocation
  ) throws(Failure) {
    let known = options(of: action).map(\.name)
    for option in [app, speed, distance, interval, accuracy, altitude]
    where invocation.has(option) && !known.contains(option.name) {
      throw invocation.usage("\(action) takes no --\(option.name)")
    }
    guard !invocation.has(distance) || !invocation.has(interval) else {
      throw invocation.usage("give either --distance or --interval")
    }
    if ["clear", "list"].contains(action), let word = words.first {
      throw invocation.usage("\(action) takes nothing behind it, but \(word.quotedForDisplay())")
    }
  }

  private static func options(of action: String) -> [Option] {
    switch action {
    case "set": [app, accuracy, altitude]
    case "start": [app, speed, distance, interval, accuracy]
    case "run": [app, speed, interval, accuracy]
    case "clear": [app]
    default: []
    }
  }

  private static func target(_ invocation: Invocation) throws(Failure) -> RunningDaemon {
    guard let name = invocation.text(app) else { return try RunningDaemon.needed() }
    return try RunningDaemon(
      at: try SimulatedApp.socket(of: name), app: "the app \(name.quotedForDisplay())")
  }
}

/// The app with an engine of its own whose place is set.
private enum SimulatedApp {
  /// Returns the socket of the one process with this number, or whose program has this name.
  static func socket(of name: String) throws(Failure) -> String {
    guard let folder = SimulationSocket.folder(HostEnvironment.current.variables) else {
      throw .refused(
        "XDG_RUNTIME_DIR is not set, so no app of this user can be reached",
        next: "log in anew, or: export XDG_RUNTIME_DIR=/run/user/$(id -u)")
    }
    let all = SimulationSocket.processes(in: folder)
    let table = RunningProcesses()
    let named = all.filter { pid in
      "\(pid)" == name
        || table.program(of: pid)?.split(separator: "/").last.map(String.init) == name
    }
    guard let pid = named.first else {
      throw .refused(
        "no app named \(name.quotedForDisplay()) runs an engine of its own, of this user",
        next: all.isEmpty
          ? "start the app; where a location daemon runs, leave --app away"
          : "one of: " + all.map { "\($0)" }.joined(separator: ", "))
    }
    guard named.count == 1 else {
      throw .refused(
        "\(named.count) processes are named \(name.quotedForDisplay())",
        next: "name one: " + named.map { "--app \($0)" }.joined(separator: ", "))
    }
    return SimulationSocket.path(of: pid, in: folder)
  }
}
