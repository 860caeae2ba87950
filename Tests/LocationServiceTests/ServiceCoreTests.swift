import LocationService
import LocationEngine
import LocationModel
import LocationProviders
import LocationRecording
import LocationSimulation
import TestSupport
import Testing

@Suite("The core of a host")
struct ServiceCoreTests {
  /// Noon and a second later; the second closes the first.
  private static let bytes = sentences(
    "GPRMC,120000,A,4807.038,N,01131.000,E,000.0,,040826,,,A",
    "GPGGA,120000,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
    "GPRMC,120001,A,4807.038,N,01131.000,E,000.0,,040826,,,A",
    "GPGGA,120001,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")

  private static func sentences(_ texts: String...) -> [UInt8] {
    texts.flatMap { NMEAWriter.sentence($0) }
  }

  @Test("opens a source when somebody needs it, and closes it when nobody does")
  func demand() throws {
    var core = try CoreBench("nmea+tcp://receiver:10110")
    core.run(seconds: 5)
    #expect(core.transcript.isEmpty)
    core.start()
    try core.channel(.opened)
    core.run(seconds: 1)
    core.stop()
    let open = "open 0.1 tcp(host: \"receiver\", port: 10110)"
    #expect(core.transcript == "00:00:05  \(open)\n00:00:06  close 0.1")
    #expect(core.statuses == [.idle])
  }

  @Test("POW-1: opens no receiver for an accuracy that a cheaper source gives")
  func tiers() throws {
    var core = try CoreBench("nmea+tcp://receiver:10110", "fixed:48.1,11.5,800")
    core.start(UpdateOptions(accuracy: .meters(3000)))
    core.run(seconds: 600)
    #expect(core.lastOpened == nil)
    #expect(core.fixes.last?.coordinate.latitude == 48.1)
    core.start(UpdateOptions(accuracy: .meters(10)))
    #expect(core.lastOpened?.provider == ProviderID(0))
    core.start(UpdateOptions(accuracy: .meters(3000)))
    #expect(core.transcript.hasSuffix("close 0.1"))
  }

  @Test("POW-1, RADIO-2: Wi-Fi is asked before a receiver is opened, and the receiver in its place")
  func wifi() throws {
    var core = try CoreBench("nmea+tcp://receiver:10110", "wifi:")
    core.start(UpdateOptions(accuracy: .meters(100)))
    #expect(core.transcript == "00:00:00  open 1.1 netlink(groups: [])")
    try core.channel(.closed(.missing("no netlink")))
    #expect(core.lastOpened?.provider == ProviderID(0))
    core.stop()
    #expect(core.statuses == [.idle, .idle])
  }

  @Test("turns the bytes of a receiver into deliveries")
  func bytesToDeliveries() throws {
    var core = try CoreBench("nmea+udp://:10110")
    core.start()
    try core.channel(.opened)
    try core.channel(.bytes(Self.bytes))
    core.run(seconds: 2)
    #expect(core.transcript.contains("fix 48.1173"))
    #expect(core.statuses == [.working])
    #expect((core.report?.fixes ?? 0) >= 1)
  }

  /// The outputs of a core for each input, of sources that answer a demand in different ways.
  private func story(
    _ urls: [String], records: Bool = false,
    _ step: (inout ServiceCore, ServiceCore.Input, Moment) -> [ServiceCore.Output]
  ) throws -> (delivered: [[String]], recording: [UInt8]) {
    var core = ServiceCore(sources: try urls.map { try Source(url: $0) })
    if records { core.record() }
    var now = Moment(uptime: .start, unixTime: UnixTime(milliseconds: 1_785_844_800_000))
    let (client, manager) = (ClientID(1), SubscriberID(1))
    let keys = [Manifest.Key.whenInUse, Manifest.Key.always]
    let manifest = Manifest(Dictionary(uniqueKeysWithValues: keys.map { ($0, .string("to test")) }))
    let app = ClientDescription(app: AppIdentity("an.app"), manifest: manifest)
    let here = Circle(center: Coordinate(latitude: 48.1173, longitude: 11.5167), radius: 200)
    let region = RegionDescription(
      identifier: "here", target: .circle(here), notices: RegionNotices())
    let channel = ChannelID(provider: ProviderID(0), opening: 1)
    let stale = ChannelID(provider: ProviderID(0), opening: 9)
    func ask(_ request: Request) -> ServiceCore.Input {
      .engine(.client(client, .request(request)))
    }
    let once = ask(.updates(SubscriberID(2), .once(UpdateOptions())))
    let inputs: [ServiceCore.Input] = [
      .engine(.stored([])), .engine(.client(client, .connected(app))),
      .engine(.setting(.authorization(app.app, .always))), ask(.visits(on: true)),
      ask(.region(manager, .start(region))),
      ask(.updates(manager, .start(UpdateOptions()))), .channel(channel, .opened),
      .channel(channel, .bytes(Self.bytes)), .channel(stale, .bytes(Self.bytes)), .wake, once,
      .wake, .channel(channel, .bytes(Self.bytes)), ask(.updates(manager, .stop)), .wake,
      .channel(channel, .closed(.ended)), .wake, ask(.region(manager, .stop(identifier: "here"))),
      once, .wake,
      ask(.visits(on: false)), .channel(stale, .opened), .wake,
    ]
    var delivered: [[String]] = []
    for input in inputs {
      delivered.append(step(&core, input, now).map { "\($0)" })
      now = Moment(uptime: now.uptime + .seconds(2), unixTime: now.unixTime + .seconds(2))
    }
    delivered.append(core.finish().map { "\($0)" })
    return (delivered, core.takeRecording())
  }

