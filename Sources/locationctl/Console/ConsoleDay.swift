import LocationCoding
import LocationModel
import LocationProviders
import LocationRecording
import LocationSimulation

/// A day in virtual time: its fixes, what an app would have been delivered, and why (CONSOLE-9).
struct ConsoleDay: Sendable {
  /// One fix, as the engine has chosen it.
  struct TrackPoint: Hashable, Sendable {
    var time: UnixTime
    var coordinate: Coordinate
    var accuracy: Double
  }

  let name: String
  /// What it was made from; the text of a scenario is exported again.
  let bytes: [UInt8]
  let input: SimulationInput
  private(set) var fences: [Simulation.NamedCircle]
  /// The beacons that stand on the way; only of a scenario, since the radio of a recording is what it was.
  private(set) var beacons: [Simulation.NamedBeacon]
  /// What happens besides, in the order of its times: faults, answers, permissions.
  private(set) var changes: [Scenario.Event] = []
  private(set) var track: [TrackPoint] = []
  /// The fixes without changes: the way that is exported.
  private(set) var way: [TrackPoint] = []
  private(set) var events: [JSON] = []
  /// What held when, for the lanes of the timeline.
  private(set) var marks: [JSON] = []
  private(set) var deliveries: [Delivered] = []
  private(set) var begin = Scenario.standardDate
  /// When a recording began; `nil` until that is known.
  private var date: UnixTime?
  private var length = Duration.zero
  private var isCut = false
  private var number = 0

  /// A change of a fence, for a test of it.
  struct Delivered: Hashable, Sendable {
    var fence: String
    var state: String
  }

  /// Reads a file by its name and contents, and runs it. Of a recording of an engine, the fixes are run
  /// that it used.
  ///
  /// - Throws: what is wrong with it.
  init(_ name: String, _ bytes: [UInt8]) throws(Failure) {
    (self.name, self.bytes) = (name, bytes)
    if Recording.isRecording(bytes) {
      input = .recording(.fixes(path: name), try RecordingInput.fixes(of: bytes, named: name))
    } else {
      do throws(ScenarioFault) { input = try SimulationInput(path: name, bytes: bytes) } catch {
        throw .usage("\(name), \(error)", next: "correct the line, and open it again")
      }
      if let list = input.accessPointList {
        throw .usage(
          "\(name) names a list of access points, \(list), which the page does not have",
          next: "run it with locationctl simulate, or open it without that line")
      }
    }
    (fences, beacons) = (input.circles, input.beacons)
    date = Self.firstTime(in: input)
    try run()
    (date, way) = (begin, track)
  }

  /// The time of the first point of a track; a track is played at any time, and is to be seen at its own.
  private static func firstTime(in input: SimulationInput) -> UnixTime? {
    guard case .recording(.gpx, let bytes) = input, let document = try? GPXReader.read(bytes) else {
      return nil
    }
    return document.tracks.joined().joined().first?.time ?? document.routes.joined().first?.time
  }

  /// Runs it again, with other fences: `[{"identifier": …, "latitude": …, "longitude": …, "radius": …}]`.
  mutating func setFences(_ body: [UInt8]) throws(Failure) {
    let read = try Self.fences(body)
    try checkNames(read, beacons)
    fences = read
    try run()
  }

  private static func fences(_ body: [UInt8]) throws(Failure) -> [Simulation.NamedCircle] {
    do throws(CodingFault) {
      guard case .array(let list) = try JSON(parsing: body) else { throw .mismatch("fences") }
      guard list.count <= mostFences else { throw .tooLong(limit: mostFences) }
      return try list.map { (json) throws(CodingFault) in
        let circle = Circle(center: try Coordinate(json: json), radius: try json.get("radius"))
        guard circle.isValid else { throw .mismatch("radius") }
        return Simulation.NamedCircle(identifier: try json.get("identifier"), circle: circle)
      }
    } catch {
      throw .usage("the fences cannot be read: \(error)", next: "draw them again")
    }
  }

