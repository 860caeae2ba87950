import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The track player")
struct TrackPlayerTests {
  private func bench(
    _ gpx: String, factor: Double = 1, ending: TrackPlayer.Ending = .hold,
    pace: TrackPath.Pace = .standard
  ) throws -> Bench<TrackPlayer> {
    let path = TrackPath(try GPXReader.read(Array("<gpx>\(gpx)</gpx>".utf8)), pace: pace)
    return Bench(TrackPlayer(path, factor: factor, ending: ending)) { output in
      switch output {
      case .fix(let fix):
        "\(Self.place(fix.coordinate)) \(fix.speed.map { "\(($0 * 10).rounded() / 10) m/s" } ?? "-")"
      case .finished: "finished"
      }
    }
  }

  private static func place(_ coordinate: Coordinate) -> String {
    func short(_ degrees: Double) -> Double { (degrees * 100_000).rounded() / 100_000 }
    return "\(short(coordinate.latitude)),\(short(coordinate.longitude))"
  }

  private func point(_ kind: String, _ latitude: Double, _ longitude: Double, second: Int? = nil)
    -> String
  {
    let time = second.map { "<time>2024-01-01T00:00:\($0 < 10 ? "0" : "")\($0)Z</time>" } ?? ""
    return "<\(kind) lat=\"\(latitude)\" lon=\"\(longitude)\">\(time)</\(kind)>"
  }