  private static let families = [
    ["nmea+tcp://receiver:10110"], ["fixed:48.1173,11.5167"], ["gpsd://receiver"],
    ["fixed:48.1173,11.5167", "bluez:"], ["bluez:", "fixed:48.1173,11.5167"],
    ["nmea+tcp://receiver:10110", "gpsd://receiver", "fixed:48.1173,11.5167"],
  ]

  @Test("leaves nothing half done, whatever its sources answer", arguments: families)
  func halves(_ urls: [String]) throws {
    let recorded = try story(urls, records: true) { $0.handle($1, at: $2) }
    let whole = try story(urls) { core, input, now in
      let outputs = core.handle(input, at: now)
      let deadline = core.nextDeadline
      #expect(core.finish().isEmpty)
      #expect(core.nextDeadline == deadline)
      return outputs
    }
    let halves = try story(urls) { $0.begin($1, at: $2) + $0.finish() }
    let late = try story(urls) { core, input, now in
      let rest = core.isUnfinished ? core.finish() : []
      return rest + core.begin(input, at: now)
    }
    #expect(halves == whole)
    #expect(late.delivered.joined().elementsEqual(whole.delivered.joined()))
    // A recorded step is whole; the engine's outputs have the same order.
    func ofEngine(_ outputs: [[String]]) -> [[String]] {
      outputs.map { $0.filter { $0.hasPrefix("engine") } }
    }
    #expect(ofEngine(recorded.delivered) == ofEngine(whole.delivered))
    #expect(whole.delivered.joined().contains { $0.contains("demand") })
  }

  @Test("is replayed as it was recorded, whatever its sources answer", arguments: families)
  func replayed(_ urls: [String]) throws {
    let delivered = try story(urls, records: true) { $0.begin($1, at: $2) + $0.finish() }
    let summary = try Replay.run(Recording.opening + delivered.recording)
    #expect(summary.steps > 10)
  }

  @Test("tells the app of a receiver's fix in the first half, and the hardware in the other")
  func firstHalf() throws {
    var firsts: [String] = []
    var seconds: [String] = []
    _ = try story(["nmea+tcp://receiver:10110"]) { core, input, now in
      let first = core.begin(input, at: now)
      let second = core.finish()
      if case .channel(_, .bytes) = input {
        firsts += first.map { "\($0)" }
        seconds += second.map { "\($0)" }
      }
      return first + second
    }
    #expect(firsts.contains { $0.contains("fixes") })
    #expect(!seconds.contains { $0.contains("fixes") })
    #expect(!seconds.isEmpty)
  }

  @Test("lets a place that its receiver took back go with the reason, and no app is notified")
  func superseded() throws {
    var core = try CoreBench("nmea+udp://:10110")
    core.start()
    try core.channel(.opened)
    try core.channel(
      .bytes(
        Self.sentences(
          "GPRMC,120000,A,4807.038,N,01131.000,E,000.0,,040826,,,A",
          "GPGLL,4807.050,N,01131.324,E,120000,A,A",
          "GPGGA,120000,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")))
    core.run(seconds: 2)
    #expect(core.transcript.contains("ignored 48.1173 superseded"))
    #expect(core.transcript.contains("fix 48.1175"))
    #expect(!core.transcript.contains("fix 48.1173"))
  }

