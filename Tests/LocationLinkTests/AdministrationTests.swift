import Foundation
import LocationCoding
import LocationLink
import LocationModel
import TestSupport
import Testing

@Suite("The interface for the owner")
struct AdministrationTests {
  private static let circle = Circle(
    center: Coordinate(latitude: 48.5, longitude: 11.5), radius: 100)
  private static let yard: PolygonOutline = {
    var samples = Samples(seed: 7)
    return samples.outline()
  }()
  private static let query = AdministrationRequest.LogQuery(
    categories: [.client, .fix], last: 7, follow: true, places: true)
  private static let every: [AdministrationRequest] = [
    .status(places: true), .followStatus(places: false), .apps,
    .authorize(app: "a.b", level: "always", precise: false, beacon: true),
    .authorize(app: "a.b", level: nil, precise: nil, beacon: nil), .services(on: false),
    .conditions(places: false), .addCondition(identifier: "home", circle),
    .addPolygon(identifier: "yard", yard), .removeCondition(identifier: "home"),
    .adopt(app: "a.b", program: "/p"), .followEvents,
    .followLocations(nil, once: false),
    .followLocations(
      UpdateOptions(accuracy: .meters(10), distanceFilter: 5, pausesAutomatically: true), once: true
    ),
    .log(query), .log(.init()),
    .access(app: "a.b"), .access(app: nil), .events(app: "a.b"), .events(app: nil),
    .adapters, .calibrate(adapter: BluetoothAddress(bits: 0x001a_7dda_7113), offset: -17),
    .calibrate(adapter: BluetoothAddress(bits: .max >> 16), offset: nil),
    .map, .forgetMap, .forgetMapNear(circle),
    .export(app: "a.b"), .erase(app: nil), .rekey(key: nil),
    .rekey(key: "file"),
  ]

  @Test("is described with the text of the file in the repository")
  func description() throws {
    let file = SharedData.packageRoot
      .appending(path: "Sources/LocationLink/org.meridian.administration.varlink")
    #expect(try String(contentsOf: file, encoding: .utf8) == AdministrationInterface.description)
  }

  @Test("has a method for each request, and reads back what was asked", arguments: every)
  func requests(_ request: AdministrationRequest) throws {
    let call = try LinkCall(json: JSON(parsing: request.call.json.bytes))
    #expect(try AdministrationRequest(call) == request)
    #expect(call.wantsMore == request.isStream)
    let method = call.method.split(separator: ".").last.map(String.init) ?? ""
    #expect(AdministrationInterface.description.contains("\nmethod \(method)("))
  }