  @Test("SIM-1: one waypoint is a constant place")
  func onePlace() throws {
    var bench = try bench(point("wpt", 1, 2))
    bench.run(for: .seconds(2))
    #expect(
      bench.transcript == """
        00:00:00  1.0,2.0 -
        00:00:00  finished
        00:00:01  1.0,2.0 -
        00:00:02  1.0,2.0 -
        """)
  }

  @Test("SIM-1: several waypoints are reached at their times, on a straight line between them")
  func severalPlaces() throws {
    var bench = try bench(
      point("wpt", 0, 0, second: 10) + point("wpt", 0, 0.0002, second: 12)
        + point("wpt", 0, 0.0003, second: 12 + 1))
    bench.run(for: .seconds(4))
    #expect(
      bench.transcript == """
        00:00:00  0.0,0.0 11.1 m/s
        00:00:01  0.0,0.0001 11.1 m/s
        00:00:02  0.0,0.0002 11.1 m/s
        00:00:03  0.0,0.0003 11.1 m/s
        00:00:03  finished
        00:00:04  0.0,0.0003 0.0 m/s
        """)
  }

  @Test("SIM-2: without times it moves at 20 m/s, or a point each second if asked to")
  func pace() throws {
    let gpx = point("wpt", 0, 0) + point("wpt", 0, 0.0009) + point("wpt", 0, 0.0018)
    var moving = try bench(gpx)
    moving.run(for: .seconds(60))
    let finished = moving.outputs.first { $0.output == .finished }
    #expect(try #require(finished).at.nanoseconds / 1_000_000 == 10_007)
    var stepping = try bench(gpx, pace: .interval(1))
    stepping.run(for: .seconds(2))
    #expect(
      stepping.transcript == """
        00:00:00  0.0,0.0 100.1 m/s
        00:00:01  0.0,0.0009 100.1 m/s
        00:00:02  0.0,0.0018 100.1 m/s
        00:00:02  finished
        """)
  }

  @Test("SIM-2: a leg whose times do not advance is paced")
  func timesThatDoNotAdvance() throws {
    var bench = try bench(
      point("wpt", 0, 0, second: 9) + point("wpt", 0, 0.00009, second: 9)
        + point("wpt", 0, 0.00018, second: 5))
    bench.run(for: .seconds(1.5))
    #expect(
      bench.transcript == """
        00:00:00  0.0,0.0 20.0 m/s
        00:00:00.500  0.0,9e-05 20.0 m/s
        00:00:01  0.0,0.00018 20.0 m/s
        00:00:01  finished
        """)
  }

  @Test("SIM-3: at the end it begins again, if asked to")
  func loop() throws {
    var bench = try bench(
      point("wpt", 0, 0, second: 0) + point("wpt", 0, 0.0001, second: 1), ending: .loop)
    bench.run(for: .seconds(4))
    #expect(
      bench.transcript == """
        00:00:00  0.0,0.0 11.1 m/s
        00:00:01  0.0,0.0001 11.1 m/s
        00:00:02  0.0,0.0 11.1 m/s
        00:00:03  0.0,0.0001 11.1 m/s
        00:00:04  0.0,0.0 11.1 m/s
        """)
  }

  @Test("SIM-3: at the end it turns back, if asked to")
  func reverse() throws {
    var bench = try bench(
      point("wpt", 0, 0, second: 0) + point("wpt", 0, 0.0001, second: 1)
        + point("wpt", 0, 0.0004, second: 2), ending: .reverse)
    bench.run(for: .seconds(5))
    #expect(
      bench.transcript == """
        00:00:00  0.0,0.0 11.1 m/s
        00:00:01  0.0,0.0001 33.4 m/s
        00:00:02  0.0,0.0004 33.4 m/s
        00:00:03  0.0,0.0001 11.1 m/s
        00:00:04  0.0,0.0 11.1 m/s
        00:00:05  0.0,0.0001 33.4 m/s
        """)
  }

  @Test("SIM-4: plays tracks, else routes, and is silent between segments")
  func tracks() throws {
    let segment = { (points: String) in "<trkseg>\(points)</trkseg>" }
    var bench = try bench(
      point("wpt", 9, 9) + "<rte>\(point("rtept", 8, 8))</rte><trk>"
        + segment(point("trkpt", 0, 0, second: 0) + point("trkpt", 0, 0.0001, second: 1))
        + segment("") + segment(point("trkpt", 1, 1, second: 9)) + "</trk>")
    bench.run(for: .seconds(9))
    #expect(
      bench.transcript == """
        00:00:00  0.0,0.0 11.1 m/s
        00:00:01  0.0,0.0001 11.1 m/s
        00:00:09  1.0,1.0 -
        00:00:09  finished
        """)
    var route = try self.bench(point("wpt", 9, 9) + "<rte>\(point("rtept", 8, 8))</rte>")
    route.run(for: .zero)
    #expect(route.transcript.hasPrefix("00:00:00  8.0,8.0"))
  }

  @Test("is faster by its factor")
  func factor() throws {
    var bench = try bench(
      point("wpt", 0, 0, second: 0) + point("wpt", 0, 0.0004, second: 4), factor: 4)
    bench.run(for: .seconds(1))
    #expect(
      bench.transcript == """
        00:00:00  0.0,0.0 44.5 m/s
        00:00:01  0.0,0.0004 44.5 m/s
        00:00:01  finished
        """)
  }

  @Test("crosses the antimeridian the short way")
  func antimeridian() throws {
    var bench = try bench(
      point("wpt", 0, 179.999, second: 0) + point("wpt", 0, -179.997, second: 4))
    bench.run(for: .seconds(3))
    #expect(
      bench.transcript.split(separator: "\n").map { $0.split(separator: " ")[1] }
        == ["0.0,179.999", "0.0,180.0", "0.0,-179.999", "0.0,-179.998"])
  }

  @Test("SIM-5, SIM-6: gives elevation, speed, course, and says that it is simulated")
  func fixes() throws {
    var bench = try bench(
      """
      <wpt lat="0" lon="0"><ele>10</ele><time>2024-01-01T00:00:00Z</time></wpt>
      <wpt lat="0.0002" lon="0"><ele>20</ele><time>2024-01-01T00:00:02Z</time></wpt>
      """)
    bench.run(for: .seconds(1))
    guard case .fix(let fix) = try #require(bench.outputs.last).output else {
      Issue.record("no fix")
      return
    }
    #expect(fix.altitude == 15)
    #expect(fix.course == 0)
    #expect(fix.horizontalAccuracy == TrackPlayer.standardAccuracy)
    #expect(fix.origin.isSimulated)
    #expect(fix.time == bench.now.unixTime)
  }

  @Test("survives dates that lie centuries apart")
  func centuries() throws {
    var bench = try bench(
      """
      <trk><trkseg><trkpt lat="0" lon="0"><time>1678-01-01T00:00:00Z</time></trkpt></trkseg>
      <trkseg><trkpt lat="1" lon="0"><time>2261-01-01T00:00:00Z</time></trkpt></trkseg></trk>
      """, factor: 0.001)
    bench.run(for: .seconds(2_000_000))
    #expect(bench.outputs.count == 1)
  }

  @Test("says nothing when there are no points")
  func empty() throws {
    var bench = try bench("")
    bench.run(for: .seconds(3))
    #expect(bench.outputs.isEmpty)
  }
}

@Suite("The fixed position")
struct FixedPositionTests {
  @Test("SIM-7: is delivered at once and each second, without speed or course")
  func standing() throws {
    let place = Coordinate(latitude: 0, longitude: 0)
    var bench = Bench(FixedPosition(place, accuracy: 8))
    bench.run(for: .seconds(2.5))
    #expect(bench.outputs.map(\.at.nanoseconds) == [0, 1_000_000_000, 2_000_000_000])
    guard case .fix(let fix) = try #require(bench.outputs.last).output else { return }
    #expect(fix.coordinate == place)
    #expect(fix.horizontalAccuracy == 8)
    #expect(fix.speed == nil && fix.course == nil)
    #expect(fix.origin.isSimulated)
  }
}
