import LocationEngine
import LocationModel
import LocationProviders
import LocationRadio
import LocationRecording
import LocationService
import TestSupport
import Testing

@Suite("Beacons in a core with a map")
struct CoreBeaconTests {
  @Test("RADIO-77: beacons that an app ranges give positions where satellites are lost")
  func finds() throws {
    var core = try BeaconBench()
    core.start()
    core.range(true)
    core.walk(120)
    let before = core.taught
    #expect(before > 60)
    core.run(seconds: 40)
    let count = core.map.fixes.count
    for east in [30.0, 60, 90] {
      core.stay(at: east, seconds: 12)
      let fix = try #require(core.map.fixes.last)
      #expect(fix.origin.method == .beacons && fix.speed == nil)
      #expect(MapBench.error(of: fix, at: east) < 15)
      #expect(MapBench.error(of: fix, at: east) < 3 * fix.horizontalAccuracy)
      #expect(fix.horizontalAccuracy < 30)
      core.run(seconds: 60)
    }
    // One at most each three seconds.
    #expect((9...13).contains(core.map.fixes.count - count))
    #expect(core.taught == before, "what was found by beacons taught")
    #expect(core.report.fixes >= 9 && core.report.silence == nil)
  }

  @Test("RADIO-77: the map goes on with beacons after a restart, and a recording has the positions")
  func stored() throws {
    var teacher = try BeaconBench()
    teacher.start()
    teacher.range(true)
    teacher.walk(120)
    teacher.run(seconds: 70)
    var core = try BeaconBench(stored: teacher.map.rows, records: true)
    #expect(core.taught == teacher.taught)
    core.start()
    core.range(true)
    core.stay(at: 50, seconds: 12)
    let fix = try #require(core.map.fixes.last)
    #expect(fix.origin.method == .beacons && MapBench.error(of: fix, at: 50) < 15)
    let bytes = Recording.opening + core.takeRecording()
    #expect(try Replay.run(bytes).torn == 0)
    var reader = try RecordingReader(bytes)
    var methods: Set<PositionMethod> = []
    while let item = try reader.next() {
      guard case .step(let step) = item, case .fix(let fix, _) = step.input else { continue }
      methods.insert(fix.origin.method)
    }
    #expect(methods == [.beacons])
  }

  @Test("RADIO-78: while no app ranges or monitors beacons, nothing listens, and none is learned")
  func unasked() throws {
    var core = try BeaconBench()
    core.start()
    core.walk(60)
    #expect(core.scans == 0 && core.map.open[BeaconBench.source] == nil)
    #expect(core.taught == 0)
    let count = core.map.fixes.count
    core.stay(at: 30, seconds: 60)
    #expect(core.map.fixes.count == count)
  }

  @Test("RADIO-78: while nobody needs a position, what is ranged is neither learned nor looked up")
  func unneeded() throws {
    var core = try BeaconBench()
    core.start()
    core.range(true)
    core.walk(60)
    core.run(seconds: 20)
    let (taught, found) = (core.taught, core.report.fixes)
    #expect(taught > 0)
    core.stop()
    core.stay(at: 30, seconds: 30)
    #expect(core.scans == 1 && core.map.open[BeaconBench.source] != nil)
    #expect(core.taught == taught && core.report.fixes == found)
    core.range(false)
    core.run(seconds: 11)
    #expect(core.map.open[BeaconBench.source] == nil)
  }

  @Test("RADIO-78: positions by beacons keep no receiver closed, and close none")
  func power() throws {
    var teacher = try BeaconBench()
    teacher.start()
    teacher.range(true)
    teacher.walk(120)
    teacher.run(seconds: 70)
    var core = try BeaconBench(stored: teacher.map.rows)
    core.range(true)
    core.start(UpdateOptions(accuracy: .meters(100)))
    for east in [20.0, 50, 80] {
      core.stay(at: east, seconds: 12)
      #expect(core.map.open[MapBench.receiver] != nil)
    }
    #expect(core.map.fixes.last?.origin.method == .beacons)
    #expect(core.report.status == .working)
  }

  @Test("RADIO-79: the beacon that this computer itself is teaches nothing")
  func own() throws {
    var core = try BeaconBench(beacons: 1)
    core.start()
    core.range(true)
    core.advertise(0)
    core.walk(40)
    #expect(core.taught == 0)
    core.advertise(nil)
    core.walk(40)
    #expect(core.taught > 0)
  }

  @Test("RADIO-83: a location service is asked about no beacon, and given none")
  func services() throws {
    var core = try BeaconBench([
      "nmea+tcp://receiver:10110", "bluez:", "ichnaea:https://locate.test",
      "geosubmit:https://give.test",
    ])
    core.start()
    core.range(true)
    core.stay(at: 30, seconds: 60)
    core.walk(120)
    #expect(core.taught > 0)
    #expect(core.map.bench.machine.sourceReports[2...].allSatisfy { $0.rejections.isEmpty })
    let asked = core.map.bench.outputs.contains {
      if case .open(_, .web) = $0.output { true } else { false }
    }
    #expect(!asked)
  }
}