  @Test("leaves methods that it does not have, and names what is wrong with a call")
  func unknown() throws {
    let name = AdministrationInterface.name
    #expect(try AdministrationRequest(LinkCall("\(name).SelfDestruct")) == nil)
    #expect(throws: CodingFault.missing("on")) {
      try AdministrationRequest(LinkCall("\(name).SetServices"))
    }
    let bad = LinkCall("\(name).ReadLog", .fields(["categories": ["gossip"].json]))
    #expect(throws: CodingFault.unknownWord("gossip")) { try AdministrationRequest(bad) }
  }

  @Test("ADMIN-8: a call with rings that bound no area is refused with the reason")
  func noPolygon() throws {
    let polygon = try JSON(
      parsing: #"{"type":"Polygon","coordinates":[[[1,1],[2,2],[2,1],[1,2],[1,1]]]}"#.utf8)
    let call = LinkCall(
      "\(AdministrationInterface.name).AddPolygon",
      .fields(["identifier": "yard".json, "polygon": polygon]))
    let fault = CodingFault.polygon(.crossing(ring: 1, other: 1))
    #expect(throws: fault) { try AdministrationRequest(call) }
    #expect("\(fault)".contains("ring 1 meets itself"))
  }

  @Test("ADMIN-8: the largest polygon fits in one message, whatever its digits")
  func largest() throws {
    var random = SeededRandom(seed: 3)
    var ring = (0..<999).map { number in
      let turn = Double(number) / 999 * 2 * Double.pi
      let size = Double.random(in: 1e-4...2e-4, using: &random)
      return Coordinate(latitude: -size * sin(turn), longitude: -size * sin(turn + .pi / 2))
    }
    ring.append(ring[0])
    let outline = try PolygonOutline([[ring]])
    let name = String(repeating: "n", count: 255)
    let bytes = frame(AdministrationRequest.addPolygon(identifier: name, outline).call.json)
    #expect(bytes.count < LinkSession.Limits().message)
    #expect(bytes.count > 40_000)
  }

  @Test("is handed to the host by a connection that is used for anything else, too")
  func session() throws {
    var session = LinkSession()
    let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 0))
    let call = AdministrationRequest.apps.call
    let outputs = session.handle(.bytes(frame(call.json)), at: now)
    #expect(outputs == [.administer(call)])
    let reply = LinkReply(.fields(["apps": .array([])]))
    #expect(session.handle(.reply(reply), at: now) == [.send(frame(reply.json))])
  }

  @Test("tells values that come back as they were sent, places only where they are")
  func values() throws {
    var samples = Samples(seed: 66)
    for _ in 0..<200 {
      try expectRoundTrip(samples.daemonStatus())
      try expectRoundTrip(samples.appStatus())
      try expectRoundTrip(samples.conditionStatus())
      try expectRoundTrip(samples.logRecord())
      try expectRoundTrip(samples.statusChange())
      try expectRoundTrip(
        AdapterStatus(
          address: BluetoothAddress(bits: UInt64(samples.pick(1 << 40))),
          offset: samples.maybe { $0.pick(40) - 20 }, level: samples.number(),
          spread: samples.number(), places: samples.number()))
      try expectRoundTrip(
        AuthorizationDecision(
          before: samples.maybe { $0.appStatus() }, after: samples.appStatus(),
          explanations: [samples.text()]))
      try expectRoundTrip(
        AccessRecord(
          app: samples.text(), service: samples.text(), first: samples.time(),
          last: samples.time(), count: samples.pick(99)))
      let event = DeliveredEvent(
        samples.member(), samples.maybe { $0.text() }, samples.text(), since: samples.time(),
        samples.maybe { $0.eventEvidence() })
      try expectRoundTrip(
        EventRecord(
          number: samples.pick(99), app: AppIdentity(samples.text()), event: event,
          delivered: samples.time()))
      try expectRoundTrip(
        DataEntry(
          domain: samples.text(), app: samples.text(), name: samples.text(),
          value: samples.text()))
    }
  }

  @Test("says of an older daemon, which names no agents, that they are not known")
  func olderDaemon() throws {
    var status = DaemonStatus(pid: 1, since: UnixTime(seconds: 1), state: "/s")
    status.agents = nil
    #expect(status.json["agents"] == nil)
    #expect(try DaemonStatus(json: status.json).agents == nil)
    status.agents = []
    #expect(try DaemonStatus(json: status.json).agents == [])
  }

  @Test("SETUP-13: says that another version runs than this one, or that its program was replaced")
  func outdated() {
    var status = DaemonStatus(pid: 1, since: UnixTime(seconds: 1), state: "/s")
    #expect(status.outdated == nil)
    (status.version, status.isReplaced) = (Release.version, false)
    #expect(status.outdated == nil)
    status.isReplaced = true
    #expect(status.outdated == "its program was replaced since it began, and the former one runs")
    status.version = "0.0.9"
    #expect(status.outdated == "it runs version 0.0.9, and this is \(Release.version)")
  }

  private func expectRoundTrip<Value: JSONCodable & Equatable>(_ value: Value) throws {
    #expect(try Value(json: JSON(parsing: value.json.bytes)) == value)
  }
}

extension Samples {
  fileprivate mutating func daemonStatus() -> DaemonStatus {
    var status = DaemonStatus(pid: Int32(pick(99_999)), since: time(), state: text())
    status.servicesEnabled = flag()
    status.sources = (0..<pick(3)).map { _ in
      var source = SourceStatus(
        url: text(), status: text(), reason: maybe { $0.text() }, fixes: pick(9), rejected: pick(9))
      source.transport = maybe { $0.text() }
      source.fix = maybe { $0.ownFix() }
      source.satellites = maybe { samples in
        (0..<samples.pick(4)).map { _ in samples.satellite() }
      }
      return source
    }
    status.clients = (0..<pick(3)).map { _ in
      var client = ClientStatus(
        program: text(), pid: Int32(pick(99)), user: UInt32(pick(99)), since: time())
      client.app = maybe { $0.text() }
      client.services = (0..<pick(3)).map { _ in text() }
      return client
    }
    status.programs = maybe { samples in
      [
        TrustedProgramStatus(
          path: samples.text(), role: "agent", obstacle: samples.maybe { $0.text() },
          mend: samples.maybe { $0.text() })
      ]
    }
    status.agents = maybe { samples in
      (0..<samples.pick(3)).map { _ in
        AgentStatus(name: samples.text(), obstacle: samples.maybe { $0.text() })
      }
    }
    status.geoclue = maybe { samples in
      GeoClueStatus(state: "taken", reason: samples.maybe { $0.text() })
    }
    status.gpsd = maybe { samples in
      var gpsd = GpsdPortStatus(
        port: samples.pick(65_536), state: "serving", reason: samples.maybe { $0.text() })
      (gpsd.programs, gpsd.closed) = (samples.pick(33), samples.pick(1 << 20))
      return gpsd
    }
    status.uplink = maybe { samples in
      var uplink = UplinkStatus(
        app: samples.text(), server: samples.text(), tenant: samples.maybe { $0.text() },
        device: samples.text(), state: "waiting")
      (uplink.reason, uplink.next) = (samples.maybe { $0.text() }, samples.maybe { $0.text() })
      (uplink.queued, uplink.sent, uplink.dropped) = (samples.pick(9), samples.pick(9), 1)
      (uplink.oldest, uplink.lastSent) = (samples.maybe { $0.time() }, samples.maybe { $0.time() })
      return uplink
    }
    (status.key, status.unread) = (maybe { $0.text() }, maybe { $0.text() })
    status.demand.tier = maybe { $0.text() }
    status.demand.interval = maybe { .nanoseconds($0.pick(1 << 40)) }
    status.demand.motion = flag()
    status.lastFix = maybe { samples in
      LastFix(time: samples.time(), accuracy: samples.number(), place: samples.place())
    }
    observe(&status)
    return status
  }

