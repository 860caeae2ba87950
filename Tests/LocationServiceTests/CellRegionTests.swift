import LocationEngine
import LocationModel
import LocationProviders
import LocationRadio
import LocationRecording
import LocationService
import TestSupport
import Testing

@Suite("The region of a modem's cell in a core")
struct CellRegionTests {
  private static let cell = CellIdentity(
    radio: .lte, country: 206, network: 1, area: 5, cell: 0x1234_01)

  /// The radio receives one cell.
  private static func scan(
    _ core: inout MapBench, by radio: Int = MapBench.radio, of cell: CellIdentity = cell
  ) throws {
    let id = try #require(core.open[radio])
    let reading = RadioScan.Reading(.cell(cell), level: -90, isServing: true)
    core.send(
      .channel(id, .bytes(ScanLine.write(RadioScan([reading], time: core.bench.now.unixTime)))))
  }

  @Test("RADIO-72: serves a request that accepts any position, once, and no better one")
  func serves() throws {
    var core = try MapBench(["scans+tcp://radio:1"])
    core.start(UpdateOptions(accuracy: .meters(3000)))
    for _ in 0..<6 {
      try Self.scan(&core, by: 0)
      core.run(seconds: 10)
    }
    let fix = try #require(core.fixes.first)
    #expect(core.fixes.count == 1)
    #expect(fix.origin.method == .region && fix.horizontalAccuracy > 50_000)
    #expect(core.bench.machine.sourceReports[0].silence == .countryOnly)

    var exact = try MapBench(["scans+tcp://radio:1"])
    exact.start(UpdateOptions(accuracy: .meters(100)))
    for _ in 0..<6 {
      try Self.scan(&exact, by: 0)
      exact.run(seconds: 10)
    }
    #expect(exact.fixes.isEmpty)
  }

  @Test("RADIO-63: a radio that was idle gives the region of its cell again")
  func idle() throws {
    var core = try MapBench(["scans+tcp://radio:1"])
    for count in 1...2 {
      core.start(UpdateOptions(accuracy: .meters(3000)))
      try Self.scan(&core, by: 0)
      core.run(seconds: 20)
      #expect(core.fixes.count == count)
      core.stop()
      core.run(seconds: 200)
    }
  }

  @Test("RADIO-84: a network of no country takes away the region before it, and a radio works on")
  func withdrawn() throws {
    for (country, count) in [(206, 2), (999, 1)] {
      var core = try MapBench(["scans+tcp://radio:1"])
      core.start(UpdateOptions(accuracy: .meters(3000)))
      try Self.scan(&core, by: 0)
      core.run(seconds: 20)
      #expect(core.fixes.count == 1)
      var cell = Self.cell
      cell.country = country
      try Self.scan(&core, by: 0, of: cell)
      core.run(seconds: 1)
      core.startAnother(UpdateOptions(accuracy: .meters(3000)))
      core.run(seconds: 20)
      #expect(core.fixes.count == count, "\(country)")
      #expect(core.bench.machine.sourceReports[0].status == .working)
    }
  }

  @Test("RADIO-72: the area of a list is better than the country")
  func area() throws {
    var core = try MapBench(["scans+tcp://radio:1"])
    var other = Self.cell
    other.cell += 1 << 8
    let place = Coordinate(latitude: 50.8, longitude: 4.4)
    let known = PlacedStations.Place(place, range: 1000, day: 20_000)
    core.send(.map(.learn([.placed(.cell(other), known)])))
    core.start(UpdateOptions(accuracy: .meters(3000)))
    try Self.scan(&core, by: 0)
    core.run(seconds: 20)
    let fix = try #require(core.fixes.first)
    #expect(LocalFrame(center: place).distance(to: fix.coordinate) < 10)
    #expect((5000...12_000).contains(fix.horizontalAccuracy))
    #expect(core.bench.machine.sourceReports[0].silence == .areaOnly)
    core.startAnother(UpdateOptions(accuracy: .meters(3000)))
    #expect(core.fixes.count == 2)
  }

  @Test("RADIO-88: a map that is forgotten gives no region any more, before the next scan too")
  func forgotten() throws {
    var core = try MapBench(["scans+tcp://radio:1"])
    core.start(UpdateOptions(accuracy: .meters(3000)))
    try Self.scan(&core, by: 0)
    core.run(seconds: 20)
    #expect(core.fixes.count == 1)
    core.send(.map(.forget))
    core.startAnother(UpdateOptions(accuracy: .meters(3000)))
    core.run(seconds: 5)
    #expect(core.fixes.count == 1)
    try Self.scan(&core, by: 0)
    core.run(seconds: 1)
    #expect(core.fixes.count == 2)
  }

  @Test("RADIO-84: a recording holds that a region is withdrawn, and a replay gives the same")
  func recorded() throws {
    var core = try MapBench(["scans+tcp://radio:1"], records: true)
    core.start(UpdateOptions(accuracy: .meters(3000)))
    try Self.scan(&core, by: 0)
    core.run(seconds: 20)
    core.send(.map(.forget))
    core.startAnother(UpdateOptions(accuracy: .meters(3000)))
    let bytes = Recording.opening + core.bench.machine.takeRecording()
    #expect(try Replay.run(bytes).torn == 0)
    var reader = try RecordingReader(bytes)
    var withdrawals = 0
    while let item = try reader.next() {
      if case .step(let step) = item, case .noRegion(ProviderID(0)) = step.input {
        withdrawals += 1
      }
    }
    #expect(withdrawals == 1)
  }

  @Test("RADIO-72: a service is asked beside it, and the receiver is opened")
  func others() throws {
    var core = try MapBench([
      "nmea+tcp://receiver:10110", "scans+tcp://radio:1", "ichnaea:https://locate.test",
    ])
    core.start(UpdateOptions(accuracy: .meters(100)))
    try Self.scan(&core)
    let isAsked = core.bench.outputs.contains {
      if case .open(_, .web) = $0.output { true } else { false }
    }
    #expect(isAsked)
    for _ in 0..<5 {
      core.run(seconds: 10)
      try Self.scan(&core)
    }
    #expect(core.open[MapBench.receiver] != nil)
  }
}