  @Test("keeps what a receiver's log amounts to, for a person who looks for the reason")
  func evidenceOfRecording() throws {
    var core = try CoreBench("log:///receiver.log")
    core.start()
    try core.channel(.opened)
    let sky = Self.sentences("GPGSV,1,1,02,04,40,083,46,05,17,308,41")
    try core.channel(.bytes(sky + Self.bytes + Array("$GPRMC,120002*00\r\n".utf8)))
    try core.channel(.closed(.ended))
    core.run(seconds: 5)
    let report = try #require(core.report)
    #expect(report.evidence.diagnosis == .working)
    #expect(report.evidence.satellites?.inView == 2)
    #expect(report.rejections.map(\.count) == [1])
  }

  @Test("opens again later and later, at most every thirty seconds, until it works")
  func backoff() throws {
    var core = try CoreBench("nmea:///dev/ttyUSB0?baud=4800")
    core.start()
    var openings: [Double] = []
    for _ in 0..<8 {
      openings.append(core.bench.now.uptime.seconds(since: .start).rounded())
      try core.channel(.closed(.missing("/dev/ttyUSB0")))
      let count = core.bench.outputs.count
      while core.bench.outputs.count == count { core.run(seconds: 1) }
    }
    let waits = zip(openings.dropFirst(), openings).map { $0 - $1 }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30])
    #expect(core.statuses == [.unavailable(.missing("/dev/ttyUSB0"))])

    try core.channel(.opened)
    try core.channel(.bytes(Self.bytes))
    core.run(seconds: 2)
    try core.channel(.closed(.failed("the device was unplugged")))
    let before = core.lastOpened
    core.run(seconds: 1)
    #expect(core.lastOpened != before)
  }

  @Test(
    "says why a source gives nothing",
    arguments: [
      (ChannelEnd.missing("x"), ProviderStatus.Reason.missing("x")),
      (.noPermission("x"), .noPermission("x")), (.failed("x"), .unreachable("x")),
      (.noNetwork("x"), .noNetwork("x")),
      (.ended, .unreachable("the other side closed the connection")),
    ])
  func reasons(end: ChannelEnd, reason: ProviderStatus.Reason) throws {
    var core = try CoreBench("nmea+tcp://receiver:10110")
    core.start()
    try core.channel(.closed(end))
    #expect(core.statuses == [.unavailable(reason)])
    let failure = reason == .noNetwork("x") ? "network" : "positionUnknown"
    #expect(core.transcript.hasSuffix("failed \(failure)"))
  }

  @Test("calls bytes without sentences garbled, and forgets it when sentences come")
  func garbled() throws {
    var core = try CoreBench("nmea:///dev/ttyUSB0?baud=4800")
    core.start()
    try core.channel(.opened)
    try core.channel(.bytes((0..<1500).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 0x80) }))
    #expect(core.statuses == [.unavailable(.garbled)])
    #expect(core.transcript.hasSuffix("failed positionUnknown"))
    try core.channel(.bytes(Self.bytes))
    core.run(seconds: 2)
    #expect(core.statuses == [.working])
  }

  @Test("ignores what comes from an earlier opening")
  func stale() throws {
    var core = try CoreBench("nmea+tcp://receiver:10110")
    core.start()
    let first = try #require(core.lastOpened)
    core.stop()
    core.start()
    core.send(.bytes(Self.bytes), to: first)
    core.send(.closed(.ended), to: first)
    core.run(seconds: 1)
    #expect(core.statuses == [.searching])
    #expect(core.lastOpened == ChannelID(provider: ProviderID(0), opening: 2))
  }

  @Test("speaks to gpsd, and names a gpsd without receiver, with one, and gone")
  func gpsd() throws {
    var core = try CoreBench("gpsd://localhost")
    core.start()
    try core.channel(.opened)
    try core.channel(.bytes(Array(Self.greeting.utf8)))
    #expect(core.transcript.contains("send ?WATCH"))
    try core.channel(.bytes(Array("{\"class\":\"DEVICES\",\"devices\":[]}\r\n".utf8)))
    #expect(core.statuses == [.unavailable(.noDevice)])
    let devices = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/gps0"}]}"#
    try core.channel(.bytes(Array("\(devices)\r\n".utf8)))
    #expect(core.statuses == [.searching])
    try core.channel(.closed(.ended))
    let reason = "the other side closed the connection"
    #expect(core.statuses == [.unavailable(.unreachable(reason))])
    core.run(seconds: 120)
    #expect(core.lastOpened == ChannelID(provider: ProviderID(0), opening: 2))
  }

  private static let greeting =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

  @Test("gives up only when every source has")
  func severalSources() throws {
    var core = try CoreBench("nmea+tcp://receiver:10110", "fixes:///none.jsonl")
    core.start()
    core.send(
      .closed(.missing("none.jsonl")), to: ChannelID(provider: ProviderID(1), opening: 1))
    #expect(!core.transcript.contains("failed"))
    core.send(.closed(.failed("refused")), to: ChannelID(provider: ProviderID(0), opening: 1))
    #expect(core.transcript.hasSuffix("failed positionUnknown"))
  }

  @Test("plays a recording to its end, and says so again to the next who asks")
  func recording() throws {
    var core = try CoreBench("fixes:///two.jsonl")
    core.start()
    try core.channel(.opened)
    let lines = [0, 1].map {
      #"{"type":"update","date":"2026-08-04T12:00:0\#($0).000Z","latitude":0.000\#($0),"longitude":2}"#
    }
    try core.channel(.bytes(Array(lines.joined(separator: "\n").utf8)))
    try core.channel(.closed(.ended))
    core.run(seconds: 5)
    #expect(core.statuses == [.unavailable(.ended)])
    #expect(core.transcript.contains("00:00:00  fix 0.0\n00:00:01  fix 0.0001"))
    core.stop()
    #expect(core.statuses == [.idle])
    core.start()
    #expect(core.statuses == [.unavailable(.ended)])
  }

  private static func line(_ date: String, _ latitude: Double, _ more: String = "") -> String {
    #"{"type":"update","date":"\#(date)","latitude":\#(latitude),"longitude":2\#(more)}"#
  }

  /// A core that has read a whole recording.
  private static func playing(_ url: String, _ lines: String...) throws -> CoreBench {
    var core = try CoreBench(url)
    core.start()
    try core.channel(.opened)
    try core.channel(.bytes(Array(lines.joined(separator: "\n").utf8)))
    try core.channel(.closed(.ended))
    return core
  }

  @Test("waits for a recorded fix that lies centuries ahead, as for any other")
  func centuries() throws {
    let core = try Self.playing(
      "fixes:///far.jsonl", Self.line("1700-01-01T00:00:00Z", 1),
      Self.line("2200-01-01T00:00:00Z", 2))
    #expect(core.transcript.contains("fix 1.0"))
    #expect(core.statuses == [.working])
  }

  @Test(
    "SIM-6: calls every fix of a recording simulated, in whatever language it is",
    arguments: [
      ("fixes:///own.jsonl", line("2026-08-04T12:00:00Z", 1, #","simulated":false"#)),
      ("log:///nmea.log", "$GPGLL,4807.038,N,01131.000,E,120000,A,A*46"),
      (
        "log:///gpsd.log",
        #"{"class":"TPV","mode":2,"time":"2026-08-04T12:00:00Z","lat":1,"lon":2,"eph":5}"#
      ),
      ("gpx:///one.gpx", #"<gpx><wpt lat="1" lon="2"/></gpx>"#),
    ])
  func simulated(url: String, line: String) throws {
    var core = try Self.playing(url, line + "\n")
    core.run(seconds: 2)
    #expect(!core.fixes.isEmpty)
    #expect(core.fixes.allSatisfy { $0.origin.isSimulated })
  }

  @Test("counts what of a recording cannot be played, by reason")
  func losses() throws {
    let fixes = try Self.playing(
      "fixes:///some.jsonl", Self.line("2026-08-04T12:00:00Z", 1), "{}", "{}",
      Self.line("2026-08-04T12:00:01Z", 95))
    #expect(fixes.report?.rejections.map(\.count) == [2, 1])
    let cut = try Self.playing(
      "gpx:///cut.gpx", #"<gpx><wpt lat="1" lon="2"/><wpt lat="1"/>"#,
      #"<wpt lon="1"/><wpt lat="3" lo"#)
    #expect(
      cut.report?.rejections == [
        SourceRejection(reason: "a point needs both lat and lon (first in line 1)", count: 2),
        SourceRejection(reason: "the file ends too early (line 2)", count: 1),
      ])
  }
}