  private mutating func observe(_ status: inout DaemonStatus) {
    (status.version, status.isReplaced) = (maybe { $0.text() }, maybe { $0.flag() })
    status.refusedReload = maybe { samples in
      RefusedReload(since: samples.time(), reason: samples.text())
    }
    status.heading = maybe { samples in
      Heading(
        magneticHeading: samples.number(), trueHeading: samples.maybe { $0.number() },
        accuracy: samples.maybe { $0.number() }, field: nil, time: samples.time())
    }
    status.coarse = maybe { samples in
      LastFix(time: samples.time(), accuracy: samples.number(), place: samples.place())
    }
    status.beacons = maybe { samples in
      let uuid = BeaconUUID(high: UInt64(samples.pick(99)), low: 7)
      return [
        RangedBeacon(
          identity: BeaconIdentity(uuid: uuid, major: 1, minor: 2), proximity: samples.member(),
          accuracy: samples.maybe { $0.number() }, rssi: samples.maybe { -$0.pick(99) },
          time: samples.time())
      ]
    }
    status.motion = maybe { samples in
      MotionStatus(
        activity: samples.maybe { $0.text() }, speed: samples.number(), isDoubting: samples.flag())
    }
    status.visit = maybe { samples in
      VisitStatus(
        arrival: samples.maybe { $0.time() }, accuracy: samples.number(), place: samples.place(),
        departure: samples.maybe { $0.belief() })
    }
    status.shares = maybe { samples in
      var demand = DemandStatus()
      demand.tier = samples.text()
      return [ShareStatus(client: samples.text(), demand: demand)]
    }
  }

  private mutating func ownFix() -> OwnFixStatus {
    var fix = OwnFixStatus(
      time: time(), accuracy: number(), use: text(), reason: maybe { $0.text() })
    fix.place = place()
    return fix
  }

  private mutating func satellite() -> Satellite {
    var satellite = Satellite(system: member(), number: pick(99), isUsed: flag())
    satellite.elevation = maybe { Double($0.pick(90)) }
    satellite.signal = maybe { Double($0.pick(60)) }
    return satellite
  }

  private mutating func belief() -> BeliefStatus {
    BeliefStatus(
      towards: text(), probability: number(), threshold: number(), since: time(), fixes: pick(99),
      earliest: time())
  }

  fileprivate mutating func statusChange() -> StatusChange {
    var change = StatusChange()
    change.status = maybe { $0.daemonStatus() }
    change.conditions = maybe { [$0.conditionStatus()] }
    change.apps = maybe { [$0.appStatus()] }
    change.access = maybe { samples in
      [
        AccessRecord(
          app: samples.text(), service: samples.text(), first: samples.time(),
          last: samples.time(), count: samples.pick(99))
      ]
    }
    return change
  }

  fileprivate mutating func appStatus() -> AppStatus {
    var status = AppStatus(app: text(), level: text(), isPrecise: flag())
    (status.processes, status.conditions) = (pick(9), pick(9))
    status.program = maybe { $0.text() }
    return status
  }

  fileprivate mutating func conditionStatus() -> ConditionStatus {
    var status = ConditionStatus(
      app: text(), monitor: maybe { $0.text() }, identifier: text(), kind: text(), state: text(),
      date: time())
    status.radius = maybe { $0.number() }
    status.place = place()
    status.positions = maybe { $0.pick(1000) }
    status.polygon = maybe { $0.outline() }
    status.belief = maybe { $0.belief() }
    status.reason = maybe { $0.text() }
    return status
  }

  fileprivate mutating func logRecord() -> LogRecord {
    var record = LogRecord(member(), text(), at: time(), isFault: flag())
    record.app = maybe { $0.text() }
    record.pid = maybe { Int32($0.pick(99)) }
    record.place = place()
    return record
  }

  private mutating func place() -> Coordinate? { maybe { $0.coordinate() } }
}
