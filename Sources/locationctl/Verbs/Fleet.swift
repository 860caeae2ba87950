import FoundationEssentials
import Glibc
import LocationFleet
import LocationHost
import LocationModel
import LocationProviders

extension Verb {
  private static let fences = Option(
    name: "fences", value: .text("FILE"),
    summary: "Areas that devices enter and leave: GeoJSON points with a radius, and polygons")
  private static let window = Option(
    name: "window", value: .number("SECONDS", 0...FixOrder.longestWindow),
    summary: "How long fixes wait for earlier ones; 0 unless given")
  private static let standard = Option(
    name: "default-accuracy", value: .number("METERS", 1...10_000),
    summary: "For fixes without an accuracy; 30 unless given")
  private static let clockAhead = Option(
    name: "clock-ahead", value: .number("SECONDS", ClockBounds.range),
    summary: "How far ahead of its arrival a date may be, and is not corrected; 10 unless given")
  private static let until = Option(
    name: "until", value: .text("DATE"),
    summary: "Let silence decide until then, and take no later fix; else it decides nothing, and "
      + "now is the latest")
  private static let grouped = Option(
    name: "grouped", summary: "All lines of a device come together: print it when the next begins")
  private static let devices = Option(
    name: "devices", value: .wholeNumber("N", 1...100_000_000),
    summary: "The most devices; 1000000 unless given")
  private static let noVisits = Option(name: "no-visits", summary: "Report no visits")
  private static let noMoves = Option(name: "no-moves", summary: "Report no significant changes")

  private static let port = Option(
    name: "port", value: .wholeNumber("N", 1...65_535),
    summary: "With status: the port of a worker, an ingress, or a sink; 9464 unless given")

  private static let replayOptions = [
    fences, window, standard, clockAhead, until, grouped, devices, noVisits, noMoves,
  ]

  static let fleet = Verb(
    name: "fleet", summary: "Judge the fixes of many devices: fences, visits, and moves",
    details: [
      """
      ACTION replay reads fixes from standard input, one JSON object on each line with device, \
      date, latitude, longitude, horizontal_accuracy, and more, and prints the events of each \
      device, in the order of the devices' names, with the evidence that explain shows. The \
      events are those that the same fixes cause on one device alone, and do not depend on how \
      the devices are mixed.
      """,
      """
      What is rejected is counted by its reason on standard error, the first 20 with their lines: \
      malformed, tooLong, device, date, coordinate, range for lines; clock, rollover, future, duplicate, \
      conflict, late for fixes; surplus for devices beyond --devices, and ungrouped. Memory \
      grows with the devices, at 1 to 2 kB each, and with their events; with --grouped with \
      neither.
      """,
      """
      ACTION status shows how the worker on this computer stands, locationfleet(8), as the figures \
      at its port say: its partitions, what waits there, and what has become of the fixes of each \
      tenant. With the port of an ingress: its connections, and what it has taken; with that of a \
      sink: what waits there, whether the other side takes events, and what was set aside.
      """,
    ],
    operands: [Operand(name: "ACTION", summary: "what to do", choices: ["replay", "status"])],
    options: replayOptions + [port, .json],
    examples: [
      "locationctl fleet replay --fences depots.geojson < fixes.jsonl > events.jsonl",
      "sort -s -t '\"' -k 4,4 fixes.jsonl | locationctl fleet replay --grouped",
      "locationctl fleet status",
    ],
    run: { invocation in
      let isStatus = invocation.operand(0) == "status"
      // Of the other action.
      let foreign = isStatus ? replayOptions : [port]
      if let option = foreign.first(where: { invocation.has($0) }) {
        throw invocation.usage(
          "--\(option.name) belongs to fleet \(isStatus ? "replay" : "status")")
      }
      guard !isStatus else {
        return try showStatus(
          port: invocation.wholeNumber(port) ?? 9464, isJSON: invocation.has(.json))
      }
      var settings = FleetReplay.Settings()
      settings.fleet.window = invocation.number(window) ?? 0
      if let bound = invocation.number(clockAhead) {
        settings.fleet.clockBounds = ClockBounds(bound)
      }
      settings.fleet.visits = !invocation.has(noVisits)
      settings.fleet.moves = !invocation.has(noMoves)
      settings.isGrouped = invocation.has(grouped)
      settings.accuracy = invocation.number(standard) ?? settings.accuracy
      settings.mostDevices = invocation.wholeNumber(devices) ?? settings.mostDevices
      if let word = invocation.text(until) {
        guard let date = UnixTime(iso8601: word) else {
          throw invocation.usage("--until cannot be \"\(word)\": a date as 2026-01-31T12:00:00Z")
        }
        settings.until = date
      }
      settings.fleet.limit = settings.until ?? HostClock.now.unixTime
      let known = try invocation.text(fences).map { (path) throws(Failure) in
        try readFences(path, invocation)
      }
      try replay(FleetReplay(known ?? FleetFences(), settings))
    })

  private static func showStatus(port: Int, isJSON: Bool) throws(Failure) {
    guard let status = FleetStatus.read(port: port) else {
      throw .refused(
        "no worker, ingress, or sink of a fleet answers at port \(port) of 127.0.0.1",
        next: "see `port` in /etc/locationfleet.conf (of an ingress `ingress-port`, of a sink "
          + "`webhook-figures` and the like), and: systemctl status 'locationfleet*'")
    }
    guard isJSON else { return status.print(to: .standard) }
    for line in status.json { Output.standard.line(line) }
  }

  private static func readFences(
    _ path: String, _ invocation: Invocation
  ) throws(Failure) -> FleetFences {
    var state = stat()
    if stat(path, &state) == 0 {
      guard state.st_mode & S_IFMT != S_IFDIR else {
        throw invocation.usage("\(path): \(String(cString: strerror(EISDIR)))")
      }
      guard state.st_size <= FenceFile.longest else {
        throw invocation.usage("\(path) is longer than \(FenceFile.longest) bytes")
      }
    }
    let bytes = try SimulationFile.bytes(of: path, as: invocation)
    do throws(FenceFile.Fault) { return try FenceFile.read(bytes) } catch {
      let place = error.feature.map { "feature \($0): " } ?? ""
      throw .usage(
        "\(path): \(place)\(error.cause)", next: "man locationfleet (FENCES says what is read)")
    }
  }

  private static func replay(_ begun: FleetReplay) throws(Failure) {
    var replay = begun
    var input = InputLines(STDIN_FILENO, longest: FleetLine.longest)
    let progress = Progress("reading fixes")
    defer { progress.end() }
    var printed = ""
    var shown = 0
    func print(_ text: String) {
      printed += text
      guard printed.utf8.count > 60_000 else { return }
      Output.standard.write(printed)
      printed = ""
    }
    func next() throws(Failure) -> [UInt8]? {
      do throws(Errno) { return try input.next() } catch {
        throw .refused("standard input: \(error.reason)", next: nil)
      }
    }
    while let line = try next() {
      let text = try replay.take(line) { rejection in
        shown += 1
        guard shown <= 20 else { return }
        Output.error.line("line \(rejection.line): \(rejection.reason)")
      }
      print(text)
      if replay.lines & 0xffff == 0 { progress.say("reading fixes, \(replay.lines) lines") }
    }
    replay.finish(print)
    Output.standard.write(printed)
    progress.end()
    guard !replay.isAllRejected else {
      throw .refused(
        replay.summary,
        next: "see docs/formats/fleet.md for the lines that are read, or locationfleet(8)")
    }
    Output.error.line(replay.summary)
  }
}