  /// Runs it again, with other beacons: `[{"identifier": …, "latitude": …, "longitude": …}]`.
  mutating func setBeacons(_ body: [UInt8]) throws(Failure) {
    guard story != nil else {
      throw .usage(
        "a recording was made without these beacons",
        next: "save the day as a scenario, and open that")
    }
    let read = try Self.beacons(body)
    try checkNames(fences, read)
    beacons = read
    try run()
  }

  /// Runs it again, with other changes: `[{"time": …, "text": "permission never"}]`, in milliseconds
  /// since 1970 and the words of a scenario.
  mutating func setChanges(_ body: [UInt8]) throws(Failure) {
    let list: [(time: Double, text: String)]
    do throws(CodingFault) {
      guard case .array(let items) = try JSON(parsing: body) else { throw .mismatch("changes") }
      guard items.count <= Self.mostChanges else { throw .tooLong(limit: Self.mostChanges) }
      list = try items.map { (json) throws(CodingFault) in
        (try json.get("time"), try json.get("text"))
      }
    } catch {
      throw .usage("the changes cannot be read: \(error)", next: "write them again")
    }
    var read: [Scenario.Event] = []
    for (time, text) in list { read.append(try change(text, at: time)) }
    changes = read.inOrder
    try run()
  }

  private func change(_ text: String, at time: Double) throws(Failure) -> Scenario.Event {
    let at = (time - begin.milliseconds) / 1000
    guard at >= 0, at <= length.inSeconds else {
      throw .usage("\"\(text)\" would not happen in this day", next: "choose a time in it")
    }
    let event: Scenario.Event
    do throws(ScenarioFault) {
      event = try ScenarioReader.event(text, at: .seconds(at), beginning: begin)
    } catch {
      throw .usage(error.problem, next: "write \(error.expectation)")
    }
    guard !event.isOfReceiver || story != nil else {
      throw .usage(
        "the receiver of a recording is what it was",
        next: "save the day as a scenario, and open that")
    }
    if case .hotspot = event.worldEvent, !hasHotspot {
      throw .usage(
        "this day has no hotspot", next: "open a scenario with a line such as: hotspot")
    }
    return event
  }

  private var hasHotspot: Bool {
    guard case .scenario(let scenario) = input else { return false }
    return scenario.accessPoints.contains { $0.place == nil }
  }

  // MARK: Running

  private struct Enough: Error {}

  /// What is run: with these beacons in the world.
  private var played: SimulationInput {
    guard case .scenario(var scenario) = input else { return input }
    scenario.beacons = beacons
    return .scenario(scenario)
  }

  private mutating func run() throws(Failure) {
    (track, events, deliveries, number, isCut) = ([], [], [], 0, false)
    var lanes = DayLanes()
    var (world, end) = played.world(seed: nil, date: date)
    for change in changes { world.plan(change.worldEvent, after: change.at) }
    begin = world.now.unixTime
    var simulation = Simulation(world, circles: fences, beacons: beacons)
    isCut = end.map { $0 > Self.longest } ?? false
    track.reserveCapacity(90_000)
    do {
      try simulation.run(
        until: end.map { min($0, Self.longest) }, observing: { lanes.take($0, at: $1) }
      ) { event, now in
        try take(event, at: now)
      }
    } catch { isCut = true }
    marks = lanes.marks.map(\.json)
    if let complaint = input.complaint(of: simulation) {
      throw .usage(complaint, next: "open a GPX file, a receiver's log, a recording, or a scenario")
    }
    length = simulation.summary.simulated
  }

