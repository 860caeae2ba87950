package import LocationFleet
package import LocationModel

/// Random ways of a device among fences, from a seed.
package struct FleetWalk {
  package var fixes: [Fix] = []
  package var fences: [FleetFence] = []

  package static let origin = Coordinate(latitude: 46.52, longitude: 6.63)
  package static let start = UnixTime(seconds: 1_767_600_000)

  package static func place(east: Double, north: Double) -> Coordinate {
    Coordinate(
      latitude: origin.latitude + north / 111_200,
      longitude: origin.longitude + east / 76_600)
  }

  /// The same way among polygons: stars with a hole around the centers of the circles.
  package func amongPolygons() throws -> FleetWalk {
    var walk = self
    for (number, fence) in fences.enumerated() {
      guard case .circle(let circle) = fence.area else { continue }
      let center = circle.center
      func ring(_ radius: Double, corners: Int) -> [Coordinate] {
        (0...corners).map { corner in
          let angle = Angle(degrees: 360 * Double(corner % corners) / Double(corners))
          let reach = radius * (corner % corners % 2 == 0 ? 1 : 0.6)
          return Coordinate(
            latitude: center.latitude + reach * sin(angle) / 111_200,
            longitude: center.longitude + reach * cos(angle) / 76_600)
        }
      }
      let rings = [ring(circle.radius, corners: 6 + 2 * (number % 20))]
      let hole = number % 4 == 0 ? [ring(circle.radius / 4, corners: 4)] : []
      walk.fences[number].area = .polygon(try Polygon([rings + hole]))
    }
    return walk
  }

  /// Stays and ways with good, coarse, and wildly wrong fixes, and silences.
  package init(seed: UInt64, count: Int = 400) {
    var random = SeededRandom(seed: seed)
    for number in 0..<40 {
      let center = Self.place(
        east: .random(in: -3000...3000, using: &random),
        north: .random(in: -600...600, using: &random))
      fences.append(
        FleetFence(
          id: "fence-\(number)",
          .circle(Circle(center: center, radius: .random(in: 50...400, using: &random))),
          dwell: number % 3 == 0 ? .seconds(300) : nil))
    }
    var (time, east, north) = (Self.start, 0.0, 0.0)
    var (speed, left) = (0.0, 0)
    for _ in 0..<count {
      if left == 0 {
        left = .random(in: 10...60, using: &random)
        speed = Bool.random(using: &random) ? 0 : .random(in: -15...15, using: &random)
      }
      left -= 1
      let silence = Int.random(in: 0..<40, using: &random) == 0
      let seconds = silence ? Double.random(in: 60...2000, using: &random) : 10
      time = time + .seconds(seconds)
      east += speed * min(seconds, 60)
      north += .random(in: -10...10, using: &random)
      let isWrong = Int.random(in: 0..<50, using: &random) == 0
      let isCoarse = Int.random(in: 0..<10, using: &random) == 0
      let error = isWrong ? 400.0 : isCoarse ? 60 : 5
      var fix = Fix(
        coordinate: Self.place(
          east: east + .random(in: -error...error, using: &random),
          north: north + .random(in: -error...error, using: &random)),
        horizontalAccuracy: isCoarse ? .random(in: 40...900, using: &random) : 8, time: time)
      if Bool.random(using: &random) { fix.speed = speed.magnitude }
      fixes.append(fix)
    }
    fixes[0].horizontalAccuracy = 8
  }

  package func index() throws -> FleetFences {
    var index = FleetFences()
    for fence in fences { try index.insert(fence) }
    return index
  }

  /// A fix of a device as a line of a fleet; it came when it was made.
  package static func line(_ fix: Fix, of name: FleetDeviceName) -> String {
    let speed = fix.speed.map { ",\"speed\":\($0)" } ?? ""
    let tenant = name.tenant.isEmpty ? "" : "\"tenant\":\"\(name.tenant)\","
    return """
      {\(tenant)"device":"\(name.device)","date":"\(fix.time.iso8601)",\
      "received":"\(fix.time.iso8601)","latitude":\(fix.coordinate.latitude),\
      "longitude":\(fix.coordinate.longitude),\
      "horizontal_accuracy":\(fix.horizontalAccuracy)\(speed)}
      """
  }

  /// The fences as a file; with `shift` their centers lie so many degrees further east.
  package func fenceFile(shift: Double = 0, revision: Int = 1) -> [UInt8] {
    let features = fences.compactMap { fence -> String? in
      guard case .circle(let circle) = fence.area else { return nil }
      let dwell = fence.dwell.map { ",\"dwell\":\(Int($0.inSeconds))" } ?? ""
      return """
        {"type":"Feature","id":"\(fence.id)","geometry":{"type":"Point","coordinates":\
        [\(circle.center.longitude + shift),\(circle.center.latitude)]},\
        "properties":{"radius":\(circle.radius),"revision":\(revision)\(dwell)}}
        """
    }
    return Array(
      #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8)
  }
}
