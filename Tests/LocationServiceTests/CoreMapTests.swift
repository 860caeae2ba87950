import LocationEngine
import LocationModel
import LocationProviders
import LocationRadio
import LocationRecording
import LocationService
import TestSupport
import Testing

@Suite("The map of transmitters in a core")
struct CoreMapTests {
  @Test("RADIO-10: a receiver's positions teach where transmitters are received")
  func teaches() throws {
    var core = try MapBench()
    core.start()
    core.walk(60)
    #expect(core.taught > 60)
    #expect(core.fixes.contains { $0.origin.method == .receiver })
  }

  @Test("RADIO-10: positions that are simulated, ignored, or set from outside teach nothing")
  func teachesNothing() throws {
    var simulated = try MapBench(["gpx:///way.gpx", "scans+tcp://radio:1"])
    simulated.start()
    let way = (0..<60).map {
      let place = MapBench.street.place(east: Double($0), north: 0)
      return "<trkpt lat=\"\(place.latitude)\" lon=\"\(place.longitude)\"/>"
    }
    let file = "<gpx version=\"1.1\"><trk><trkseg>\(way.joined())</trkseg></trk></gpx>"
    let id = try #require(simulated.open[MapBench.receiver])
    simulated.send(.channel(id, .bytes(Array(file.utf8))))
    simulated.send(.channel(id, .closed(.ended)))
    for second in 0..<30 {
      simulated.scan(at: Double(second))
      simulated.run(seconds: 1)
    }
    #expect(!simulated.fixes.isEmpty)
    #expect(simulated.taught == 0)

    var outside = try MapBench()
    outside.start()
    let place = Fix(
      coordinate: Coordinate(latitude: -33, longitude: 151), horizontalAccuracy: 5,
      time: outside.bench.now.unixTime)
    outside.engine(.simulation(.hold(place)))
    outside.walk(30)
    #expect(outside.taught == 0)
    #expect(outside.ignored.allSatisfy { $0.reason == .simulated })
  }

  @Test(
    "RADIO-11: without satellites an app gets positions from what is received, of the scan's time")
  func finds() throws {
    var core = try MapBench()
    core.start()
    core.walk(90)
    let before = core.taught
    core.run(seconds: 1000)
    let count = core.fixes.count
    var scanned: [UnixTime] = []
    for place in [20.0, 45, 70] {
      core.run(seconds: 10)
      scanned.append(core.bench.now.unixTime)
      core.scan(at: place)
    }
    let found = core.fixes.dropFirst(count)
    #expect(found.map(\.time) == scanned)
    #expect(found.allSatisfy { $0.origin.method == .accessPoints && $0.speed == nil })
    for (fix, place) in zip(found, [20.0, 45, 70]) {
      #expect(MapBench.error(of: fix, at: place) < 10)
      #expect(MapBench.error(of: fix, at: place) < 3 * fix.horizontalAccuracy)
      #expect(fix.horizontalAccuracy < 20)
    }
    #expect(core.taught == before, "what was found by radio taught")
    #expect(core.bench.machine.sourceReports[MapBench.radio].fixes >= 3)
  }

  @Test("RADIO-12: a scan that leads nowhere is reported with its reason, and is no position")
  func silent() throws {
    var core = try MapBench()
    core.start()
    core.scan(at: 10)
    var report = core.bench.machine.sourceReports[MapBench.radio]
    #expect(report.status == .working)
    #expect(report.silence == .nothingKnown)
    #expect(core.fixes.isEmpty)
    let id = try #require(core.open[MapBench.radio])
    core.send(.channel(id, .bytes(Array("{\"wifiAccessPoints\":[]}\n".utf8))))
    #expect(core.bench.machine.sourceReports[MapBench.radio].silence == .nothingHeard)
    core.walk(60)
    core.scan(at: 30)
    report = core.bench.machine.sourceReports[MapBench.radio]
    #expect(report.silence == nil)
  }

