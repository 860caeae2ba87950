import CoreLocation
import LocationTesting
import Testing

@Suite("A way from a GPX file")
struct GPXTests {
  let device = SimulatedDevice(at: CLLocationCoordinate2D(latitude: 10, longitude: 10))

  private func way(_ points: String, withoutTimes pace: Route.Pace = .speed(20)) throws -> Route {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gpx")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(#"<gpx version="1.1" creator="a test">\#(points)</gpx>"#.utf8).write(to: file)
    return try Route(gpx: file, withoutTimes: pace)
  }

  private func point(
    _ kind: String, _ latitude: Double, after seconds: Int? = nil, up elevation: Double? = nil
  ) -> String {
    let time = seconds.map { "<time>2026-01-01T08:00:\($0 < 10 ? "0" : "")\($0)Z</time>" } ?? ""
    let height = elevation.map { "<ele>\($0)</ele>" } ?? ""
    return #"<\#(kind) lat="\#(latitude)" lon="8">\#(height)\#(time)</\#(kind)>"#
  }

  /// Degrees of latitude north of 47, after so many seconds of the way each.
  private func latitudes(of route: Route, after seconds: [Int]) async throws -> [Double] {
    device.travel(route)
    var (latitudes, passed) = ([Double](), 0)
    for second in seconds {
      try await device.advance(by: .seconds(second - passed))
      passed = second
      latitudes.append(((device.truePlace.latitude - 47) * 1e5).rounded() / 1e5)
    }
    return latitudes
  }

  @Test("SIM-1: with one waypoint is that place, for good")
  func onePoint() async throws {
    let route = try way(point("wpt", 47.25))
    #expect(try await latitudes(of: route, after: [0, 1, 3600]) == [0.25, 0.25, 0.25])
  }

  @Test("SIM-1: reaches each waypoint at its time, at constant speed between two")
  func times() async throws {
    let route = try way(
      point("wpt", 47, after: 0) + point("wpt", 47.001, after: 10)
        + point("wpt", 47.002, after: 50))
    #expect(route.duration == .seconds(50))
    let expected = [0.0005, 0.001, 0.0015, 0.002, 0.002]
    #expect(try await latitudes(of: route, after: [5, 10, 30, 50, 100]) == expected)
  }

  @Test("SIM-2: goes 20 m/s where points have no times, or from point to point each second")
  func noTimes() async throws {
    let points = point("wpt", 47) + point("wpt", 47.009) + point("wpt", 47.018)
    let usual = try way(points)
    #expect(abs(usual.length / 20 - usual.duration / .seconds(1)) < 0.01)
    let stepwise = try way(points, withoutTimes: .points(every: .seconds(1)))
    #expect(try await latitudes(of: stepwise, after: [1, 2, 3]) == [0.009, 0.018, 0.018])
  }

  @Test("SIM-4: plays tracks, and routes where there are no tracks, with their elevation")
  func tracks() async throws {
    let points = [("trkpt", 47.1), ("rtept", 47.2), ("wpt", 47.3)].map { kind, place in
      point(kind, place, after: 0, up: 100) + point(kind, place + 0.001, after: 20, up: 140)
    }
    let track = "<trk><trkseg>\(points[0])</trkseg></trk>"
    let route = "<rte>\(points[1])</rte>"
    #expect(try await latitudes(of: way(points[2] + route), after: [20]) == [0.201])
    device.person(answers: .allowWhileUsing, after: .zero)
    let altitudes = Log<Double>()
    try await device.app("com.example.climb").run {
      let loop = Task {
        for try await update in CLLocationUpdate.liveUpdates() {
          if let location = update.location { altitudes.add(location.altitude) }
        }
      }
      try await device.advance(by: .seconds(5))
      #expect(try await latitudes(of: way(points[2] + route + track), after: [10]) == [0.1005])
      loop.cancel()
    }
    #expect(altitudes.values.last.map { abs($0 - 120) < 3 } == true, "\(altitudes.values)")
  }

  @Test("tells what of the file was passed over")
  func warnings() throws {
    #expect(try way(point("wpt", 47)).warnings.isEmpty)
    let route = try way(point("wpt", 47) + #"<wpt lat="1"/>"#)
    #expect(route.warnings == ["line 1: a point needs both lat and lon"])
  }
}