  private mutating func take(_ event: SimulationEvent, at now: Moment) throws {
    switch event {
    case .update(let update):
      guard let fix = update.fix else { return }
      track.append(
        TrackPoint(
          time: fix.time, coordinate: fix.coordinate, accuracy: fix.horizontalAccuracy))
      guard track.count < Self.mostFixes else { throw Enough() }
    case .standard, .region: break
    case .condition(let condition):
      if condition.state == .satisfied || condition.state == .unsatisfied {
        deliveries.append(
          Delivered(fence: condition.identifier, state: condition.state.rawValue))
      }
      add(DeliveredEvent(condition), at: now)
    case .visit(let visit): add(DeliveredEvent(visit, at: now.unixTime), at: now)
    case .significant: note("significant", "significant change", "", at: now)
    case .authorization(let report):
      note("permission", report.status.rawValue, report.accuracy.rawValue, at: now)
    case .demand(let demand):
      note("tier", demand.position.map { "\($0.tier)" } ?? "off", "", at: now)
    case .advertising(let state): note("beacon", state.name, "", at: now)
    case .asked(let prompt): note("question", "\(prompt.kind)", "", at: now)
    case .life(let life): note("life", life.rawValue, "", at: now)
    }
    guard events.count < Self.mostEvents else { throw Enough() }
  }

  private mutating func add(_ event: DeliveredEvent, at now: Moment) {
    number += 1
    let record = EventRecord(
      number: number, app: Simulation.app, event: event, delivered: now.unixTime)
    events.append(Explanation(record: record).consoleEvent)
  }

  private mutating func note(_ kind: String, _ name: String, _ state: String, at now: Moment) {
    events.append(
      .fields([
        "kind": kind.json, "name": name.json, "state": state.json,
        "time": now.unixTime.milliseconds.json,
      ]))
  }

  /// Chosen: eleven days at 1 Hz; more is not looked at in one piece.
  private static let mostFixes = 1_000_000
  private static let mostEvents = 50_000
  private static let mostFences = 500
  private static let mostChanges = 200
  /// Chosen: a scenario that lasts longer is shown to this time.
  private static let longest = Duration.seconds(31 * 86_400)

  // MARK: For the page

  var json: JSON {
    .fields([
      "name": title.json, "begin": begin.milliseconds.json,
      "end": (begin + length).milliseconds.json, "fixes": track.count.json,
      "cut": isCut.json, "events": .array(events), "marks": .array(marks),
      "fences": .array(fences.map(\.json)), "notes": .array(notes),
      "beacons": .array(beacons.map(\.json)),
      "changes": .array(changes.map { $0.json(since: begin) }), "scenario": story?.json,
    ])
  }

  var title: String { input.title.isEmpty ? name : input.title }

  /// The text of a scenario, to be changed by hand; `nil` of a recording.
  var story: String? {
    guard case .scenario = input else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What happens in a scenario besides the way.
  private var notes: [JSON] {
    guard case .scenario(let scenario) = input else { return [] }
    return scenario.events.map { $0.json(since: begin) }
  }

  /// Four numbers for each fix, of 8 bytes, the least significant first: milliseconds since 1970,
  /// latitude, longitude, meters.
  var trackBytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: track.count * 32) { buffer, count in
      for point in track {
        let numbers = (
          point.time.milliseconds, point.coordinate.latitude, point.coordinate.longitude,
          point.accuracy
        )
        for number in [numbers.0, numbers.1, numbers.2, numbers.3] {
          UnsafeMutableRawBufferPointer(buffer).storeBytes(
            of: number.bitPattern.littleEndian, toByteOffset: count, as: UInt64.self)
          count += 8
        }
      }
    }
  }
}

extension Scenario.Event {
  fileprivate func json(since begin: UnixTime) -> JSON {
    .fields(["time": (begin + at).milliseconds.json, "text": text.json])
  }
}

extension Simulation.NamedCircle {
  fileprivate var json: JSON {
    .fields([
      "identifier": identifier.json, "latitude": circle.center.latitude.json,
      "longitude": circle.center.longitude.json, "radius": circle.radius.json,
    ])
  }
}