  @Test("RADIO-42: a service is asked only for what neither the map nor a receiver places")
  func service() throws {
    var core = try MapBench([
      "nmea+tcp://receiver:10110", "scans+tcp://radio:1", "ichnaea:https://locate.test",
    ])
    core.start()
    func asked() -> Int {
      core.bench.outputs.count { if case .open(_, .web) = $0.output { true } else { false } }
    }
    // The receiver knows the place; the map learns.
    for second in 0..<5 { core.fix(at: Double(second)) }
    core.walk(90)
    #expect(asked() == 0)
    // Satellites are lost; the map knows the place.
    core.run(seconds: 1000)
    core.scan(at: 20)
    #expect(core.fixes.last?.origin.method == .accessPoints)
    #expect(asked() == 0)
    // Here it does not.
    core.run(seconds: 100)
    core.scan(at: 20, of: 500)
    #expect(asked() == 1)
    let id = try #require(core.open[2])
    let body = Array(#"{"location":{"lat":48.2,"lng":11.6},"accuracy":64}"#.utf8)
    core.send(.channel(id, .answer(.response(status: 200, body: body, retryAfter: nil))))
    #expect(core.open[2] == nil, "the request is over")
    let fix = try #require(core.fixes.last)
    #expect(fix.origin.method == .service && fix.horizontalAccuracy == 40)
  }

  @Test("RADIO-42: a service is not asked while another radio knows the place")
  func placedByAnother() throws {
    var core = try MapBench([
      "nmea+tcp://receiver:10110", "scans+tcp://radio:1", "scans+tcp://other:1",
      "ichnaea:https://locate.test",
    ])
    core.start()
    func asked() -> Int {
      core.bench.outputs.count { if case .open(_, .web) = $0.output { true } else { false } }
    }
    for second in 0..<5 { core.fix(at: Double(second)) }
    core.walk(90)
    core.run(seconds: 1000)
    core.scan(at: 20)
    #expect(core.fixes.last?.origin.method == .accessPoints)
    core.run(seconds: 60)
    core.scan(at: 20, of: 500, by: 2)
    #expect(core.bench.machine.sourceReports[2].silence == .nothingKnown)
    #expect(asked() == 0)
    core.run(seconds: 40)
    core.scan(at: 20, of: 500, by: 2)
    #expect(asked() == 1)
  }

  @Test("RADIO-13: a position by radio does not displace a better one of a receiver")
  func arbitration() throws {
    var core = try MapBench()
    core.start()
    core.walk(90)
    let count = core.fixes.count
    // What is received belongs to a place that is 60 m away: the map is wrong.
    for second in 0..<20 {
      core.scan(at: 20)
      core.fix(at: 80 + Double(second % 2))
    }
    let after = core.fixes.dropFirst(count)
    #expect(after.count >= 19)
    #expect(after.allSatisfy { $0.origin.method == .receiver })
    let reasons = Set(core.ignored.filter { $0.fix.origin.method != .receiver }.map(\.reason))
    #expect(reasons.isSubset(of: [.lessAccurate, .contradicted]))
  }

  @Test("RADIO-50: an app receives one position of a receiver and of what is received")
  func fuses() throws {
    var core = try MapBench()
    core.start()
    core.walk(90)
    let (count, before) = (core.fixes.count, core.taught)
    // The receiver errs to one side, as by a reflection.
    for _ in 0..<10 {
      core.fix(at: 40, north: 8)
      core.run(seconds: 0.5)
      core.scan(at: 40)
    }
    let after = core.fixes.dropFirst(count)
    let fused = after.filter { $0.origin.fused != nil }
    #expect(fused.count >= 10)
    #expect(fused.allSatisfy { Set($0.origin.fused ?? []) == [.receiver, .accessPoints] })
    #expect(fused.allSatisfy { MapBench.error(of: $0, at: 40) < 7.5 })
    #expect(core.ignored.contains { $0.reason == .fused })
    #expect(core.taught >= before)
  }

  @Test("RADIO-15: an accuracy of Wi-Fi is served by the radio alone; the receiver stays closed")
  func power() throws {
    var teacher = try MapBench()
    teacher.start()
    teacher.walk(90)
    teacher.run(seconds: 61)
    var core = try MapBench(stored: teacher.rows)
    core.start(UpdateOptions(accuracy: .meters(100)))
    for second in 0..<60 {
      core.scan(at: Double(second))
      core.run(seconds: 20)
      #expect(core.open[MapBench.receiver] == nil)
    }
    #expect(core.fixes.count > 50)
    #expect(core.fixes.allSatisfy { $0.origin.method == .accessPoints })
    // Where the map knows nothing, the receiver answers after a while.
    for _ in 0..<4 {
      core.scan(at: 30, of: 500)
      core.run(seconds: 20)
    }
    #expect(core.open[MapBench.receiver] != nil)
  }

  @Test(
    "RADIO-49: a source that submits receives each scan with the place, and gives none of the start"
  )
  func submits() throws {
    var core = try MapBench([
      "nmea+tcp://receiver:10110", "scans+tcp://radio:1", "geosubmit:https://give.test",
    ])
    core.start()
    core.walk(90)
    let report = core.bench.machine.sourceReports[2]
    #expect(report.rejections.map(\.reason).allSatisfy { $0.contains("near where") })
    #expect((report.rejections.first?.count ?? 0) > 10)
  }

  @Test("RADIO-45: a service that knows only the region does not keep the receiver closed")
  func region() throws {
    var core = try MapBench([
      "nmea+tcp://receiver:10110", "scans+tcp://radio:1", "ichnaea:https://locate.test",
    ])
    core.start(UpdateOptions(accuracy: .meters(100)))
    core.scan(at: 30, of: 500)
    let id = try #require(core.open[2])
    core.run(seconds: 25)
    #expect(core.open[MapBench.receiver] == nil)
    let body = Array(#"{"location":{"lat":48,"lng":11},"accuracy":25000,"fallback":"ipf"}"#.utf8)
    core.send(.channel(id, .answer(.response(status: 200, body: body, retryAfter: nil))))
    core.run(seconds: 10)
    #expect(core.open[MapBench.receiver] != nil)
    #expect(core.fixes.isEmpty)
  }

  @Test("RADIO-17: the map is stored after a minute, and another core goes on with it")
  func stored() throws {
    var core = try MapBench()
    core.start()
    core.walk(50)
    #expect(core.rows.isEmpty)
    core.run(seconds: 60)
    #expect(!core.rows.isEmpty)
    var next = try MapBench(stored: core.rows)
    #expect(next.taught == core.taught)
    next.start(UpdateOptions(accuracy: .meters(100)))
    next.scan(at: 25)
    let found = try #require(next.fixes.last)
    #expect(MapBench.error(of: found, at: 25) < 10)
  }

  @Test("RADIO-17: what is forgotten is gone from memory and from the state, whoever erases it")
  func forgotten() throws {
    var core = try MapBench()
    core.start()
    core.walk(50)
    core.run(seconds: 60)
    let rows = core.rows
    core.send(.map(.forget))
    #expect(core.rows.isEmpty && core.taught == 0)
    core.run(seconds: 120)
    #expect(core.rows.isEmpty, "it came back")
    // Another process has erased the state.
    var other = try MapBench(stored: rows)
    #expect(other.taught > 0)
    other.engine(.stored([]))
    #expect(other.taught == 0)
    // Another process has imported.
    other.engine(.stored(rows))
    #expect(other.taught > 0)
  }

  @Test(
    "RADIO-17: a recording holds the positions, and nothing of the map; a replay gives the same")
  func recorded() throws {
    var core = try MapBench(records: true)
    core.start()
    core.walk(60)
    core.run(seconds: 100)
    core.scan(at: 30)
    var next = try MapBench(stored: core.rows, records: true)
    next.start(UpdateOptions(accuracy: .meters(100)))
    next.scan(at: 20)
    let bytes = Recording.opening + next.bench.machine.takeRecording()
    let summary = try Replay.run(bytes)
    #expect(summary.torn == 0)
    var reader = try RecordingReader(bytes)
    var methods: [PositionMethod] = []
    while let item = try reader.next() {
      guard case .step(let step) = item else { continue }
      switch step.input {
      case .stored(let entries): #expect(entries.allSatisfy { $0.key.domain != RadioMap.domain })
      case .fix(let fix, _): methods.append(fix.origin.method)
      default: break
      }
    }
    #expect(methods == [.accessPoints])
  }

  @Test("RADIO-10: a core without a radio has no map, and keeps what is stored of one")
  func none() throws {
    var core = try MapBench(["nmea+tcp://receiver:10110"], stored: [])
    core.start()
    core.walk(20)
    #expect(core.bench.machine.map == nil)
    #expect(core.rows.isEmpty && core.fixes.count > 10)
  }
}
